import type { EventDto, MarketDto, OutcomeDto } from '../exchanges/unified.market-data.dto.js';
import { sha256 } from '../platform/crypto/digests.js';
import { categoryWord, type Place, vectorOf, wordsIn } from './search-words.js';

/** Words of one row. */
const MOST_MARKET_WORDS = 80;
const MOST_EVENT_WORDS = 300;
/** Markets whose words an event has too. */
const MOST_NAMED_MARKETS = 100;
const MOST_CATEGORIES = 20;
/** Texts of exchanges that are kept are cut to so many characters, and lists to so many entries. */
const MOST_TEXT = 500;
const MOST_ENTRIES = 100;
/** An index takes no longer ids. */
const MOST_ID = 200;
/** Figures that move each minute. */
const MOVING = { updated_at: null, volume: null, volume_24h: null, open_interest: null, liquidity: null };
/** A volume is written again where it has grown or fallen by about a tenth. */
const STEP = Math.log(1.1);

/** One row of the catalogue; texts are those of the columns. */
export interface CatalogueRow {
  readonly id: string;
  /** Of a market alone, null of an event. */
  readonly event_id: string | null;
  readonly series_id: string | null;
  readonly words: string;
  readonly categories: readonly string[];
  readonly volume_24h: number;
  readonly volume_unit: string;
  /** ISO 8601; `infinity` where nobody knows. */
  readonly closes_at: string;
  /** When it was made or opened; `-infinity` where nobody knows. */
  readonly made_at: string;
  readonly digest: string;
  readonly shown: string;
}

/** What an open event gives the catalogue. */
export interface CatalogueEntry {
  /** Null where none of its markets is open. */
  readonly event: CatalogueRow | null;
  readonly markets: readonly CatalogueRow[];
}

/** Whether PostgreSQL can keep a text as an id: no NUL, no half of a character, at most 200 characters. */
export function isKeepable(id: string): boolean {
  return id.length <= MOST_ID && storable(id) === id;
}

/**
 * Returns the rows of an event. Quotes change faster than anybody walks, and descriptions are long: neither is kept. Markets with an id that
 * cannot be kept are left out. `breathe` is awaited between markets, so that a long event does not hold the event loop.
 */
export async function entryOf(event: EventDto, breathe: () => Promise<void>): Promise<CatalogueEntry> {
  const open = (event.markets ?? []).filter(({ status, id }) => status === 'open' && isKeepable(id));
  if (open.length === 0) return { event: null, markets: [] };
  const title = wordsIn(cut(event.title));
  const markets: CatalogueRow[] = [];
  for (const market of open) {
    markets.push(marketRow(market, title));
    await breathe();
  }
  return { event: eventRow(event, open), markets };
}

function marketRow(market: MarketDto, ofEvent: readonly string[]): CatalogueRow {
  const shown: MarketDto = Object.assign({}, market, {
    tags: market.tags.slice(0, MOST_CATEGORIES),
    description: null,
    outcomes: [withoutQuotes(market.outcomes[0]), withoutQuotes(market.outcomes[1])] as [OutcomeDto, OutcomeDto],
  });
  const words = vectorOf(marketWords(shown, ofEvent), MOST_MARKET_WORDS);
  return rowOf(market, shown, {
    ...{ event_id: market.event_id, words, closes_at: market.close_time ?? 'infinity' },
    made_at: market.created_at ?? market.open_time ?? '-infinity',
  });
}

function* marketWords(market: MarketDto, ofEvent: readonly string[]): Generator<readonly [readonly string[], Place]> {
  yield [wordsIn(cut(market.title)), 'A'];
  yield [wordsIn(cut(market.subtitle)), 'A'];
  for (const { label } of market.outcomes) yield [wordsIn(cut(label)), 'B'];
  yield [ofEvent, 'B'];
  yield [wordsIn(market.id), 'C'];
  yield* otherWords(market);
}

function* otherWords({ refs, category, tags }: MarketDto | EventDto): Generator<readonly [readonly string[], Place]> {
  for (const name of Object.values(refs)) if (typeof name === 'string') yield [wordsIn(cut(name)), 'C'];
  yield [wordsIn(cut(category)), 'D'];
  for (const tag of tags) yield [wordsIn(cut(tag)), 'D'];
}

function eventRow(event: EventDto, markets: readonly MarketDto[]): CatalogueRow {
  const tags = event.tags.slice(0, MOST_CATEGORIES);
  const shown: EventDto = Object.assign({}, event, { tags, description: null, markets: null });
  const volume = markets.reduce((sum, { volume_24h }) => sum + Number(volume_24h ?? 0), 0);
  const words = vectorOf(eventWords(shown, markets.slice(0, MOST_NAMED_MARKETS)), MOST_EVENT_WORDS);
  const ends = markets.map(({ close_time }) => close_time ?? 'infinity').sort();
  const made = markets.map(({ created_at, open_time }) => created_at ?? open_time ?? '').sort();
  return rowOf(Object.assign({}, event, { volume_24h: event.volume_24h ?? String(volume) }), shown, {
    ...{ event_id: null, words, closes_at: ends[0] ?? 'infinity' },
    made_at: made.at(-1) === '' ? '-infinity' : (made.at(-1) ?? '-infinity'),
  });
}

function* eventWords(
  event: EventDto,
  markets: readonly MarketDto[],
): Generator<readonly [words: readonly string[], place: Place]> {
  yield [wordsIn(cut(event.title)), 'A'];
  yield [wordsIn(cut(event.subtitle)), 'B'];
  yield [wordsIn(event.id), 'C'];
  for (const { title, subtitle } of markets) {
    yield [wordsIn(cut(title)), 'D'];
    yield [wordsIn(cut(subtitle)), 'D'];
  }
  yield* otherWords(event);
}

function rowOf(
  { id, series_id, category, tags, volume_24h, volume_unit }: MarketDto | EventDto,
  shown: MarketDto | EventDto,
  rest: Pick<CatalogueRow, 'event_id' | 'words' | 'closes_at' | 'made_at'>,
): CatalogueRow {
  const text = JSON.stringify(shown, bounded);
  const volume = Number(volume_24h ?? 0);
  const first = [category ?? '', ...tags.slice(0, MOST_CATEGORIES)];
  const named = first.map((name) => categoryWord(name)).filter((name) => name !== '');
  return {
    ...{ id, volume_unit, ...rest },
    series_id: idOrNull(series_id),
    event_id: idOrNull(rest.event_id),
    categories: [...new Set(named)].slice(0, MOST_CATEGORIES),
    volume_24h: Number.isFinite(volume) ? volume : 0,
    digest: digestOf(shown, volume, rest),
    shown: text,
  };
}

/** Of what differs when a row is worth being written: figures that move each minute are not among it, and volume is so roughly. */
function digestOf(
  shown: MarketDto | EventDto,
  volume: number,
  rest: Pick<CatalogueRow, 'words' | 'closes_at' | 'made_at'>,
): string {
  const still = JSON.stringify(Object.assign({}, shown, MOVING), bounded);
  const size = volume > 0 ? Math.round(Math.log(volume) / STEP) : 0;
  return sha256(`${still}${rest.words} ${rest.closes_at} ${rest.made_at} ${size}`).toString('base64').slice(0, 22);
}

function withoutQuotes({ id, index, label }: OutcomeDto): OutcomeDto {
  return { id, index, label, bid: null, ask: null, last_price: null, bid_size: null, ask_size: null };
}

/** For JSON.stringify. */
function bounded(_: string, value: unknown): unknown {
  if (typeof value === 'string') return storable(cut(value));
  return Array.isArray(value) && value.length > MOST_ENTRIES ? value.slice(0, MOST_ENTRIES) : value;
}

function cut<Text extends string | null>(text: Text): Text | string {
  return text === null || text.length <= MOST_TEXT ? text : text.slice(0, MOST_TEXT);
}

/** Without what PostgreSQL cannot hold in a text: NUL, and halves of characters. */
function storable(text: string): string {
  return text.replaceAll('\0', '').replaceAll(/\p{Cs}/gu, '');
}

function idOrNull(id: string | null): string | null {
  return id !== null && isKeepable(id) ? id : null;
}
