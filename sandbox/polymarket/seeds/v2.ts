import { type Condition } from '../signing/position-id.js';
import { type EventSeed, type MarketSeed, TAGS, YES_NO } from './seed.js';

/** Markets of the protocol of November 2026, and the traps around them (polymarket.md 10.2). */

const TWIN_HASH = '3009decfd1e0532df9db26862e9635ef';
const RESOLVED_HASH = '4017c55cf5c4c3d27fb511cbc4424e08';
const ELECTION_HASH = 'a4d1f0937c2be658d01993f4c7ab22e6';
const FEE = { rate: '0.05', exponent: 1 } as const;

function binary(baseHash: string): Condition {
  return { module: 1, baseHash, arity: 0, index: 0 };
}

type Named = Pick<MarketSeed, 'id' | 'slug' | 'question'>;

function indexMarket(seed: Partial<MarketSeed> & Named): MarketSeed {
  return {
    description: 'Resolves to "Yes" if the index closes above the level on the day, otherwise to "No".',
    outcomes: YES_NO,
    label: '',
    tick: '0.01',
    bid: '0.52',
    ask: '0.54',
    last: '0.53',
    volume: '90412.75',
    volume24h: '4120.5',
    startDaysAgo: 17,
    endInDays: 39,
    ...seed,
  };
}

function candidate(name: string, index: number, seed: Partial<MarketSeed> & Pick<MarketSeed, 'id'>): MarketSeed {
  const slug = name.toLowerCase().replaceAll(' ', '-');
  return {
    slug: `will-${slug}-win-the-mayoral-election`,
    question: `Will ${name} win the mayoral election?`,
    description: `Resolves to "Yes" if ${name} wins the mayoral election, otherwise to "No".`,
    outcomes: YES_NO,
    label: name,
    tick: '0.001',
    bid: '0.31',
    ask: '0.313',
    last: '0.312',
    volume: '410220.5',
    volume24h: '20114.25',
    startDaysAgo: 12,
    endInDays: 90,
    version: 'v2',
    condition: { module: 2, baseHash: ELECTION_HASH, arity: 3, index },
    ...seed,
  };
}

const V2 = { version: 'v2' } as const;
const CLOSED = { ...V2, bid: null, ask: null, volume24h: '0', endInDays: -8, state: 'resolved', fee: FEE } as const;

export const V2_EVENTS: readonly EventSeed[] = [
  {
    id: '410233',
    slug: 'index-above-100-on-december-31',
    title: 'Index above 100 on December 31?',
    description: 'The closing value of the index on the last day of the year.',
    tags: [TAGS.economy],
    negRisk: 'no',
    openInterest: '120400',
    markets: [
      indexMarket({
        id: '2899001',
        slug: 'index-above-100-on-december-31-ctf',
        question: 'Will the index close above 100 on December 31?',
        besides: binary('c0ffee1122334455667788990a0b0c0d'),
      }),
      indexMarket({
        ...V2,
        id: '2901455',
        slug: 'index-above-100-on-december-31',
        question: 'Will the index close above 100 on December 31?',
        condition: binary(TWIN_HASH),
        fee: FEE,
      }),
    ],
  },
  {
    id: '410240',
    slug: 'mayoral-election-winner',
    title: 'Mayoral election: winner?',
    description: 'The winner of the mayoral election.',
    tags: [TAGS.politics, TAGS.elections],
    negRisk: 'plain',
    openInterest: '803000',
    markets: [
      candidate('Ada Ferry', 0, { id: '2901460' }),
      candidate('Ben Quill', 1, { id: '2901461', bid: '0.45', ask: '0.452', last: '0.451' }),
      candidate('Cleo Marsh', 2, {
        ...CLOSED,
        id: '2901462',
        last: '0.001',
        payout: '0',
        endInDays: -2,
        startDaysAgo: 30,
      }),
    ],
  },
  {
    id: '410251',
    slug: 'index-in-november',
    title: 'Index in November',
    description: 'Closing values of the index in November.',
    tags: [TAGS.economy],
    negRisk: 'no',
    openInterest: '0',
    markets: [
      indexMarket({
        ...CLOSED,
        id: '2901390',
        slug: 'index-above-90-on-november-14',
        question: 'Did the index close above 90 on November 14?',
        last: '0.999',
        payout: '1',
        condition: binary(RESOLVED_HASH),
      }),
      indexMarket({
        ...CLOSED,
        id: '2901391',
        slug: 'index-above-95-on-november-13',
        question: 'Did the index close above 95 on November 13?',
        label: '95',
        last: '0.5',
        payout: '0.5',
        condition: binary('5a1c0d9e8f7b6a5948372615fedcba09'),
      }),
    ],
  },
  {
    id: '410260',
    slug: 'index-in-the-next-quarter',
    title: 'Index in the next quarter',
    description: 'What is new at the exchange, and what is not ready yet.',
    tags: [TAGS.economy],
    negRisk: 'no',
    openInterest: '1000',
    markets: [
      indexMarket({
        ...V2,
        id: '2901470',
        slug: 'index-above-120-next-quarter',
        question: 'Will the index close above 120 in the next quarter?',
        label: '120',
        tick: '0.001',
        bid: '0.204',
        ask: '0.206',
        last: '0.205',
        neverTraded: true,
        condition: binary('19f2c3d4e5b6a798800112233445566f'),
      }),
      indexMarket({
        ...V2,
        id: '2901477',
        slug: 'index-above-130-next-quarter',
        question: 'Will the index close above 130 in the next quarter?',
        label: '130',
        bid: null,
        ask: null,
        last: '0',
        unassigned: 'null',
      }),
      indexMarket({
        ...V2,
        id: '2901478',
        slug: 'index-above-140-next-quarter',
        question: 'Will the index close above 140 in the next quarter?',
        label: '140',
        bid: null,
        ask: null,
        last: '0',
        unassigned: 'empty',
        condition: binary('2b4d6f8091a3b5c7d9eb0d1f31537597'),
      }),
      indexMarket({
        id: '2901479',
        slug: 'index-above-150-next-quarter',
        question: 'Will the index close above 150 in the next quarter?',
        label: '150',
        version: 'v9',
        condition: binary('7e9fb1c3d5e7f90b1d2f415365778aac'),
      }),
    ],
  },
];
