import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EXCHANGE_SETTINGS } from '../src/exchanges/exchange.registry.js';
import { CORE_SETTINGS } from '../src/platform/config/core.settings.js';
import { anAgent } from './support/agents.js';
import { createTestDatabase } from './support/database.js';
import { Loopback } from './support/loopback.js';
import { exitOf, OwnProcesses, type Started } from './support/own-processes.js';

const TAKEN = new Set(['PORT', 'DATA_DIR', 'LOG_LEVEL', 'RATE_LIMIT_API', 'MCP']);

/** Does what `curl -s 'URL' -H 'name: value' … -d 'body'` does. */
function paste(line: string): Promise<Response> {
  const [url = '', ...rest] = [...line.matchAll(/'([^']*)'/g)].map(([, quoted]) => quoted ?? '');
  const headers = rest.filter((text) => /^[\w-]+: /.test(text)).map((text) => text.split(': ', 2));
  const body = rest.find((text) => text.startsWith('{'));
  return fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(body === undefined ? {} : { body }),
  });
}

/** The names in the body of a line. */
function fieldsOf(line: string): string[] {
  const [, body = '{}'] = / -d '([^']*)'/.exec(line) ?? [];
  return Object.keys(JSON.parse(body) as object);
}

/** The address of the active session key in `GET /account/credentials`; nothing else is stored for Polymarket. */
function sessionKeyIn(body: unknown): unknown {
  const active = { address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/), state: 'active' };
  const { exchanges } = body as {
    exchanges: { polymarket: { session_key: { address: string; valid_until: string } } };
  };
  expect(exchanges).toMatchObject({ polymarket: { session_key: active, warnings: [] }, kalshi: { configured: true } });
  const { address, valid_until } = exchanges.polymarket.session_key;
  expect(Date.parse(valid_until)).toBeGreaterThan(Date.now() + 170 * 86_400_000);
  return address;
}

describe('the demo (contract.md 2, 7, S-57)', () => {
  let own: OwnProcesses;

  const demo = async (environment: Record<string, string> = {}): Promise<Started> => {
    const started = own.run('sandbox/demo.js', environment);
    await own.until(() => started.output().includes('/polymarket/balance'), started);
    return started;
  };

  const linesToPaste = (started: Started): string[] =>
    started
      .output()
      .split('\n')
      .filter((line) => line.startsWith('curl -s '));

  /** What a stream says first: `retry`, then the whole book. */
  const streamed = async (started: Started): Promise<string> => {
    const line = started
      .output()
      .split('\n')
      .find((text) => text.startsWith('curl -sN '));
    const { body } = await paste(line ?? '');
    let text = '';
    for await (const part of body ?? []) {
      text += Buffer.from(part as Uint8Array).toString('utf8');
      if (text.includes('"live"')) break;
    }
    return text;
  };

  const keepsKeys = async (): Promise<boolean> => {
    const page = await (await fetch(`${own.url}/docs/swagger-ui-init.js`)).text();
    return page.includes('"persistAuthorization": true');
  };

  const end = async (started: Started): Promise<void> => {
    started.child.kill('SIGINT');
    expect(await exitOf(started)).toBe(0);
  };

  beforeEach(async () => {
    own = await OwnProcesses.open();
  });

  afterEach(() => own.close());

  it('prints curl lines that work, keeps all in DATA_DIR/demo beside an earlier demo, leaves nothing running, runs twice', async () => {
    const dataDir = join(own.dataDir, 'demo');
    const accounts = new Set<string>();
    const sessionKeys = new Set<unknown>();
    await writeFile(join(own.dataDir, 'demo.json'), 'of an earlier demo');
    for (let round = 0; round < 2; round += 1) {
      const started = await demo();
      await own.until(() => started.output().includes('users -- delete demo@example.com'), started);
      expect(await keepsKeys()).toBe(true);
      const lines = linesToPaste(started);
      expect(lines).toHaveLength(11);
      expect(await streamed(started)).toMatch(/^retry: 2000\n\ndata: \{"type":"snapshot"/);
      const fields = (exchange: string): string[][] =>
        lines.filter((line) => line.includes(`/${exchange}/orders'`)).map(fieldsOf);
      expect(fields('polymarket')).toEqual(fields('kalshi'));
      for (const line of lines) {
        const answer = await paste(line);
        expect([line, answer.status]).toEqual([line, 200]);
        const exchange = /\/(kalshi|polymarket)\//.exec(line)?.[1];
        if (exchange === undefined) {
          sessionKeys.add(sessionKeyIn(await answer.json()));
          continue;
        }
        const bought = { data: [{ exchange, status: 'open', size: '6' }] };
        expect(await answer.json()).toMatchObject(line.includes('/positions') ? bought : { exchange });
      }
      const sandbox = JSON.parse(await readFile(join(dataDir, 'sandbox.json'), 'utf8')) as { control_url: string };
      expect((await stat(join(dataDir, 'sandbox.json'))).mode & 0o777).toBe(0o600);
      expect((await stat(join(dataDir, 'demo.json'))).mode & 0o777).toBe(0o600);
      expect((await fetch(`${sandbox.control_url}/requests`)).status).toBe(200);
      expect((await fetch(new URL('/requests', sandbox.control_url))).status).toBe(401);
      accounts.add(await readFile(join(dataDir, 'demo.json'), 'utf8'));
      await end(started);
      await expect(fetch(sandbox.control_url)).rejects.toThrow('fetch failed');
      await expect(stat(join(dataDir, 'postgres', 'data', 'postmaster.pid'))).rejects.toMatchObject({ code: 'ENOENT' });
    }
    expect(accounts.size).toBe(1);
    expect(sessionKeys.size).toBe(2);
    expect((await readdir(own.dataDir)).sort()).toEqual(['demo', 'demo.json']);
    expect(await readFile(join(own.dataDir, 'demo.json'), 'utf8')).toBe('of an earlier demo');
  });

  it('prints the line that connects an agent, where MCP is on', async () => {
    const started = await demo({ MCP: 'true' });
    const line = /^claude mcp add --transport http trading-proxy (\S+)\/mcp --header 'Authorization: Bearer (\S+)'$/m;
    await own.until(() => line.test(started.output()), started);
    const [, url = '', key = ''] = line.exec(started.output()) ?? [];
    const agent = await anAgent({ url }, key);
    expect((await agent.list()).map(({ name }) => name)).toContain('place_order');
    const { answer } = await agent.call('get_account');
    expect(answer).toMatchObject({ mode: 'sandbox', limits_left: { state: 'active', order_risk: '5' } });
    await agent.close();
    await end(started);
  });

  it('is the only place where Swagger UI keeps a key after its tab has closed', async () => {
    const database = await createTestDatabase();
    await own.serve({ DATABASE_URL: database.url });
    expect(await keepsKeys()).toBe(false);
    await own.close();
    await database.drop();
  });

  describe('beside settings for real', () => {
    let real: Loopback;

    beforeEach(async () => {
      real = await Loopback.start(createServer((socket) => socket.destroy()));
    });

    afterEach(() => real.close());

    it('S-57 never reaches a database, mail server, exchange or secret of the environment or of .env', async () => {
      const address = new URL(real.url).host;
      const all = [...Object.keys(CORE_SETTINGS), ...Object.keys(EXCHANGE_SETTINGS)].map(
        (name) => [name, 'x'] as const,
      );
      const settings = Object.entries({
        ...Object.fromEntries(all),
        NODE_ENV: 'production',
        HOST: '0.0.0.0',
        DATABASE_URL: `postgresql://a:b@${address}/real`,
        REDIS_URL: `redis://${address}`,
        SMTP_URL: `smtp://${address}`,
        ACCESS_MODE: 'whitelist',
        GOOGLE_CLIENT_ID: 'real',
        GITHUB_CLIENT_ID: 'real',
        KALSHI_API_URL: `http://${address}`,
        POLYMARKET_CLOB_URL: `http://${address}`,
        JWT_SECRET: 'real-jwt-secret-0123456789abcdefghijklmnop',
      }).filter(([name]) => !TAKEN.has(name));
      await writeFile(join(own.dataDir, '.env'), settings.map(([name, value]) => `${name}=${value}\n`).join(''));
      const started = await demo(Object.fromEntries(settings));
      const answers = await Promise.all(linesToPaste(started).map(paste));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const providers: unknown = await (await fetch(`${own.url}/auth/providers`)).json();
      expect(providers).toEqual({ providers: [] });
      expect((await stat(join(own.dataDir, 'demo', 'secrets.env'))).mode & 0o777).toBe(0o600);
      expect(await readFile(join(own.dataDir, 'demo', 'secrets.env'), 'utf8')).not.toContain('real-jwt-secret');
      await end(started);
      expect((await readdir(own.dataDir)).sort()).toEqual(['.env', 'demo']);
      expect(real.connections).toBe(0);
    });
  });
});
