import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import {
  type CancelReport,
  type CancelResult,
  type Exchange,
  type Order,
  putResultAway,
  readOrder,
  useCancelResult,
  useMarkets,
} from '../../api/portfolio.js';
import { Button, Card, FailureNotice, Notice, ui } from '../ui.js';
import type { Access } from './access.js';
import { type Markets, marketTitle, orderText } from './cells.js';
import css from './portfolio.module.css';

/** Why an order is not cancelled (unified-schema.md 7). */
const REASON: Readonly<Record<string, string>> = {
  not_found: 'the exchange has no such open order any more: it has filled, expired or been cancelled before',
  not_cancellable: 'the exchange refused to cancel it',
  exchange_rate_limited: 'the exchange asked for fewer calls and did nothing: cancel it again in a moment',
};

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
  readonly before: readonly Order[];
  readonly markets: Markets;
}

/** The order in words where it was read before, else by its id. */
function OrderName({ id, before, markets }: Named & { readonly id: string }): ReactNode {
  const order = before.find((one) => one.id === id);
  if (order === undefined) return <code>{id}</code>;
  return `${orderText(order, markets)}, ${marketTitle(order, markets)}`;
}

function LookUp({ access, exchange, id }: { access: Access; exchange: Exchange; id: string }): ReactNode {
  const look = useMutation({ networkMode: 'always', mutationFn: () => readOrder(access.known, exchange, id) });
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
  readonly access: Access;
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

function Unknown({ report, before, markets, access }: ReportProps): ReactNode {
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
            <LookUp access={access} exchange={exchange} id={id} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** A call that failed as a whole. */
function Failed({ report, before, markets, access }: ReportProps): ReactNode {
  const { target, failure, isUnsure } = report;
  if (failure === null) return null;
  const { name } = target.exchange;
  const some = `Not known what is cancelled at ${name}: some orders may be. See which are still open below, and cancel again, which is safe.`;
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
          <LookUp access={access} exchange={target.exchange} id={target.id} />
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

function Shown({ result, access }: { readonly result: CancelResult; readonly access: Access }): ReactNode {
  const { reports, before } = result;
  const wanted = access.exchanges.map((exchange) => ({
    exchange,
    ids: before.filter((order) => order.exchange === exchange.id).map((order) => order.market_id),
  }));
  const markets = useMarkets(wanted, access.known, Infinity);
  return (
    <Card
      title="What became of your cancel"
      aside={
        <Button
          isSmall
          onClick={() => {
            putResultAway(access.known);
          }}
        >
          Put away
        </Button>
      }
    >
      {reports.map((report) => (
        <Report key={report.target.exchange.id} report={report} before={before} markets={markets} access={access} />
      ))}
    </Card>
  );
}

/** What the last cancel came to, order by order, until the reader has put it away. */
export function LastCancel({ access }: { readonly access: Access }): ReactNode {
  const result = useCancelResult(access.known);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (result !== null) place.current?.scrollIntoView({ block: 'nearest' });
  }, [result]);
  if (result === null) return null;
  return (
    <div ref={place}>
      <Shown result={result} access={access} />
    </div>
  );
}
