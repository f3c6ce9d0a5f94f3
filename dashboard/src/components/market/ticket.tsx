import { type ReactNode, useEffect, useState } from 'react';
import type { Market } from '../../api/client.js';
import type { MarketPlace } from '../../api/markets.js';
import type { OrderBody } from '../../api/order-body.js';
import { type OrderPreview, usePreview } from '../../api/previews.js';
import { useCredentials } from '../../api/queries.js';
import type { Exchange } from '../../installation.js';
import { Amount } from '../amount.js';
import { ForeignText } from '../foreign-text.js';
import { Time } from '../time.js';
import { Button, Card, Loaded, Notice, Skeleton, ui } from '../ui.js';
import { AsBot } from './as-bot.js';
import { OrderCalls } from './order-calls.js';
import { outcomeName } from './outcome.js';
import { NoCredentials } from './own.js';
import { PreviewFigures } from './preview.js';
import { bodyOf, LIVES, NO_TERMS, type Terms } from './terms.js';
import { TicketFields } from './ticket-fields.js';

/** How long nothing is typed before an order is asked about, in milliseconds: each answer takes several calls at the exchange. */
const TYPED_MS = 600;

/** The text as it was when nothing had changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(setSettled, TYPED_MS, text);
    return () => {
      clearTimeout(timer);
    };
  }, [text]);
  return settled;
}

interface OrderProps {
  readonly exchange: Exchange;
  readonly market: Market;
  readonly outcome: Market['outcomes'][number];
  readonly body: OrderBody;
  /** Whether nothing is being typed. */
  readonly isSettled: boolean;
}

/** The order in a sentence. */
function Sentence({ market, outcome, body }: Omit<OrderProps, 'isSettled'>): ReactNode {
  const life = LIVES.find(([id]) => id === body.time_in_force)?.[1] ?? '';
  return (
    <p>
      <strong>
        {body.side === 'buy' ? 'Buy' : 'Sell'} <Amount value={body.size} /> of{' '}
        <ForeignText form="quoted" text={outcomeName(outcome, market)} /> at{' '}
        <Amount value={body.price} unit={market.currency} />
      </strong>
      {`, ${body.side === 'buy' ? 'or for less' : 'or for more'}. ${life}`}
      {body.expires_at === undefined ? '' : <> ({<Time iso={body.expires_at} />})</>}
      {body.post_only === true ? ', only resting' : ''}.
    </p>
  );
}

/** Whether an answer is of this order: what it says of another is never shown. */
function isOf({ order }: OrderPreview, { outcome, body }: Omit<OrderProps, 'isSettled'>): boolean {
  if (order === null) return true;
  const names = ['market_id', 'side', 'price', 'size'] as const;
  return order.outcome_index === outcome.index && names.every((name) => order[name] === body[name]);
}

function Previewed(props: OrderProps): ReactNode {
  const { exchange, market, body, isSettled } = props;
  const place: MarketPlace = { exchange: exchange.id, id: market.id };
  const preview = usePreview(place, isSettled ? body : null);
  if (!isSettled) return <Skeleton height={220} />;
  return (
    <Loaded query={preview} height={220}>
      {(data) =>
        isOf(data, props) ? (
          <>
            <PreviewFigures preview={data} />
            <div className={ui.row}>
              <span className={ui.hint} role="status">
                Previewed at <Time iso={new Date(preview.dataUpdatedAt).toISOString()} />. The book moves on, and the
                exchange decides.
              </span>
              <Button isSmall disabled={preview.isFetching} onClick={() => void preview.refetch()}>
                {preview.isFetching ? 'Asking…' : 'Preview again'}
              </Button>
            </div>
            <AsBot exchange={exchange} preview={data} market={market} />
          </>
        ) : (
          <Notice kind="bad">
            <strong>The answer is of another order than the one asked about, so it is not shown.</strong> Load this page
            again.
          </Notice>
        )
      }
    </Loaded>
  );
}

/** Asks only where the service can ask the exchange. */
function PreviewPart(props: OrderProps): ReactNode {
  const { exchange } = props;
  const credentials = useCredentials();
  return (
    <Loaded query={credentials} height={220}>
      {(stored) =>
        stored[exchange.id]?.configured === true ? (
          <Previewed {...props} />
        ) : (
          <NoCredentials exchange={exchange} what="what this order would come to cannot be told" />
        )
      }
    </Loaded>
  );
}

interface TicketProps {
  readonly exchange: Exchange;
  readonly market: Market;
  readonly outcome: Market['outcomes'][number];
  readonly onChoose: (index: number) => void;
}

/** What an order would come to, and the call that places it. It places nothing. */
export function Ticket({ exchange, market, outcome, onChoose }: TicketProps): ReactNode {
  const [typed, setTyped] = useState(NO_TERMS);
  const [pricedOf, setPricedOf] = useState(outcome.index);
  // A price of one outcome is none of the other.
  const terms: Terms = pricedOf === outcome.index ? typed : { ...typed, price: '' };
  const body = bodyOf(terms, market, outcome);
  const text = body === null ? '' : JSON.stringify(body);
  const isSettled = useSettled(text) === text;
  return (
    <Card title="Preview an order">
      <TicketFields
        market={market}
        outcome={outcome}
        terms={terms}
        onChoose={onChoose}
        onChange={(change) => {
          setTyped({ ...terms, ...change });
          setPricedOf(outcome.index);
        }}
      />
      {body === null ? (
        <p className={ui.soft}>Fill in size and price to see what the order would come to.</p>
      ) : (
        <>
          <Sentence exchange={exchange} market={market} outcome={outcome} body={body} />
          <PreviewPart exchange={exchange} market={market} outcome={outcome} body={body} isSettled={isSettled} />
          <OrderCalls exchange={exchange.id} body={body} />
        </>
      )}
      <p className={ui.hint}>
        Nothing is placed from this page: orders come from programs with a key of their own, whose limits hold, and
        whoever takes over a browser can place none.
      </p>
    </Card>
  );
}
