import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ExchangeId, Market } from '../../api/client.js';
import { Amount } from '../amount.js';
import { ForeignText } from '../foreign-text.js';
import { Time } from '../time.js';
import { CopyButton, ui } from '../ui.js';
import css from './market.module.css';

function When({ iso }: { readonly iso: string | null }): ReactNode {
  return iso === null ? 'not stated' : <Time iso={iso} />;
}

function resultOf({ result, outcomes }: Market): string | null {
  if (result === null) return null;
  const { outcome_index: winner, settlement_price: price } = result;
  const labelOf = (index: number): string => outcomes.find((one) => one.index === index)?.label ?? `Outcome ${index}`;
  const paid = price === null ? '' : ` “${labelOf(0)}” pays ${price}.`;
  return winner === null ? `Split or scalar.${paid}` : `“${labelOf(winner)}” won.${paid}`;
}

interface FactsProps {
  readonly market: Market;
  readonly exchange: ExchangeId;
}

/** How the market stands, and its ids. */
export function Facts({ market, exchange }: FactsProps): ReactNode {
  const result = resultOf(market);
  const unit = market.volume_unit === 'currency' ? market.currency : 'contracts';
  return (
    <dl className={ui.facts}>
      <dt>Status</dt>
      <dd>
        {market.status}, {market.tradable ? 'takes orders' : 'takes no orders now'}
      </dd>
      {result === null ? null : (
        <>
          <dt>Result</dt>
          <dd>
            <ForeignText text={result} />
          </dd>
        </>
      )}
      <dt>Closes</dt>
      <dd>
        <When iso={market.close_time} />
      </dd>
      <dt>Volume</dt>
      <dd>
        <Amount value={market.volume} unit={unit} />
      </dd>
      <dt>In 24 hours</dt>
      <dd>
        <Amount value={market.volume_24h} unit={unit} />
      </dd>
      <dt>Market id</dt>
      <dd className={ui.row}>
        <code className={css.id}>{market.id}</code>
        <CopyButton text={market.id} what="the market id" />
      </dd>
      {market.event_id === null ? null : (
        <>
          <dt>Event</dt>
          <dd>
            <Link to="/markets" search={{ exchange, event: market.event_id }}>
              All markets of {market.event_id}
            </Link>
          </dd>
        </>
      )}
    </dl>
  );
}
