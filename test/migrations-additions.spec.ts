import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { MIGRATIONS } from '../migrations/migrations.js';
import { narrowingOf, statementsOf } from './support/narrowing.js';

/** The comment of a migration, by the name of its class. */
async function commentOf(name: string): Promise<string> {
  const [, timestamp = ''] = /(\d{13})$/.exec(name) ?? [];
  const file = (await readdir('migrations')).find((one) => one.startsWith(timestamp)) ?? '';
  const text = await readFile(`migrations/${file}`, 'utf8');
  return /\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport class/.exec(text)?.[1] ?? '';
}

describe('an older version beside a newer schema (R-9)', () => {
  it.each([
    ['ALTER TABLE users DROP COLUMN name'],
    ['ALTER TABLE users ADD COLUMN a text, DROP COLUMN name'],
    ['ALTER TABLE users RENAME COLUMN name TO title'],
    ['ALTER TABLE users RENAME TO people'],
    ['DROP TABLE users'],
    ['DROP INDEX users_email_idx'],
    ['ALTER TABLE users ALTER COLUMN name TYPE varchar(10)'],
    ['ALTER TABLE users ALTER COLUMN name SET NOT NULL'],
    ['ALTER TABLE users ADD COLUMN a text NOT NULL'],
    ["ALTER TABLE users ADD COLUMN a numeric(9, 2) DEFAULT 0, ADD COLUMN b text NOT NULL CHECK (b IN ('x', 'y'))"],
    ['ALTER TABLE users ADD COLUMN a text REFERENCES teams (id)'],
    ['ALTER TABLE users ADD CONSTRAINT named CHECK (length(name) > 3)'],
    ['ALTER TABLE users ADD CHECK (length(name) > 3) NOT VALID'],
    ['CREATE UNIQUE INDEX users_name ON users (name)'],
    ['CREATE TRIGGER refuse BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION refuse()'],
    ['CREATE OR REPLACE FUNCTION keep() RETURNS trigger'],
    ['UPDATE users SET name = upper(name)'],
    ['DELETE FROM users'],
  ])('%s is more than an addition', (statement) => {
    expect(narrowingOf(['CREATE TABLE other (id text PRIMARY KEY)', statement])).toEqual([statement]);
  });

  it.each([
    ['CREATE TABLE users (id text PRIMARY KEY, name text NOT NULL)'],
    ['ALTER TABLE users ADD COLUMN a text'],
    ['ALTER TABLE users ADD COLUMN a text,\n  ADD COLUMN b numeric(9, 2) NOT NULL DEFAULT coalesce(1, 2)'],
    ['CREATE INDEX users_name ON users (name)'],
    ['CREATE UNIQUE INDEX other_name ON other (name)'],
  ])('%s is an addition', (statement) => {
    expect(narrowingOf(['CREATE TABLE other (id text PRIMARY KEY)', statement])).toEqual([]);
  });

  it('R-9 each migration only adds what an older version ignores, or says what that version does meanwhile', async () => {
    const narrowing: Record<string, number> = {};
    for (const Migration of MIGRATIONS) {
      const found = narrowingOf(await statementsOf(new Migration()));
      if (found.length === 0) continue;
      narrowing[Migration.name] = found.length;
      const comment = (await commentOf(Migration.name)).replace(/\s*\n \*\s*/g, ' ');
      expect([Migration.name, comment]).toEqual([
        Migration.name,
        expect.stringMatching(/\ban? (?:\w+ )*earlier version\b/i),
      ]);
    }
    expect(narrowing).toEqual({
      OrderSendings1795200005000: 3,
      NoNegativeLimits1795200010000: 2,
      Sendings1795200060000: 8,
      UnprovedSignUps1795200072000: 3,
      SessionBounds1795200074000: 1,
      EventRetention1795200074100: 1,
      Placements1795200100000: 11,
      OrderNotes1795200102000: 5,
      Bots1795200110000: 1,
      BotSums1795200111000: 1,
      BotCosts1795300100000: 2,
      Amends1795300200000: 1,
      OrderPreviews1795300250000: 1,
      SameOrders1795300450000: 3,
      SettledOrders1795300500000: 3,
      LapsedClaims1795300510000: 1,
    });
  });
});
