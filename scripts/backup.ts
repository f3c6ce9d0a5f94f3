import { resolve } from 'node:path';
import { writeBackup } from '../src/commands/backup/write-backup.js';
import { UsageError } from './command.js';
import { runDatabaseCommand } from './database-command.js';

await runDatabaseCommand(async (connection, settings, words) => {
  const [path] = words;
  if (path === undefined || path.startsWith('-') || words.length > 1)
    throw new UsageError('Usage: npm run backup -- FILE');
  const { madeAt, rows } = await writeBackup(connection, resolve(path));
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
  return [
    `${path}: ${count} rows of ${Object.keys(rows).length} tables, as they were at ${madeAt}`,
    `Not in it, so keep them apart from it: ENCRYPTION_KEYS (${settings.encryptionKeys.map(({ id }) => id).join(', ')}), ` +
      'PASSWORD_PEPPER, JWT_SECRET.',
  ];
});
