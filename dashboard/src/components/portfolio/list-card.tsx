import { type ReactNode, useState } from 'react';
import { ownLines } from '../../api/live.js';
import type { ExchangeList, TimeSpan } from '../../api/portfolio.js';
import type { Line } from '../../streams/subscriptions.js';
import { NotLive, useAreLive } from '../live.js';
import { exchangeName, listed } from '../names.js';
import type { Column } from '../table/columns.js';
import { saveCsv } from '../table/csv.js';
import { Time } from '../time.js';
import { Button, Card, FailureNotice, Skeleton, ui, useSecondsUntil } from '../ui.js';
import { isBounded, SpanText } from './days.js';
import css from './portfolio.module.css';

type Lists<T> = readonly ExchangeList<T>[];

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** When the oldest of the lists was read; null where none was. */
function oldest(lists: Lists<unknown>): number | null {
  const times = lists.map(({ readAt }) => readAt).filter((time) => time !== 0);
  return times.length === 0 ? null : Math.min(...times);
}

/** Lists, and which channel of the stream moves them; left out where none does. */
interface StreamedProps {
  readonly lists: Lists<unknown>;
  readonly channel?: 'orders' | 'fills' | undefined;
}

function linesOf({ lists, channel }: StreamedProps): ReturnType<typeof ownLines> {
  return channel === undefined
    ? []
    : ownLines(
        lists.map(({ exchange }) => exchange),
        channel,
      );
}

/** Which of the lists do not move by themselves, and why. */
export function NotLiveLists(props: StreamedProps): ReactNode {
  return <NotLive lines={linesOf(props)} nameOf={({ exchange }) => exchangeName(exchange)} />;
}

/** Which exchanges have quotes that do not move by themselves, and why. */
export function NotLiveQuotes({ lines }: { readonly lines: readonly Line[] }): ReactNode {
  return <NotLive lines={lines} nameOf={({ exchange }) => `At ${exchangeName(exchange)} a quote`} />;
}

/** How old the lists are, and the way to read them anew. */
export function RefreshButton(props: StreamedProps): ReactNode {
  const { lists } = props;
  const isReading = lists.some((list) => list.isReading);
  const readAt = oldest(lists);
  const isLive = useAreLive(linesOf(props));
  const age = readAt === null ? 'Reading…' : `Read at ${CLOCK.format(readAt)}`;
  return (
    <div className={`${ui.row ?? ''} ${css.age ?? ''}`}>
      <span className={ui.hint}>{isLive && readAt !== null ? 'Live' : age}</span>
      <Button isSmall disabled={isReading} onClick={() => void Promise.all(lists.map((list) => list.refresh()))}>
        {isReading ? 'Reading…' : 'Refresh'}
      </Button>
    </div>
  );
}

/** When is read, and what that costs. */
function Budget({ isStreamed }: { readonly isStreamed: boolean }): ReactNode {
  return (
    <p className={ui.hint}>
      {isStreamed
        ? 'Moves by itself while it is live, and is read again when you press Refresh. '
        : 'Read again when you press Refresh, and soon after a fill or the end of an order of yours. '}
      Each reading counts towards your own limit of requests at the exchange, which your programs use too.
    </p>
  );
}

/** Exchanges that could not be read; what others said stands all the same. */
export function Troubles({ lists }: { readonly lists: Lists<unknown> }): ReactNode {
  return lists
    .filter(({ error }) => error !== null)
    .map(({ exchange: { id, name }, error, rows, readAt, refresh }) => (
      <section key={id} className={ui.stack} aria-label={`Trouble with ${name}`}>
        <p>
          <strong>{name} could not be read.</strong>{' '}
          {rows === undefined ? (
            <>Nothing of {name} is shown; it may have something of yours.</>
          ) : (
            <>
              What is shown of {name} is from <Time iso={new Date(readAt).toISOString()} /> and may be out of date.
            </>
          )}
        </p>
        <FailureNotice error={error} onRetry={() => void refresh()} />
      </section>
    ));
}

/** Exchanges that have not answered yet: what is shown is not all. */
export function Waiting({ lists }: { readonly lists: Lists<unknown> }): ReactNode {
  return lists
    .filter(({ rows, error }) => rows === undefined && error === null)
    .map(({ exchange: { id, name } }) => (
      <p key={id} role="status">
        <strong>{name}: reading…</strong> Nothing of {name} is shown yet.
      </p>
    ));
}

/** The way to what is not read yet. */
export function More({ lists }: { readonly lists: Lists<unknown> }): ReactNode {
  const longer = lists.filter(({ hasMore }) => hasMore);
  if (longer.length === 0) return null;
  const isReading = longer.some((list) => list.isReading);
  const names = listed(longer.map(({ exchange }) => exchange.name));
  return (
    <div className={ui.row}>
      <Button disabled={isReading} onClick={() => void Promise.all(longer.map((list) => list.loadMore()))}>
        {isReading ? 'Reading…' : 'Load more'}
      </Button>
      <Button disabled={isReading} onClick={() => void Promise.all(longer.map((list) => list.loadAll()))}>
        Load all
      </Button>
      <span className={ui.hint}>{names}: there is more, which is not in the table yet.</span>
    </div>
  );
}

interface ListCardProps<T> {
  readonly title: string;
  /** What one row and what several are. */
  readonly of: readonly [one: string, several: string];
  readonly lists: Lists<T>;
  /** Of the stream that moves them; left out where none does. */
  readonly channel?: 'orders' | 'fills';
  readonly columns: readonly Column<T>[];
  /** Those rows that fit the filters. */
  readonly shown: readonly T[];
  /** Said where there is nothing at all. */
  readonly empty: ReactNode;
  readonly onShowAll: () => void;
  /** The time that was asked for. */
  readonly span?: TimeSpan;
  /** What stands over the table. */
  readonly tools?: ReactNode;
  /** What explains the table. */
  readonly notes?: string;
  /** The table. */
  readonly children: ReactNode;
}

const COUNT = new Intl.NumberFormat('en-US');

function totalOf(lists: Lists<unknown>): number {
  return lists.reduce((sum, { rows }) => sum + (rows?.length ?? 0), 0);
}

/** How many rows there are, of which few are drawn at a time, and the way to have them as a file. */
function Count<T>({ title, of: [one, several], lists, columns, shown, span = {} }: ListCardProps<T>): ReactNode {
  const total = totalOf(lists);
  const isAll = shown.length === total;
  const hasMore = lists.some((list) => list.hasMore);
  return (
    <div className={ui.row}>
      <span role="status">
        {isAll ? '' : `${COUNT.format(shown.length)} of `}
        {COUNT.format(total)} {total === 1 ? one : several}
        {isBounded(span) ? <>, {<SpanText {...span} />}</> : ''}
        {hasMore ? ', and more that are not loaded' : ''}
      </span>
      <Button
        isSmall
        onClick={() => {
          saveCsv(`${title.toLowerCase().replace(' ', '-')}.csv`, columns, shown);
        }}
      >
        Download as CSV
      </Button>
      <span className={ui.hint}>
        Holds {shown.length === 1 ? 'this row' : `these ${COUNT.format(shown.length)} rows`}, with times in UTC.
        {hasMore ? ' There are older ones: for these too, press Load all first.' : ''}
      </span>
    </div>
  );
}

/** What is said where no row is shown. */
function Nothing<T>({ lists, empty, onShowAll, span = {} }: ListCardProps<T>): ReactNode {
  const total = totalOf(lists);
  if (total > 0) {
    return (
      <div className={ui.row}>
        <span className={ui.soft}>None of the {total} that were read fits what you chose above.</span>
        <Button isSmall onClick={onShowAll}>
          Show all
        </Button>
      </div>
    );
  }
  const isWaiting = lists.some(({ rows, error }) => rows === undefined && error === null);
  if (isWaiting) return <Skeleton height={120} />;
  const isKnown = lists.some(({ rows }) => rows !== undefined);
  if (isKnown && isBounded(span)) {
    return (
      <div className={ui.row}>
        <span className={ui.soft}>There is none of the time that you chose.</span>
        <Button isSmall onClick={onShowAll}>
          Show all
        </Button>
      </div>
    );
  }
  return isKnown ? <p className={ui.soft}>{empty}</p> : null;
}

/** So long the rows of one exchange wait for those of the others, in milliseconds: what comes one by one pushes what is there. */
const TOGETHER_MS = 2_000;

/** Whether the first rows are still on their way. */
export function useIsBeginning(lists: Lists<unknown>): boolean {
  const [begunAt] = useState(Date.now);
  const isEarly = useSecondsUntil(begunAt + TOGETHER_MS) > 0;
  return isEarly && lists.some(({ rows, error }) => rows === undefined && error === null);
}

/** What was read by now. */
function Rows<T>(props: ListCardProps<T>): ReactNode {
  const { notes } = props;
  if (props.shown.length === 0) return <Nothing {...props} />;
  return (
    <>
      <Count {...props} />
      {props.children}
      {notes === undefined ? null : <p className={ui.hint}>{notes}</p>}
    </>
  );
}

/** A list of all exchanges in one table, with what could not be read, how old it is and what more there is. */
export function ListCard<T>(props: ListCardProps<T>): ReactNode {
  const { title, lists, channel } = props;
  const isBeginning = useIsBeginning(lists);
  return (
    <Card title={title} aside={<RefreshButton lists={lists} channel={channel} />}>
      <Budget isStreamed={channel !== undefined} />
      <NotLiveLists lists={lists} channel={channel} />
      <Troubles lists={lists} />
      {isBeginning ? null : <Waiting lists={lists} />}
      {props.tools}
      {isBeginning ? <Skeleton height={120} /> : <Rows {...props} />}
      <More lists={lists} />
    </Card>
  );
}
