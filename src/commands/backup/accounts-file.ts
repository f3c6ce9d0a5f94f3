import { readFile, stat } from 'node:fs/promises';
import { canonicalEmail } from '../../platform/http/email-address.js';

const MAX_BYTES = 1_048_576;
/** Each change of an account holds a lock until the end of the transaction. */
const MAX_ACCOUNTS = 5_000;
const USER_ID = /^usr_[0-9A-Z]{26}$/;

function odd(why: string): Error {
  return new Error(`Nothing was changed: the list of accounts ${why}.`);
}

async function textOf(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > MAX_BYTES) throw new Error('it is too large');
  return readFile(path, 'utf8');
}

/**
 * Accounts as `npm run users -- list --ended-since` prints them: one address, or id of a user, a line. Throws where the file cannot
 * be read, is empty or too long, or has a line that is neither, by its number.
 */
export async function readAccounts(path: string): Promise<string[]> {
  const text = await textOf(path).catch((error: unknown) => {
    throw odd(`cannot be read (${error instanceof Error ? error.message : 'unknown fault'})`);
  });
  const accounts = new Set<string>();
  for (const [index, line] of text.split('\n').entries()) {
    const word = line.trim();
    if (word === '') continue;
    const account = USER_ID.test(word) ? word : canonicalEmail(word);
    if (account === null) throw odd(`has in line ${index + 1} neither an e-mail address nor the id of a user`);
    accounts.add(account);
  }
  if (accounts.size === 0) throw odd('is empty');
  if (accounts.size > MAX_ACCOUNTS) throw odd(`has more than ${MAX_ACCOUNTS} accounts`);
  return [...accounts];
}
