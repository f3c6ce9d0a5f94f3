import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type OrderLife, useOrderLife } from '../api/order-life.js';
import css from '../components/activity/activity.module.css';
import { AskedFacts } from '../components/activity/asked.js';
import { Fate } from '../components/activity/fate.js';
import { OrderFills } from '../components/activity/order-fills.js';
import { OrderNow } from '../components/activity/order-now.js';
import { Story } from '../components/activity/story.js';
import { PageTitle } from '../components/frame.js';
import { Card, Loaded } from '../components/ui.js';
import { installation } from '../installation.js';

const route = getRouteApi('/inside/activity/orders/$id');

function NotFound({ id }: { readonly id: string }): ReactNode {
  return (
    <Card title="Nothing is noted under this id">
      <p>
        No order that was asked of this service has the id, client order id or request id{' '}
        <code className={css.id}>{id}</code>. What was made is kept for 90 days after its last change, what was refused
        for 30; a request that the service could not read leaves no trace here: its answer said why. What was placed at
        the exchange itself, <Link to="/portfolio">your portfolio</Link> shows too.
      </p>
    </Card>
  );
}

interface AtExchangeProps {
  /** Of the order, as the exchange calls it. */
  readonly id: string;
  /** Id of the exchange; null where nobody knows it. */
  readonly named: string | null;
}

/** The order and its fills, as its exchange has them now. */
function AtExchange({ id, named }: AtExchangeProps): ReactNode {
  const exchange = installation.exchanges.find((one) => one.id === named);
  if (exchange === undefined) return null;
  return (
    <>
      <OrderNow exchange={exchange} id={id} />
      <OrderFills exchange={exchange} id={id} />
    </>
  );
}

/** That a request worked on others too, which are not on this page. */
function Others({ id, count }: { readonly id: string; readonly count: number }): ReactNode {
  if (count === 0) return null;
  return (
    <p>
      <code className={css.id}>{id}</code> names {count === 1 ? 'another order' : `${count} other orders`} too:{' '}
      <Link to="/activity" search={{ list: 'orders' }}>
        all that was asked for
      </Link>
      .
    </p>
  );
}

interface LifeProps {
  readonly life: OrderLife;
  /** What was looked for. */
  readonly id: string;
  /** The exchange that the address names; null where it names none. */
  readonly named: string | null;
  readonly isReading: boolean;
  readonly onLook: () => void;
}

function Life({ life, id, named, ...look }: LifeProps): ReactNode {
  const { asked, others, orderId, done } = life;
  const exchange = asked?.exchange ?? done[0]?.exchange ?? named;
  return (
    <>
      <Others id={id} count={others} />
      {asked === null ? null : <AskedFacts order={asked} />}
      {asked === null && done.length === 0 ? <NotFound id={id} /> : <Story life={life} />}
      {asked === null ? null : <Fate key={asked.id} order={asked} {...look} />}
      {orderId === null ? null : <AtExchange id={orderId} named={exchange} />}
    </>
  );
}

/** All that is known of one order, by any of its ids; the address may say at which exchange it is, where nothing is noted of it. */
export function OrderLifePage(): ReactNode {
  const { id } = route.useParams();
  const { exchange = null } = route.useSearch();
  const life = useOrderLife(id);
  return (
    <>
      <PageTitle>One order’s life</PageTitle>
      <Loaded query={life} height={640}>
        {(found) => (
          <Life life={found} id={id} named={exchange} isReading={life.isFetching} onLook={() => void life.refetch()} />
        )}
      </Loaded>
      <p>
        <Link to="/activity">All activity</Link>
      </p>
    </>
  );
}
