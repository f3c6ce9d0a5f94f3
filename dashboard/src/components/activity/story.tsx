import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Activity } from '../../api/activity.js';
import { explainRefusal } from '../../api/explain.js';
import type { Asked } from '../../api/asked-orders.js';
import type { OrderLife } from '../../api/order-life.js';
import { Amount } from '../amount.js';
import { ForeignText } from '../foreign-text.js';
import { exchangeName } from '../names.js';
import { Time } from '../time.js';
import { Card, ui, useSecondsUntil } from '../ui.js';
import css from './activity.module.css';
import { Asker } from './asked.js';
import { clientOf, whoDid, wordsOf } from './words.js';

interface StepProps {
  readonly what: string;
  /** Null where nobody noted it. */
  readonly at: string | null;
  readonly children?: ReactNode;
}

function Step({ what, at, children }: StepProps): ReactNode {
  return (
    <li>
      <strong>{what}</strong>
      {at === null ? null : (
        <div className={ui.soft}>
          <Time iso={at} withMs />
        </div>
      )}
      {children}
    </li>
  );
}

/** Why it was refused, in the words of this page and of who refused it, and what mends it. */
function Refusal({ order: { reason, words } }: { readonly order: Asked }): ReactNode {
  const known = reason === null ? null : explainRefusal(reason);
  return (
    <>
      {known === null ? null : (
        <div>
          {known.happened} {known.advice}
        </div>
      )}
      {words === null ? null : (
        <div>
          Said: <ForeignText text={words} form="quoted" />
        </div>
      )}
      {reason === null ? null : (
        <div className={ui.hint}>
          Reason <code>{reason}</code>
        </div>
      )}
      {known?.link === undefined ? null : (
        <div>
          <Link to={known.link.to}>{known.link.label}</Link>
        </div>
      )}
    </>
  );
}

interface OutcomeProps {
  readonly order: Asked;
}

/** A key is bound for so long after its last call, in milliseconds (contract.md 5.3). */
const BOUND_MS = 86_400_000;

function Doubt({ order }: OutcomeProps): ReactNode {
  const { refusal_holds_at: certain, created_at: asked } = order;
  const seconds = useSecondsUntil(certain === null ? 0 : Date.parse(certain));
  const isBound = useSecondsUntil(Date.parse(asked) + BOUND_MS) > 0;
  return (
    <div>
      The request was sent, and no answer came that could be used. The order may exist or not.{' '}
      {isBound
        ? 'If your program sent an Idempotency-Key, it may ask again with the same one within 24 hours of its last call: then it is never sent twice.'
        : 'Do not repeat it: a day after its last call an Idempotency-Key is free again, and makes a new order.'}
      {certain === null ? null : (
        <>
          {' '}
          {seconds === 0 ? 'A look-up is certain since' : `A look-up is certain in ${seconds} s, at`}{' '}
          <Time iso={certain} withMs />.
        </>
      )}
    </div>
  );
}

/** Who ended it, where it was not the exchange. */
const ENDED: Readonly<Record<string, string>> = {
  exchange_unavailable: 'It never arrived',
  order_of_another_bot: 'Refused by this service',
  settled_by_operator: 'The operator has written its end',
};

function refusalOf({ first_sent_at: sent, reason, exchange }: Asked): string {
  if (sent === null) return 'Refused before it was sent';
  return ENDED[reason ?? ''] ?? `Refused by ${exchangeName(exchange)}`;
}

function Refused({ order }: OutcomeProps): ReactNode {
  return (
    <Step what={refusalOf(order)} at={order.updated_at}>
      <Refusal order={order} />
    </Step>
  );
}

function Unknown({ order }: OutcomeProps): ReactNode {
  return (
    <Step what={`${exchangeName(order.exchange)} did not say what became of it`} at={order.updated_at}>
      <Doubt order={order} />
    </Step>
  );
}

function OnItsWay({ order }: OutcomeProps): ReactNode {
  return <Step what={order.state === 'begun' ? 'Not sent yet' : 'It is on its way'} at={order.updated_at} />;
}

/** What is filled is looked at while something depends on it: the exchange knows better. */
function Filled({ order }: OutcomeProps): ReactNode {
  return (
    <div>
      Filled <Amount value={order.filled_size} /> of <Amount value={order.size} /> when this service looked last. How it
      stands is below.
    </div>
  );
}

function Made({ order }: OutcomeProps): ReactNode {
  return (
    <Step what={`${exchangeName(order.exchange)} made it`} at={null}>
      <Filled order={order} />
    </Step>
  );
}

function Over({ order }: OutcomeProps): ReactNode {
  return (
    <Step what={ENDED[order.reason ?? ''] ?? 'It is over'} at={null}>
      <Filled order={order} />
      <Refusal order={order} />
    </Step>
  );
}

function GivenUp({ order }: OutcomeProps): ReactNode {
  return <Step what="Its key was given up: nothing is sent under it any more" at={order.updated_at} />;
}

/** What came of it, as far as the service knows. */
const OUTCOMES: Readonly<Record<Asked['state'], (props: OutcomeProps) => ReactNode>> = {
  begun: OnItsWay,
  sending: OnItsWay,
  unknown: Unknown,
  made: Made,
  refused: Refused,
  abandoned: GivenUp,
  closed: Over,
};

/** What was asked, and where it went. What is over stands behind what was done to it. */
function Placed({ order }: OutcomeProps): ReactNode {
  const Outcome = OUTCOMES[order.state];
  return (
    <>
      <Step what="Asked for" at={order.created_at}>
        <div>
          By <Asker order={order} />
        </div>
      </Step>
      {order.first_sent_at === null ? null : (
        <Step what={`Sent to ${exchangeName(order.exchange)}`} at={order.first_sent_at} />
      )}
      {order.state === 'closed' ? null : <Outcome order={order} />}
    </>
  );
}

/** What an entry means for whoever waits; null where its words say it. */
function meaningOf({ type, details }: Activity): string | null {
  if (type === 'order_cancelled') return 'What had filled before stays filled.';
  if (type === 'order_settled') {
    return 'For a day nothing proved what became of it. It takes nothing of the limits of its bot any more. Where it is open at the exchange still, cancel it there.';
  }
  const isUnknown = (details as { outcome?: unknown }).outcome === 'unknown';
  return isUnknown ? 'No answer came that could be used: the order itself says whether it was changed.' : null;
}

function Done({ event }: { readonly event: Activity }): ReactNode {
  const client = clientOf(event);
  return (
    <li>
      <strong>{wordsOf(event)}</strong>
      <div className={ui.soft}>
        <Time iso={event.created_at} withMs />, {whoDid(event)}, from {event.ip ?? 'an unknown address'}
      </div>
      {meaningOf(event) === null ? null : <div>{meaningOf(event)}</div>}
      {client === null ? null : (
        <div className={ui.hint}>
          With <ForeignText text={client} />
        </div>
      )}
      {event.request_id === null ? null : (
        <div className={ui.hint}>
          Request id <code>{event.request_id}</code>
        </div>
      )}
    </li>
  );
}

/** What became of an order, in the order of time. What the exchange did by itself stands below, as the exchange tells it. */
export function Story({ life: { asked, done } }: { readonly life: OrderLife }): ReactNode {
  return (
    <Card title="What happened">
      <ol className={css.life}>
        {asked === null ? null : <Placed order={asked} />}
        {done.map((event) => (
          <Done key={event.id} event={event} />
        ))}
        {asked?.state === 'closed' ? <Over order={asked} /> : null}
      </ol>
    </Card>
  );
}
