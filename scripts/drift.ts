import type { INestApplicationContext } from '@nestjs/common';
import { DriftModule } from '../src/commands/drift/drift.module.js';
import { isFailure, jsonOf, linesOf } from '../src/commands/drift/drift-lines.js';
import { driftSettings } from '../src/commands/drift/drift-settings.js';
import { DriftService } from '../src/commands/drift/drift.service.js';
import { runCommand, UsageError } from './command.js';

const USAGE = 'Usage: npm run drift -- [--json]';

async function drift(app: INestApplicationContext, words: readonly string[]): Promise<string[]> {
  if (words.length > 1 || words.some((word) => word !== '--json')) throw new UsageError(USAGE);
  const exchanges = await app.get(DriftService).make();
  if (isFailure(exchanges)) process.exitCode = 1;
  return words.includes('--json') ? [jsonOf(exchanges)] : linesOf(exchanges);
}

await runCommand(drift, DriftModule, driftSettings);
