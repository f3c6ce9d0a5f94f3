import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Exchange, type Order, readOrder } from '../../api/portfolio.js';
import { installation } from '../../installation.js';
import type { KnownKey } from '../../session/keyring.js';
import { WithAccess } from '../portfolio/access.js';
import { Button, Card, Loaded, Time, ui } from '../ui.js';

function Facts({ order }: { readonly order: Order }): ReactNode {
  return (
    <dl className={ui.facts}>
      <dt>Status</dt>
      <dd>{order.status.replace('_', ' ')}</dd>
      <dt>Order</dt>
      <dd>
        {order.side} {order.size} {order.outcome.label} at {order.price}
      </dd>
      <dt>Market</dt>
      <dd>{order.market_id}</dd>
      <dt>Filled</dt>
      <dd>
        {order.filled_size}
        {order.average_fill_price === null ? '' : ` at ${order.average_fill_price} on average`}
      </dd>
      <dt>Left</dt>
      <dd>{order.remaining_size}</dd>
      <dt>Changed</dt>
      <dd>{order.updated_at === null ? 'Not stated' : <Time iso={order.updated_at} />}</dd>
    </dl>
  );
}

interface ReadProps {
  readonly known: KnownKey;
  readonly exchange: Exchange;
  readonly id: string;
}

function Read({ known, exchange, id }: ReadProps): ReactNode {
  const order = useQuery({
    queryKey: ['portfolio', 'order', exchange.id, id, known.prefix],
    queryFn: () => readOrder(known, exchange, id),
  });
  return (
    <Card
      title={`At ${exchange.name} now`}
      aside={
        <Button isSmall disabled={order.isFetching} onClick={() => void order.refetch()}>
          {order.isFetching ? 'Asking…' : 'Ask again'}
        </Button>
      }
    >
      <Loaded query={order} height={180}>
        {(data) => <Facts order={data} />}
      </Loaded>
    </Card>
  );
}

interface OrderNowProps {
  readonly id: string;
  /** Id of the exchange that it was sent to. */
  readonly exchange: string | null;
}

/** The order as its exchange has it now, read with the trader's own key. */
export function OrderNow({ id, exchange: wanted }: OrderNowProps): ReactNode {
  const exchange = installation.exchanges.find((one) => one.id === wanted);
  if (exchange === undefined) return null;
  return <WithAccess>{({ known }) => <Read known={known} exchange={exchange} id={id} />}</WithAccess>;
}
