import { Logger } from '@nestjs/common';
import { processEnvironment } from '../src/platform/config/environment.js';
import { SessionKeyCommand } from '../src/commands/session-key/command.js';
import { CommandFailure } from '../src/commands/session-key/failure.js';
import { Servers } from '../src/commands/session-key/servers.js';
import { Terminal } from '../src/commands/session-key/terminal.js';
import { readWords } from '../src/commands/session-key/words.js';

// Only what is written for the owner is shown.
Logger.overrideLogger(false);

async function run(): Promise<void> {
  const asked = readWords(process.argv.slice(2));
  const servers = new Servers(processEnvironment());
  try {
    const terminal = new Terminal({ input: process.stdin, output: process.stdout, notes: process.stderr });
    // Secrets are not taken from a file that lies about in a working directory.
    await new SessionKeyCommand(servers, terminal, processEnvironment(null)).run(asked);
  } finally {
    await servers.close();
  }
}

try {
  await run();
} catch (error) {
  // Anything unforeseen may hold what nobody foresaw, so it is only named.
  const known = error instanceof CommandFailure ? error : null;
  const name = error instanceof Error ? error.name : 'unknown';
  process.stderr.write(
    `${known?.message ?? `Unexpected fault (${name}). Look with \`list\` before you run it again.`}\n`,
  );
  process.exitCode = known?.exitCode ?? 1;
}
