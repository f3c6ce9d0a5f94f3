import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Market } from '../../api/client.js';
import { useMarket } from '../../api/markets.js';
import { type Exchange, type Order, useOrder } from '../../api/portfolio.js';
import { Amount } from '../amount.js';
import { ForeignText } from '../foreign-text.js';
import { plainTitle } from '../names.js';
import { OtherWay } from '../other-way.js';
import { Time } from '../time.js';
import { Button, Card, Loaded, ui } from '../ui.js';

interface Terms {
  readonly side: string;
  readonly size: string;
  readonly outcome: string;
  readonly price: string;
}

/** An order as a person would say it. */
function Said({ side, size, outcome, price }: Terms): ReactNode {
  return (
    <>
      {side} <Amount value={size} /> <ForeignText form="quoted" text={outcome} /> at <Amount value={price} />
    </>
  );
}

function outcomeOf(market: Market | undefined, index: number | null): string {
  return market?.outcomes.find((one) => one.index === index)?.label ?? `outcome ${index ?? 'not stated'}`;
}

interface OrderProps {
  readonly order: Order;
  readonly market: Market | undefined;
}

/** What was asked for: an exchange may have the same the other way round, a sale of Yes as a purchase of No. */
function Asked({ order, market }: OrderProps): ReactNode {
  const { requested, size } = order;
  if (requested === null) return 'Not known: it was not placed through this service.';
  return <Said {...requested} size={size} outcome={outcomeOf(market, requested.outcome_index)} />;
}

function When({ iso }: { readonly iso: string | null }): ReactNode {
  return iso === null ? 'Not stated' : <Time iso={iso} withMs />;
}

function Facts({ order, market, exchange }: OrderProps & { readonly exchange: Exchange }): ReactNode {
  const { outcome, currency } = order;
  return (
    <dl className={ui.facts}>
      <dt>Status</dt>
      <dd>
        {order.status.replace('_', ' ')}
        {order.status_reason === null ? null : (
          <>
            : <ForeignText form="quoted" text={order.status_reason} />
          </>
        )}
      </dd>
      <dt>Asked for</dt>
      <dd>
        <Asked order={order} market={market} />
      </dd>
      <dt>{exchange.name} has it as</dt>
      <dd>
        <Said {...order} outcome={outcome.label ?? outcomeOf(market, outcome.index)} />
        <OtherWay stated={order} market={market} />
      </dd>
      <dt>Market</dt>
      <dd>
        <Link to="/markets/$exchange/$id" params={{ exchange: exchange.id, id: order.market_id }}>
          <ForeignText text={market === undefined ? order.market_id : plainTitle(market.title)} />
        </Link>
      </dd>
      <dt>Filled</dt>
      <dd>
        <Amount value={order.filled_size} />
        {order.average_fill_price === null ? null : (
          <>
            {' '}
            at <Amount value={order.average_fill_price} /> on average
          </>
        )}
      </dd>
      <dt>Fees</dt>
      <dd>
        <Amount value={order.fees} unit={order.fees === null ? undefined : currency} />
      </dd>
      <dt>Left</dt>
      <dd>
        <Amount value={order.remaining_size} />
      </dd>
      <dt>Placed</dt>
      <dd>
        <When iso={order.created_at} />
      </dd>
      <dt>Changed</dt>
      <dd>
        <When iso={order.updated_at} />
      </dd>
    </dl>
  );
}

function OrderFacts({ order, exchange }: { readonly order: Order; readonly exchange: Exchange }): ReactNode {
  const market = useMarket({ exchange: exchange.id, id: order.market_id });
  return <Facts order={order} market={market.data} exchange={exchange} />;
}

interface OrderNowProps {
  readonly exchange: Exchange;
  readonly id: string;
}

/** The order as its exchange has it now. */
export function OrderNow({ exchange, id }: OrderNowProps): ReactNode {
  const order = useOrder(exchange.id, id);
  return (
    <Card
      title={`At ${exchange.name} now`}
      aside={
        <Button isSmall disabled={order.isFetching} onClick={() => void order.refetch()}>
          {order.isFetching ? 'Asking…' : 'Ask again'}
        </Button>
      }
    >
      <Loaded query={order} height={300}>
        {(data) => <OrderFacts order={data} exchange={exchange} />}
      </Loaded>
    </Card>
  );
}
