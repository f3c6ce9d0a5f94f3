import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exchangeAddresses } from '../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.js';
import { EXCHANGES } from '../src/exchanges/exchange.registry.js';
import { freePort } from './support/loopback.js';
import { exitOf, OwnProcesses } from './support/own-processes.js';

const ROUTES = EXCHANGES.flatMap(({ id, drift }) => drift.routes.map(({ path }) => `${id}\tok\tGET ${path}`));

describe('contract.md 9 npm run drift, as an operator runs it', () => {
  let sandbox: Sandbox;
  let own: OwnProcesses;

  beforeAll(async () => {
    sandbox = await startSandbox();
    own = await OwnProcesses.open();
  });

  afterAll(async () => {
    await own.close();
    await sandbox.close();
  });

  async function drift(
    words: readonly string[],
    environment: Readonly<Record<string, string>> = exchangeAddresses(sandbox.addresses),
  ): Promise<{ code: number | null | string; text: string }> {
    const started = own.run('scripts/drift.js', environment, words);
    return { code: await exitOf(started), text: started.output() };
  }

  it('finds nothing new at the sandbox, with a line for each route, and ends with 0', async () => {
    const { code, text } = await drift([]);
    const lines = text.trimEnd().split('\n');
    expect(lines.filter((line) => !/^\w+\tmarkets\t/.test(line))).toEqual(ROUTES);
    expect(lines).toHaveLength(ROUTES.length + EXCHANGES.length);
    expect(code).toBe(0);
  });

  it('needs neither secrets nor a database, not even in production, and keeps nothing', async () => {
    const { code } = await drift([], { ...exchangeAddresses(sandbox.addresses), NODE_ENV: 'production', PORT: 'none' });
    expect(code).toBe(0);
    expect(await readdir(own.dataDir)).toEqual([]);
  });

  it('prints JSON and nothing else with --json', async () => {
    const { code, text } = await drift(['--json']);
    const { exchanges } = JSON.parse(text) as { exchanges: { id: string; routes: { status: string }[] }[] };
    expect(exchanges.map(({ id }) => id)).toEqual(EXCHANGES.map(({ id }) => id));
    expect(new Set(exchanges.flatMap(({ routes }) => routes.map(({ status }) => status)))).toEqual(new Set(['ok']));
    expect(code).toBe(0);
  });

  it('ends with 1 where an exchange cannot be reached, and says the same as JSON', async () => {
    const nobody = { ...exchangeAddresses(sandbox.addresses), KALSHI_API_URL: `http://127.0.0.1:${await freePort()}` };
    const lines = await drift([], nobody);
    expect(lines.text).toContain('kalshi\tunreachable\tGET /markets\tunreachable\n');
    expect(lines.text).toContain('polymarket\tok\tGET /book\n');
    expect(lines.code).toBe(1);
    const json = await drift(['--json'], nobody);
    expect(JSON.parse(json.text)).toMatchObject({ exchanges: [{ id: 'kalshi', markets: {} }, { id: 'polymarket' }] });
    expect(json.code).toBe(1);
  });

  it.each([[['--yaml']], [['--json', '--json']], [['kalshi']]])(
    'explains itself to %j, and ends with 1',
    async (words) => {
      expect(await drift(words)).toEqual({ code: 1, text: 'Usage: npm run drift -- [--json]\n' });
    },
  );

  it('names an address that is none', async () => {
    const { code, text } = await drift([], { KALSHI_API_URL: 'ftp://example.com' });
    expect(text).toContain('KALSHI_API_URL must be an http: or https: address');
    expect(code).toBe(1);
  });
});
