import { resolve } from 'node:path';
import { MIGRATIONS } from '../migrations/migrations.js';
import { readBackup } from '../src/commands/backup/read-backup.js';
import { CryptoService } from '../src/platform/crypto/crypto.service.js';
import { readAccounts } from '../src/commands/backup/accounts-file.js';
import { checkKeys, disableAccounts, lockUp } from '../src/commands/backup/after-restore.js';
import { UsageError } from './command.js';
import { runDatabaseCommand } from './database-command.js';

const USAGE = 'Usage: npm run restore -- FILE [--nothing-since | --disable ACCOUNTS-FILE]';
const NOTHING_SINCE = '--nothing-since';
const DISABLE = '--disable';

const LOCKED_UP = [
  'What happened after that moment is not known here. So every session has ended, links in mails are void, and every API key',
  'may only read: else a bot that repeats an order of that time, whose Idempotency-Key is gone, would place it again. Before an',
  'owner makes a new key, the bot must be stopped and the orders at the exchange looked at: docs/operations.md, "After a restore".',
  'Mails that had not left at that moment never will.',
];

interface Options {
  readonly path: string;
  readonly isComplete: boolean;
  readonly accountsPath: string | undefined;
}

function parse([path, option, accountsPath, ...rest]: readonly string[]): Options {
  const isComplete = option === NOTHING_SINCE;
  const isGood = option === DISABLE ? accountsPath !== undefined : accountsPath === undefined;
  const isKnown = option === undefined || option === DISABLE || isComplete;
  if (path === undefined || path.startsWith('-') || !isGood || !isKnown || rest.length > 0) throw new UsageError(USAGE);
  return { path, isComplete, accountsPath };
}

await runDatabaseCommand(async (connection, settings, words) => {
  const { path, isComplete, accountsPath } = parse(words);
  const accounts = accountsPath === undefined ? [] : await readAccounts(resolve(accountsPath));
  let unknown: string[] = [];
  const { madeAt, rows } = await readBackup({
    connection,
    path: resolve(path),
    migrations: MIGRATIONS,
    finish: async (client) => {
      await checkKeys(client, new CryptoService(settings));
      if (!isComplete) await lockUp(client);
      if (accounts.length > 0) unknown = await disableAccounts(client, accounts);
    },
  });
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
  return [
    `${count} rows, as they were at ${madeAt}`,
    ...(isComplete ? [] : LOCKED_UP),
    ...(accounts.length > 0 ? [`${accounts.length - unknown.length} accounts disabled`] : []),
    ...unknown.map((account) => `Not in this backup, so not disabled: ${account}`),
  ];
});
