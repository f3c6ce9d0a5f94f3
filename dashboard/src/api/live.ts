import { type Query, queryOptions, skipToken, useQueries } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { Line } from '../streams/subscriptions.js';
import { queries } from './queries.js';

/** How something stands that the browser's stream moves. */
export interface Standing {
  readonly state: 'live' | 'stale' | 'closed';
  /** As feeds.md has it, or `unreachable`, `refused` and `too_many` of the stream itself. */
  readonly reason: string | null;
  /** Since when, as ISO 8601. */
  readonly since: string;
}

export const STANDINGS = 'standing';

/** Null where it does not move by itself. */
export function standingQuery({ exchange, channel, marketId }: Line) {
  return queryOptions<Standing | null>({
    queryKey: [STANDINGS, exchange, channel, marketId],
    queryFn: skipToken,
    gcTime: Infinity,
  });
}

/** How lines stand; null before it is told. */
export function useStandings(lines: readonly Line[]): (Standing | null)[] {
  return useQueries({ queries: lines.map(standingQuery) }).map(({ data }) => data ?? null);
}

/** How what this page shows of an exchange stands as a whole: `live` where all of it is, else since when (ISO 8601) some is not; null where nothing moves, or not all was told yet. */
export type Feed = 'live' | { readonly staleSince: string } | null;

function feedOf(exchange: string): Feed {
  const shown = queries.getQueryCache().findAll({ queryKey: [STANDINGS, exchange], predicate: isShown });
  const standings = shown.map(({ state }) => state.data as Standing | null | undefined);
  const [staleSince] = standings.flatMap((one) => (one?.state === 'stale' ? [one.since] : [])).sort();
  if (staleSince !== undefined) return { staleSince };
  const isTold = standings.every((one) => (one ?? null) !== null);
  return isTold && standings.some((one) => one?.state === 'live') ? 'live' : null;
}

/** Other tabs may show what this one does not. */
function isShown(query: Query): boolean {
  return query.getObserversCount() > 0;
}

function onStanding(hear: () => void): () => void {
  return queries.getQueryCache().subscribe(({ query }) => {
    if ((query as Query).queryKey[0] === STANDINGS) hear();
  });
}

export function useFeed(exchange: string): Feed {
  return JSON.parse(useSyncExternalStore(onStanding, () => JSON.stringify(feedOf(exchange)))) as Feed;
}

/** Has these move by themselves while they are shown: what was read of them, and how they stand. */
export function useStream(lines: readonly Line[]): void {
  const text = JSON.stringify(lines);
  useEffect(() => {
    let stop: (() => void) | null = null;
    let isOver = false;
    const begin = async (): Promise<void> => {
      const { show } = await import('../streams/tabs.js');
      if (!isOver) stop = show(JSON.parse(text) as Line[]);
    };
    // What does not come leaves the page as it was read.
    if (text !== '[]') begin().catch(() => undefined);
    return () => {
      isOver = true;
      stop?.();
    };
  }, [text]);
}

/** Own orders and fills at some exchanges. */
export function ownLines(exchanges: readonly { readonly id: string }[], ...channels: ('orders' | 'fills')[]): Line[] {
  return exchanges.flatMap(({ id }) => channels.map((channel) => ({ exchange: id, channel, marketId: null })));
}
