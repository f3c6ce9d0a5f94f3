import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { Asked } from '../../api/asked-orders.js';
import { useBots } from '../../api/bots.js';
import { useMarkets } from '../../api/markets.js';
import { Amount } from '../amount.js';
import { AskedTerms, askedTitle, marketsOf } from '../asked.js';
import { ForeignText } from '../foreign-text.js';
import { exchangeName } from '../names.js';
import { Card, CopyButton, ui } from '../ui.js';
import css from './activity.module.css';

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

/** Who asked: a bot by its name, or the main key. */
export function Asker({ order }: { readonly order: Asked }): ReactNode {
  const bots = useBots();
  const { bot_id: id, key_prefix: prefix } = order;
  const name = bots.data?.find((bot) => bot.id === id)?.name ?? id;
  const key = prefix === null ? null : <code>{prefix}…</code>;
  if (name === null) return <>your main key {key}</>;
  return (
    <>
      your bot <ForeignText text={name} form="quoted" /> {key}
    </>
  );
}

const TIMES_IN_FORCE: Readonly<Record<string, string>> = {
  gtc: 'good till cancelled',
  gtd: 'good till a time',
  fok: 'all at once, or nothing',
  ioc: 'what fills at once',
};

interface OrderProps {
  readonly order: Asked;
}

/** How long it was to rest, and that it was not to trade at once. */
function Conditions({ order: { time_in_force: force, post_only: rests } }: OrderProps): ReactNode {
  return (
    <>
      {force === null ? null : `, ${TIMES_IN_FORCE[force] ?? force}`}
      {rests === true ? ', post only' : ''}
    </>
  );
}

function InMarket({ order }: OrderProps): ReactNode {
  const places = useMemo(() => marketsOf([order]), [order]);
  const markets = useMarkets(places, Infinity);
  const [place] = places;
  if (place === undefined) return null;
  return (
    <>
      <dt>Asked for</dt>
      <dd>
        {order.side === null ? 'Not kept' : <AskedTerms asked={order} markets={markets} />}
        <Conditions order={order} />
      </dd>
      <dt>Market</dt>
      <dd>
        <Link to="/markets/$exchange/$id" params={place}>
          <ForeignText text={askedTitle(order, markets)} />
        </Link>
      </dd>
    </>
  );
}

/** An order as it was asked of this service, with every id of it. */
export function AskedFacts({ order }: OrderProps): ReactNode {
  const { exchange, cost, currency } = order;
  return (
    <Card title="The order">
      <dl className={ui.facts}>
        <dt>Exchange</dt>
        <dd>{exchangeName(exchange)}</dd>
        <InMarket order={order} />
        <dt>Costs at most</dt>
        <dd>
          <Amount value={cost} unit={cost === null ? undefined : (currency ?? undefined)} />
        </dd>
        <dt>By</dt>
        <dd>
          <Asker order={order} />
        </dd>
        <Id label="Order id" id={order.order_id} none="Not known: the exchange never named it" />
        <Id label="Client order id" id={order.client_order_id} none="None" />
        {order.idempotency_key === null ? null : <Id label="Idempotency-Key" id={order.idempotency_key} none="" />}
        {order.request_ids.map((id) => (
          <Id key={id} label="Request id" id={id} none="" />
        ))}
      </dl>
    </Card>
  );
}
