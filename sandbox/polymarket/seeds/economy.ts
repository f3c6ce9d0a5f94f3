import { type EventSeed, type MarketSeed, TAGS, YES_NO } from './seed.js';

/** A neg-risk event, a paused market, a market that rejects every order. */
export const ECONOMY_EVENTS: readonly EventSeed[] = [
  {
    id: '77103',
    slug: 'fed-decision-at-the-next-meeting',
    title: 'Fed decision at the next meeting?',
    description: 'The outcome of the next meeting of the Federal Open Market Committee.',
    tags: [TAGS.economy, TAGS.fed],
    negRisk: 'plain',
    openInterest: '3300120.5',
    series: { id: '10010', slug: 'fed-interest-rates', title: 'Fed Interest Rates', recurrence: 'monthly' },
    markets: [
      fedDecision('No change', {
        id: '640101',
        slug: 'fed-no-change',
        tick: '0.01',
        bid: '0.61',
        ask: '0.63',
        last: '0.62',
      }),
      fedDecision('25 bps decrease', {
        id: '640102',
        slug: 'fed-25-bps-cut',
        tick: '0.01',
        bid: '0.35',
        ask: '0.36',
        last: '0.35',
      }),
      fedDecision('50+ bps decrease', {
        id: '640103',
        slug: 'fed-50-bps-cut',
        tick: '0.001',
        bid: '0.012',
        ask: '0.015',
        last: '0.014',
      }),
    ],
  },
  {
    id: '65520',
    slug: 'largest-company-end-of-year',
    title: 'Largest company at the end of the year?',
    description: 'Resolves by market capitalisation at the close of the last trading day of the year.',
    tags: [TAGS.economy],
    negRisk: 'no',
    openInterest: '512000',
    markets: [
      {
        id: '590311',
        slug: 'will-nvidia-be-the-largest-company-at-the-end-of-the-year',
        question: 'Will NVIDIA be the largest company at the end of the year?',
        description: 'Resolves to "Yes" if NVIDIA has the largest market capitalisation, otherwise to "No".',
        outcomes: YES_NO,
        label: 'NVIDIA',
        tick: '0.01',
        bid: '0.71',
        ask: '0.74',
        last: '0.72',
        volume: '2200310',
        volume24h: '18002.25',
        startDaysAgo: 200,
        endInDays: 41,
        state: 'paused',
      },
    ],
  },
  {
    id: '88800',
    slug: 'category-5-hurricane-landfall',
    title: 'Will a Category 5 hurricane make landfall this season?',
    description: 'Resolves to "Yes" if a Category 5 hurricane makes landfall in the United States this season.',
    tags: [TAGS.weather],
    negRisk: 'no',
    openInterest: '41000',
    markets: [
      {
        id: '2999001',
        slug: 'category-5-hurricane-landfall',
        question: 'Will a Category 5 hurricane make landfall this season?',
        description: 'Resolves to "Yes" if a Category 5 hurricane makes landfall in the United States this season.',
        outcomes: YES_NO,
        label: '',
        tick: '0.01',
        bid: '0.04',
        ask: '0.06',
        last: '0.05',
        volume: '91230.5',
        volume24h: '410',
        startDaysAgo: 150,
        endInDays: 9,
        behaviour: 'reject',
      },
    ],
  },
];

function fedDecision(
  label: string,
  seed: Pick<MarketSeed, 'id' | 'slug' | 'tick' | 'bid' | 'ask' | 'last'>,
): MarketSeed {
  return {
    question: `Fed decision at the next meeting: ${label}?`,
    description: `This market will resolve to "Yes" if the outcome of the next FOMC meeting is: ${label}. Otherwise it resolves to "No".`,
    outcomes: YES_NO,
    label,
    volume: '4120998.4',
    volume24h: '210332.15',
    startDaysAgo: 60,
    endInDays: 19,
    ...seed,
  };
}
