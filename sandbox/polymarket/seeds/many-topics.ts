import {
  BRAZIL,
  CABINET,
  CHAMPIONS_LEAGUE,
  CITIES,
  COINS,
  COMPANIES,
  DAYS,
  DEMOCRATS,
  DRIVERS,
  FILMS,
  FRANCE,
  GOLFERS,
  MLB_TEAMS,
  MODELS,
  money,
  MONTHS,
  type Named,
  NBA_TEAMS,
  NFL_TEAMS,
  NHL_TEAMS,
  PREMIER_LEAGUE,
  REPUBLICANS,
  SINGERS,
  type Team,
  TENNIS,
} from '../../many/topics.js';
import type { Topic } from './many-topic.js';

type Facts = Pick<Topic, 'title' | 'tags' | 'days'>;

/** One market for each label. */
function each(facts: Facts, labels: readonly string[], question: (label: string) => string): Topic {
  return { ...facts, exclusive: true, markets: labels.map((label) => ({ question: question(label), label })) };
}

/** Markets that do not exclude each other. */
function levels(facts: Facts, labels: readonly string[], question: (label: string) => string): Topic {
  return { ...each(facts, labels, question), exclusive: false };
}

/** An event of one market. */
function one(question: string, tags: Topic['tags'], days: number): Topic {
  return { title: question, tags, days, exclusive: false, markets: [{ question, label: '' }] };
}

function namesOf(list: readonly Named[]): string[] {
  return list.map(([name]) => name);
}

function clubs(teams: readonly Team[]): string[] {
  return teams.map(([city, name]) => `${city} ${name}`);
}

const CHAMPIONS: readonly Topic[] = (
  [
    ['Super Bowl Champion 2027', clubs(NFL_TEAMS), (name: string) => `Will the ${name} win Super Bowl 2027?`],
    ['2027 NBA Champion', clubs(NBA_TEAMS), (name: string) => `Will the ${name} win the 2027 NBA Finals?`],
    [
      '2027 NHL Stanley Cup Champion',
      clubs(NHL_TEAMS),
      (name: string) => `Will the ${name} win the 2027 NHL Stanley Cup?`,
    ],
    ['World Series Champion 2027', clubs(MLB_TEAMS), (name: string) => `Will the ${name} win the 2027 World Series?`],
    [
      'English Premier League Winner',
      namesOf(PREMIER_LEAGUE),
      (name: string) => `Will ${name} win the 2026-27 English Premier League?`,
    ],
    [
      'UEFA Champions League Winner',
      namesOf(CHAMPIONS_LEAGUE),
      (name: string) => `Will ${name} win the 2026-27 Champions League?`,
    ],
    ['F1 Drivers Champion 2027', namesOf(DRIVERS), (name: string) => `Will ${name} be the 2027 F1 Drivers' Champion?`],
    [
      "2027 Men's Australian Open Winner",
      namesOf(TENNIS),
      (name: string) => `Will ${name} win the 2027 Men's Australian Open?`,
    ],
    ['The Masters - Winner', namesOf(GOLFERS), (name: string) => `Will ${name} win the 2027 Masters tournament?`],
  ] as const
).map(([title, names, question]) => each({ title, tags: ['sports'], days: 90 }, names, question));

/** Each team against the next one of the list. */
function games(tags: Topic['tags'], teams: readonly Team[]): Topic[] {
  return teams.flatMap(([, home], at) => {
    const [, away] = teams[at + 1] ?? [];
    if (at % 2 === 1 || away === undefined) return [];
    const title = `${away} vs. ${home}`;
    const facts = { title, tags, days: 3, exclusive: false, outcomes: [away, home] as const };
    const labels = ['', 'O/U 45.5', `Spread: ${home} (-3.5)`];
    return [
      {
        ...facts,
        markets: labels.map((label) => ({ label, question: label === '' ? title : `${title}: ${label}` })),
      },
    ];
  });
}

const POLITICS: readonly Topic[] = [
  each(
    { title: 'Democratic Presidential Nominee 2028', tags: ['politics', 'elections'], days: 400 },
    namesOf(DEMOCRATS),
    (name) => `Will ${name} win the 2028 Democratic presidential nomination?`,
  ),
  each(
    { title: 'Republican Presidential Nominee 2028', tags: ['politics', 'elections'], days: 400 },
    namesOf(REPUBLICANS),
    (name) => `Will ${name} win the 2028 Republican presidential nomination?`,
  ),
  each(
    { title: 'Presidential Election Winner 2028', tags: ['politics', 'elections'], days: 400 },
    [...namesOf(REPUBLICANS), ...namesOf(DEMOCRATS)],
    (name) => `Will ${name} win the 2028 US Presidential Election?`,
  ),
  levels(
    { title: 'Who will Trump fire in 2026?', tags: ['politics'], days: 30 },
    namesOf(CABINET),
    (name) => `${name} out as of December 31?`,
  ),
  each(
    { title: 'Brazil Presidential Election', tags: ['politics', 'world'], days: 30 },
    namesOf(BRAZIL),
    (name) => `Will ${name} win the 2026 Brazilian presidential election?`,
  ),
  each(
    { title: 'Next French President', tags: ['politics', 'world'], days: 160 },
    namesOf(FRANCE),
    (name) => `Will ${name} win the 2027 French presidential election?`,
  ),
  ...DAYS.slice(2).map(([month, day]) =>
    each(
      { title: `Trump approval rating on ${MONTHS[month] ?? month} ${day}?`, tags: ['politics'], days: day },
      ['39.0-39.9', '40.0-40.9', '41.0-41.9', '42.0-42.9', '43.0-43.9'],
      (label) =>
        `Will Trump's approval rating be between ${label.replace('-', '% and ')}% on ${MONTHS[month] ?? month} ${day}?`,
    ),
  ),
];

const DATES = ['December 31, 2026', 'March 31, 2027', 'June 30, 2027'];
const WORLD: readonly Topic[] = [
  ...[
    'Russia x Ukraine ceasefire',
    'Israel x Hezbollah ceasefire',
    'US x Iran nuclear deal',
    'Maduro out',
    'Netanyahu out',
    'Starmer out',
    'Erdoğan out',
    'Khamenei out',
    'Zelenskyy and Putin meet',
  ].map((title) =>
    levels({ title: `${title} by...?`, tags: ['world'], days: 120 }, DATES, (label) => `${title} by ${label}?`),
  ),
  levels(
    { title: 'Will China invade Taiwan by...?', tags: ['world'], days: 400 },
    DATES,
    (label) => `Will China invade Taiwan by ${label}?`,
  ),
  levels({ title: 'US recession by...?', tags: ['economy'], days: 200 }, DATES, (label) => `US recession by ${label}?`),
  levels(
    { title: 'US government shutdown by...?', tags: ['politics'], days: 60 },
    DATES,
    (label) => `US government shutdown by ${label}?`,
  ),
  levels(
    { title: 'MicroStrategy sells any Bitcoin by...?', tags: ['crypto', 'bitcoin'], days: 200 },
    DATES,
    (label) => `MicroStrategy sells any Bitcoin by ${label}?`,
  ),
  levels({ title: 'OpenAI IPO by...?', tags: ['economy'], days: 400 }, DATES, (label) => `OpenAI IPO by ${label}?`),
  one('Will there be a magnitude 8 earthquake before 2027?', ['science'], 30),
  one('Will a hurricane make landfall in the US before May 2027?', ['weather'], 150),
  one('Will 2026 be the hottest year on record?', ['science', 'weather'], 40),
  one('Will SpaceX land Starship on Mars before 2029?', ['science'], 700),
  one('Will GTA VI be released before June 2027?', ['science'], 200),
  one('Will Taylor Swift and Travis Kelce get married in 2026?', ['world'], 30),
  one('Will Jesus Christ return before 2027?', ['world'], 30),
  one('Will the next Pope be named before 2028?', ['world'], 400),
  one('Will aliens be confirmed before 2028?', ['science'], 400),
];

const FED: readonly Topic[] = ['December 2026', 'January 2027', 'March 2027', 'April 2027'].map((meeting, at) =>
  each(
    { title: `Fed decision in ${meeting.split(' ')[0] ?? meeting}?`, tags: ['economy', 'fed'], days: 12 + 45 * at },
    ['50+ bps decrease', '25 bps decrease', 'No change', '25+ bps increase'],
    (label) =>
      label === 'No change'
        ? `Will there be no change in Fed interest rates after the ${meeting} meeting?`
        : `Fed ${label.replace(/ (\w+)$/, ' $1')} in interest rates after ${meeting} meeting?`,
  ),
);

const ECONOMY: readonly Topic[] = [
  each(
    { title: 'November Inflation US - Annual', tags: ['economy'], days: 14 },
    ['2.8', '2.9', '3.0', '3.1'],
    (label) => `Will annual inflation increase by ${label}% in November?`,
  ),
  each(
    { title: 'November unemployment rate?', tags: ['economy'], days: 9 },
    ['4.3', '4.4', '4.5', '4.6'],
    (label) => `Will the November 2026 unemployment rate be ${label}%?`,
  ),
  levels(
    { title: 'How many Fed rate cuts in 2027?', tags: ['economy', 'fed'], days: 300 },
    ['0', '1', '2', '3', '4'],
    (label) => `Will ${label} Fed rate cuts happen in 2027?`,
  ),
  each(
    { title: 'Largest Company end of December?', tags: ['economy'], days: 33 },
    namesOf(COMPANIES),
    (name) => `Will ${name} be the largest company in the world by market cap on December 31, 2026?`,
  ),
  each(
    { title: 'Which company has best AI model end of December?', tags: ['science'], days: 33 },
    namesOf(MODELS),
    (name) => `Will ${name} have the best AI model at the end of December 2026?`,
  ),
];

const CRYPTO: readonly Topic[] = COINS.flatMap(([name, , prices]) => [
  levels(
    { title: `What price will ${name} hit in December?`, tags: ['crypto'], days: 33 },
    prices.map(money),
    (label) => `Will ${name} reach ${label} in December?`,
  ),
  levels(
    { title: `What price will ${name} hit in 2027?`, tags: ['crypto'], days: 390 },
    prices.map(money),
    (label) => `Will ${name} reach ${label} by December 31, 2027?`,
  ),
  ...DAYS.map(([month, day]) =>
    levels(
      { title: `${name} above ___ on ${MONTHS[month] ?? month} ${day}?`, tags: ['crypto'], days: day },
      prices.map(money),
      (label) => `Will the price of ${name} be above ${label} on ${MONTHS[month] ?? month} ${day}?`,
    ),
  ),
]);

const CULTURE: readonly Topic[] = [
  each(
    { title: 'Oscars 2027: Best Picture Winner', tags: ['world'], days: 100 },
    namesOf(FILMS),
    (name) => `Will "${name}" win Best Picture at the 99th Academy Awards?`,
  ),
  each(
    { title: 'Top Spotify artist 2026?', tags: ['world'], days: 10 },
    namesOf(SINGERS),
    (name) => `Will ${name} be the top Spotify artist for 2026?`,
  ),
  each(
    { title: 'Elon Musk # of tweets December 1 - December 8?', tags: ['world'], days: 10 },
    ['180-199', '200-219', '220-239', '240-259', '260-279', '280-299'],
    (label) => `Will Elon Musk post ${label} tweets from December 1 to December 8, 2026?`,
  ),
  ...FILMS.map(([name]) =>
    levels(
      { title: `"${name}" Rotten Tomatoes score?`, tags: ['world'], days: 60 },
      ['70', '80', '90'],
      (label) => `Will "${name}" have a Rotten Tomatoes score of at least ${label}?`,
    ),
  ),
];

const WEATHER: readonly Topic[] = DAYS.flatMap(([month, day]) =>
  CITIES.map(([name, , degrees]) =>
    each(
      { title: `Highest temperature in ${name} on ${MONTHS[month] ?? month} ${day}?`, tags: ['weather'], days: day },
      Array.from({ length: 7 }, (_, step) => `${degrees - 6 + 2 * step}-${degrees - 5 + 2 * step}°F`),
      (label) => `Will the highest temperature in ${name} be between ${label} on ${MONTHS[month] ?? month} ${day}?`,
    ),
  ),
);

/** Everything that is asked; of weather, which comes last, as much as there is room for. */
export const MANY_TOPICS: readonly Topic[] = [
  ...[...FED, ...CHAMPIONS, ...POLITICS, ...WORLD, ...ECONOMY, ...CRYPTO, ...CULTURE],
  ...games(['sports', 'nfl'], NFL_TEAMS),
  ...games(['sports'], NBA_TEAMS),
  ...WEATHER,
];
