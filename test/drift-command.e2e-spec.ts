import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exchangeAddresses } from '../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.js';
import { EXCHANGES } from '../src/exchanges/exchange.registry.js';
import { freePort } from './support/loopback.js';
import { exitOf, OwnProcesses } from './support/own-processes.js';

const ROUTES = EXCHANGES.flatMap(({ id, drift }) => drift.routes.map(({ path }) => [id, `GET ${path}`] as const));

describe('contract.md 8.1 npm run drift, as an operator runs it', () => {
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

  /** The versions of markets in the sandbox that nobody knows: it has a market for those who trust any. */
  async function strangeVersions(): Promise<string[]> {
    const answer = await fetch(`${sandbox.addresses.polymarket.gamma_url}/markets/keyset?limit=100&closed=false`);
    const { markets } = (await answer.json()) as { markets: { version?: string }[] };
    return markets.flatMap(({ version }) => (['v1', 'v2', undefined].includes(version) ? [] : [String(version)]));
  }

  it('finds nothing else that is new at the sandbox, with a line for each route, and ends with 0', async () => {
    const { code, text } = await drift([]);
    const values = (await strangeVersions()).map((version) => `markets[].version: ${version}`);
    const lines = text.trimEnd().split('\n');
    const expected = ROUTES.map(([id, route]) =>
      route === 'GET /markets/keyset' && values.length > 0
        ? `${id}\tchanged\t${route}\tvalues ${values.join(', ')}`
        : `${id}\tok\t${route}`,
    );
    expect(lines.filter((line) => !/^\w+\tmarkets\t/.test(line))).toEqual(expected);
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
    const { exchanges } = JSON.parse(text) as { exchanges: { id: string; routes: { route: string }[] }[] };
    expect(exchanges.flatMap(({ id, routes }) => routes.map(({ route }) => [id, route]))).toEqual(ROUTES);
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
