import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testForLeaks } from './selftest/leak-test.js';

async function freePort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const address = server.address();
  await new Promise((done) => {
    server.close(done);
  });
  return String(typeof address === 'object' && address !== null ? address.port : 0);
}

/** `npm run selftest:leaks`: a service of its own, with an embedded database that is removed afterwards (contract.md 8.1). */
async function main(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trading-proxy-leaks-'));
  // As root the database runs as another user, who must get in.
  await chmod(dataDir, 0o755);
  try {
    const { operations, kinds, findings } = await testForLeaks({ PORT: await freePort(), DATA_DIR: dataDir });
    const lines = [
      `${operations} operations were driven; looked for: ${kinds.join(', ')}`,
      ...(findings.length === 0 ? ['Nothing leaks.'] : findings.map((finding) => `LEAK: ${finding}`)),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    return findings.length === 0 ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : 'unknown fault'}\n`);
    return 1;
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

process.exitCode = await main();
