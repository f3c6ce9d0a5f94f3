import { type ListedEvent } from '../catalogue.js';
import { toNumber } from '../format.js';
import { type Market } from '../market.js';
import { type GammaQuery, invalid } from './query.js';
import { isClosed, isFeatured, liquidityOf, volumeOf } from './view.js';

type Test<T> = (entry: T) => boolean;

/** Which markets a query asks for. Closed ones are hidden unless asked for; unknown parameters filter nothing. */
export function marketFilter(query: GammaQuery): Test<Market> {
  const closed = query.boolean('closed') ?? false;
  return all<Market>([
    (market) => market.active && market.closed === closed,
    oneOf(query, 'id', (market) => [market.seed.id]),
    oneOf(query, 'slug', (market) => [market.seed.slug]),
    oneOf(query, 'condition_ids', (market) => [market.conditionId, market.gammaId]),
    oneOf(query, 'question_ids', (market) => [market.questionId]),
    oneOf(query, 'clob_token_ids', (market) => (market.assigned ? market.tokenIds : [])),
    oneOf(query, 'tag_id', (market) => market.event.tags.map((tag) => tag.id)),
    (market) => query.within('volume_num', toNumber(volumeOf(market))),
    (market) => query.within('liquidity_num', toNumber(liquidityOf(market))),
    (market) => query.within('start_date', market.listedAt),
    (market) => query.within('end_date', market.endsAt),
  ]);
}

/** Which events a query asks for; closed ones are listed too unless it says otherwise. */
export function eventFilter(query: GammaQuery): Test<ListedEvent> {
  const closed = query.boolean('closed');
  const featured = query.boolean('featured');
  const title = query.text('title_search')?.toLowerCase() ?? '';
  const dated = (name: string, of: (market: Market) => Date): Test<ListedEvent> => {
    return ({ markets }) => markets.slice(0, 1).every((first) => query.within(name, of(first)));
  };
  return all<ListedEvent>([
    ({ markets }) => closed === undefined || isClosed(markets) === closed,
    (event) => featured === undefined || isFeatured(event) === featured,
    ({ seed }) => seed.title.toLowerCase().includes(title),
    oneOf(query, 'id', ({ seed }) => [seed.id]),
    oneOf(query, 'slug', ({ seed }) => [seed.slug]),
    oneOf(query, 'series_id', ({ seed }) => (seed.series === undefined ? [] : [seed.series.id])),
    oneOf(query, 'tag_id', ({ seed }) => seed.tags.map((tag) => tag.id)),
    oneOf(query, 'tag_slug', ({ seed }) => seed.tags.map((tag) => tag.slug)),
    withoutTags(query),
    ({ markets }) => query.within('volume', toNumber(sum(markets, volumeOf))),
    ({ markets }) => query.within('liquidity', toNumber(sum(markets, liquidityOf))),
    dated('start_date', (market) => market.listedAt),
    dated('end_date', (market) => market.endsAt),
  ]);
}

function all<T>(tests: readonly Test<T>[]): Test<T> {
  return (entry) => tests.every((test) => test(entry));
}

/** One of the repeated values of a key must be among the entry's. */
function oneOf<T>(query: GammaQuery, name: string, valuesOf: (entry: T) => readonly string[]): Test<T> {
  const wanted = query.listed(name);
  return (entry) => wanted === undefined || valuesOf(entry).some((value) => wanted.has(value));
}

function withoutTags(query: GammaQuery): Test<ListedEvent> {
  const excluded = query.listed('exclude_tag_id') ?? new Set<string>();
  if ([...(query.listed('tag_id') ?? [])].some((id) => excluded.has(id))) {
    throw invalid('tag_id and exclude_tag_id overlap');
  }
  return ({ seed }) => !seed.tags.some((tag) => excluded.has(tag.id));
}

function sum(markets: readonly Market[], of: (market: Market) => bigint): bigint {
  return markets.reduce((total, market) => total + of(market), 0n);
}
