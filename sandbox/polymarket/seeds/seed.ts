import { type FeeRule } from '../fees.js';
import { type Condition } from '../signing/position-id.js';

/** What an event and a market of the stand-in are made from. Decimals are texts; days count from the start. */

export interface TagSeed {
  id: string;
  label: string;
  slug: string;
}

export interface MarketSeed {
  id: string;
  slug: string;
  question: string;
  description: string;
  outcomes: readonly [string, string];
  /** Gamma's `groupItemTitle`; empty in events of one market. */
  label: string;
  tick: string;
  /** Best quotes of outcome 0; null is an empty side. */
  bid: string | null;
  ask: string | null;
  last: string;
  volume: string;
  volume24h: string;
  startDaysAgo: number;
  endInDays: number;
  /** `placeholder`: inactive, `paused`: takes no orders, `proposed`: being resolved, `resolved`: closed and paid out. */
  state?: 'placeholder' | 'paused' | 'proposed' | 'resolved';
  /** What outcome 0 pays in a resolved market. */
  payout?: '0' | '0.5' | '1';
  /** `delay` holds marketable orders, `reject` answers every good order with `success: true` and an `errorMsg`. */
  behaviour?: 'delay' | 'reject';
  /** Without it nobody pays one. */
  fee?: FeeRule;
  /** The catch-all outcome of an augmented neg-risk event. */
  other?: boolean;
  conditionId?: string;
  tokenIds?: readonly [string, string];
  /** What Gamma and the CLOB call the market's version; `v1` when left out. `v9` stands for one that nobody knows yet. */
  version?: 'v2' | 'v9';
  /** Needed for every version but `v1`: the ids follow from it. */
  condition?: Condition;
  /** A V2 market without ids yet: what `positionIds` is instead. */
  unassigned?: 'null' | 'empty';
  /** A V1 market with `positionIds` beside its own: those of this condition, for which there is no book. */
  besides?: Condition;
  /** Nobody has traded it yet: `last_trade_price` is empty. */
  neverTraded?: boolean;
  /** One of many: its book has one level a side, and the made-up trader leaves it alone. */
  isFew?: boolean;
  /** Seconds from the start until it is listed and until it is over; a market without them does neither by the clock. */
  hours?: { opensIn: number; closesIn: number };
}

export interface EventSeed {
  id: string;
  slug: string;
  title: string;
  description: string;
  tags: readonly TagSeed[];
  negRisk: 'no' | 'plain' | 'augmented';
  openInterest: string;
  series?: { id: string; slug: string; title: string; recurrence: string };
  markets: readonly MarketSeed[];
}

export const TAGS = {
  world: { id: '100265', label: 'World', slug: 'world' },
  science: { id: '1401', label: 'Science', slug: 'science' },
  politics: { id: '2', label: 'Politics', slug: 'politics' },
  elections: { id: '144', label: 'Elections', slug: 'elections' },
  sports: { id: '1', label: 'Sports', slug: 'sports' },
  nfl: { id: '450', label: 'NFL', slug: 'nfl' },
  crypto: { id: '21', label: 'Crypto', slug: 'crypto' },
  bitcoin: { id: '235', label: 'Bitcoin', slug: 'bitcoin' },
  economy: { id: '100328', label: 'Economy', slug: 'economy' },
  fed: { id: '159', label: 'Fed', slug: 'fed' },
  weather: { id: '84', label: 'Weather', slug: 'weather' },
} as const;

export const YES_NO = ['Yes', 'No'] as const;
