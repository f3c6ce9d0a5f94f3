import type { ReactNode } from 'react';
import { complement, isPositive, subtract } from '../../../../src/exchanges/decimal.js';
import { explain } from '../../api/explain.js';
import { Failure } from '../../api/failure.js';
import type { OrderPreview } from '../../api/previews.js';
import { Amount, moneyPlaces, placesOf } from '../amount.js';
import { ForeignText } from '../foreign-text.js';
import { Time } from '../time.js';
import { Notice, ui } from '../ui.js';

type Order = NonNullable<OrderPreview['order']>;

interface ShownProps {
  readonly preview: OrderPreview;
}

/** Money to its last digit: what is cut is less than what is at stake, and a small fee would be none. */
function Money({ value, unit }: { readonly value: string | null; readonly unit: string }): ReactNode {
  if (value === null) return 'not known';
  return <Amount value={value} places={Math.max(moneyPlaces([value]), placesOf([value]))} unit={unit} />;
}

/** What the exchange or the service would refuse it for, in the words that the refusal itself would have. */
function Refusal({ preview }: ShownProps): ReactNode {
  const refusal = preview.would_be_refused;
  if (refusal === null) return null;
  const { code, reason, message } = refusal;
  const { happened, advice = '' } = explain(new Failure(code, message, '', reason === null ? {} : { reason }));
  return (
    <Notice kind="bad">
      <strong>It would be refused now. {happened}</strong> <span>{advice}</span>
      <details>
        <summary>What would be answered</summary>
        <ForeignText form="whole" text={`${code}${reason === null ? '' : `, ${reason}`}: ${message}`} />
      </details>
    </Notice>
  );
}

/** What a sale costs is that of the other outcome, whatever is held: who sells what they hold is paid instead. */
function OfSale({ order: { side, price, currency } }: { readonly order: Order }): ReactNode {
  if (side === 'buy') return null;
  return (
    <div className={ui.hint}>
      As if you held none of it: a sale is a purchase of the other outcome at{' '}
      <Amount value={complement(price)} unit={currency} />. What you sell of your own position costs nothing, and pays.
    </div>
  );
}

function FillsNow({ preview: { fills_now: fills }, order }: ShownProps & { readonly order: Order }): ReactNode {
  if (fills === null) return 'not known: the book could not be read';
  if (!isPositive(fills.size)) return 'nothing';
  return (
    <>
      <Amount value={fills.size} /> at <Amount value={fills.average_price} unit={order.currency} /> on average
    </>
  );
}

function Rests({ preview, order }: ShownProps & { readonly order: Order }): ReactNode {
  const { fills_now: fills, would_be_refused: refusal } = preview;
  if (refusal !== null) return 'nothing, as it would be refused';
  if (order.time_in_force === 'ioc' || order.time_in_force === 'fok') return 'nothing: it does not rest';
  if (fills === null) return 'not known';
  const rest = subtract(order.size, fills.size);
  if (!isPositive(rest)) return 'nothing';
  return (
    <>
      <Amount value={rest} /> at <Amount value={order.price} unit={order.currency} />
      {order.expires_at === null ? null : (
        <>
          {' '}
          until <Time iso={order.expires_at} />
        </>
      )}
    </>
  );
}

function Fee({ preview, order }: ShownProps & { readonly order: Order }): ReactNode {
  const { fee_estimate: fee, fee_source: source } = preview;
  return (
    <>
      <Money value={fee} unit={order.currency} />
      <div className={ui.hint}>
        {source === null ? 'The rule of the fee could not be read.' : <ForeignText text={source} />}
      </div>
    </>
  );
}

function Signed({ order }: { readonly order: Order }): ReactNode {
  if (order.money === null && order.shares === null) return null;
  return (
    <>
      <dt>Would be signed for</dt>
      <dd>
        <Amount value={order.money} unit={order.currency} /> and <Amount value={order.shares} /> shares
      </dd>
    </>
  );
}

/** What an order would come to, by one answer; each figure as the service states it. */
export function PreviewFigures({ preview }: ShownProps): ReactNode {
  const { order, cost, risk } = preview;
  return (
    <>
      <Refusal preview={preview} />
      {order === null ? null : (
        <dl className={ui.facts} aria-label="What it would come to">
          <dt>Costs at most</dt>
          <dd>
            <Money value={cost} unit={order.currency} />, before fees
            <OfSale order={order} />
          </dd>
          <dt>Can lose</dt>
          <dd>
            <Money value={risk} unit={order.currency} /> at most, before fees
          </dd>
          <dt>Fee</dt>
          <dd>
            <Fee preview={preview} order={order} />
          </dd>
          <dt>Fills now</dt>
          <dd>
            <FillsNow preview={preview} order={order} />
          </dd>
          <dt>Rests</dt>
          <dd>
            <Rests preview={preview} order={order} />
          </dd>
          <Signed order={order} />
        </dl>
      )}
    </>
  );
}
