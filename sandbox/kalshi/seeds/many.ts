import { SeededRandom } from '../../random.js';
import { DAY, MINUTE } from '../../times.js';
import { PriceGrid } from '../price-grid.js';
import type { Question } from './many-question.js';
import { MANY_QUESTIONS } from './many-questions.js';
import type { EventSeed, MarketSeed, SeriesSeed } from './seed.js';

/** How many there are. */
const MANY = 1_000;
/** Minutes for which each of a row of markets is open, one after the other. */
const TURN_MINUTES = 2;
const TURNS = 60;

/** What the exchange lists when it is asked to have many markets, the same for each start. */
export interface ManySeeds {
  readonly series: readonly SeriesSeed[];
  readonly events: readonly EventSeed[];
  readonly markets: readonly MarketSeed[];
}

/** Made once in a process. */
let made: ManySeeds | undefined;

export function manySeeds(): ManySeeds {
  made ??= make([...MANY_QUESTIONS, ...turns()]);
  return made;
}

/** Each opens when the one before it closes, so that some open and close while one looks. */
function turns(): Question[] {
  return Array.from({ length: TURNS }, (_, turn) => ({
    series: 'KXBTC2M',
    seriesTitle: 'Bitcoin up or down in two minutes',
    category: 'Crypto',
    tags: ['BTC'],
    event: `T${String(turn).padStart(3, '0')}`,
    title: `Bitcoin up in the two minutes of round ${turn + 1}?`,
    subtitle: `Round ${turn + 1}`,
    exclusive: false,
    days: 0,
    markets: [{ code: 'UP', title: `BTC price up in the two minutes of round ${turn + 1}?`, subtitle: 'Up' }],
  }));
}

function make(questions: readonly Question[]): ManySeeds {
  const series = new Map<string, SeriesSeed>();
  const events: EventSeed[] = [];
  const markets: MarketSeed[] = [];
  const count = questions.reduce((sum, question) => sum + question.markets.length, 0);
  if (count < MANY) throw new Error(`There are ${count} markets only.`);
  for (const question of questions.slice(-TURNS).concat(questions.slice(0, -TURNS))) {
    if (markets.length >= MANY) break;
    const of = series.get(question.series) ?? seriesOf(question);
    series.set(question.series, of);
    const event = eventOf(question, of);
    events.push(event);
    for (const each of question.markets.slice(0, MANY - markets.length)) markets.push(marketOf(event, question, each));
  }
  return { series: [...series.values()], events, markets };
}

function seriesOf({ series, seriesTitle, category, tags }: Question): SeriesSeed {
  const source = { name: 'The source that the rules name', url: 'https://example.com/' };
  return { ticker: series, title: seriesTitle, category, tags: [...tags], frequency: 'custom', source, shard: 0 };
}

function eventOf({ event, title, subtitle, exclusive, days }: Question, series: SeriesSeed): EventSeed {
  const ticker = `${series.ticker}-${event}`;
  return {
    ...{ ticker, series, title, subtitle, mutuallyExclusive: exclusive, shard: 0 },
    strike: { dateOffset: Math.max(days, 1) * DAY },
  };
}

function marketOf(event: EventSeed, question: Question, each: Question['markets'][number]): MarketSeed {
  const ticker = `${event.ticker}-${each.code}`;
  const random = new SeededRandom(ticker);
  const bid = random.whole(2, 96);
  const cents = (price: number): string => (price / 100).toFixed(2);
  const turn = question.days === 0 ? Number(question.event.slice(1)) : undefined;
  const [openOffset, closeOffset] =
    turn === undefined
      ? [-random.whole(1, 40) * DAY, question.days * DAY]
      : [(turn - 1) * TURN_MINUTES * MINUTE, (turn + 1) * TURN_MINUTES * MINUTE];
  const day = Math.round(10 ** (random.whole(100, 550) / 100));
  return {
    ...{ ticker, event, title: each.title, subtitle: each.subtitle, openOffset, closeOffset },
    rules: `If what the market asks is so, by what its source says, then the market resolves to Yes.`,
    strike: { type: 'custom', custom: { Answer: each.subtitle } },
    grid: PriceGrid.cent,
    lifecycle: openOffset > 0 ? 'initialized' : 'active',
    quotes: openOffset > 0 ? {} : { bid: cents(bid), ask: cents(bid + random.whole(1, 3)) },
    lastPrice: cents(bid + 1),
    few: { volume24h: String(day), volume: String(day * random.whole(2, 30)) },
  };
}
