import { type EventSeed, type MarketSeed, TAGS, YES_NO } from './seed.js';

const NFL_FEE = { rate: '0.03', exponent: 1 } as const;
const CRYPTO_FEE = { rate: '0.07', exponent: 1 } as const;

function bitcoinTarget(
  target: string,
  seed: Partial<MarketSeed> & Pick<MarketSeed, 'id' | 'slug' | 'bid' | 'ask' | 'last' | 'tick'>,
): MarketSeed {
  return {
    question: `Will Bitcoin ${target}?`,
    description: `Resolves to "Yes" if any Binance 1 minute candle for BTC/USDT shows that Bitcoin did ${target}, otherwise to "No".`,
    outcomes: YES_NO,
    label: target,
    volume: '5510221.9',
    volume24h: '80114.6',
    startDaysAgo: 320,
    endInDays: 40,
    ...seed,
  };
}

const FINAL = {
  description: 'This market resolves to the team that wins the championship.',
  tick: '0.01',
  bid: null,
  ask: null,
  volume: '31220441.07',
  volume24h: '0',
  startDaysAgo: 45,
  endInDays: -20,
  state: 'resolved',
} as const;

/** Outcomes that are not Yes and No, taker fees, markets that are over. */
export const SPORTS_EVENTS: readonly EventSeed[] = [
  {
    id: '112233',
    slug: 'nfl-no-atl',
    title: 'Saints vs. Falcons',
    description: 'The regular season game of the New Orleans Saints at the Atlanta Falcons.',
    tags: [TAGS.sports, TAGS.nfl],
    negRisk: 'no',
    openInterest: '190220',
    series: { id: '10187', slug: 'nfl', title: 'NFL', recurrence: 'weekly' },
    markets: [
      {
        id: '2208077',
        slug: 'nfl-no-atl',
        question: 'Saints vs. Falcons',
        description: 'This market resolves to the team that wins the game.',
        outcomes: ['Saints', 'Falcons'],
        label: '',
        tick: '0.01',
        bid: '0.43',
        ask: '0.44',
        last: '0.44',
        volume: '310220.1',
        volume24h: '120113.2',
        startDaysAgo: 6,
        endInDays: 2,
        fee: NFL_FEE,
        conditionId: '0xa41295da553c24ec5e80c2bcfa282ea4971f3d606afc03baaf14228d0f97bb2d',
        tokenIds: [
          '45202161264382546775596707604072525818335939716837358977013676938396612122029',
          '36596665396299015908151678180572085098606017707816165714848620520798922364975',
        ],
      },
      {
        id: '2208078',
        slug: 'nfl-no-atl-total-44pt5',
        question: 'Saints vs. Falcons: O/U 44.5',
        description:
          'This market resolves to "Over" if both teams together score 45 points or more, otherwise to "Under".',
        outcomes: ['Over', 'Under'],
        label: 'O/U 44.5',
        tick: '0.01',
        bid: '0.5',
        ask: '0.52',
        last: '0.51',
        volume: '44010.25',
        volume24h: '21004.5',
        startDaysAgo: 6,
        endInDays: 2,
        fee: NFL_FEE,
      },
    ],
  },
  {
    id: '51200',
    slug: 'world-series-champion',
    title: 'World Series Champion',
    description: 'The champion of the last season of Major League Baseball.',
    tags: [TAGS.sports],
    negRisk: 'no',
    openInterest: '0',
    markets: [
      {
        ...FINAL,
        id: '480220',
        slug: 'world-series-dodgers-blue-jays',
        question: 'Dodgers vs. Blue Jays',
        outcomes: ['Dodgers', 'Blue Jays'],
        label: '',
        last: '0.999',
        payout: '1',
      },
      {
        ...FINAL,
        id: '480221',
        slug: 'world-series-game-eight',
        question: 'Who wins an eighth game?',
        outcomes: ['Dodgers', 'Blue Jays'],
        label: 'Game 8',
        last: '0.5',
        volume: '1022.5',
        payout: '0.5',
      },
    ],
  },
];

/** Several targets of which one is settled, and a market that holds marketable orders back. */
export const CRYPTO_EVENTS: readonly EventSeed[] = [
  {
    id: '84210',
    slug: 'what-price-will-bitcoin-hit-this-year',
    title: 'What price will Bitcoin hit this year?',
    description: 'Each market resolves by the 1 minute candles of BTC/USDT on Binance.',
    tags: [TAGS.crypto, TAGS.bitcoin],
    negRisk: 'no',
    openInterest: '1702330.75',
    markets: [
      bitcoinTarget('reach $150k by October 31', {
        id: '511754',
        slug: 'will-bitcoin-reach-150k-by-october-31',
        tick: '0.001',
        bid: null,
        ask: null,
        last: '0.001',
        volume24h: '0',
        endInDays: -20,
        state: 'resolved',
        payout: '0',
        conditionId: '0x411451317758875dcf9f1bb31732a67a9a2cfec41cf87f37dfec2e1c1a086879',
        tokenIds: [
          '38304894346029195822242785095213694817662275988449391178572340951802778647900',
          '47744211227487542019752180049325719643202073349878869069404741823489101696247',
        ],
      }),
      bitcoinTarget('reach $130k this year', {
        id: '511755',
        slug: 'will-bitcoin-reach-130k-this-year',
        tick: '0.001',
        bid: '0.118',
        ask: '0.121',
        last: '0.12',
        fee: CRYPTO_FEE,
      }),
      bitcoinTarget('dip to $60k this year', {
        id: '511756',
        slug: 'will-bitcoin-dip-to-60k-this-year',
        tick: '0.01',
        bid: '0.27',
        ask: '0.29',
        last: '0.28',
      }),
    ],
  },
  {
    id: '990017',
    slug: 'bitcoin-up-or-down-hourly',
    title: 'Bitcoin Up or Down - Hourly',
    description: 'Resolves to "Up" if the hourly candle of BTC/USDT closes at or above its open, otherwise to "Down".',
    tags: [TAGS.crypto, TAGS.bitcoin],
    negRisk: 'no',
    openInterest: '20110.4',
    series: { id: '10114', slug: 'btc-up-or-down-hourly', title: 'BTC Up or Down Hourly', recurrence: 'hourly' },
    markets: [
      {
        id: '2310044',
        slug: 'bitcoin-up-or-down-hourly',
        question: 'Bitcoin Up or Down - Hourly',
        description:
          'Resolves to "Up" if the hourly candle of BTC/USDT closes at or above its open, otherwise to "Down".',
        outcomes: ['Up', 'Down'],
        label: '',
        tick: '0.01',
        bid: '0.49',
        ask: '0.51',
        last: '0.5',
        volume: '20110.4',
        volume24h: '20110.4',
        startDaysAgo: 1,
        endInDays: 1,
        behaviour: 'delay',
      },
    ],
  },
];
