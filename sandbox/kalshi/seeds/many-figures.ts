import { CITIES, COINS, DAYS, money } from '../../many/topics.js';
import type { Question } from './many-question.js';

/* Questions of how high something is. */

export const APPROVAL: readonly Question[] = DAYS.slice(2).map(([month, day, code]) => ({
  ...{ category: 'Politics' },
  ...{ days: day, series: 'KXAPRPOTUS', seriesTitle: 'Trump approval rating', tags: ['Trump'], event: code },
  ...{
    title: `Trump approval rating on ${month} ${day}, 2026?`,
    subtitle: `On ${month} ${day}, 2026`,
    exclusive: false,
  },
  markets: [38.5, 39.5, 40.5, 41.5, 42.5, 43.5].map((level) => ({
    code: `T${level}`,
    title: `Will Trump's approval rating be above ${level} on ${month} ${day}, 2026?`,
    subtitle: `Above ${level}`,
  })),
}));

const STEPS = [
  ['C26', 'Cut >25bps', 'Cut rates by more than 25bps'],
  ['C25', 'Cut 25bps', 'Cut rates by 25bps'],
  ['H0', 'Fed maintains rate', 'Hike rates by 0bps'],
  ['H25', 'Hike 25bps', 'Hike rates by 25bps'],
] as const;
export const FED: readonly Question[] = (
  [
    ['26DEC', 'December 2026'],
    ['27JAN', 'January 2027'],
    ['27MAR', 'March 2027'],
    ['27APR', 'April 2027'],
    ['27JUN', 'June 2027'],
  ] as const
).map(([event, month], at) => ({
  ...{ category: 'Economics', days: 12 + 45 * at, series: 'KXFED', seriesTitle: 'Fed meeting', tags: ['Fed'], event },
  ...{ title: `Fed decision in ${month}?`, subtitle: `${month} meeting`, exclusive: true },
  markets: STEPS.map(([code, subtitle, words]) => ({
    code,
    title: `Will the Federal Reserve ${words} at their ${month} meeting?`,
    subtitle,
  })),
}));

interface Release {
  readonly series: string;
  readonly name: string;
  readonly levels: readonly number[];
  readonly word: (level: number, month: string) => string;
}

const RELEASES: readonly Release[] = [
  {
    series: 'KXCPI',
    name: 'CPI',
    levels: [0, 0.1, 0.2, 0.3, 0.4],
    word: (n, m) => `Will CPI rise more than ${n}% in ${m}?`,
  },
  {
    series: 'KXCPIYOY',
    name: 'Inflation',
    levels: [2.6, 2.8, 3, 3.2, 3.4],
    word: (n, m) => `Will the rate of CPI inflation be above ${n}% for the year ending in ${m}?`,
  },
  {
    series: 'KXU3',
    name: 'Unemployment',
    levels: [4.2, 4.4, 4.6, 4.8],
    word: (n, m) => `Will the unemployment rate be above ${n}% in ${m}?`,
  },
  {
    series: 'KXPAYROLLS',
    name: 'Jobs numbers',
    levels: [0, 50_000, 100_000, 150_000],
    word: (n, m) => `Will above ${n.toLocaleString('en-US')} jobs be added in ${m}?`,
  },
  {
    series: 'KXAAAGASM',
    name: 'US gas prices',
    levels: [2.8, 2.9, 3, 3.1],
    word: (n, m) => `Will average gas prices be above $${n.toFixed(2)} at the end of ${m}?`,
  },
  {
    series: 'KXMORTGAGE',
    name: 'Mortgage rates',
    levels: [5.8, 6, 6.2],
    word: (n, m) => `Will the 30-year mortgage rate be above ${n}% at the end of ${m}?`,
  },
];
export const ECONOMY: readonly Question[] = RELEASES.flatMap(({ series, name, levels, word }) =>
  (
    [
      ['26NOV', 'November 2026'],
      ['26DEC', 'December 2026'],
      ['27JAN', 'January 2027'],
    ] as const
  ).map(([event, month], at) => ({
    ...{ category: 'Economics', days: 14 + 30 * at, series, seriesTitle: name, tags: ['Inflation'], event },
    ...{ title: `${name} in ${month}?`, subtitle: `In ${month}`, exclusive: false },
    markets: levels.map((level) => ({ code: `T${level}`, title: word(level, month), subtitle: `Above ${level}` })),
  })),
);

export const CRYPTO: readonly Question[] = COINS.flatMap(([name, code, levels]) =>
  DAYS.map(([month, day, date]) => ({
    ...{ category: 'Crypto', days: day, series: `KX${code}D`, seriesTitle: `${name} price`, tags: [code] },
    ...{
      event: `${date}17`,
      title: `${name} price on ${month} ${day}, 2026?`,
      subtitle: `${month} ${day}, 2026`,
      exclusive: false,
    },
    markets: levels.map((level) => ({
      code: `T${level}`,
      title: `${name} price on ${month} ${day}, 2026 at 5pm EST?`,
      subtitle: `${money(level)} or above`,
    })),
  })),
);

export const INDICES: readonly Question[] = (
  [
    ['KXINX', 'S&P 500', [6_600, 6_800, 7_000, 7_200, 7_400]],
    ['KXNASDAQ100', 'Nasdaq-100', [24_000, 25_000, 26_000, 27_000]],
    ['KXWTI', 'WTI oil', [55, 60, 65, 70, 75]],
    ['KXGOLD', 'Gold', [4_000, 4_250, 4_500, 5_000]],
  ] as const
).flatMap(([series, name, levels]) =>
  DAYS.slice(2).map(([month, day, date]) => ({
    ...{ category: 'Financials', days: day, series, seriesTitle: `${name} close`, tags: [name], event: date },
    ...{ title: `${name} close on ${month} ${day}, 2026?`, subtitle: `${month} ${day}, 2026`, exclusive: false },
    markets: levels.map((level) => ({
      code: `T${level}`,
      title: `Will the ${name} close above ${level.toLocaleString('en-US')} on ${month} ${day}, 2026?`,
      subtitle: `Above ${level.toLocaleString('en-US')}`,
    })),
  })),
);

export const WEATHER: readonly Question[] = DAYS.flatMap(([month, day, date]) =>
  CITIES.map(([name, code, degrees]) => ({
    ...{
      category: 'Climate and Weather',
      days: day,
      series: `KXHIGH${code}`,
      seriesTitle: `Highest temperature in ${name}`,
    },
    ...{ tags: ['Daily temperature'], event: date, title: `Highest temperature in ${name} on ${month} ${day}, 2026?` },
    ...{ subtitle: `On ${month} ${day}, 2026`, exclusive: true },
    markets: Array.from({ length: 6 }, (_, step) => degrees - 6 + 2 * step).map((low) => ({
      code: `B${low}.5`,
      title: `Will the **high temp in ${name}** be ${low}-${low + 1}° on ${month} ${day}, 2026?`,
      subtitle: `${low}° to ${low + 1}°`,
    })),
  })),
);
