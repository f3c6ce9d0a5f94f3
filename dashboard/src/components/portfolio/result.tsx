import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { type MarketPlace, type Markets, useMarkets } from '../../api/markets.js';
import {
  type CancelReport,
  type CancelResult,
  type Exchange,
  type Order,
  hasRest,
  putResultAway,
  readOrder,
  useCancelRest,
  useCancelResult,
} from '../../api/portfolio.js';
import { ForeignText, plainText } from '../foreign-text.js';
import { listed } from '../names.js';
import { installation } from '../../installation.js';
import { Button, Card, FailureNotice, Notice, ui, useSecondsUntil } from '../ui.js';
import { marketTitle, orderText } from './cells.js';
import { REASON } from './cancel-reasons.js';
import css from './portfolio.module.css';

/** What an order turned out to be, of which it was not known whether it is cancelled. */
const FOUND: Readonly<Record<Order['status'], string>> = {
  open: 'It is still open: cancel it again.',
  partially_filled: 'It is still open, partly filled: cancel it again.',
  filled: 'It has filled.',
  cancelled: 'It is cancelled.',
  expired: 'It has expired.',
  rejected: 'It was rejected.',
  pending: 'The exchange has not decided yet: look again in a moment.',
};

interface Named {
  /** Orders by their ids. */
  readonly before: ReadonlyMap<string, Order>;
  readonly markets: Markets;
}

/** The order in words where it was read before, else by its id. */
function OrderName({ id, before, markets }: Named & { readonly id: string }): ReactNode {
  const order = before.get(id);
  if (order === undefined) return <code>{id}</code>;
  return (
    <>
      <bdi>{plainText(orderText(order, markets))}</bdi>,{' '}
      <ForeignText text={marketTitle(order, markets)} form="quoted" />
    </>
  );
}

function LookUp({ exchange, id }: { readonly exchange: Exchange; readonly id: string }): ReactNode {
  const look = useMutation({ networkMode: 'always', mutationFn: () => readOrder(exchange.id, id) });
  return (
    <span className={ui.row}>
      <Button
        isSmall
        disabled={look.isPending}
        onClick={() => {
          look.mutate();
        }}
      >
        {look.isPending ? 'Looking…' : 'Look it up'}
      </Button>
      {look.data === undefined ? null : <strong role="status">{FOUND[look.data.status]}</strong>}
      {look.error === null ? null : <FailureNotice error={look.error} />}
    </span>
  );
}

function count(ids: readonly unknown[]): string {
  return ids.length === 1 ? '1 order' : `${ids.length} orders`;
}

interface ReportProps extends Named {
  readonly report: CancelReport;
}

function Cancelled({ report, before, markets }: ReportProps): ReactNode {
  const { cancelled, target } = report;
  if (cancelled.length === 0) return null;
  return (
    <Notice kind="good">
      <strong>
        {count(cancelled)} cancelled at {target.exchange.name}. What had filled stays filled.
      </strong>
      <ul className={css.list} tabIndex={0} aria-label={`Cancelled at ${target.exchange.name}`}>
        {cancelled.map((id) => (
          <li key={id}>
            <OrderName id={id} before={before} markets={markets} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Refused({ report, before, markets }: ReportProps): ReactNode {
  const { name } = report.target.exchange;
  const refused = report.notCancelled.filter(({ reason }) => reason in REASON);
  if (refused.length === 0) return null;
  return (
    <Notice kind="bad">
      <strong>
        {count(refused)} not cancelled at {name}.
      </strong>
      <ul className={css.list} tabIndex={0} aria-label={`Not cancelled at ${name}`}>
        {refused.map(({ id, reason }) => (
          <li key={id}>
            <OrderName id={id} before={before} markets={markets} />: {REASON[reason]}.
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** Ids of the orders that may be open or cancelled, as far as they are known by id. */
function unknownIn({ target, notCancelled, isUnsure }: CancelReport): string[] {
  if (isUnsure && target.kind === 'order') return [target.id];
  return notCancelled.filter(({ reason }) => !(reason in REASON)).map(({ id }) => id);
}

function Unknown({ report, before, markets }: ReportProps): ReactNode {
  const { exchange } = report.target;
  const ids = unknownIn(report);
  if (ids.length === 0) return null;
  return (
    <Notice kind="bad">
      <strong>
        Not known whether {count(ids)} at {exchange.name} {ids.length === 1 ? 'is' : 'are'} cancelled.
      </strong>
      <span>It may be open, filled or cancelled: the exchange did not say. Cancelling again is safe.</span>
      <ul className={css.list} tabIndex={0} aria-label={`Not known at ${exchange.name}`}>
        {ids.map((id) => (
          <li key={id}>
            <OrderName id={id} before={before} markets={markets} />
            <LookUp exchange={exchange} id={id} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** A call that failed as a whole. */
function Failed({ report, before, markets }: ReportProps): ReactNode {
  const { target, failure, isUnsure } = report;
  if (failure === null) return null;
  const { name } = target.exchange;
  const some = `Not known what is cancelled at ${name}: some orders may be. See which are still open under Portfolio, and cancel again, which is safe.`;
  return (
    <>
      {target.kind === 'order' ? null : (
        <Notice kind="bad">
          <strong>{isUnsure ? some : `Nothing was cancelled at ${name}.`}</strong>
        </Notice>
      )}
      {target.kind !== 'order' || isUnsure ? null : (
        <Notice kind="bad">
          <strong>1 order not cancelled at {name}.</strong>
          <span>
            <OrderName id={target.id} before={before} markets={markets} />
          </span>
          <LookUp exchange={target.exchange} id={target.id} />
        </Notice>
      )}
      <FailureNotice error={failure} />
    </>
  );
}

function Report(props: ReportProps): ReactNode {
  const { cancelled, notCancelled, failure, target } = props.report;
  if (failure === null && cancelled.length + notCancelled.length === 0) {
    return <Notice>{target.exchange.name} had no open order to cancel.</Notice>;
  }
  return (
    <>
      <Cancelled {...props} />
      <Refused {...props} />
      <Unknown {...props} />
      <Failed {...props} />
    </>
  );
}

/** Cancels what is left, once the exchanges take calls again. */
function CancelTheRest({ result }: { readonly result: CancelResult }): ReactNode {
  const rest = useCancelRest(result);
  const left = result.reports.filter(hasRest);
  const seconds = useSecondsUntil(Math.max(0, ...left.map(({ retryAt }) => retryAt)));
  if (left.length === 0) return null;
  return (
    <div className={ui.row}>
      <Button
        kind="danger"
        disabled={seconds > 0 || rest.isPending}
        onClick={() => {
          rest.mutate();
        }}
      >
        {rest.isPending ? 'Cancelling…' : 'Cancel the rest'}
      </Button>
      <span className={ui.hint}>
        {seconds > 0 ? `The exchange asks for a pause: in ${seconds} s. ` : ''}
        At {listed(left.map(({ target }) => target.exchange.name))}, as you asked before.
      </span>
    </div>
  );
}

/** Orders by their ids, and the markets that they are of. */
function ordersIn({ before }: CancelResult): [Named['before'], MarketPlace[]] {
  const places = before.flatMap(({ exchange: at, market_id: id }) => {
    const exchange = installation.exchanges.find((one) => one.id === at);
    return exchange === undefined ? [] : [{ exchange: exchange.id, id }];
  });
  return [new Map(before.map((order) => [order.id, order])), places];
}

function Shown({ result }: { readonly result: CancelResult }): ReactNode {
  const { reports } = result;
  const [before, places] = useMemo(() => ordersIn(result), [result]);
  const markets = useMarkets(places, Infinity);
  return (
    <Card
      title="What became of your cancel"
      aside={
        <Button isSmall onClick={putResultAway}>
          Put away
        </Button>
      }
    >
      {reports.map((report) => (
        <Report key={report.target.exchange.id} report={report} before={before} markets={markets} />
      ))}
      <CancelTheRest key={Math.max(...reports.map(({ retryAt }) => retryAt))} result={result} />
    </Card>
  );
}

/** Takes the focus after a cancel: the row that had it may be gone. */
export const CANCEL_RESULT = 'cancel-result';

/** What the last cancel came to, order by order, on whatever page, until the reader has put it away. */
export function LastCancel(): ReactNode {
  const result = useCancelResult();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (result === null) return;
    place.current?.scrollIntoView({ block: 'nearest' });
    place.current?.focus({ preventScroll: true });
  }, [result]);
  if (result === null) return null;
  return (
    <div ref={place} id={CANCEL_RESULT} tabIndex={-1}>
      <Shown result={result} />
    </div>
  );
}
