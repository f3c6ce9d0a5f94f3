import { type EventSeed, type MarketSeed, TAGS, YES_NO } from './seed.js';

/** An augmented neg-risk event with a placeholder and a catch-all, a plain one, one that is being resolved. */
export const POLITICS_EVENTS: readonly EventSeed[] = [
  {
    id: '30829',
    slug: 'democratic-presidential-nominee-2028',
    title: 'Democratic Presidential Nominee 2028',
    description: 'This market will resolve according to the winner of the 2028 Democratic presidential nomination.',
    tags: [TAGS.politics, TAGS.elections],
    negRisk: 'augmented',
    openInterest: '9911000',
    markets: [
      nominee('Gavin Newsom', {
        id: '559652',
        bid: '0.244',
        ask: '0.246',
        last: '0.245',
        volume: '9210333.21',
        volume24h: '55210.7',
        conditionId: '0x6a99620f23f9d2d3a5db942a7d77fe7e612734fd877aabca2c1d705270a44f40',
        tokenIds: [
          '59875190760595879086210047068932732543507232128320818147490565132631198483666',
          '53844971478408767902278991416886360743977200667223736108650344517429290743855',
        ],
      }),
      nominee('Alexandria Ocasio-Cortez', {
        id: '559653',
        bid: '0.091',
        ask: '0.093',
        last: '0.092',
        conditionId: '0x0f13e7c4854e4a7511f15df8fddfe3d91ce6b657561b4ea825eabc50671e6513',
        tokenIds: [
          '51504670841217969017772235609417369952095134899321292078885052355223182768082',
          '52733878294811581665001693275717078745608094123493524910899107322427911796984',
        ],
      }),
      nominee('Josh Shapiro', {
        id: '559654',
        bid: '0.06',
        ask: '0.062',
        last: '0.061',
        volume: '6810332.21',
        volume24h: '37210.7',
        conditionId: '0x3da6a86046f86eb47f800dcda28500ae017439d6724d80692d28be35f8067e1b',
        tokenIds: [
          '40066370415398355960245347650809732921920344164428889617522618084676330466173',
          '59045011660139221737161647474233868848305861494427989628597422130673393468845',
        ],
      }),
      nominee('Person B', {
        id: '559699',
        bid: null,
        ask: null,
        last: '0',
        volume: '0',
        volume24h: '0',
        state: 'placeholder',
      }),
      nominee('another person', {
        id: '559700',
        label: 'Other',
        bid: '0.03',
        ask: '0.034',
        last: '0.032',
        other: true,
      }),
    ],
  },
  {
    id: '90177',
    slug: 'will-the-us-confirm-that-aliens-exist',
    title: 'Will the US confirm that aliens exist by...?',
    description:
      'This market will resolve to "Yes" if the US government confirms the existence of extraterrestrial life.',
    tags: [TAGS.world, TAGS.science],
    negRisk: 'no',
    openInterest: '2110233.2',
    markets: [
      {
        id: '703257',
        slug: 'will-the-us-confirm-that-aliens-exist-789-924-249',
        question: 'Will the US confirm that aliens exist?',
        description:
          'This market will resolve to "Yes" if the US government confirms the existence of extraterrestrial life. Otherwise it resolves to "No".',
        outcomes: YES_NO,
        label: '',
        tick: '0.001',
        bid: '0.084',
        ask: '0.086',
        last: '0.085',
        volume: '18402311.44',
        volume24h: '120331.62',
        startDaysAgo: 380,
        endInDays: 40,
        conditionId: '0x747dc809fb79e1b05be09c42d6179459a58de2ef3e40f02484a4e1260f741f75',
        tokenIds: [
          '107505882767731489358349912513945399560393482969656700824895970500493757150417',
          '7305630249804085635496399869905769372294302716159034447326228509068694952392',
        ],
      },
    ],
  },
  {
    id: '81200',
    slug: 'government-shutdown-this-month',
    title: 'Government shutdown this month?',
    description: 'This market resolves to "Yes" if the federal government shuts down this month.',
    tags: [TAGS.politics],
    negRisk: 'no',
    openInterest: '88000',
    markets: [
      {
        id: '655500',
        slug: 'government-shutdown-this-month',
        question: 'Government shutdown this month?',
        description: 'This market resolves to "Yes" if the federal government shuts down this month.',
        outcomes: YES_NO,
        label: '',
        tick: '0.01',
        bid: null,
        ask: null,
        last: '0.02',
        volume: '710221.5',
        volume24h: '1200',
        startDaysAgo: 35,
        endInDays: -1,
        state: 'proposed',
      },
    ],
  },
];

function nominee(
  name: string,
  seed: Partial<MarketSeed> & Pick<MarketSeed, 'id' | 'bid' | 'ask' | 'last'>,
): MarketSeed {
  const slug = name.toLowerCase().replaceAll(/[^a-z]+/g, '-');
  return {
    slug: `will-${slug}-win-the-2028-democratic-presidential-nomination`,
    question: `Will ${name} win the 2028 Democratic presidential nomination?`,
    description: `This market will resolve to "Yes" if ${name} wins and accepts the 2028 nomination of the Democratic Party for U.S. president. Otherwise, this market will resolve to "No".`,
    outcomes: YES_NO,
    label: name,
    tick: '0.001',
    volume: '8010332.71',
    volume24h: '46210.7',
    startDaysAgo: 560,
    endInDays: 700,
    ...seed,
  };
}
