import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { KalshiTrader } from '../kalshi/trader.js';
import { type Sandbox, startSandbox } from '../sandbox.js';
import { type Json } from '../wire/json.js';
import { StreamClient } from './client.js';
import { parseStreamFault } from './faults.js';

const TICKER = 'KXHIGHNY-TODAY-B55.5';
const OTHER = 'KXNBAGAME-BOSNYK-BOS';

describe('faults of streams (contract.md 7)', () => {
  let sandbox: Sandbox;
  let trader: KalshiTrader;
  const clients: StreamClient[] = [];

  beforeAll(async () => {
    sandbox = await startSandbox();
    trader = new KalshiTrader(sandbox.kalshi.account);
  });

  afterEach(async () => {
    sandbox.streamFaults.clear();
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });

  afterAll(() => sandbox.close());

  async function control(method: string, body?: object): Promise<unknown> {
    const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${sandbox.controlUrl}/faults`, init);
    return { status: answer.status, body: await answer.json() };
  }

  async function arm(fault: object): Promise<void> {
    const whole = { exchange: 'kalshi', ...fault };
    expect(await control('POST', whole)).toEqual({ status: 201, body: whole });
  }

  async function connect(): Promise<StreamClient> {
    const { ws_url } = sandbox.kalshi.account;
    const client = await StreamClient.open(ws_url, trader.headers('GET', new URL(ws_url).pathname));
    clients.push(client);
    return client;
  }

  /** Follows the books of both markets; all that came until then is forgotten. */
  async function follow(): Promise<StreamClient> {
    const client = await connect();
    client.send({
      id: 1,
      cmd: 'subscribe',
      params: { channels: ['orderbook_delta'], market_tickers: [TICKER, OTHER] },
    });
    await client.find(({ type }) => type === 'orderbook_snapshot', 2);
    client.clear();
    return client;
  }

  /** Changes a book by one small order. */
  async function change(ticker = TICKER): Promise<void> {
    expect((await trader.order({ ticker, price: '0.0100', count: '1.00' })).status).toBe(201);
  }

  function deltas(client: StreamClient, count: number): Promise<Json[]> {
    return client.find(({ type }) => type === 'orderbook_delta', count);
  }

  function numbers(messages: readonly Json[]): unknown[] {
    return messages.map(({ seq }) => seq);
  }

  it('are armed, listed and disarmed with those of requests', async () => {
    const fault = { exchange: 'polymarket', stream: 'silence_market', market_id: '0x1', for_ms: 60_000, times: 4 };
    await arm(fault);
    expect(await control('GET')).toEqual({ status: 200, body: [fault] });
    expect(await control('DELETE')).toEqual({ status: 200, body: { removed: 1 } });
    expect(await control('POST', { ...fault, stream: 'explode' })).toMatchObject({ status: 400 });
  });

  it.each([
    ['another exchange', { exchange: 'nyse' }, 'exchange must'],
    ['an unknown fault', { stream: 'explode' }, 'stream must be one of: drop'],
    ['no market where it is the point', { stream: 'silence_market' }, 'market_id must be given'],
    ['zero times', { times: 0 }, 'times must'],
    ['a time as text', { for_ms: '1' }, 'for_ms must'],
    ['a field of other faults', { path: '/' }, 'Unknown field "path"'],
  ])('refuses %s and says so', (_name, part, message) => {
    expect(() => parseStreamFault({ exchange: 'kalshi', stream: 'drop', ...part })).toThrow(message);
  });

  it('skip_sequence loses a message with its number', async () => {
    const client = await follow();
    await arm({ stream: 'skip_sequence' });
    await change();
    await change();
    expect(numbers(await deltas(client, 1))).toEqual([4]);
  });

  it('duplicate and reorder, as often as asked', async () => {
    const client = await follow();
    await arm({ stream: 'duplicate', times: 2 });
    for (let at = 0; at < 3; at += 1) await change();
    expect(numbers(await deltas(client, 5))).toEqual([3, 3, 4, 4, 5]);
    await arm({ stream: 'reorder' });
    await change();
    await change();
    expect(numbers((await deltas(client, 7)).slice(5))).toEqual([7, 6]);
  });

  it('silence_market hushes one market and uses up no numbers', async () => {
    const client = await follow();
    await arm({ stream: 'silence_market', market_id: TICKER });
    await change();
    await change(OTHER);
    expect(await deltas(client, 1)).toMatchObject([{ seq: 3, msg: { market_ticker: OTHER } }]);
    await control('DELETE');
    await change();
    expect(numbers(await deltas(client, 2))).toEqual([3, 4]);
  });

  it('silence hushes everything but pings, and ends by itself', async () => {
    const client = await follow();
    await arm({ stream: 'silence', times: 2 });
    await change();
    client.send({ id: 9, cmd: 'list_subscriptions' });
    const pong = new Promise((resolve) => client.socket.once('pong', resolve));
    client.socket.ping();
    await pong;
    await change();
    expect(numbers(await deltas(client, 1))).toEqual([4]);
    expect(client.messages).toHaveLength(1);
  });

  it('garbage comes in place of messages: cut JSON, a binary frame, JSON of no known shape', async () => {
    const client = await follow();
    await arm({ stream: 'garbage', times: 3 });
    for (let at = 0; at < 4; at += 1) await change();
    expect(numbers(await deltas(client, 1))).toEqual([6]);
    const [cut = '', binary, unknown = ''] = client.texts;
    expect(() => JSON.parse(cut) as unknown).toThrow();
    expect(binary).toBe('<binary>');
    expect(JSON.parse(unknown)).toMatchObject({ type: 'unheard_of' });
  });

  it('drop resets what is open, and new connections while it lasts', async () => {
    const client = await follow();
    await arm({ stream: 'drop', times: 1 });
    expect(await client.ended).toMatchObject({ code: 1006 });
    expect(await (await connect()).ended).toMatchObject({ code: 1006 });
    await follow();
  });

  it('drop by a market spares those that do not follow it', async () => {
    const [client, other] = [await follow(), await connect()];
    await arm({ stream: 'drop', market_id: TICKER });
    await client.ended;
    other.send({ id: 1, cmd: 'list_subscriptions' });
    expect(await other.find(({ id }) => id === 1)).toMatchObject([{ type: 'ok', msg: [] }]);
  });

  it('half_open says and hears nothing more, and the next connection is a good one', async () => {
    const client = await follow();
    await arm({ stream: 'half_open' });
    await change();
    client.send({ id: 9, cmd: 'list_subscriptions' });
    client.socket.ping();
    const next = await follow();
    await change();
    await deltas(next, 1);
    expect(client.texts).toEqual([]);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
  });

  it('slow lets one message out at a time, in order, and the rest once it is over', async () => {
    const client = await follow();
    await arm({ stream: 'slow' });
    for (let at = 0; at < 12; at += 1) await change();
    await deltas(client, 1);
    expect(client.messages.length).toBeLessThan(12);
    await control('DELETE');
    expect(numbers(await deltas(client, 12))).toEqual(Array.from({ length: 12 }, (_, at) => at + 3));
  });

  it('slow with too many messages waiting ends the subscription with error 25', async () => {
    const client = await follow();
    await arm({ stream: 'slow' });
    for (let at = 0; at < 1_500; at += 1) {
      const params = { sid: 1, action: 'get_snapshot', market_tickers: [TICKER] };
      client.send({ id: at + 2, cmd: 'update_subscription', params });
    }
    client.send({
      id: 2_000,
      cmd: 'update_subscription',
      params: { sid: 1, action: 'get_snapshot', market_ticker: TICKER },
    });
    const [over] = await client.find(({ type }) => type === 'error');
    expect(over).toMatchObject({ sid: 1, msg: { code: 25 } });
    await control('DELETE');
    expect(await client.find(({ id }) => id === 2_000)).toMatchObject([{ type: 'error', msg: { code: 7 } }]);
  });
});
