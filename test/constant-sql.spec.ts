import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '..');
/** The rule asks for types, so that the text stands for a file of the project. */
const IN_PLACE_OF = 'src/users/users.repository.ts';

const SOURCE = `
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
const TABLE = ['a', 'b'].join('_');
const COLUMNS = \`id, \${TABLE}\`;
function after(value: number): string { return \`$\${value}\`; }
function named(name: string): string { return name; }
export async function refused(db: EntityManager, builder: SelectQueryBuilder<object>, input: string): Promise<void> {
  await db.query(\`SELECT \${input}\`); // refused
  await db.query('SELECT ' + input); // refused
  await db.query('SELECT ' + ('1' + input)); // refused
  await db.query(\`SELECT \${named(input)}\`); // refused
  await db.query(\`SELECT \${input.length > 1 ? input : 'a'}\`); // refused
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

/** The numbers of the lines that the rule refuses, each as often as it does. */
async function refusedLines(source: string): Promise<number[]> {
  const binary = join(ROOT, 'node_modules/eslint/bin/eslint.js');
  const eslint = spawn(process.execPath, [binary, '--format=json', '--stdin', '--stdin-filename', IN_PLACE_OF], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  eslint.stdin.end(source);
  const [{ messages }] = JSON.parse(await text(eslint.stdout)) as [{ messages: { ruleId: string; line: number }[] }];
  return messages.filter(({ ruleId }) => ruleId === 'own/constant-sql').map(({ line }) => line);
}

describe('the lint rule against SQL from texts', () => {
  it('S-35, S-52 refuses SQL that is put together from anything but constants, and nothing else', async () => {
    const expected = SOURCE.split('\n').flatMap((line, index) =>
      Array.from(line.split('//')[1]?.matchAll(/refused/g) ?? [], () => index + 1),
    );
    expect(expected).toHaveLength(12);
    expect(await refusedLines(SOURCE)).toEqual(expected);
  }, 120_000);
});
