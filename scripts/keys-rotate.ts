import type { INestApplicationContext } from '@nestjs/common';
import { CredentialRotation, type RotationProgress } from '../src/commands/keys/credential-rotation.js';
import { KeysCommandModule } from '../src/commands/keys/keys.module.js';
import { runCommand, UsageError } from './command.js';

let last = '';

function tell({ keyId, done, total }: RotationProgress): void {
  const line = `${done} of ${total} rows have the first key, ${keyId}\n`;
  if (line !== last) process.stdout.write(line);
  last = line;
}

/** Seals everything anew with the first key (S-38). */
async function rotate(app: INestApplicationContext, words: readonly string[]): Promise<string[]> {
  if (words.length > 0) throw new UsageError('Usage: npm run keys:rotate');
  await app.get(CredentialRotation).run(tell);
  return ['Done. Keys behind the first one may be taken out of ENCRYPTION_KEYS; restart every instance then.'];
}

await runCommand(rotate, KeysCommandModule);
