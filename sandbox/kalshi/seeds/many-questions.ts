import {
  BRAZIL,
  CABINET,
  CHAMPIONS_LEAGUE,
  COMPANIES,
  DEMOCRATS,
  DRIVERS,
  FILMS,
  FRANCE,
  GOLFERS,
  MLB_TEAMS,
  MODELS,
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
import type { Question } from './many-question.js';
import { APPROVAL, CRYPTO, ECONOMY, FED, INDICES, WEATHER } from './many-figures.js';

type Text = (name: string) => string;

/** One market for each name. */
function whoWins(question: Omit<Question, 'markets' | 'exclusive'>, names: readonly Named[], title: Text): Question {
  const markets = names.map(([name, code]) => ({ code, title: title(name), subtitle: name }));
  return { ...question, exclusive: true, markets };
}

function cities(teams: readonly Team[]): Named[] {
  return teams.map(([city, name, code]) => [SHARED.has(city) ? `${city} ${name.charAt(0)}` : city, code]);
}

/** Cities with several teams of one league are told apart by a letter. */
const SHARED = new Set(['New York', 'Los Angeles']);

const SPORTS = { category: 'Sports', days: 90 } as const;

function champion(series: string, [event, sport]: readonly [string, string], teams: readonly Named[]): Question {
  const facts = { ...SPORTS, series, seriesTitle: `${sport} Champion`, tags: [sport], event, subtitle: 'In 2027' };
  return whoWins(
    { ...facts, title: `2027 ${sport} Champion?` },
    teams,
    (name) => `Will ${name} win the 2027 ${sport} Championship?`,
  );
}

const CHAMPIONS: readonly Question[] = [
  champion('KXSB', ['27', 'Pro Football'], cities(NFL_TEAMS)),
  champion('KXNBA', ['27', 'Pro Basketball'], cities(NBA_TEAMS)),
  champion('KXNHL', ['27', 'Stanley Cup'], cities(NHL_TEAMS)),
  champion('KXMLB', ['27', 'Pro Baseball'], cities(MLB_TEAMS)),
  champion('KXPREMIERLEAGUE', ['27', 'English Premier League'], PREMIER_LEAGUE),
  champion('KXUCL', ['27', 'UEFA Champions League'], CHAMPIONS_LEAGUE),
  champion('KXF1', ['27', 'Formula 1 Drivers'], DRIVERS),
  champion('KXAOMEN', ['27', "Australian Open Men's"], TENNIS),
  champion('KXMASTERS', ['27', 'Masters Tournament'], GOLFERS),
];

/** Each team against the next one of the list. */
function games(series: string, sport: string, day: readonly [string, string], teams: readonly Team[]): Question[] {
  return teams.flatMap(([home, , code], at) => {
    const [away = '', , other = ''] = teams[at + 1] ?? [];
    if (at % 2 === 1 || away === '') return [];
    const title = `${away} at ${home}`;
    const question = { ...SPORTS, days: 3, series, seriesTitle: `${sport} Game`, tags: [sport], exclusive: true };
    const sides = [[away, other] as const, [home, code] as const];
    return [
      {
        ...question,
        ...{ event: `${day[0]}${other}${code}`, title, subtitle: day[1] },
        markets: sides.map(([name, short]) => ({ code: short, title: `${title} Winner?`, subtitle: name })),
      },
    ];
  });
}

const POLITICS = { category: 'Politics', days: 400 } as const;
const NOMINEES: readonly Question[] = [
  whoWins(
    {
      ...POLITICS,
      series: 'KXPRESNOMD',
      seriesTitle: 'Democratic nominee',
      tags: ['US Elections'],
      event: '28',
      title: 'Democratic Presidential nominee in 2028?',
      subtitle: '2028',
    },
    DEMOCRATS,
    (name) => `Will ${name} be the Democratic Presidential nominee in 2028?`,
  ),
  whoWins(
    {
      ...POLITICS,
      series: 'KXPRESNOMR',
      seriesTitle: 'Republican nominee',
      tags: ['US Elections'],
      event: '28',
      title: 'Republican Presidential nominee in 2028?',
      subtitle: '2028',
    },
    REPUBLICANS,
    (name) => `Will ${name} be the Republican Presidential nominee in 2028?`,
  ),
  whoWins(
    {
      ...POLITICS,
      series: 'KXPRESPERSON',
      seriesTitle: 'Presidential election',
      tags: ['US Elections'],
      event: '28',
      title: 'Who will win the next presidential election?',
      subtitle: '2028',
    },
    [...REPUBLICANS, ...DEMOCRATS],
    (name) => `Will ${name} win the next U.S. presidential election?`,
  ),
  whoWins(
    {
      ...POLITICS,
      days: 30,
      series: 'KXCABOUT',
      seriesTitle: 'Cabinet departures',
      tags: ['Trump'],
      event: '27',
      title: 'Who will leave the Trump Cabinet this year?',
      subtitle: 'Before 2027',
    },
    CABINET,
    (name) => `Will ${name} leave the Trump administration before 2027?`,
  ),
  whoWins(
    {
      ...POLITICS,
      series: 'KXBRPRES',
      seriesTitle: 'Brazil president',
      tags: ['World elections'],
      event: '26',
      title: "Brazil's next presidential election winner?",
      subtitle: '2026',
    },
    BRAZIL,
    (name) => `Will ${name} win the Brazilian presidential election?`,
  ),
  whoWins(
    {
      ...POLITICS,
      series: 'KXFRPRES',
      seriesTitle: 'France president',
      tags: ['World elections'],
      event: '27',
      title: "France's next presidential election winner?",
      subtitle: '2027',
    },
    FRANCE,
    (name) => `Will ${name} win the French presidential election?`,
  ),
];

const ENTERTAINMENT = { category: 'Entertainment', days: 100 } as const;
const CULTURE: readonly Question[] = [
  whoWins(
    {
      ...ENTERTAINMENT,
      series: 'KXOSCARPIC',
      seriesTitle: 'Oscars',
      tags: ['Oscars'],
      event: '27',
      title: 'Oscar for Best Picture?',
      subtitle: '2027',
    },
    FILMS,
    (name) => `Will ${name} win Best Picture at the 2027 Oscars?`,
  ),
  whoWins(
    {
      ...ENTERTAINMENT,
      series: 'KXGRAMAOTY',
      seriesTitle: 'Grammys',
      tags: ['Grammys'],
      event: '27',
      title: 'Grammy for Album of the Year?',
      subtitle: '2027',
    },
    SINGERS,
    (name) => `Will ${name} win Album of the Year at the 2027 Grammys?`,
  ),
  whoWins(
    {
      ...ENTERTAINMENT,
      series: 'KXSPOTIFYARTIST',
      seriesTitle: 'Spotify',
      tags: ['Music'],
      event: '26',
      title: 'Top artist on Spotify in 2026?',
      subtitle: '2026',
    },
    SINGERS,
    (name) => `Will ${name} be the most streamed artist on Spotify in 2026?`,
  ),
  whoWins(
    {
      ...ENTERTAINMENT,
      category: 'Science and Technology',
      series: 'KXTOPMODEL',
      seriesTitle: 'AI models',
      tags: ['AI'],
      event: '26DEC31',
      title: 'Best AI at the end of December 2026?',
      subtitle: 'Dec 31, 2026',
    },
    MODELS,
    (name) => `Will ${name} have the top AI model on Dec 31, 2026?`,
  ),
  whoWins(
    {
      ...ENTERTAINMENT,
      category: 'Companies',
      series: 'KXLARGESTCO',
      seriesTitle: 'Largest company',
      tags: ['Companies'],
      event: '26DEC31',
      title: 'Largest company on Dec 31, 2026?',
      subtitle: 'Dec 31, 2026',
    },
    COMPANIES,
    (name) => `Will ${name} be the largest company by market cap on Dec 31, 2026?`,
  ),
];

/** Everything that is asked; of weather, which comes last, as much as there is room for. */
export const MANY_QUESTIONS: readonly Question[] = [
  ...[...FED, ...CHAMPIONS, ...NOMINEES, ...APPROVAL, ...ECONOMY, ...CRYPTO, ...INDICES, ...CULTURE],
  ...games('KXNFLGAME', 'Pro Football', ['26DEC06', 'Dec 6, 2026'], NFL_TEAMS),
  ...games('KXNBAGAME', 'Pro Basketball', ['26DEC05', 'Dec 5, 2026'], NBA_TEAMS),
  ...WEATHER,
];
