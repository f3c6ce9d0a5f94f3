import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../../sandbox.js';
import { StreamClient } from '../../streams/client.js';
import { type Json } from '../../wire/json.js';
import { KalshiTrader } from '../trader.js';

const TICKER = 'KXHIGHNY-TODAY-B55.5';
const OTHER = 'KXNBAGAME-BOSNYK-BOS';

describe('books of the Kalshi stream', () => {
  let sandbox: Sandbox;
  let trader: KalshiTrader;
  const clients: StreamClient[] = [];

  beforeAll(async () => {
    sandbox = await startSandbox();
    trader = new KalshiTrader(sandbox.kalshi.account);
  });

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    sandbox.streamFaults.clear();
  });

  afterAll(() => sandbox.close());

  async function connect(): Promise<StreamClient> {
    const { ws_url } = sandbox.kalshi.account;
    const client = await StreamClient.open(ws_url, trader.headers('GET', new URL(ws_url).pathname));
    clients.push(client);
    return client;
  }

  async function subscribe(client: StreamClient, tickers: string[], extra: object = {}): Promise<void> {
    const params = { channels: ['orderbook_delta'], market_tickers: tickers, use_yes_price: true, ...extra };
    client.send({ id: 1, cmd: 'subscribe', params });
    await client.find(({ type }) => type === 'subscribed');
  }

  function ofType(type: string): (message: Json) => boolean {
    return (message) => message.type === type;
  }

  it('begins with the book that REST shows and goes on with its changes', async () => {
    const client = await connect();
    await subscribe(client, [TICKER]);
    const [snapshot] = await client.find(ofType('orderbook_snapshot'));
    const { body } = await trader.open(`/markets/${TICKER}/orderbook`);
    const rest = (body as { orderbook_fp: { yes_dollars: unknown[]; no_dollars: string[][] } }).orderbook_fp;
    expect(snapshot).toMatchObject({
      sid: 1,
      seq: 1,
      msg: { market_ticker: TICKER, yes_dollars_fp: rest.yes_dollars },
    });
    await trader.order({ price: '0.0200', count: '7.00', client_order_id: 'mine' });
    const [delta] = await client.find(ofType('orderbook_delta'));
    expect(delta).toMatchObject({
      sid: 1,
      seq: 2,
      msg: { market_ticker: TICKER, price_dollars: '0.020', delta_fp: '7.00', side: 'yes', client_order_id: 'mine' },
    });
  });

  it('is silent about a market that there is not', async () => {
    const client = await connect();
    await subscribe(client, ['NOPE', OTHER]);
    await client.find(ofType('orderbook_snapshot'));
    expect(client.messages.map(({ type }) => type)).toEqual(['subscribed', 'orderbook_snapshot']);
  });
});
