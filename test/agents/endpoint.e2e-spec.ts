import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type Agent, callOf, GENERATIONS, message, resultIn } from '../support/agents.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { aBot, outcome } from '../support/bots.js';
import { get, remove } from '../support/calls.js';
import { longestHoldMs, LONGEST_MS } from '../support/hostile.js';
import { anApiKey, aUser, type TestUser } from '../support/users.js';

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
/** As many members as a body may have, about. */
const hundreds = (name: string): [string, string][] =>
  Array.from({ length: 200 }, (_, index) => [`${name}${index}`, 'x'.repeat(200)]);

describe('POST /mcp (contract.md 5.20)', () => {
  let app: TestApp;
  let user: TestUser;
  let key: string;

  beforeAll(async () => {
    app = await startTestApp({ MCP: 'true' });
    user = await aUser(app);
    ({ key } = await aBot(app, user));
  });

  afterAll(() => app.close());

  const asAgent = async (
    start: (typeof GENERATIONS)[number][1],
    work: (agent: Agent) => Promise<void>,
  ): Promise<void> => {
    const agent = await start(app, key);
    try {
      await work(agent);
    } finally {
      await agent.close();
    }
  };

  it.each(GENERATIONS)('speaks with the %s official client', (_, start) =>
    asAgent(start, async (agent) => {
      expect((await agent.list()).map(({ name }) => name)).toContain('get_account');
      const { isError, answer, structured } = await agent.call('get_account');
      expect(isError).toBe(false);
      expect(structured).toEqual(answer);
      expect(answer).toMatchObject({ mode: 'sandbox', truncated: false, limits_left: { state: 'active' } });
    }),
  );

  it('takes keys of bots alone', async () => {
    const main = await anApiKey(app, user, ['admin']);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect(outcome(await message(app, main, list))).toEqual([403, 'forbidden', 'bot_key_required']);
    expect(outcome(await message(app, user.token, list))).toEqual([401, 'unauthorized', 'wrong_token_type']);
    expect((await request(app.url).post('/mcp').send(list)).status).toBe(401);
    const gone = await aBot(app, user);
    await remove(app, `/account/bots/${gone.id}`, user.token).expect(200);
    expect(outcome(await message(app, gone.key, list))).toEqual([401, 'unauthorized', 'key_revoked']);
  });

  it('refuses arrays, pages of other origins, and other methods', async () => {
    const call = callOf('get_account');
    expect(outcome(await message(app, key, [call, call]))).toEqual([400, 'bad_request', undefined]);
    for (const origin of ['http://evil.example', 'null', `${app.settings.publicUrl}.evil.example`])
      expect(outcome(await message(app, key, call, { origin }))).toEqual([403, 'forbidden', undefined]);
    expect((await message(app, key, call, { origin: app.settings.publicUrl })).status).toBe(200);
    expect((await get(app, '/mcp', key)).status).toBe(405);
    expect((await remove(app, '/mcp', key)).status).toBe(405);
  });

  it('is no path where MCP is not set', async () => {
    const plain = await startTestApp({}, app.database);
    expect(outcome(await message(plain, key, callOf('get_account')))).toEqual([404, 'not_found', undefined]);
    await plain.close();
  });

  it('answers hostile bodies at once, with no tool called', async () => {
    const bodies = [
      'null',
      '{}',
      '[]',
      '[[[[]]]]',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}',
      '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
      '{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
      '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
      '{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}',
      JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(129), method: 'tools/list' }),
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 'x'.repeat(60_000) } }),
      nested(5_000),
      `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
      'x'.repeat(70_000),
      '{"jsonrpc":"2.0"',
    ];
    for (const body of bodies) {
      const began = performance.now();
      const answer = await message(app, key, body);
      expect([body.slice(0, 80), answer.text.includes('structuredContent')]).toEqual([body.slice(0, 80), false]);
      expect(performance.now() - began).toBeLessThan(2_000);
      expect(answer.status).toBeLessThan(500);
    }
  });

  it.each([
    ['64 lists of the tools', 64, { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    ['16 calls with the largest arguments', 16, callOf('search_markets', { query: 'x'.repeat(60_000) })],
    ['16 calls with the most arguments', 16, callOf('search_markets', Object.fromEntries(hundreds('query')))],
    ['16 calls with the deepest arguments', 16, callOf('get_market', JSON.parse(nested(10)) as object)],
  ])('S-53 %s at once do not hold the event loop', async (_, count, body) => {
    let statuses: number[] = [];
    const heldMs = await longestHoldMs(async () => {
      const answers = await Promise.all(Array.from({ length: count }, () => message(app, key, body)));
      statuses = answers.map(({ status }) => status);
    });
    expect(statuses).toEqual(Array.from({ length: count }, () => 200));
    expect(heldMs).toBeLessThan(LONGEST_MS);
  });

  it.each(['__proto__', 'constructor', 'toString', 'place_orders', '', 'x'.repeat(10_000)])(
    'knows no tool named %p',
    async (name) => {
      const answer = await message(app, key, callOf(name));
      expect(answer.text).toContain('-32602');
      expect(answer.text).not.toContain('structuredContent');
    },
  );

  it.each([
    ['{"__proto__":{"exchange":"kalshi"}}', 'exchange'],
    ['{"exchange":"kalshi","market_id":"KXA-1","constructor":1}', 'arguments'],
    ['{"exchange":"kalshi"}', 'market_id'],
    ['{"exchange":"__proto__","market_id":"KXA-1"}', 'exchange'],
    ['{"exchange":"kalshi","market_id":["KXA-1"]}', 'market_id'],
    [`{"exchange":"kalshi","market_id":"${'A'.repeat(201)}"}`, 'market_id'],
  ])('refuses the arguments %s', async (args, field) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_market","arguments":${args}}}`;
    const { isError, content } = resultIn(await message(app, key, body));
    const { error } = JSON.parse(content[0]?.text ?? '') as { error: { code: string; details: { fields: object[] } } };
    expect([isError, error.code, error.details.fields[0]]).toMatchObject([true, 'bad_request', { field }]);
  });

  it('counts a call as one request of the bot, and a cancel in the limit of cancels alone', async () => {
    const limited = await startTestApp({ MCP: 'true', RATE_LIMIT_ENABLED: 'true' }, app.database);
    const bot = await aBot(limited, user, { limits: { max_requests_per_minute: 2 } });
    const read = callOf('search_markets', { query: 'x' });
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await message(limited, bot.key, read)).status);
    expect(statuses).toEqual([200, 200, 429]);
    const cancel = await message(limited, bot.key, callOf('cancel_all_orders', { exchange: 'kalshi' }));
    expect(cancel.status).toBe(200);
    expect(resultIn(cancel).content[0]?.text).toContain('credentials_not_configured');
    expect(cancel.headers).toMatchObject({
      'cache-control': 'no-store',
      ratelimit: expect.stringContaining('"cancel"'),
    });
    await limited.close();
  });
});
