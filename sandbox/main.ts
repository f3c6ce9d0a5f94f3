import { join, resolve } from 'node:path';
import { exchangeAddresses } from './demo/environment.js';
import { type Sandbox, startSandbox } from './sandbox.js';

/** `npm run sandbox`: the exchanges alone, until SIGINT or SIGTERM. Reads `DATA_DIR` (default `.data`) and nothing else. */
async function main(): Promise<void> {
  const dataDir = resolve(process.env.DATA_DIR ?? '.data');
  const sandbox = await startSandbox({ dataDir });
  process.stdout.write(summary(sandbox, dataDir));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
}

function summary({ addresses }: Sandbox, dataDir: string): string {
  return [
    'Sandbox exchanges are running (play money, loopback only).',
    ...Object.entries(exchangeAddresses(addresses)).map(([name, url]) => `  ${name.padEnd(24)}${url}`),
    `  ${'control'.padEnd(24)}${addresses.control_url}`,
    `Accounts and keys: ${join(dataDir, 'sandbox.json')}`,
    '',
  ].join('\n');
}

main().catch((error: unknown) => {
  process.stderr.write(`The sandbox could not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
