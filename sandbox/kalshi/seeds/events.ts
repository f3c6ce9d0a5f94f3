import { DAY, HOUR } from '../../times.js';
import { PriceGrid } from '../price-grid.js';
import { type EventSeed, type MarketSeed, type SeriesSeed, type Trading } from './seed.js';
import { SHARDED_EVENTS, SHARDED_MARKETS, SHARDED_SERIES } from './sharded.js';

const FED: SeriesSeed = {
  ticker: 'KXFEDDECISION',
  title: 'Fed decision',
  category: 'Economics',
  tags: ['Fed', 'Interest rates'],
  frequency: 'custom',
  source: { name: 'Federal Reserve', url: 'https://www.federalreserve.gov/' },
  shard: 0,
};

const WEATHER: SeriesSeed = {
  ticker: 'KXHIGHNY',
  title: 'Highest temperature in NYC',
  category: 'Climate and Weather',
  tags: ['Daily temperature'],
  frequency: 'daily',
  source: { name: 'National Weather Service', url: 'https://forecast.weather.gov/product.php?site=OKX&product=CLI' },
  shard: 0,
};

const BITCOIN: SeriesSeed = {
  ticker: 'KXBTCMAX',
  title: 'How high will Bitcoin get?',
  category: 'Crypto',
  tags: ['BTC'],
  frequency: 'annual',
  source: { name: 'CF Benchmarks', url: 'https://www.cfbenchmarks.com/' },
  // Its event below is older than the shard and stays where it is.
  shard: 2,
};

export const SERIES: readonly SeriesSeed[] = [FED, WEATHER, BITCOIN, ...SHARDED_SERIES];

const FED_NEXT: EventSeed = {
  ticker: 'KXFEDDECISION-NEXT',
  series: FED,
  title: 'Fed decision at the next meeting?',
  subtitle: 'Next meeting',
  mutuallyExclusive: true,
  strike: { period: 'Next meeting' },
  shard: 0,
};
const FED_PAST: EventSeed = {
  ...FED_NEXT,
  ticker: 'KXFEDDECISION-PAST',
  title: 'Fed decision two meetings ago?',
  subtitle: 'Two meetings ago',
  strike: { period: 'Two meetings ago' },
};
const NY_TODAY: EventSeed = {
  ticker: 'KXHIGHNY-TODAY',
  series: WEATHER,
  title: 'Highest temperature in NYC today?',
  subtitle: 'Today',
  mutuallyExclusive: true,
  strike: { dateOffset: DAY },
  shard: 0,
};
const NY_YESTERDAY: EventSeed = {
  ...NY_TODAY,
  ticker: 'KXHIGHNY-YESTERDAY',
  title: 'Highest temperature in NYC yesterday?',
  subtitle: 'Yesterday',
  strike: { dateOffset: -DAY },
};
const NY_TOMORROW: EventSeed = {
  ...NY_TODAY,
  ticker: 'KXHIGHNY-TOMORROW',
  title: 'Highest temperature in NYC tomorrow?',
  subtitle: 'Tomorrow',
  strike: { dateOffset: 2 * DAY },
};
const BTC_YEAR: EventSeed = {
  ticker: 'KXBTCMAX-YEAR',
  series: BITCOIN,
  title: 'How high will Bitcoin get this year?',
  subtitle: 'Within 12 months',
  mutuallyExclusive: false,
  strike: { period: 'Within 12 months' },
  shard: 0,
};

/** All events, in the order of the exchange's lists. */
export const EVENTS: readonly EventSeed[] = [
  NY_TODAY,
  FED_NEXT,
  BTC_YEAR,
  NY_TOMORROW,
  NY_YESTERDAY,
  FED_PAST,
  ...SHARDED_EVENTS,
];

function fed(suffix: string, subtitle: string, trading: Trading): MarketSeed {
  return {
    ticker: `${FED_NEXT.ticker}-${suffix}`,
    event: FED_NEXT,
    title: `Will the Federal Reserve **${subtitle.toLowerCase()}** at the next meeting?`,
    subtitle,
    rules: `If the Federal Reserve's decision at its next meeting is "${subtitle}", then the market resolves to Yes.`,
    strike: { type: 'custom', custom: { Action: subtitle } },
    grid: PriceGrid.tapered,
    lifecycle: 'active',
    openOffset: -60 * DAY,
    closeOffset: 20 * DAY,
    ...trading,
  };
}

type Degrees = Pick<MarketSeed, 'strike' | 'subtitle'> & { words: string };

function weather(event: EventSeed, suffix: string, degrees: Degrees, trading: Trading): MarketSeed {
  return {
    ticker: `${event.ticker}-${suffix}`,
    event,
    title: `Will the **high temp in NYC** be ${degrees.words} ${event.subtitle.toLowerCase()}?`,
    subtitle: degrees.subtitle,
    rules: `If the highest temperature recorded in Central Park, New York ${event.subtitle.toLowerCase()} is ${degrees.words}, then the market resolves to Yes.`,
    strike: degrees.strike,
    grid: PriceGrid.cent,
    lifecycle: 'active',
    openOffset: -DAY,
    closeOffset: DAY,
    ...trading,
  };
}

function between(low: number, high: number): Degrees {
  return {
    words: `${low}-${high}°`,
    subtitle: `${low}° to ${high}°`,
    strike: { type: 'between', floor: low, cap: high },
  };
}

function above(degrees: number): Degrees {
  return {
    words: `>${degrees}°`,
    subtitle: `${degrees + 1}° or above`,
    strike: { type: 'greater', floor: degrees },
  };
}

function below(degrees: number): Degrees {
  return { words: `<${degrees}°`, subtitle: `${degrees - 1}° or below`, strike: { type: 'less', cap: degrees } };
}

function bitcoin(price: number, trading: Trading): MarketSeed {
  const amount = `$${price},000`;
  return {
    ticker: `${BTC_YEAR.ticker}-T${price}K`,
    event: BTC_YEAR,
    title: `Will Bitcoin be above **${amount}** within 12 months?`,
    subtitle: `Above ${amount}`,
    rules: `If the price of Bitcoin is above ${amount} at any time within 12 months, then the market resolves to Yes.`,
    strike: { type: 'greater', floor: price * 1_000 },
    grid: PriceGrid.centiCent,
    lifecycle: 'active',
    openOffset: -90 * DAY,
    closeOffset: 275 * DAY,
    ...trading,
  };
}

const YESTERDAY = { openOffset: -3 * DAY, closeOffset: -DAY - 10 * HOUR, lifecycle: 'finalized', quotes: {} } as const;
const TOMORROW = {
  openOffset: 12 * HOUR,
  closeOffset: 2 * DAY,
  lifecycle: 'initialized',
  quotes: {},
  lastPrice: '0',
} as const;

/**
 * Every market, in the order of the exchange's lists: tapered ticks at the Fed, ticks of 0.0001 at Bitcoin, whole
 * cents elsewhere; one open market without bids; each stage of a market's life; one settled before the historical cutoff;
 * those of shards 1 to 3 last.
 */
export const MARKETS: readonly MarketSeed[] = [
  weather(NY_TODAY, 'T58', above(58), { quotes: { bid: '0.06', ask: '0.07' }, lastPrice: '0.07' }),
  weather(NY_TODAY, 'B55.5', between(55, 56), { quotes: { bid: '0.42', ask: '0.44' }, lastPrice: '0.43' }),
  weather(NY_TODAY, 'B53.5', between(53, 54), { quotes: { bid: '0.33', ask: '0.35' }, lastPrice: '0.34' }),
  weather(NY_TODAY, 'T51', below(51), { quotes: { ask: '0.02' }, lastPrice: '0.01' }),
  fed('H0', 'Fed maintains rate', { quotes: { bid: '0.71', ask: '0.72' }, lastPrice: '0.71' }),
  fed('C25', 'Cut 25bps', { quotes: { bid: '0.26', ask: '0.28' }, lastPrice: '0.27' }),
  fed('C26', 'Cut >25bps', { quotes: { bid: '0.011', ask: '0.014' }, lastPrice: '0.012' }),
  bitcoin(150, { quotes: { bid: '0.3721', ask: '0.3735' }, lastPrice: '0.3728' }),
  bitcoin(200, { quotes: { bid: '0.1204', ask: '0.1250' }, lastPrice: '0.1215', lifecycle: 'inactive' }),
  bitcoin(120, { quotes: {}, lastPrice: '0.9650', lifecycle: 'closed', closeOffset: -2 * HOUR }),
  bitcoin(100, {
    quotes: {},
    lastPrice: '0.9990',
    lifecycle: 'determined',
    closeOffset: -5 * HOUR,
    outcome: { result: 'yes', expirationValue: '100412.55' },
  }),
  weather(NY_TOMORROW, 'B57.5', between(57, 58), TOMORROW),
  weather(NY_YESTERDAY, 'B52.5', between(52, 53), {
    ...YESTERDAY,
    lastPrice: '0.99',
    outcome: { result: 'yes', expirationValue: '53', settledOffset: -DAY },
  }),
  weather(NY_YESTERDAY, 'T54', above(54), {
    ...YESTERDAY,
    lastPrice: '0.01',
    outcome: { result: 'no', expirationValue: '53', settledOffset: -DAY },
  }),
  {
    ...fed('H0', 'Fed maintains rate', { quotes: {}, lastPrice: '0.98' }),
    ticker: `${FED_PAST.ticker}-H0`,
    event: FED_PAST,
    title: 'Will the Federal Reserve **maintain its rate** two meetings ago?',
    lifecycle: 'finalized',
    openOffset: -170 * DAY,
    closeOffset: -121 * DAY,
    outcome: { result: 'yes', expirationValue: 'Fed maintains rate', settledOffset: -120 * DAY },
  },
  ...SHARDED_MARKETS,
];

/** What settled longer ago than this when the sandbox started is archived (kalshi.md 8). */
export const HISTORICAL_AGE = 90 * DAY;

/** An order that ended longer ago than this is archived (kalshi.md 8). */
export const HISTORICAL_ORDER_AGE = 14 * DAY;
