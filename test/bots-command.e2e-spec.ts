import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exchangeAddresses } from '../sandbox/demo/environment.js';
import { aBot } from './support/bots.js';
import { testEnvironment } from './support/app.js';
import { get, post } from './support/calls.js';
import { EXCHANGE } from './support/exchanges.js';
import { exitOf, OwnProcesses } from './support/own-processes.js';
import { aTrader, startTestStand, type TestStand, type Trader } from './support/sandbox.js';

describe('contract.md 8.1 npm run bots, as an operator runs it', () => {
  let stand: TestStand;
  let trader: Trader;
  let own: OwnProcesses;

  beforeAll(async () => {
    stand = await startTestStand({ UPSTREAM_TIMEOUT: '2s' });
    trader = await aTrader(stand);
    own = await OwnProcesses.open();
  });

  afterAll(async () => {
    await own.close();
    await stand.close();
  });

  const run = async (...words: string[]): Promise<{ code: number | null | string; out: string }> => {
    const { database } = stand.app;
    const given = { ...testEnvironment({ port: own.port, dataDir: own.dataDir, database }), LOG_LEVEL: 'silent' };
    const settings = { ...given, ...exchangeAddresses(stand.sandbox.addresses) } as Record<string, string>;
    const started = own.run('scripts/bots.js', { ...settings, UPSTREAM_TIMEOUT: '2s' }, words);
    return { code: await exitOf(started), out: started.output() };
  };

  it('lists, halts, which cancels, and resumes what it has halted alone', async () => {
    const { app, sandbox } = stand;
    const [bot, other] = [await aBot(app, trader.user), await aBot(app, trader.user, { exchanges: ['polymarket'] })];
    const order = await EXCHANGE.kalshi.anOrder({ app, sandbox, key: trader.key });
    await post(app, '/kalshi/orders', order, bot.key).expect(200);
    await post(app, '/bot/halt', undefined, other.key).expect(200);
    expect((await run('list')).out).toContain(`${bot.id}\t${trader.user.id}\tactive`);
    const halted = await run('halt', '--user', trader.user.email);
    expect([halted.code, halted.out]).toEqual([0, expect.stringContaining(`${bot.id}\thalted (operator)\tcomplete`)]);
    expect(halted.out).toContain('kalshi: 1 cancelled, 0 not, 0 unsettled');
    expect((await get(app, '/kalshi/orders', bot.key)).body).toMatchObject({ data: [] });
    expect((await run('list', '--exchange', 'kalshi')).out).not.toContain(other.id);
    const resumed = await run('resume', '--all');
    expect([resumed.code, resumed.out.trim()]).toEqual([0, expect.stringMatching(new RegExp(`^${bot.id}\tresumed`))]);
    expect(resumed.out).not.toContain(other.id);
    await post(app, '/kalshi/orders', order, bot.key).expect(200);
  });

  it.each(['halt', 'halt --user', 'halt --exchange nowhere', 'start --all', 'resume --user nobody@example.com'])(
    'refuses %s',
    async (words) => {
      const { code, out } = await run(...words.split(' '));
      expect([code === 0, out]).toEqual([false, expect.stringMatching(/Usage|There is no/)]);
    },
  );
});
