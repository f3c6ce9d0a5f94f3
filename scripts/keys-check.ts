import type { INestApplicationContext } from '@nestjs/common';
import { CredentialReport, type KeyReport } from '../src/commands/keys/credential-report.js';
import { KeysCommandModule } from '../src/commands/keys/keys.module.js';
import { runCommand, UsageError } from './command.js';

const FAULTS = {
  missing: 'ENCRYPTION_KEYS has no key of this id',
  wrong: 'ENCRYPTION_KEYS has another key under this id than this database was written with',
};

function describe({ keyId, rows, broken, named, fault }: KeyReport): string[] {
  const notes = [...(broken > 0 ? [`${broken} do not open`] : []), ...(fault === null ? [] : [FAULTS[fault]])];
  return [
    [keyId, `${rows} rows`, ...notes].join('\t'),
    ...named.map(({ userId, exchange }) => `\tdoes not open: ${userId} ${exchange}`),
  ];
}

/** Reports the rows of each key id (S-38). */
async function check(app: INestApplicationContext, words: readonly string[]): Promise<string[]> {
  if (words.length > 0) throw new UsageError('Usage: npm run keys:check');
  const reports = await app.get(CredentialReport).make();
  if (reports.some(({ broken, fault }) => broken > 0 || fault !== null)) process.exitCode = 1;
  return reports.length === 0 ? ['No credentials are stored.'] : reports.flatMap(describe);
}

await runCommand(check, KeysCommandModule);
