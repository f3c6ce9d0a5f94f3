import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Activity, type OrderLife, useOrderLife } from '../api/activity.js';
import { FindOrder } from '../components/activity/find-order.js';
import { OrderFills } from '../components/activity/order-fills.js';
import { OrderNow } from '../components/activity/order-now.js';
import css from '../components/activity/activity.module.css';
import { whoDid, wordsOf } from '../components/activity/words.js';
import { PageTitle } from '../components/frame.js';
import { exchangeName } from '../components/names.js';
import { Time } from '../components/time.js';
import { Card, CopyButton, Loaded, ui } from '../components/ui.js';
import { installation } from '../installation.js';

const route = getRouteApi('/inside/activity/orders/$id');

interface IdProps {
  readonly label: string;
  readonly id: string | null;
  /** Said where there is none. */
  readonly none: string;
}

function Id({ label, id, none }: IdProps): ReactNode {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {id === null ? (
          none
        ) : (
          <span className={ui.row}>
            <code className={css.id}>{id}</code> <CopyButton text={id} what={`the ${label.toLowerCase()}`} />
          </span>
        )}
      </dd>
    </>
  );
}

/** What an entry means for whoever waits. */
function meaningOf({ type, details }: Activity): string {
  if (type === 'order_cancelled') return 'What had filled before stays filled.';
  if (type === 'order_settled') {
    return 'For a day nothing proved what became of it. It takes nothing of the limits of its bot any more. Where it is open at the exchange still, cancel it there.';
  }
  if ((details as { outcome?: unknown }).outcome !== 'unknown') return '';
  if (type === 'order_amended')
    return 'The request was sent, and no answer came that could be used. The order itself says whether it was changed.';
  return 'The request was sent, and no answer came that could be used. The order may exist or not. If your program sent an Idempotency-Key, it may ask again with the same one: it is never sent twice.';
}

function Event({ event }: { readonly event: Activity }): ReactNode {
  return (
    <li>
      <strong>{wordsOf(event)}</strong>
      <div className={ui.soft}>
        <Time iso={event.created_at} withMs />, {whoDid(event)}, from {event.ip ?? 'an unknown address'}
      </div>
      {meaningOf(event) === '' ? null : <div>{meaningOf(event)}</div>}
      {event.request_id === null ? null : (
        <div className={ui.row}>
          <span className={ui.hint}>
            Request id <code>{event.request_id}</code>
          </span>
          <CopyButton text={event.request_id} what="the request id" />
        </div>
      )}
    </li>
  );
}

function NotFound({ life, id }: { readonly life: OrderLife; readonly id: string }): ReactNode {
  return (
    <Card title="Nothing is noted under this id">
      <p>
        {life.isWhole
          ? `All ${life.read} entries of your activity were read`
          : `The latest ${life.read} entries of your activity were read`}
        , and no order among them has the id, client order id or request id <code className={css.id}>{id}</code>.
      </p>
      <p>
        Then no order of it was sent through this account; or it was sent and refused, or refused before it was sent:
        the answer to your program says why. Or it was placed at the exchange itself:{' '}
        <Link to="/portfolio">your portfolio</Link> shows those too.
      </p>
    </Card>
  );
}

function MarketFact({ life }: { readonly life: OrderLife }): ReactNode {
  const [id] = life.events.map(({ details }) => (details as { market_id?: unknown }).market_id).filter(Boolean);
  if (typeof id !== 'string' || life.exchange === null) return null;
  return (
    <>
      <dt>Market</dt>
      <dd>
        <Link to="/markets/$exchange/$id" params={{ exchange: life.exchange, id }}>
          {id}
        </Link>
      </dd>
    </>
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

function Life({ life }: { readonly life: OrderLife }): ReactNode {
  return (
    <>
      <Card title="The order">
        <dl className={ui.facts}>
          <dt>Exchange</dt>
          <dd>{exchangeName(life.exchange)}</dd>
          <MarketFact life={life} />
          <Id label="Order id" id={life.ids.order} none="Not known: the exchange never named it" />
          <Id label="Client order id" id={life.ids.client} none="None" />
        </dl>
      </Card>
      <Card title="What happened">
        <ol className={css.life}>
          {life.events.map((event) => (
            <Event key={event.id} event={event} />
          ))}
        </ol>
        <p className={ui.hint}>
          What the exchange did by itself (a fill, an expiry) is not noted here
          {life.ids.order === null ? '.' : ': see below.'}
          {life.isWhole ? '' : ` Only the latest ${life.read} entries of your activity were read.`}
        </p>
      </Card>
      {life.ids.order === null ? null : <AtExchange id={life.ids.order} named={life.exchange} />}
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
      <Loaded query={life} height={300}>
        {(found) =>
          found.events.length > 0 ? (
            <Life life={found} />
          ) : (
            <>
              <NotFound life={found} id={id} />
              <AtExchange id={id} named={exchange} />
            </>
          )
        }
      </Loaded>
      <FindOrder />
      <p>
        <Link to="/activity">All activity</Link>
      </p>
    </>
  );
}
