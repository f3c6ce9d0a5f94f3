import { queryOptions, skipToken, useQueries } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Line } from '../streams/subscriptions.js';

/** How something stands that the browser's stream moves. */
export interface Standing {
  readonly state: 'live' | 'stale' | 'closed';
  /** As feeds.md has it, or `unreachable` and `refused` of the stream itself. */
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
