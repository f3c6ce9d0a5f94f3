import { resolve } from 'node:path';
import { MIGRATIONS } from '../migrations/migrations.js';
import { readBackup } from '../src/platform/database/backup/read-backup.js';
import { CryptoService } from '../src/platform/crypto/crypto.service.js';
import { checkKeys, lockUp } from './after-restore.js';
import { UsageError } from './command.js';
import { runDatabaseCommand } from './database-command.js';

const USAGE = 'Usage: npm run restore -- FILE [--nothing-since]';
const NOTHING_SINCE = '--nothing-since';

const LOCKED_UP = [
  'What happened after that moment is not known here. So every session has ended, links in mails are void, and every API key',
  'may only read: else a bot that repeats an order of that time, whose Idempotency-Key is gone, would place it again. Before an',
  'owner makes a new key, the bot must be stopped and the orders at the exchange looked at: docs/operations.md, "After a restore".',
];

await runDatabaseCommand(async (connection, settings, words) => {
  const [path, ...options] = words;
  const isWrong = options.length > 1 || options.some((option) => option !== NOTHING_SINCE);
  if (path === undefined || path.startsWith('-') || isWrong) throw new UsageError(USAGE);
  const isComplete = options.length === 1;
  const { madeAt, rows } = await readBackup({
    connection,
    path: resolve(path),
    migrations: MIGRATIONS,
    finish: async (client) => {
      await checkKeys(client, new CryptoService(settings));
      if (!isComplete) await lockUp(client);
    },
  });
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
  return [`${count} rows, as they were at ${madeAt}`, ...(isComplete ? [] : LOCKED_UP)];
});
