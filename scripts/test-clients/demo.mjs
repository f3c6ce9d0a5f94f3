import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A port that is free now, below those that a system gives to others by itself. */
async function freePort() {
  const port = randomInt(11_000, 32_000);
  const server = createServer();
  const listens = once(server, 'listening');
  server.listen(port, '127.0.0.1');
  await listens;
  server.close();
  return port;
}

/** The demo in a folder of its own: its address, key and log-in, the control address of its sandbox, and its end. `settings` are some of those that it takes. */
export async function startDemo(settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'trading-proxy-demo-'));
  const port = await freePort();
  const environment = { ...process.env, ...settings, PORT: String(port), DATA_DIR: folder };
  const demo = spawn(process.execPath, [join(import.meta.dirname, '../../dist/sandbox/demo.js')], { env: environment });
  const ended = once(demo, 'exit');
  let said = '';
  const key = await new Promise((found, failed) => {
    demo.once('exit', () => failed(new Error(`the demo ended: ${said}`)));
    for (const output of [demo.stdout, demo.stderr]) {
      output.setEncoding('utf8').on('data', (text) => {
        said += text;
        const shown = /API key +(\S+)/.exec(said);
        if (shown) found(shown[1]);
      });
    }
  });
  const read = (name) => JSON.parse(readFileSync(join(folder, 'demo', name), 'utf8'));
  const controlUrl = read('sandbox.json').control_url;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    key,
    logIn: read('demo.json'),
    controlUrl,
    /** What the conformance server passes its cases on by (sdk/conformance). */
    live: { CONFORMANCE_LIVE: JSON.stringify({ url, key, control_url: controlUrl }) },
    async stop() {
      demo.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
