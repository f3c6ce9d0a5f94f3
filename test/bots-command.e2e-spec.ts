import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aBot } from './support/bots.js';
import { get, post } from './support/calls.js';
import { EXCHANGE } from './support/exchanges.js';
import { OperatorStand } from './support/operator-command.js';

describe('contract.md 8.1 npm run bots, as an operator runs it', () => {
  let operator: OperatorStand;

  beforeAll(async () => {
    operator = await OperatorStand.start('bots');
  });

  afterAll(() => operator.close());

  const run = (...words: string[]): ReturnType<OperatorStand['run']> => operator.run(words);

  it('lists, halts, which cancels, and resumes what it has halted alone', async () => {
    const { stand, trader } = operator;
    const { app, sandbox } = stand;
    const [bot, other] = [await aBot(app, trader.user), await aBot(app, trader.user, { exchanges: ['polymarket'] })];
    const order = await EXCHANGE.kalshi.anOrder({ app, sandbox, key: trader.key });
    await post(app, '/kalshi/orders', order, bot.key).expect(200);
    await post(app, '/bot/halt', undefined, other.key).expect(200);
    expect((await run('list')).text).toContain(`${bot.id}\t${trader.user.id}\tactive`);
    const halted = await run('halt', '--user', trader.user.email);
    expect([halted.code, halted.text]).toEqual([0, expect.stringContaining(`${bot.id}\thalted (operator)\tcomplete`)]);
    expect(halted.text).toContain('kalshi: 1 cancelled, 0 not, 0 unsettled');
    expect((await get(app, '/kalshi/orders', bot.key)).body).toMatchObject({ data: [] });
    expect((await run('list', '--exchange', 'kalshi')).text).not.toContain(other.id);
    const resumed = await run('resume', '--all');
    expect([resumed.code, resumed.text.trim()]).toEqual([0, expect.stringMatching(new RegExp(`^${bot.id}\tresumed`))]);
    expect(resumed.text).not.toContain(other.id);
    await post(app, '/kalshi/orders', order, bot.key).expect(200);
  });

  it.each(['halt', 'halt --user', 'halt --exchange nowhere', 'start --all', 'resume --user nobody@example.com'])(
    'refuses %s',
    async (words) => {
      const { code, text } = await run(...words.split(' '));
      expect([code === 0, text]).toEqual([false, expect.stringMatching(/Usage|There is no/)]);
    },
  );
});
