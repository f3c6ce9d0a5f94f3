import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';

const SOURCE = `
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import type { Transactions } from '../src/platform/database/transactions.js';
const TABLE = ['a', 'b'].join('_');
const COLUMNS = \`id, \${TABLE}\`;
function after(value: number): string { return \`$\${value}\`; }
function named(name: string): string { return name; }
export async function refused(db: EntityManager, own: Transactions, builder: SelectQueryBuilder<object>, input: string): Promise<void> {
  await db.query(\`SELECT \${input}\`); // refused
  await db.query('SELECT ' + input); // refused
  await db.query('SELECT ' + ('1' + input)); // refused
  await db.query(\`SELECT \${named(input)}\`); // refused
  await db.query(\`SELECT \${input.length > 1 ? input : 'a'}\`); // refused
  await own.modify(\`DELETE FROM \${input}\`, []); // refused
  const sql = \`SELECT \${input}\`;
  await db.query(sql); // refused
  await db.query(named(\`SELECT \${input}\`)); // refused
  builder.where(\`a = '\${input}'\`).orWhere('b = ' + input); // refused refused
  builder.andWhere(\`a = '\${input}'\`).select(\`\${input}\`).orderBy(\`\${input}\`); // refused refused refused
}
export async function allowed(db: EntityManager, table: 'a' | 'b', input: string): Promise<void> {
  await db.query('SELECT $1', [input]);
  await db.query(\`SELECT \${COLUMNS} FROM \${table} WHERE \${after(1)} = \${table.length}\`, [input]);
  await db.query('SELECT ' + '1' + COLUMNS);
}
`;

/** How the rule stands for the service's code (2 is an error), and the lines that it refuses, each as often as it does. */
async function lint(source: string): Promise<unknown> {
  const script = join(import.meta.dirname, 'support', 'lint-sql.mjs');
  const linter = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  linter.stdin.end(source);
  return JSON.parse(await text(linter.stdout));
}

describe('the lint rule against SQL from texts', () => {
  it('S-35, S-52 refuses SQL that is put together from anything but constants, and nothing else', async () => {
    const expected = SOURCE.split('\n').flatMap((line, index) =>
      Array.from(line.split('//')[1]?.matchAll(/refused/g) ?? [], () => index + 1),
    );
    expect(expected).toHaveLength(13);
    expect(await lint(SOURCE)).toEqual({ severity: 2, lines: expected });
  }, 120_000);
});
