import { type FeeRule } from '../fees/fee.js';
import { type PriceGrid } from '../price-grid.js';

/** A template of recurring events. */
export interface SeriesSeed {
  ticker: string;
  title: string;
  category: string;
  tags: string[];
  frequency: string;
  source: { name: string; url: string };
  /** Where new events go; older ones may lie elsewhere (kalshi.md 9.1). */
  shard: number;
  /** The general fees where left out. */
  fee?: FeeRule;
}

export interface EventSeed {
  ticker: string;
  series: SeriesSeed;
  title: string;
  subtitle: string;
  mutuallyExclusive: boolean;
  /** A strike date this far from the start of the sandbox (ms), or a period in words. */
  strike: { dateOffset: number } | { period: string };
  /** Of all its markets, for ever. */
  shard: number;
  /** True where the markets are combos: the list of events leaves it out. */
  isCombo?: boolean;
}

/** The market's stage in its life, in the words of `Market.status` (kalshi.md 4). */
export type Lifecycle = 'initialized' | 'active' | 'inactive' | 'closed' | 'determined' | 'finalized';

/** What a combo is made of. */
interface ComboSeed {
  collection: string;
  legs: { event: string; market: string; side: 'yes' | 'no' }[];
}

export interface MarketSeed {
  ticker: string;
  event: EventSeed;
  title: string;
  subtitle: string;
  rules: string;
  strike: { type: string; floor?: number; cap?: number; custom?: Record<string, string> };
  grid: PriceGrid;
  lifecycle: Lifecycle;
  /** Milliseconds from the start of the sandbox; negative is the past. */
  openOffset: number;
  closeOffset: number;
  /** Best prices that the market maker quotes; a side left out stays empty. None at all outside trading. */
  quotes: { bid?: string; ask?: string };
  /** Where the generated past ends. */
  lastPrice: string;
  outcome?: { result: 'yes' | 'no'; expirationValue: string; settledOffset?: number };
  /** Dollars that each YES contract pays at least (kalshi.md 4.1); none where left out. */
  settlementFloor?: string;
  combo?: ComboSeed;
  /** One of many: two trades make up what was traded, one level a side its book, and the made-up trader leaves it alone. */
  few?: { volume: string; volume24h: string };
}

/** What sets one market of an event apart from its sisters in trading. */
export type Trading = Pick<MarketSeed, 'quotes' | 'lastPrice'> & Partial<MarketSeed>;
