import type { StaleReason } from '../exchanges/feeds.contract.js';
import type { MarketDto } from '../exchanges/unified.market-data.dto.js';

/** Markets that one list call names (contract.md 5.2). */
export const IDS_PER_CALL = 50;

/** What time it is, and what is done later: the service's own, or that of a test. */
export interface FeedClock {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Does `work` after `ms`; what it returns takes that back. */
  readonly after: (ms: number, work: () => void) => () => void;
}

/** How a market stands over HTTP; `unknown` where that could not be read. */
export type Standing = 'open' | 'unknown' | Extract<StaleReason, 'market_closed' | 'market_resolved'>;

export function standingOf({ status, result }: MarketDto): Standing {
  if (status === 'settled' || (status === 'closed' && result !== null)) return 'market_resolved';
  return status === 'closed' ? 'market_closed' : 'open';
}

/** The host's clock; what is done later keeps no process alive. */
export const HOST_CLOCK: FeedClock = {
  now: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms).unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
