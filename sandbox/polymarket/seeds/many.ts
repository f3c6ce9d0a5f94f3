import { SeededRandom } from '../../random.js';
import type { Topic } from './many-topic.js';
import { MANY_TOPICS } from './many-topics.js';
import { type EventSeed, type MarketSeed, TAGS, type TagSeed, YES_NO } from './seed.js';

/** How many markets there are. */
const MANY = 1_000;
const FIRST_EVENT = 5_000_000;
const FIRST_MARKET = 6_000_000;
/** Seconds for which each of a row of markets is open, one after the other. */
const TURN_SECONDS = 120;
const TURNS = 60;

/** Made once in a process. */
let made: readonly EventSeed[] | undefined;

/** What the exchange lists when it is asked to have many markets, the same for each start. */
export function manyEvents(): readonly EventSeed[] {
  made ??= make([...turns(), ...MANY_TOPICS]);
  return made;
}

/** Each opens when the one before it closes, so that some open and close while one looks. */
function turns(): Topic[] {
  return Array.from({ length: TURNS }, (_, turn) => {
    const title = `Ethereum Up or Down - Round ${turn + 1}`;
    return {
      title,
      tags: ['crypto'],
      exclusive: false,
      days: 0,
      outcomes: ['Up', 'Down'],
      markets: [{ question: title, label: '' }],
    };
  });
}

function make(topics: readonly Topic[]): EventSeed[] {
  const events: EventSeed[] = [];
  const slugs = new Set<string>();
  let count = 0;
  for (const [at, topic] of topics.entries()) {
    if (count >= MANY) break;
    const markets = topic.markets.slice(0, MANY - count).map((each, index) => {
      const slug = slugOf(each.question);
      if (slugs.has(slug)) throw new Error(`Two markets are called ${slug}.`);
      slugs.add(slug);
      return marketOf(topic, { ...each, slug, id: String(FIRST_MARKET + count + index) }, at);
    });
    count += markets.length;
    const tags: TagSeed[] = topic.tags.map((tag) => TAGS[tag]);
    const id = String(FIRST_EVENT + at);
    const facts = {
      id,
      slug: `${slugOf(topic.title)}-${id}`,
      title: topic.title,
      description: topic.title,
      tags,
      openInterest: '0',
    };
    events.push({ ...facts, negRisk: topic.exclusive ? 'plain' : 'no', markets });
  }
  if (count < MANY) throw new Error(`There are ${count} markets only.`);
  return events;
}

function slugOf(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/(?<=\d)[,.](?=\d)/g, '');
  return plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
}

function marketOf(
  { days, outcomes = YES_NO }: Topic,
  { question, label, slug, id }: { question: string; label: string; slug: string; id: string },
  turn: number,
): MarketSeed {
  const random = new SeededRandom(slug);
  const bid = random.whole(2, 96);
  const cents = (price: number): string => (price / 100).toString();
  const day = 10 ** (random.whole(100, 550) / 100);
  const hours = days === 0 ? { opensIn: (turn - 1) * TURN_SECONDS, closesIn: (turn + 1) * TURN_SECONDS } : undefined;
  return {
    ...{ id, slug, question, label, outcomes, tick: '0.01' },
    description: 'Resolves by what the source says that the rules name.',
    ...{ bid: cents(bid), ask: cents(bid + random.whole(1, 3)), last: cents(bid + 1) },
    ...{ volume: (day * random.whole(2, 30)).toFixed(2), volume24h: day.toFixed(2) },
    ...{ startDaysAgo: random.whole(1, 40), endInDays: days },
    isFew: true,
    ...(hours === undefined ? {} : { hours, ...(hours.opensIn > 0 ? { state: 'placeholder' as const } : {}) }),
  };
}
