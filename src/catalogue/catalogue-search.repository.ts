import { Injectable } from '@nestjs/common';
import type { MarketDto } from '../exchanges/unified.market-data.dto.js';
import { prepared } from '../platform/database/prepared-statements.js';
import { Transactions } from '../platform/database/transactions.js';
import type { SearchedWords } from './search-words.js';

/** Of what is common only so many rows of each unit are ranked: those that are traded most. To rank one takes longer than to compare its time. */
export const MOST_RANKED = 100;

type VolumeUnit = MarketDto['volume_unit'];
export type CatalogueTable = 'catalogue_markets' | 'catalogue_events';

/** `best` ranks by words. */
type CatalogueOrder = 'best' | 'volume' | 'closes' | 'newest';

/** Which rows; null is no condition. */
export interface CatalogueFilters {
  readonly exchanges: readonly string[];
  readonly category: string | null;
  readonly closesAfter: Date | null;
  readonly closesBefore: Date | null;
  readonly minVolume: number | null;
  /** One unit of volumes alone. */
  readonly unit: VolumeUnit | null;
}

/** Where a row stands in an order: what it is ordered by, as text, then exchange and id. */
export type CatalogueKey = readonly [by: string, exchange: string, id: string];

export interface FoundRow {
  readonly by: string;
  readonly exchange: string;
  readonly id: string;
  readonly shown: unknown;
}

/** $1 to $6 are the filters. Plans are made for each query, so that what is rare is found by its words and what is common by its order. */
const FILTER = `exchange = ANY ($1) AND ($2::text IS NULL OR categories @> ARRAY[$2::text])
  AND ($3::timestamptz IS NULL OR closes_at > $3) AND ($4::timestamptz IS NULL OR closes_at < $4)
  AND ($5::float8 IS NULL OR volume_24h >= $5) AND ($6::text IS NULL OR volume_unit = $6)`;

/** $7 to $9 are the key of the last row that was shown, $10 is how many follow. */
const AFTER_DOWN = `($7::text IS NULL OR by < $7::float8 OR by = $7::float8 AND (exchange, id) > ($8, $9))`;

/** How well the words fit, then how much is traded of it among the others of its unit. */
const SCORE = `round((ts_rank('{0.1, 0.3, 0.6, 1.0}', words, $12::tsquery, 1)
  * (1 + 0.3 * percent_rank() OVER (PARTITION BY volume_unit ORDER BY volume_24h)))::numeric, 7)::float8`;

/** Those with the words. As a value of its own it is looked at once, not by every estimate of the plan. */
const MATCH = 'words @@ (SELECT $11::tsquery)';

/** Of an order, rows that tell whether its words are common, how many of them then have the words, and rows that are looked through if so. */
const SAMPLE = { rows: 200, common: 16, near: 4_000 } as const;

/** Rows of these volumes have their words in indexes of their own too (migrations), which are looked into before that of all. */
const MUCH_TRADED = 'volume_24h >= 100000';
const TRADED = 'volume_24h >= 1000';

/** Rows of a table in an order: those of `first` come before all others, and those of `next` too; 'false' where nothing is known. */
interface Ordered<From, Columns, Order, First, Next> {
  readonly from: From;
  /** Few, since they are sorted. */
  readonly columns: Columns;
  readonly order: Order;
  readonly first: First;
  readonly next: Next;
}

/**
 * The first rows with the words in an order, at most `most`. Common words are soon found along the order, others by their own index: the
 * smallest that has as many. No statistics tell which it is, as those of words know no units and no neighbours, so the beginning of the
 * order does.
 */
function firstOf<
  From extends string,
  Columns extends string,
  Order extends string,
  First extends string,
  Next extends string,
  Most extends number | string,
>({ from, columns, order, first, next }: Ordered<From, Columns, Order, First, Next>, most: Most) {
  const found = `SELECT ${columns} FROM ${from} AND ${MATCH} AND ${FILTER}` as const;
  const end = `ORDER BY ${order} LIMIT ${most}` as const;
  return `(WITH sample AS (
      SELECT count(*) FILTER (WHERE ${MATCH}) AS hits
        FROM (SELECT words FROM ${from} ORDER BY ${order} LIMIT ${SAMPLE.rows}) AS first_row),
    near AS MATERIALIZED (
      SELECT ${columns} FROM (SELECT * FROM ${from} ORDER BY ${order}
        LIMIT (SELECT CASE WHEN hits >= ${SAMPLE.common} THEN ${SAMPLE.near} ELSE 0 END FROM sample)) AS near_row
       WHERE ${MATCH} AND ${FILTER} LIMIT ${most}),
    first_found AS MATERIALIZED (SELECT * FROM (${found} AND ${first} OFFSET 0) AS first_row
       WHERE (SELECT count(*) FROM near) < ${most} ${end}),
    next_found AS MATERIALIZED (SELECT * FROM (${found} AND ${next} OFFSET 0) AS next_row
       WHERE (SELECT count(*) FROM near) < ${most} AND (SELECT count(*) FROM first_found) < ${most} ${end}),
    far AS (${found} OFFSET 0)
    SELECT * FROM near WHERE (SELECT count(*) FROM near) >= ${most}
    UNION ALL SELECT * FROM first_found WHERE (SELECT count(*) FROM first_found) >= ${most}
    UNION ALL SELECT * FROM next_found WHERE (SELECT count(*) FROM next_found) >= ${most}
    UNION ALL (SELECT * FROM far WHERE (SELECT count(*) FROM near) < ${most} AND (SELECT count(*) FROM first_found) < ${most}
       AND (SELECT count(*) FROM next_found) < ${most} ${end}))` as const;
}

/** Of one unit those that are traded most; $13 are the units that the exchanges have. */
function mostTraded<Table extends CatalogueTable, Unit extends VolumeUnit>(table: Table, unit: Unit) {
  const from = `${table} WHERE volume_unit = '${unit}' AND '${unit}' = ANY ($13::text[])` as const;
  const columns = 'exchange, id, words, volume_24h, volume_unit';
  const order = 'volume_24h DESC, exchange, id';
  return firstOf({ from, columns, order, first: MUCH_TRADED, next: TRADED }, MOST_RANKED);
}

/** By how well the words fit. */
function ranked<Table extends CatalogueTable>(table: Table) {
  return `WITH row AS MATERIALIZED (${mostTraded(table, 'contracts')} UNION ALL ${mostTraded(table, 'currency')})
    SELECT by::text, exchange, id, full_row.shown FROM (
      SELECT by, exchange, id FROM (SELECT ${SCORE} AS by, exchange, id FROM row) AS scored
       WHERE ${AFTER_DOWN} ORDER BY by DESC, exchange, id LIMIT $10) AS page JOIN ${table} AS full_row USING (exchange, id)
     ORDER BY page.by DESC, exchange, id` as const;
}

/** Orders of the indexes, and what comes behind a key in them. */
const SORTED = {
  volume: {
    by: 'volume_24h',
    order: 'volume_24h DESC, exchange, id',
    first: MUCH_TRADED,
    next: TRADED,
    after: '($7::text IS NULL OR volume_24h < $7::float8 OR volume_24h = $7::float8 AND (exchange, id) > ($8, $9))',
  },
  closes: {
    by: 'closes_at',
    order: 'closes_at, exchange, id',
    first: 'false',
    next: 'false',
    after: '($7::text IS NULL OR (closes_at, exchange, id) > ($7::timestamptz, $8, $9))',
  },
  newest: {
    by: 'made_at',
    order: 'made_at DESC, exchange, id',
    first: 'false',
    next: 'false',
    after: '($7::text IS NULL OR made_at < $7::timestamptz OR made_at = $7::timestamptz AND (exchange, id) > ($8, $9))',
  },
} as const;

/** One of the above. */
interface Sorting<By, Order, First, Next, After> extends Pick<
  Ordered<never, never, Order, First, Next>,
  'order' | 'first' | 'next'
> {
  readonly by: By;
  readonly after: After;
}

/** In the order of an index. */
function listed<Table extends CatalogueTable>(table: Table, sort: keyof typeof SORTED) {
  const { by, order, after } = SORTED[sort];
  return `SELECT ${by}::text AS by, exchange, id, shown FROM ${table} WHERE ${FILTER} AND ${after}
    ORDER BY ${order} LIMIT $10` as const;
}

/** Those with the words. */
function found<
  Table extends CatalogueTable,
  By extends string,
  Order extends string,
  First extends string,
  Next extends string,
  After extends string,
>(table: Table, { by, order, first, next, after }: Sorting<By, Order, First, Next, After>) {
  const from = `${table} WHERE ($6::text IS NULL OR volume_unit = $6) AND ${after}` as const;
  const columns = `exchange, id, shown, ${by}` as const;
  const rows = firstOf({ from, columns, order, first, next }, '$10');
  return `SELECT ${by}::text AS by, exchange, id, shown FROM ${rows} AS row ORDER BY ${order}` as const;
}

function each<Sql>(make: (sort: keyof typeof SORTED) => Sql): Record<keyof typeof SORTED, Sql> {
  return { volume: make('volume'), closes: make('closes'), newest: make('newest') };
}

const SQL = {
  catalogue_markets: {
    ranked: prepared(ranked('catalogue_markets')),
    found: {
      volume: found('catalogue_markets', SORTED.volume),
      closes: found('catalogue_markets', SORTED.closes),
      newest: found('catalogue_markets', SORTED.newest),
    },
    listed: each((sort) => listed('catalogue_markets', sort)),
  },
  catalogue_events: {
    ranked: prepared(ranked('catalogue_events')),
    found: {
      volume: found('catalogue_events', SORTED.volume),
      closes: found('catalogue_events', SORTED.closes),
      newest: found('catalogue_events', SORTED.newest),
    },
    listed: each((sort) => listed('catalogue_events', sort)),
  },
};

/** What is asked of one table. */
export interface CatalogueQuery {
  readonly table: CatalogueTable;
  readonly words: SearchedWords | null;
  readonly order: CatalogueOrder;
  readonly filters: CatalogueFilters;
  /** Those of the volumes of the exchanges. */
  readonly units: readonly VolumeUnit[];
  readonly after: CatalogueKey | null;
  readonly limit: number;
}

/** Reads the catalogue. */
@Injectable()
export class CatalogueRows {
  constructor(private readonly transactions: Transactions) {}

  find({ table, words, order, filters, units, after, limit }: CatalogueQuery): Promise<FoundRow[]> {
    const { exchanges, category, closesAfter, closesBefore, minVolume, unit } = filters;
    const [by, exchange, id] = after ?? [null, null, null];
    const values = [exchanges, category, closesAfter, closesBefore, minVolume, unit, by, exchange, id, limit];
    const { manager } = this.transactions;
    const sql = SQL[table];
    if (words === null) return manager.query<FoundRow[]>(sql.listed[order === 'best' ? 'volume' : order], values);
    if (order === 'best') return manager.query<FoundRow[]>(sql.ranked, [...values, words.match, words.rank, units]);
    return manager.query<FoundRow[]>(sql.found[order], [...values, words.match]);
  }

  /** Ids of the markets of events, those that are traded most first. */
  async marketsOf(
    events: readonly { readonly exchange: string; readonly id: string }[],
  ): Promise<Map<string, string[]>> {
    const rows = await this.transactions.manager.query<{ exchange: string; event_id: string; ids: string[] }[]>(
      `SELECT market.exchange, market.event_id, array_agg(market.id ORDER BY market.volume_24h DESC, market.id) AS ids
         FROM unnest($1::text[], $2::text[]) AS event (exchange, id)
         JOIN catalogue_markets AS market ON market.exchange = event.exchange AND market.event_id = event.id GROUP BY 1, 2`,
      [events.map(({ exchange }) => exchange), events.map(({ id }) => id)],
    );
    return new Map(rows.map(({ exchange, event_id, ids }) => [`${exchange} ${event_id}`, ids]));
  }
}
