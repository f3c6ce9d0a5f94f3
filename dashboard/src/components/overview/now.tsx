import { type ReactNode, useMemo, useState } from 'react';
import { useAccount } from '../../api/account.js';
import { useDoubtful } from '../../api/asked-orders.js';
import { isAtWork, useLivingBots } from '../../api/bots.js';
import { ownLines, useStandings } from '../../api/live.js';
import { useMarkets } from '../../api/markets.js';
import type { Exchange } from '../../api/portfolio.js';
import { useCredentials } from '../../api/queries.js';
import { useHoldings } from '../../api/worth.js';
import { marketsOf } from '../asked.js';
import { StillText, useStill } from '../live.js';
import { exchangeName, listed } from '../names.js';
import { Time } from '../time.js';
import { Button, useSecondsUntil } from '../ui.js';
import {
  accountMatters,
  credentialMatters,
  doubtfulMatters,
  haltedMatters,
  type Matter,
  unreadMatters,
} from './matters.js';
import css from './overview.module.css';

/** What does not move by itself: quotes only where all else of their exchange does. */
function useStillMatters(exchanges: readonly Exchange[]): Matter[] {
  const { quotes } = useHoldings(exchanges);
  const own = useStill({
    lines: ownLines(exchanges, 'orders', 'fills'),
    nameOf: ({ exchange }) => exchangeName(exchange),
  });
  const prices = useStill({ lines: quotes, nameOf: ({ exchange }) => `At ${exchangeName(exchange)} a quote` });
  return [...own, ...(own.length === 0 ? prices : [])].map((still) => ({
    key: still.text,
    text: <StillText {...still} />,
  }));
}

/** Until what was told nothing at all is something to see to, in milliseconds. */
const UNTOLD_MS = 10_000;

/** Whether of each own line something was told; where that does not come, what to see to. */
function useTold(exchanges: readonly Exchange[]): { readonly isTold: boolean; readonly matters: readonly Matter[] } {
  const [begunAt] = useState(Date.now);
  const isLate = useSecondsUntil(begunAt + UNTOLD_MS) === 0;
  const lines = ownLines(exchanges, 'orders', 'fills');
  const standings = useStandings(lines);
  const untold = lines.filter((_, at) => standings[at] === null).map(({ exchange }) => exchangeName(exchange));
  const text = (
    <span>
      <strong>{listed(untold)} is not live: nothing of it was told yet.</strong> What you see may be out of date, and
      does not move by itself.
    </span>
  );
  return { isTold: untold.length === 0, matters: untold.length > 0 && isLate ? [{ key: 'untold', text }] : [] };
}

interface Read {
  readonly matters: readonly Matter[];
  /** When the oldest of it was read, in milliseconds of this machine's clock; null where not all of it was. */
  readonly readAt: number | null;
  readonly isReading: boolean;
  readonly readAgain: () => unknown;
}

function useNow(exchanges: readonly Exchange[]): Read {
  const bots = useLivingBots();
  const credentials = useCredentials();
  const account = useAccount();
  const isWatched = bots.data?.some(isAtWork) === true;
  const doubtful = useDoubtful(isWatched);
  const places = useMemo(() => marketsOf(doubtful.data?.rows ?? []), [doubtful.data]);
  const markets = useMarkets(places, Infinity);
  const still = useStillMatters(exchanges);
  const { isTold, matters: untold } = useTold(exchanges);
  const all = [bots, credentials, account, doubtful];
  const readAgain = (): unknown => Promise.all(all.map(({ refetch }) => refetch()));
  const times = all.map(({ dataUpdatedAt }) => dataUpdatedAt);
  return {
    matters: [
      ...haltedMatters(bots.data ?? []),
      ...(doubtful.data === undefined ? [] : doubtfulMatters(doubtful.data, markets, bots.data ?? [])),
      ...(account.data === undefined ? [] : accountMatters(account.data, () => void account.refetch())),
      ...credentialMatters(credentials.data ?? {}),
      ...still,
      ...untold,
      ...unreadMatters({
        'Your bots': bots,
        'Your credentials': credentials,
        'Your accounts': account,
        'Your orders of unknown fate': doubtful,
      }),
    ],
    readAt: times.includes(0) || !isTold ? null : Math.min(...times),
    isReading: all.some(({ isFetching }) => isFetching),
    readAgain,
  };
}

/** What was read so long ago says nothing of now any more, in milliseconds. */
const FRESH_MS = 120_000;

function summaryOf({ matters, readAt }: Read, isFresh: boolean): string {
  if (matters.length > 0) return matters.length === 1 ? '1 thing to see to' : `${matters.length} things to see to`;
  if (readAt === null) return 'Reading…';
  return isFresh ? 'All is well' : 'All was well';
}

/** What is wrong, first of all; or that nothing is, and when that was read. */
export function Now({ exchanges }: { readonly exchanges: readonly Exchange[] }): ReactNode {
  const now = useNow(exchanges);
  const { matters, readAt, isReading, readAgain } = now;
  const isFresh = useSecondsUntil(readAt === null ? 0 : readAt + FRESH_MS) > 0;
  const state = matters.length > 0 ? 'bad' : isFresh ? 'good' : 'reading';
  return (
    <section className={css.now} data-state={state} aria-label="Now">
      <div className={css.nowHead}>
        <h2>Now</h2>
        <strong role="status" className={css.nowState}>
          {summaryOf(now, isFresh)}
        </strong>
        <span className={css.nowAge}>
          {readAt === null ? null : <>as of {<Time iso={new Date(readAt).toISOString()} />}</>}
        </span>
        <Button isSmall disabled={isReading} onClick={() => void readAgain()}>
          {isReading ? 'Reading…' : 'Read again'}
        </Button>
      </div>
      {matters.length === 0 ? null : (
        <ul className={css.matters}>
          {matters.map(({ key, text, act = null }) => (
            <li key={key}>
              <span>{text}</span>
              {act === null ? null : <span className={css.acts}>{act}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
