import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the rows of both tables have in common. No index begins with the exchange: the planner would read half of all rows by it. */
const COLUMNS = `
    exchange    text             NOT NULL,
    id          text             NOT NULL,
    event_id    text,
    series_id   text,
    words       tsvector         NOT NULL,
    categories  text[]           NOT NULL,
    volume_24h  double precision NOT NULL,
    volume_unit text             NOT NULL,
    closes_at   timestamptz      NOT NULL,
    made_at     timestamptz      NOT NULL,
    digest      text             NOT NULL,
    shown       json             NOT NULL,
    PRIMARY KEY (id, exchange)`;

/** How far the walk of an exchange is, whether every page of it is read, and of when its last complete one is; `since` its first began. */
const PARTS = `
  CREATE TABLE catalogue_parts (
    exchange       text        PRIMARY KEY,
    walk           bigint      NOT NULL DEFAULT 0,
    is_walking     boolean     NOT NULL DEFAULT false,
    pages          integer     NOT NULL DEFAULT 0,
    next_cursor    text,
    is_read        boolean     NOT NULL DEFAULT false,
    since          timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at     timestamptz,
    as_of          timestamptz,
    walked_seconds double precision
  )`;

/** What the pages of a walk that is under way have shown. */
const PAGES = `
  CREATE TABLE catalogue_pages (
    exchange text    NOT NULL,
    page     integer NOT NULL,
    markets  text[]  NOT NULL,
    events   text[]  NOT NULL,
    unread   text[]  NOT NULL,
    PRIMARY KEY (exchange, page)
  )`;

/** The instance that walks. */
const WALKER = `
  CREATE TABLE catalogue_walker (
    one        boolean     PRIMARY KEY DEFAULT true CHECK (one),
    holder     text        NOT NULL,
    held_until timestamptz NOT NULL
  )`;

/** The open markets and events of all exchanges, as the last walk found them (contract.md 5.19). */
export class Catalogue1795300400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE catalogue_markets (${COLUMNS})`);
    await runner.query(`CREATE TABLE catalogue_events (${COLUMNS})`);
    for (const table of ['catalogue_markets', 'catalogue_events'] as const) {
      await runner.query(`CREATE INDEX ${table}_words ON ${table} USING gin (words) WITH (fastupdate = off)`);
      await runner.query(`CREATE INDEX ${table}_categories ON ${table} USING gin (categories) WITH (fastupdate = off)`);
      await runner.query(`CREATE INDEX ${table}_volume ON ${table} (volume_unit, volume_24h DESC, exchange, id)`);
      await runner.query(`CREATE INDEX ${table}_closes ON ${table} (closes_at, exchange, id)`);
      await runner.query(`CREATE INDEX ${table}_made ON ${table} (made_at DESC, exchange, id)`);
    }
    await runner.query(`CREATE INDEX catalogue_markets_event ON catalogue_markets (event_id, exchange)`);
    await runner.query(PARTS);
    await runner.query(PAGES);
    await runner.query(WALKER);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE catalogue_walker`);
    await runner.query(`DROP TABLE catalogue_pages`);
    await runner.query(`DROP TABLE catalogue_parts`);
    await runner.query(`DROP TABLE catalogue_events`);
    await runner.query(`DROP TABLE catalogue_markets`);
  }
}
