import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '../platform/database/database-errors.js';
import { Transactions } from '../platform/database/transactions.js';
import type { CatalogueEntry, CatalogueRow } from './catalogue-rows.js';

/** Rows that one statement writes, and removes, at most. */
const WRITTEN = 100;
const REMOVED = 5_000;

/** How far an exchange is. */
export interface CataloguePart {
  readonly exchange: string;
  /** Which walk of the exchange it is. */
  readonly walk: string;
  readonly isWalking: boolean;
  /** Whether the walk has kept its last page, so that its end alone is left. */
  readonly isRead: boolean;
  /** The number of pages that the walk has read. */
  readonly pages: number;
  readonly nextCursor: string | null;
  /** When the first walk began. */
  readonly since: Date;
  readonly startedAt: Date | null;
  /** The start of the last complete walk. */
  readonly asOf: Date | null;
  readonly walkedSeconds: number | null;
}

/** What is known of a page that was read. */
export interface WalkedPage {
  readonly entries: readonly CatalogueEntry[];
  /** Ids of events of which only that could be read: nothing of them is removed. */
  readonly unread: readonly string[];
  readonly next: string | null;
}

/** What came of a page. */
export interface KeptPage {
  /** Rows that were written, and how many of these are new. */
  readonly changed: number;
  readonly added: number;
  /** Ids of events with a row that the database refuses. */
  readonly refused: readonly string[];
}

const PART = `exchange, walk::text, is_walking AS "isWalking", is_read AS "isRead", pages, next_cursor AS "nextCursor", since,
  started_at AS "startedAt", as_of AS "asOf", walked_seconds AS "walkedSeconds"`;

const COLUMNS = 'event_id, series_id, words, categories, volume_24h, volume_unit, closes_at, made_at, digest, shown';
const NEW = `EXCLUDED.event_id, EXCLUDED.series_id, EXCLUDED.words, EXCLUDED.categories, EXCLUDED.volume_24h, EXCLUDED.volume_unit,
  EXCLUDED.closes_at, EXCLUDED.made_at, EXCLUDED.digest, EXCLUDED.shown`;

/** Writes the rows that differ from what is known; new ones only where $3 is true. */
function saving(table: 'catalogue_markets' | 'catalogue_events') {
  return `
    WITH found AS (
      SELECT DISTINCT ON (id) id, event_id, series_id, words::tsvector AS words, categories, volume_24h, volume_unit,
             closes_at::timestamptz AS closes_at, made_at::timestamptz AS made_at, digest, shown::json AS shown
        FROM json_to_recordset($2::json) AS row (id text, event_id text, series_id text, words text, categories text[],
             volume_24h float8, volume_unit text, closes_at text, made_at text, digest text, shown text)
       ORDER BY id)
    INSERT INTO ${table} (exchange, id, ${COLUMNS})
    SELECT $1, found.id, found.event_id, found.series_id, found.words, found.categories, found.volume_24h, found.volume_unit,
           found.closes_at, found.made_at, found.digest, found.shown
      FROM found LEFT JOIN ${table} AS known ON known.exchange = $1 AND known.id = found.id
     WHERE known.digest IS DISTINCT FROM found.digest AND ($3::boolean OR known.id IS NOT NULL)
    ON CONFLICT (exchange, id) DO UPDATE SET (${COLUMNS}) = ROW(${NEW})
    RETURNING xmax = 0 AS "isNew"` as const;
}

const SAVE_MARKETS = saving('catalogue_markets');
const SAVE_EVENTS = saving('catalogue_events');

/** Rows of an exchange that no page of the walk has shown, but of events that could not be read. */
const CLOSED_MARKETS = `catalogue_markets AS row WHERE row.exchange = $1
  AND NOT EXISTS (SELECT FROM shown_markets AS shown WHERE shown.id = row.id)
  AND NOT COALESCE(row.event_id = ANY (SELECT unnest(unread) FROM catalogue_pages WHERE exchange = $1), false)`;
const CLOSED_EVENTS = `catalogue_events AS row WHERE row.exchange = $1
  AND NOT EXISTS (SELECT FROM shown_events AS shown WHERE shown.id = row.id)
  AND NOT COALESCE(row.id = ANY (SELECT unnest(unread) FROM catalogue_pages WHERE exchange = $1), false)`;
const SHOWN = `
  WITH shown_markets AS MATERIALIZED (SELECT DISTINCT unnest(markets) AS id FROM catalogue_pages WHERE exchange = $1),
       shown_events AS MATERIALIZED (SELECT DISTINCT unnest(events) AS id FROM catalogue_pages WHERE exchange = $1)`;
/** Whether $2 still walks the walk $3. */
const IS_OURS = `EXISTS (SELECT FROM catalogue_walker WHERE holder = $2)
  AND EXISTS (SELECT FROM catalogue_parts WHERE exchange = $1 AND is_walking AND walk = $3::bigint)`;
const REMOVE_MARKETS = `${SHOWN} DELETE FROM catalogue_markets AS old WHERE ${IS_OURS}
  AND (old.id, old.exchange) IN (SELECT row.id, row.exchange FROM ${CLOSED_MARKETS} LIMIT ${REMOVED})`;
const REMOVE_EVENTS = `${SHOWN} DELETE FROM catalogue_events AS old WHERE ${IS_OURS}
  AND (old.id, old.exchange) IN (SELECT row.id, row.exchange FROM ${CLOSED_EVENTS} LIMIT ${REMOVED})`;

/** Walks of the exchanges' open events: who walks, how far, and what was found. Times are of the database's clock. */
@Injectable()
export class CatalogueWalks {
  constructor(private readonly transactions: Transactions) {}

  /** Becomes the one who walks, or stays so, for `seconds`; false where another instance does. */
  async hold(holder: string, seconds: number): Promise<boolean> {
    const rows = await this.transactions.manager.query<unknown[]>(
      `INSERT INTO catalogue_walker AS walker (holder, held_until) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
       ON CONFLICT (one) DO UPDATE SET holder = EXCLUDED.holder, held_until = EXCLUDED.held_until
        WHERE walker.holder = $1 OR walker.held_until <= clock_timestamp() RETURNING 1`,
      [holder, seconds],
    );
    return rows.length > 0;
  }

  async letGo(holder: string): Promise<void> {
    await this.transactions.modify('DELETE FROM catalogue_walker WHERE holder = $1', [holder]);
  }

  parts(): Promise<CataloguePart[]> {
    return this.transactions.manager.query<CataloguePart[]>(`SELECT ${PART} FROM catalogue_parts`);
  }

  /**
   * Returns the walk of an exchange that is due: one under way that is not older than `oldest` seconds, else a new one where the last began
   * `every` seconds ago; null where none is due.
   */
  async takeUp(exchange: string, every: number, oldest: number): Promise<CataloguePart | null> {
    return this.transactions.run(async () => {
      const { manager } = this.transactions;
      await manager.query('INSERT INTO catalogue_parts (exchange) VALUES ($1) ON CONFLICT DO NOTHING', [exchange]);
      const [part] = await manager.query<(CataloguePart & { isOld: boolean; isDue: boolean })[]>(
        `SELECT ${PART}, COALESCE(started_at < clock_timestamp() - make_interval(secs => $2), true) AS "isOld",
                COALESCE(started_at <= clock_timestamp() - make_interval(secs => $3), true) AS "isDue"
           FROM catalogue_parts WHERE exchange = $1 FOR UPDATE`,
        [exchange, oldest, every],
      );
      if (part === undefined || (part.isWalking ? false : !part.isDue)) return null;
      if (part.isWalking && !part.isOld) return part;
      await this.transactions.modify('DELETE FROM catalogue_pages WHERE exchange = $1', [exchange]);
      const { rows } = await this.transactions.modify<CataloguePart>(
        `UPDATE catalogue_parts SET walk = walk + 1, is_walking = true, is_read = false, pages = 0, next_cursor = NULL,
                started_at = clock_timestamp()
          WHERE exchange = $1 RETURNING ${PART}`,
        [exchange],
      );
      return rows[0] ?? null;
    });
  }

  /**
   * Keeps a page and how far the walk is; null where another instance was faster. An event with a row that the database refuses counts as
   * unread. Without `mayAdd` known rows alone are written.
   */
  async keep(holder: string, part: CataloguePart, page: WalkedPage, mayAdd: boolean): Promise<KeptPage | null> {
    const { exchange, pages, walk } = part;
    return this.transactions.run(async () => {
      const { rows } = await this.transactions.modify(
        `UPDATE catalogue_parts SET pages = pages + 1, next_cursor = $4::text, is_read = $4::text IS NULL
          WHERE exchange = $1 AND is_walking AND pages = $2 AND walk = $5::bigint
            AND EXISTS (SELECT FROM catalogue_walker WHERE holder = $3) RETURNING 1`,
        [exchange, pages, holder, page.next, walk],
      );
      if (rows.length === 0) return null;
      const kept = await this.#saveEach(exchange, page.entries, mayAdd);
      const entries = page.entries.filter(({ event }) => event !== null && !kept.refused.includes(event.id));
      await this.transactions.manager.query(
        'INSERT INTO catalogue_pages (exchange, page, markets, events, unread) VALUES ($1, $2, $3, $4, $5)',
        [
          ...[exchange, pages, entries.flatMap(({ markets }) => markets.map(({ id }) => id))],
          ...[entries.flatMap(({ event }) => event?.id ?? []), [...page.unread, ...kept.refused]],
        ],
      );
      return kept;
    });
  }

  /** How many markets of an exchange a complete walk has not shown, of how many. */
  async countClosed({ exchange }: CataloguePart): Promise<{ closed: number; all: number }> {
    const [count] = await this.transactions.manager.query<{ closed: number; all: number }[]>(
      `${SHOWN} SELECT (SELECT count(*)::int FROM ${CLOSED_MARKETS}) AS closed,
                       (SELECT count(*)::int FROM catalogue_markets WHERE exchange = $1) AS all`,
      [exchange],
    );
    return count ?? { closed: 0, all: 0 };
  }

  /** Removes some of what a complete walk has not shown; 0 once nothing is left, or where another walks. */
  async removeSome(holder: string, { exchange, walk }: CataloguePart): Promise<number> {
    const markets = await this.transactions.modify(REMOVE_MARKETS, [exchange, holder, walk]);
    if (markets.count > 0) return markets.count;
    return (await this.transactions.modify(REMOVE_EVENTS, [exchange, holder, walk])).count;
  }

  /** Ends a walk, if it is still the holder's; `isLast`: it is now the last complete one. */
  async end(holder: string, { exchange, walk }: CataloguePart, isLast: boolean): Promise<void> {
    await this.transactions.run(async () => {
      const { rows } = await this.transactions.modify(
        `UPDATE catalogue_parts SET is_walking = false, is_read = false, next_cursor = NULL,
                as_of = CASE WHEN $4 THEN started_at ELSE as_of END,
                walked_seconds = CASE WHEN $4 THEN extract(epoch FROM clock_timestamp() - started_at) ELSE walked_seconds END
          WHERE exchange = $1 AND ${IS_OURS} RETURNING 1`,
        [exchange, holder, walk, isLast],
      );
      if (rows.length > 0)
        await this.transactions.modify('DELETE FROM catalogue_pages WHERE exchange = $1', [exchange]);
    });
  }

  /** Removes markets that their exchange calls closed; those that it opens again are found by the next walk. */
  async removeClosed(exchange: string, ids: readonly string[]): Promise<void> {
    const sql = 'DELETE FROM catalogue_markets WHERE exchange = $1 AND id = ANY ($2)';
    await this.transactions.modify(sql, [exchange, ids]);
  }

  /** How many markets and events each exchange has. */
  sizes(): Promise<{ exchange: string; markets: number; events: number }[]> {
    return this.transactions.manager.query(
      `SELECT exchange, sum(markets)::int AS markets, sum(events)::int AS events FROM (
         SELECT exchange, count(*) AS markets, 0 AS events FROM catalogue_markets GROUP BY 1
         UNION ALL SELECT exchange, 0, count(*) FROM catalogue_events GROUP BY 1) AS counted GROUP BY 1`,
    );
  }

  async countMarkets(exchange: string): Promise<number> {
    const [row] = await this.transactions.manager.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM catalogue_markets WHERE exchange = $1',
      [exchange],
    );
    return row?.count ?? 0;
  }

  /** Saves all of them, or, where the database refuses a row, each half by itself. */
  async #saveEach(exchange: string, entries: readonly CatalogueEntry[], mayAdd: boolean): Promise<KeptPage> {
    const { manager } = this.transactions;
    await manager.query('SAVEPOINT entries');
    try {
      const markets = await this.#save(SAVE_MARKETS, exchange, mayAdd, entries.flatMap((entry) => entry.markets)); // prettier-ignore
      const events = await this.#save(SAVE_EVENTS, exchange, mayAdd, entries.flatMap(({ event }) => event ?? [])); // prettier-ignore
      await manager.query('RELEASE SAVEPOINT entries');
      return { changed: markets.changed + events.changed, added: markets.added, refused: [] };
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      await manager.query('ROLLBACK TO SAVEPOINT entries');
    }
    if (entries.length <= 1) return { changed: 0, added: 0, refused: entries.flatMap(({ event }) => event?.id ?? []) };
    const half = Math.ceil(entries.length / 2);
    const one = await this.#saveEach(exchange, entries.slice(0, half), mayAdd);
    const other = await this.#saveEach(exchange, entries.slice(half), mayAdd);
    return {
      changed: one.changed + other.changed,
      added: one.added + other.added,
      refused: [...one.refused, ...other.refused],
    };
  }

  async #save(
    sql: typeof SAVE_MARKETS,
    exchange: string,
    mayAdd: boolean,
    rows: readonly CatalogueRow[],
  ): Promise<{ changed: number; added: number }> {
    const written: { isNew: boolean }[] = [];
    for (let at = 0; at < rows.length; at += WRITTEN) {
      const some = JSON.stringify(rows.slice(at, at + WRITTEN));
      written.push(...(await this.transactions.manager.query<{ isNew: boolean }[]>(sql, [exchange, some, mayAdd])));
    }
    return { changed: written.length, added: written.filter(({ isNew }) => isNew).length };
  }
}
