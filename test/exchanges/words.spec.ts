import 'reflect-metadata';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EXCHANGES } from '../../src/exchanges/exchange.registry.js';

/** Files above the folders that name an exchange, each with why. */
const MAY_NAME_ONE: Readonly<Record<string, string>> = {
  'src/exchanges/exchange.registry.ts': 'the list',
  'src/exchanges/README.md': 'the guide',
  'src/exchanges/unified.properties.ts': 'an example',
  'src/dashboard/exchange-hosts.dto.ts': 'an example',
  'src/platform/errors/error-examples.ts': 'examples',
  'src/auth/password-policy/common-passwords.ts': 'a word of everyday speech',
};

/** The folders of an exchange: its adapter, and a command that is all about it. */
const OWN_FOLDERS = [...EXCHANGES.map(({ id }) => `src/exchanges/${id}/`), 'src/commands/session-key/'];

/** Names of exchanges, and what exists at one of them alone. */
const NAMES = EXCHANGES.flatMap(({ id, docs }) => [id, docs.name]);
const OWN_WORDS = [
  'USDC',
  'pUSD',
  'CLOB',
  'Gamma',
  'Polygon',
  'EIP-712',
  'FAK',
  'Deposit Wallet',
  'Builder key',
  'write::trade',
];
const WORD = new RegExp(`${NAMES.join('|')}|\\b(?:${OWN_WORDS.join('|')})\\b`, 'i');

/** A page of facts that a comment cites, such as `kalshi.md 4`. */
const CITED_PAGE = /\b[a-z-]+\.md\b/g;

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.map((name) => join(folder, name)).filter((file) => /\.(?:tsx?|css|md|html)$/.test(file));
}

const FILES = [...filesBelow('src'), ...filesBelow('dashboard/src')].filter(
  (file) => !/\.spec\.ts$|schema\.d\.ts$/.test(file) && !OWN_FOLDERS.some((folder) => file.startsWith(folder)),
);

/** The words of exchanges in a file, with the number of their line. */
function wordsIn(file: string, wanted = WORD): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const word = wanted.exec(line.replaceAll(CITED_PAGE, ''))?.[0];
    return word === undefined ? [] : [`${file}:${index + 1} ${word}`];
  });
}

describe('the folder of an exchange', () => {
  it('holds every word of it: no other file of src or of the dashboard names it', () => {
    const others = FILES.filter((file) => !(file in MAY_NAME_ONE));
    expect(others.length).toBeGreaterThan(500);
    expect(others.flatMap((file) => wordsIn(file))).toEqual([]);
  });

  it.each(EXCHANGES)('of $id names no other exchange', ({ id }) => {
    const others = EXCHANGES.filter((other) => other.id !== id).flatMap((other) => [other.id, other.docs.name]);
    const files = filesBelow(`src/exchanges/${id}`).filter((file) => !file.endsWith('.spec.ts'));
    expect(files.flatMap((file) => wordsIn(file, new RegExp(others.join('|'), 'i')))).toEqual([]);
  });

  it.each(Object.keys(MAY_NAME_ONE))('%s still names one, as the list here says', (file) => {
    expect(wordsIn(file)).not.toEqual([]);
  });
});
