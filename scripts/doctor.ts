import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { examine } from '../src/commands/doctor/doctor.js';
import { jsonOf, linesOf } from '../src/commands/doctor/doctor-lines.js';
import { plain } from '../src/commands/doctor/failure.js';
import { worstOf } from '../src/commands/doctor/finding.js';
import { processEnvironment } from '../src/platform/config/environment.js';
import { UsageError } from './command.js';

const USAGE = 'Usage: npm run doctor -- [--json] [--user EMAIL-OR-ID]';

interface Words {
  readonly isJson: boolean;
  readonly user: string | null;
}

function parse(words: readonly string[]): Words {
  try {
    const options = { json: { type: 'boolean' }, user: { type: 'string' } } as const;
    const { values } = parseArgs({ args: [...words], options, allowPositionals: false });
    if (values.user === '') throw new UsageError(USAGE);
    return { isJson: values.json === true, user: values.user ?? null };
  } catch {
    throw new UsageError(USAGE);
  }
}

/** Prints what was found, and returns the exit code: 1 where a check fails. */
async function doctor(words: readonly string[]): Promise<number> {
  const { isJson, user } = parse(words);
  const results = await examine(processEnvironment(), user);
  const lines = isJson ? [jsonOf(results)] : linesOf(results);
  await new Promise((resolve) => process.stdout.write(`${lines.join('\n')}\n`, resolve));
  return worstOf(results) === 'fail' ? 1 : 0;
}

// What modules log on their way is told by the checks.
Logger.overrideLogger(false);
try {
  process.exit(await doctor(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? plain(error.message) : 'unknown fault'}\n`);
  process.exit(1);
}
