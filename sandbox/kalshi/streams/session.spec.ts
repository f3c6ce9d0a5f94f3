import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { type KalshiSandbox } from '../sandbox.js';
import { type Sandbox, startSandbox } from '../../sandbox.js';
import { StreamClient } from '../../streams/client.js';
import { type Json } from '../../wire/json.js';
import { KalshiTrader } from '../trader.js';

const TICKER = 'KXHIGHNY-TODAY-B55.5';
const GAME = 'KXNBAGAME-BOSNYK-BOS';
const COMBO = 'KXMVECROSS-S1-01';

type Keys = Pick<KalshiSandbox['account'], 'access_key' | 'private_key'>;

function ofType(type: string): (message: Json) => boolean {
  return (message) => message.type === type;
}

function errorOf(id: number): (message: Json) => boolean {
  return (message) => message.type === 'error' && message.id === id;
}

describe('Kalshi stream (streams.md 1)', () => {
  let sandbox: Sandbox;
  let trader: KalshiTrader;
  const clients: StreamClient[] = [];

  beforeAll(async () => {
    sandbox = await startSandbox();
    trader = new KalshiTrader(sandbox.kalshi.account);
  });

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });

  afterAll(() => sandbox.close());

  async function connect(keys: Keys = sandbox.kalshi.account): Promise<StreamClient> {
    const { ws_url, api_url } = sandbox.kalshi.account;
    const signer = new KalshiTrader({ ...keys, api_url });
    const client = await StreamClient.open(ws_url, signer.headers('GET', new URL(ws_url).pathname));
    clients.push(client);
    return client;
  }

  function keyNamed(name: string): Keys {
    const key = sandbox.kalshi.keys.find((one) => one.name === name);
    if (key === undefined) throw new Error('there is no such key');
    return key;
  }

  async function subscribe(client: StreamClient, channels: string[], params: object = {}): Promise<void> {
    client.send({ id: 1, cmd: 'subscribe', params: { channels, ...params } });
    await client.find(ofType('subscribed'), channels.length);
  }

  it('refuses an unsigned handshake with 401, also for public data, and another path with 404', async () => {
    const { ws_url } = sandbox.kalshi.account;
    await expect(StreamClient.open(ws_url)).rejects.toThrow('401');
    const elsewhere = ws_url.replace('/ws/', '/elsewhere/');
    await expect(StreamClient.open(elsewhere, trader.headers('GET', '/trade-api/ws/v2'))).rejects.toThrow('404');
  });

  it('contract.md 7 logs the handshake and lets faults of requests hit it', async () => {
    const path = '/trade-api/ws/v2';
    sandbox.faults.add({ exchange: 'kalshi', method: 'GET', path, fault: 'status', status: 429, times: 1 });
    await expect(connect()).rejects.toThrow('429');
    sandbox.faults.add({ exchange: 'kalshi', method: 'GET', path, fault: 'broken_body', times: 1 });
    await expect(connect()).rejects.toThrow('Sec-WebSocket-Accept');
    sandbox.faults.add({ exchange: 'kalshi', method: 'GET', path, fault: 'redirect', times: 1 });
    await expect(connect()).rejects.toThrow('302');
    expect(sandbox.log.list('kalshi').at(-1)).toMatchObject({ method: 'GET', path });
    await connect();
  });

  it.each([
    [1, '{'],
    [5, { id: 9, cmd: 'shout', params: {} }],
    [2, { id: 9, cmd: 'subscribe' }],
    [3, { id: 9, cmd: 'subscribe', params: { channels: [] } }],
    [8, { id: 9, cmd: 'subscribe', params: { channels: ['orderbook'] } }],
    [14, { id: 9, cmd: 'subscribe', params: { channels: ['orderbook_delta'] } }],
    [11, { id: 9, cmd: 'subscribe', params: { channels: ['trade'], market_ticker: 'A', market_tickers: ['B'] } }],
    [11, { id: 9, cmd: 'subscribe', params: { channels: ['trade'], market_ids: ['a'] } }],
    [4, { id: 9, cmd: 'unsubscribe', params: {} }],
    [7, { id: 9, cmd: 'unsubscribe', params: { sids: [77] } }],
    [7, { id: 9, cmd: 'update_subscription', params: { sid: 77, action: 'add_markets', market_ticker: 'A' } }],
    [12, { id: 9, cmd: 'update_subscription', params: { sids: [1, 2], action: 'add_markets', market_ticker: 'A' } }],
    [13, { id: 9, cmd: 'update_subscription', params: { sid: 1, action: 'shuffle', market_ticker: 'A' } }],
    [15, { id: 9, cmd: 'update_subscription', params: { sid: 1, market_ticker: 'A' } }],
  ])('answers error %d to %j', async (code, command) => {
    const client = await connect();
    client.send(command);
    const [error] = await client.find(ofType('error'));
    expect(error).toMatchObject({ msg: { code }, ...(typeof command === 'string' ? {} : { id: 9 }) });
  });

  it('counts each subscription on its own, through changes of it, snapshots and its end', async () => {
    const client = await connect();
    await subscribe(client, ['orderbook_delta', 'trade'], { market_tickers: [TICKER], use_yes_price: true });
    client.send({
      id: 2,
      cmd: 'update_subscription',
      params: { sids: [1], action: 'add_markets', market_tickers: [GAME] },
    });
    await client.find(ofType('orderbook_snapshot'), 2);
    client.send({
      id: 3,
      cmd: 'update_subscription',
      params: { sid: 1, action: 'get_snapshot', market_tickers: [TICKER] },
    });
    client.send({
      id: 4,
      cmd: 'update_subscription',
      params: { sid: 1, action: 'delete_markets', market_ticker: TICKER },
    });
    client.send({ id: 5, cmd: 'list_subscriptions' });
    client.send({ id: 6, cmd: 'unsubscribe', params: { sids: [1] } });
    await client.find(ofType('unsubscribed'));
    const seen = client.messages.map(({ id, type, sid, seq }) => ({ id, type, sid, seq }));
    expect(seen).toEqual([
      { id: 1, type: 'subscribed' },
      { type: 'orderbook_snapshot', sid: 1, seq: 1 },
      { id: 1, type: 'subscribed' },
      { id: 2, type: 'ok', sid: 1, seq: 2 },
      { type: 'orderbook_snapshot', sid: 1, seq: 3 },
      { type: 'orderbook_snapshot', sid: 1, seq: 4 },
      { id: 4, type: 'ok', sid: 1, seq: 5 },
      { id: 5, type: 'ok' },
      { id: 6, type: 'unsubscribed', sid: 1, seq: 6 },
    ]);
    const [first, second] = await client.find(ofType('ok'), 3);
    expect([first?.msg, second?.msg]).toEqual([{ market_tickers: [TICKER, GAME] }, { market_tickers: [GAME] }]);
    client.send({ id: 7, cmd: 'unsubscribe', params: { sids: [1] } });
    expect(await client.find(errorOf(7))).toMatchObject([{ msg: { code: 7 } }]);
  });

  it('writes NO levels in NO unless YES is asked for, and leaves an empty side out', async () => {
    const client = await connect();
    await subscribe(client, ['orderbook_delta'], { market_tickers: [TICKER] });
    client.send({
      id: 2,
      cmd: 'subscribe',
      params: { channels: ['orderbook_delta'], market_ticker: TICKER, use_yes_price: true },
    });
    const [inNo, inYes] = await client.find(ofType('orderbook_snapshot'), 2);
    const levels = (message: Json | undefined): string[][] =>
      (message?.msg as { no_dollars_fp: string[][] }).no_dollars_fp;
    const turned = levels(inYes).map(([price = '', size]) => [(1 - Number(price)).toFixed(4), size]);
    expect(turned).toEqual(levels(inNo));
  });

  it('tells of trades, tickers, fills, orders and positions of the same order, to its owner alone', async () => {
    const [mine, other] = [await connect(), await connect(await sandbox.kalshi.addAccount())];
    const channels = ['trade', 'ticker', 'fill', 'user_orders', 'market_positions'];
    for (const client of [mine, other]) await subscribe(client, channels, { market_tickers: [TICKER] });
    const { body } = await trader.order({ price: '0.9900', count: '3.00', client_order_id: 'crossing' });
    const { order_id } = body as { order_id: string };
    const [fill] = await mine.find(ofType('fill'));
    expect(fill).toMatchObject({
      sid: 3,
      msg: { order_id, client_order_id: 'crossing', count_fp: '3.00', is_taker: true },
    });
    expect(fill).not.toHaveProperty('seq');
    const [trade] = await other.find(ofType('trade'));
    const { trade_id } = (fill?.msg ?? {}) as { trade_id: string };
    expect(trade).toMatchObject({
      sid: 1,
      seq: 1,
      msg: { trade_id, taker_outcome_side: 'yes', taker_book_side: 'bid' },
    });
    const done = { order_id, status: 'executed', fill_count_fp: '3.00', last_update_reason: 'Trade' };
    expect(await mine.find(ofType('user_order'))).toMatchObject([{ sid: 4, msg: done }]);
    expect(await mine.find(ofType('market_position'))).toMatchObject([{ msg: { position_fp: '3.00', subaccount: 0 } }]);
    await other.find(ofType('ticker'));
    expect(new Set(other.messages.map(({ type }) => type))).toEqual(new Set(['subscribed', 'trade', 'ticker']));
  });

  it('sends a ticker at once where it is asked for, by UUID too', async () => {
    const client = await connect();
    await subscribe(client, ['ticker'], { market_ticker: GAME, send_initial_snapshot: true });
    const [ticker] = await client.find(ofType('ticker'));
    const { market_id } = (ticker?.msg ?? {}) as { market_id: string };
    client.send({ id: 2, cmd: 'subscribe', params: { channels: ['ticker'], market_id, send_initial_snapshot: true } });
    const [, again] = await client.find(ofType('ticker'), 2);
    expect(again).toMatchObject({ sid: 2, msg: { market_ticker: GAME, market_id } });
  });

  it('shows a bound key its subaccount alone, and a key that cannot read nothing private', async () => {
    const bound = await connect(keyNamed('subaccount'));
    await subscribe(bound, ['user_orders']);
    await trader.order({ price: '0.0100' });
    await trader.order({ price: '0.0100', subaccount: 1, client_order_id: 'of-one' });
    expect(await bound.find(ofType('user_order'))).toMatchObject([
      { msg: { subaccount_number: 1, client_order_id: 'of-one' } },
    ]);
    const blind = await connect(keyNamed('trade'));
    blind.send({ id: 1, cmd: 'subscribe', params: { channels: ['fill'] } });
    expect(await blind.find(errorOf(1))).toMatchObject([{ msg: { code: 9 } }]);
  });

  it('compresses for clients that offer it, and for no others', async () => {
    const { ws_url } = sandbox.kalshi.account;
    const plain = await connect();
    const offering = new WebSocket(ws_url, { headers: trader.headers('GET', new URL(ws_url).pathname) });
    await once(offering, 'open');
    expect([plain.socket.extensions, offering.extensions]).toEqual(['', 'permessage-deflate']);
    offering.terminate();
  });

  it('ends the subscriptions of a reader who does not read', async () => {
    const client = await connect();
    await subscribe(client, ['orderbook_delta'], { market_tickers: [TICKER] });
    client.socket.pause();
    const market_tickers = [...sandbox.kalshi.exchange.markets.keys()];
    const params = { sid: 1, action: 'get_snapshot', market_tickers };
    for (let at = 0; at < 2_000; at += 1) client.send({ id: at + 2, cmd: 'update_subscription', params });
    client.send({ id: 9_999, cmd: 'list_subscriptions' });
    while (client.socket.bufferedAmount > 0) await sleep(10);
    client.socket.resume();
    expect(await client.find(({ id }) => id === 9_999)).toMatchObject([{ msg: [] }]);
    const errors = client.messages.filter(ofType('error')).map(({ msg }) => (msg as Json).code);
    expect(new Set(errors)).toEqual(new Set([25, 7]));
  });

  it('contract.md 7 tells of pauses and ends of markets, of combos on a channel of their own', async () => {
    const client = await connect();
    await subscribe(client, ['market_lifecycle_v2', 'multivariate_market_lifecycle']);
    const control = async (change: object): Promise<number> => {
      const init = { method: 'POST', body: JSON.stringify(change) };
      return (await fetch(`${sandbox.controlUrl}/kalshi/markets`, init)).status;
    };
    expect(await control({ ticker: 'NOPE', paused: true })).toBe(404);
    expect(await control({ ticker: COMBO, paused: true })).toBe(200);
    expect(await control({ ticker: GAME, paused: true })).toBe(200);
    expect(await control({ ticker: GAME, result: 'no' })).toBe(200);
    expect(await client.find(ofType('multivariate_market_lifecycle'))).toMatchObject([
      { msg: { market_ticker: COMBO } },
    ]);
    const changes = await client.find(ofType('market_lifecycle_v2'), 3);
    expect(changes).toMatchObject([
      { sid: 1, seq: 1, msg: { market_ticker: GAME, event_type: 'deactivated', is_deactivated: true } },
      { sid: 1, seq: 2, msg: { event_type: 'determined', result: 'no', settlement_value: '0.0000' } },
      { sid: 1, seq: 3, msg: { event_type: 'settled' } },
    ]);
  });
});
