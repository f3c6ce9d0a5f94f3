import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Agent, GENERATIONS, type ToolAnswer } from '../support/agents.js';
import request from 'supertest';
import { walked } from '../catalogue/stand.js';
import { aBot } from '../support/bots.js';
import { get, post } from '../support/calls.js';
import { EXCHANGE, EXCHANGES } from '../support/exchanges.js';
import { seriesIn, sumOf } from '../support/scrape.js';
import { aTrader, startTestStand, type TestStand, type Trader } from '../support/sandbox.js';

const TOOLS = [
  'search_markets',
  'get_market',
  'get_orderbook',
  'get_candlesticks',
  'get_trades',
  'get_account',
  'get_portfolio',
  'list_orders',
  'get_order',
  'list_fills',
  'preview_order',
  'place_order',
  'cancel_order',
  'cancel_all_orders',
  'halt',
];

interface Listed {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: object;
  readonly outputSchema?: object;
  readonly annotations?: object;
}

describe('tools for agents (contract.md 5.20)', () => {
  let stand: TestStand;
  let trader: Trader;

  beforeAll(async () => {
    stand = await startTestStand({ MCP: 'true', RATE_LIMIT_ENABLED: 'true', CATALOGUE_REFRESH: '10m' });
    trader = await aTrader(stand);
    await walked({ get: (path) => get(stand.app, path, trader.key) });
  });

  afterAll(() => stand.close());

  const order = async (key: string, exchange: keyof typeof EXCHANGE): Promise<string> => {
    const body = await EXCHANGE[exchange].anOrder({ app: stand.app, sandbox: stand.sandbox, key });
    const answer = await post(stand.app, `/${exchange}/orders`, body, key);
    expect([answer.status, answer.text]).toMatchObject([200, expect.any(String)]);
    return (answer.body as { id: string }).id;
  };

  const good = async (asked: Promise<ToolAnswer>): Promise<Readonly<Record<string, unknown>>> => {
    const { isError, answer, structured, text } = await asked;
    expect([isError, isError ? text : '']).toEqual([false, '']);
    expect(structured).toEqual(answer);
    expect(answer).toMatchObject({
      mode: 'sandbox',
      limits_left: { state: 'active', open_risk: { USD: expect.any(String) } },
    });
    expect(Buffer.byteLength(JSON.stringify({ text, structured }))).toBeLessThan(20_000);
    return answer;
  };
  const refused = async (asked: Promise<ToolAnswer>): Promise<unknown[]> => {
    const { isError, answer } = await asked;
    const { code, details } = answer.error as { code: string; details?: { reason?: string; required_scope?: string } };
    expect([isError, answer.mode]).toEqual([true, 'sandbox']);
    return [code, details?.reason ?? details?.required_scope];
  };

  describe.each(GENERATIONS)('by the %s official client', (generation, start) => {
    const withBot = async (
      terms: object,
      work: (agent: Agent, bot: { key: string; id: string }) => Promise<void>,
    ): Promise<void> => {
      const bot = await aBot(stand.app, trader.user, { limits: { max_open_risk: '50' }, ...terms });
      const agent = await start(stand.app, bot.key);
      try {
        await work(agent, bot);
      } finally {
        await agent.close();
      }
    };

    it('lists the tools of the table, each with schemas, hints and two sentences', () =>
      withBot({}, async (agent) => {
        const tools = (await agent.list()) as readonly Listed[];
        expect(tools.map(({ name }) => name)).toEqual(TOOLS);
        const ajv = new Ajv({ strict: false });
        for (const { name, description = '', inputSchema, outputSchema = {}, annotations } of tools) {
          expect([name, description.split(/(?<=[a-z])\.(?: |$)/).filter((one) => one !== '').length]).toEqual([
            name,
            2,
          ]);
          expect([ajv.validateSchema(inputSchema), ajv.validateSchema(outputSchema)]).toEqual([true, true]);
          expect(annotations).toMatchObject({ readOnlyHint: !/place|cancel|halt/.test(name) });
        }
      }));

    it.each(EXCHANGES)('reads markets of %s', (exchange) =>
      withBot({ scopes: ['read'] }, async (agent) => {
        const { market, unknownMarket } = EXCHANGE[exchange];
        const found = await good(
          agent.call('search_markets', { query: exchange === 'kalshi' ? market : 'bitcoin', exchange }),
        );
        expect((found.data as object[]).length).toBeGreaterThan(0);
        expect((found.data as object[])[0]).toMatchObject({ exchange, untrusted_title: expect.any(String) });
        const one = { exchange, market_id: market };
        const read = await good(agent.call('get_market', one));
        expect(read).toMatchObject({ exchange, tradable: true, untrusted_title: expect.any(String) });
        const book = await good(agent.call('get_orderbook', { ...one, depth: 2 }));
        expect(book).toMatchObject({ bids: expect.any(Array), outcome_index: 0 });
        expect((book.bids as object[]).length).toBeLessThanOrEqual(2);
        const candles = await good(agent.call('get_candlesticks', { ...one, limit: 3 }));
        expect((candles.data as object[]).length).toBeLessThanOrEqual(3);
        const trades = await good(agent.call('get_trades', { ...one, limit: 1 }));
        expect(trades.data).toEqual([expect.objectContaining({ price: expect.any(String) })]);
        expect(await refused(agent.call('get_market', { exchange, market_id: unknownMarket }))).toEqual([
          'not_found',
          undefined,
        ]);
        expect(await refused(agent.call('list_orders', { exchange }))).toEqual(['forbidden', 'trade']);
      }),
    );

    it.each(EXCHANGES)('sees and cancels the orders of its bot alone at %s', (exchange) =>
      withBot({}, async (agent, { key }) => {
        const foreign = await order(trader.key, exchange);
        const own = await order(key, exchange);
        const listed = await good(agent.call('list_orders', { exchange }));
        expect(listed.data).toEqual([expect.objectContaining({ id: own, status: 'open' })]);
        expect(await good(agent.call('get_order', { exchange, order_id: own }))).toMatchObject({ order: { id: own } });
        expect(await refused(agent.call('get_order', { exchange, order_id: foreign }))).toEqual([
          'not_found',
          undefined,
        ]);
        expect(await refused(agent.call('cancel_order', { exchange, order_id: foreign }))).toEqual([
          'not_found',
          undefined,
        ]);
        expect(await good(agent.call('list_fills', { exchange }))).toMatchObject({ data: [], next_cursor: null });
        expect(await good(agent.call('cancel_order', { exchange, order_id: own }))).toMatchObject({
          id: own,
          status: 'cancelled',
        });
        const second = await order(key, exchange);
        expect(await good(agent.call('cancel_all_orders', { exchange }))).toMatchObject({
          cancelled: [second],
          not_cancelled: [],
        });
        const rest = await get(stand.app, `/${exchange}/orders/${foreign}`, trader.key).expect(200);
        expect(rest.body).toMatchObject({ status: 'open' });
      }),
    );

    it('tells of the account, and halts its bot, whose orders are refused then', () =>
      withBot({}, async (agent, { key, id }) => {
        const account = await good(agent.call('get_account'));
        expect(account.exchanges).toEqual(
          EXCHANGES.map((exchange) => expect.objectContaining({ exchange, configured: true })),
        );
        const { exchanges } = await good(agent.call('get_portfolio'));
        expect(exchanges).toEqual(
          EXCHANGES.map((exchange) => expect.objectContaining({ exchange, error: null, positions_complete: true })),
        );
        const resting = await order(key, 'kalshi');
        const halted = await agent.call('halt');
        expect(halted.answer).toMatchObject({ reason: 'bot', complete: true, limits_left: { state: 'halted' } });
        expect(JSON.stringify(halted.answer)).toContain(resting);
        const events = await get(stand.app, `/account/activity?bot_id=${id}`, trader.user.token).expect(200);
        expect((events.body as { data: object[] }).data).toContainEqual(
          expect.objectContaining({
            type: 'bot_halted',
            details: expect.objectContaining({ claimed_client: generation === 'newest' ? 'test agent 1.0.0' : 'node' }),
          }),
        );
        expect((await agent.call('get_account')).answer).toMatchObject({ limits_left: { state: 'halted' } });
      }));

    it('R-24 are counted by tool and by what came of them, unknown names never', () =>
      withBot({}, async (agent) => {
        const counted = async (labels: Readonly<Record<string, string>>): Promise<number> => {
          const { text } = await request(stand.app.url).get('/metrics');
          return sumOf(seriesIn(text), 'trading_proxy_agent_tool_calls_total', labels);
        };
        const kinds = [
          { tool: 'get_market', outcome: 'done' },
          { tool: 'get_market', outcome: 'refused' },
          { outcome: 'done' },
          { outcome: 'refused' },
        ];
        const before = await Promise.all(kinds.map(counted));
        await agent.call('get_market', { exchange: 'kalshi', market_id: EXCHANGE.kalshi.market });
        await agent.call('get_market', { exchange: 'kalshi', market_id: 'KXNOSUCH' });
        await agent.call('no_such_tool').catch(() => undefined);
        const after = await Promise.all(kinds.map(counted));
        expect(after.map((count, at) => count - (before[at] ?? 0))).toEqual([1, 1, 1, 1]);
      }));

    it('keeps a bot to its exchanges, but lets it see and cancel orders that it has elsewhere', () =>
      withBot({ exchanges: ['kalshi'] }, async (agent) => {
        const exchange = 'polymarket';
        const { market } = EXCHANGE.polymarket;
        for (const [tool, args] of [
          ['get_market', { market_id: market }],
          ['search_markets', { query: 'bitcoin' }],
          ['list_fills', {}],
        ] as const)
          expect(await refused(agent.call(tool, { exchange, ...args }))).toEqual(['forbidden', 'exchange_not_allowed']);
        expect((await agent.call('list_orders', { exchange })).isError).toBe(false);
        const everywhere = (await agent.call('search_markets', { query: EXCHANGE.kalshi.market })).answer;
        expect(everywhere).toMatchObject({
          data: [{ exchange: 'kalshi' }],
          as_of: [{ exchange: 'kalshi', at: expect.any(String) }],
        });
      }));
  });
});
