import { DAY, HOUR } from '../../times.js';
import { ONE } from '../../units.js';
import { PriceGrid } from '../price-grid.js';
import { type EventSeed, type MarketSeed, type SeriesSeed, type Trading } from './seed.js';

const BITCOIN_PRICE: SeriesSeed = {
  ticker: 'KXBTCD',
  title: 'Bitcoin price',
  category: 'Crypto',
  tags: ['BTC'],
  frequency: 'weekly',
  source: { name: 'CF Benchmarks', url: 'https://www.cfbenchmarks.com/' },
  shard: 2,
};

const OIL: SeriesSeed = {
  ticker: 'KXWTI',
  title: 'Oil price',
  category: 'Commodities',
  tags: ['Oil'],
  frequency: 'weekly',
  source: { name: 'ICE', url: 'https://www.ice.com/' },
  shard: 2,
  fee: { type: 'quadratic', multiplier: ONE / 2n },
};

const BASKETBALL: SeriesSeed = {
  ticker: 'KXNBAGAME',
  title: 'Professional basketball game',
  category: 'Sports',
  tags: ['Basketball'],
  frequency: 'custom',
  source: { name: 'NBA', url: 'https://www.nba.com/' },
  shard: 3,
  fee: { type: 'quadratic_with_maker_fees', multiplier: ONE },
};

const COMBOS: SeriesSeed = {
  ticker: 'KXMVECROSS',
  title: 'Combos',
  category: 'Exotics',
  tags: ['Combos'],
  frequency: 'custom',
  source: { name: 'Kalshi', url: 'https://kalshi.com/' },
  shard: 1,
  fee: { type: 'quadratic_with_combo_maker_fees', multiplier: ONE },
};

/** The series whose new events lie on shards 1 to 3 (kalshi.md 9.1). */
export const SHARDED_SERIES: readonly SeriesSeed[] = [BITCOIN_PRICE, OIL, BASKETBALL, COMBOS];

const BTC_FRIDAY: EventSeed = {
  ticker: 'KXBTCD-FRIDAY',
  series: BITCOIN_PRICE,
  title: 'Bitcoin price on Friday?',
  subtitle: 'Friday',
  mutuallyExclusive: false,
  strike: { dateOffset: 6 * DAY },
  shard: 2,
};
const OIL_FRIDAY: EventSeed = {
  ...BTC_FRIDAY,
  ticker: 'KXWTI-FRIDAY',
  series: OIL,
  title: 'Oil price on Friday?',
};
const GAME: EventSeed = {
  ticker: 'KXNBAGAME-BOSNYK',
  series: BASKETBALL,
  title: 'Boston at New York: who wins?',
  subtitle: 'Boston at New York',
  mutuallyExclusive: true,
  strike: { dateOffset: 5 * DAY },
  shard: 3,
};
const COMBO: EventSeed = {
  ticker: 'KXMVECROSS-S1',
  series: COMBOS,
  title: 'Combo',
  subtitle: 'Combo',
  mutuallyExclusive: false,
  strike: { period: 'Until its legs are settled' },
  shard: 1,
  isCombo: true,
};

/** Their events, in the order of the exchange's lists. */
export const SHARDED_EVENTS: readonly EventSeed[] = [BTC_FRIDAY, OIL_FRIDAY, GAME, COMBO];

const OPEN = { lifecycle: 'active', openOffset: -5 * DAY, closeOffset: 6 * DAY } as const;

function priceAbove(event: EventSeed, price: number, trading: Trading): MarketSeed {
  const amount = `$${price.toLocaleString('en-US')}`;
  return {
    ticker: `${event.ticker}-T${price}`,
    event,
    title: `${event.series.title} above **${amount}** on Friday?`,
    subtitle: `Above ${amount}`,
    rules: `If the price on Friday at 5 PM EST is above ${amount}, then the market resolves to Yes.`,
    strike: { type: 'greater', floor: price },
    grid: PriceGrid.cent,
    ...OPEN,
    ...trading,
  };
}

function winner(suffix: string, team: string, trading: Trading): MarketSeed {
  return {
    ticker: `${GAME.ticker}-${suffix}`,
    event: GAME,
    title: `Will **${team}** win?`,
    subtitle: team,
    rules: `If ${team} wins the game, then the market resolves to Yes.`,
    strike: { type: 'structured', custom: { basketball_team: team } },
    grid: PriceGrid.cent,
    ...OPEN,
    closeOffset: 5 * DAY + 4 * HOUR,
    ...trading,
  };
}

const BOSTON = winner('BOS', 'Boston', { quotes: { bid: '0.45', ask: '0.47' }, lastPrice: '0.46' });
const BITCOIN_UP = priceAbove(BTC_FRIDAY, 110_000, { quotes: { bid: '0.61', ask: '0.63' }, lastPrice: '0.62' });

/** Their markets, all open: two of crypto and one of commodities with a settlement floor (2), a game's two (3), a combo (1). */
export const SHARDED_MARKETS: readonly MarketSeed[] = [
  BITCOIN_UP,
  priceAbove(BTC_FRIDAY, 125_000, { quotes: { bid: '0.18', ask: '0.21' }, lastPrice: '0.20' }),
  priceAbove(OIL_FRIDAY, 70, { quotes: { bid: '0.33', ask: '0.36' }, lastPrice: '0.35', settlementFloor: '0.05' }),
  BOSTON,
  winner('NYK', 'New York', { quotes: { bid: '0.53', ask: '0.55' }, lastPrice: '0.54' }),
  {
    ticker: `${COMBO.ticker}-01`,
    event: COMBO,
    title: 'yes Boston, yes Above $110,000',
    subtitle: 'yes Boston, yes Above $110,000',
    rules: 'If every leg resolves as chosen, then the market resolves to Yes.',
    strike: { type: 'custom', custom: { Legs: `${BOSTON.ticker}, ${BITCOIN_UP.ticker}` } },
    grid: PriceGrid.centiCentEdges,
    ...OPEN,
    quotes: { bid: '0.27', ask: '0.31' },
    lastPrice: '0.29',
    combo: {
      collection: 'KXMVECROSS-SHARD1',
      legs: [
        { event: GAME.ticker, market: BOSTON.ticker, side: 'yes' },
        { event: BTC_FRIDAY.ticker, market: BITCOIN_UP.ticker, side: 'yes' },
      ],
    },
  },
];
