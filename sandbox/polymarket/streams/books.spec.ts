import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../../sandbox.js';
import { StreamClient } from '../../streams/client.js';
import { type Json } from '../../wire/json.js';
import { WireServer } from '../../wire/server.js';
import { type Market } from '../market.js';
import { PolymarketTrader, request } from '../trader.js';
import { PolymarketStreams } from './streams.js';

const V2_YES = BigInt(`0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(30)}`).toString();
const CUSTOM = { custom_feature_enabled: true };

function ofType(type: string): (message: Json) => boolean {
  return ({ event_type }) => event_type === type;
}

describe('market channel of the Polymarket stream (streams.md 2)', () => {
  let sandbox: Sandbox;
  let trader: PolymarketTrader;
  const clients: StreamClient[] = [];

  beforeAll(async () => {
    sandbox = await startSandbox();
    trader = new PolymarketTrader(sandbox.polymarket.account.clob_url, sandbox.polymarket.account);
  });

  afterEach(async () => {
    sandbox.streamFaults.clear();
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });

  afterAll(() => sandbox.close());

  async function connect(tokens: readonly string[], extra: object = {}): Promise<StreamClient> {
    const client = await StreamClient.open(`${sandbox.polymarket.account.ws_url}/market`);
    clients.push(client);
    client.send({ type: 'market', assets_ids: tokens, ...extra });
    return client;
  }

  async function restBook(token: string): Promise<Json> {
    const { body } = await request(`${sandbox.polymarket.account.clob_url}/book?token_id=${token}`);
    return body as Json;
  }

  /** Open markets that nothing else here touches, of V1. */
  function openMarkets(): Market[] {
    const { markets } = sandbox.polymarket.exchange.catalogue;
    return markets.filter(
      ({ acceptingOrders, hasBook, version, seed }) =>
        acceptingOrders && hasBook && version === 'v1' && seed.behaviour === undefined && seed.bid !== null,
    );
  }

  async function change(market: Market, part: object): Promise<number> {
    const init = { method: 'POST', body: JSON.stringify({ market_id: market.conditionId, ...part }) };
    return (await fetch(`${sandbox.controlUrl}/polymarket/markets`, init)).status;
  }

  function rest(price: string, size = '7', side: 'BUY' | 'SELL' = 'BUY'): Promise<unknown> {
    return trader.post(trader.sign({ tokenId: V2_YES, side, price, size }));
  }

  it('begins with one array of the books that REST shows', async () => {
    const client = await connect([V2_YES, '1234']);
    const [book] = await client.find(ofType('book'));
    const { min_order_size, neg_risk, ...shown } = await restBook(V2_YES);
    expect([min_order_size, neg_risk]).toEqual(['5', false]);
    expect(book).toEqual({ ...shown, event_type: 'book' });
    expect(client.texts).toHaveLength(1);
    expect(client.texts[0]).toMatch(/^\[/);
  });

  it('answers an empty array where no token is live, and PONG to PING', async () => {
    const client = await connect(['1234']);
    await client.findText('[]');
    client.send('PING');
    await client.findText('PONG');
    expect(client.texts).toEqual(['[]', 'PONG']);
  });

  it('takes the form with type once, and says where a frame brings nothing new', async () => {
    const client = await connect([V2_YES]);
    client.send({ operation: 'subscribe', assets_ids: [V2_YES] });
    await client.findText('NO NEW ASSETS');
    client.send({ type: 'market', assets_ids: [V2_YES] });
    await client.findText('INVALID OPERATION');
    client.send({ operation: 'unsubscribe', assets_ids: [V2_YES] });
    client.send({ operation: 'subscribe', assets_ids: [V2_YES] });
    expect(await client.find(ofType('book'), 2)).toMatchObject([{ asset_id: V2_YES }, { asset_id: V2_YES }]);
  });

  it('goes on with new totals of levels of both tokens, and the hash of REST', async () => {
    const client = await connect([V2_YES]);
    await client.find(ofType('book'));
    await rest('0.01');
    const [first] = await client.find(ofType('price_change'));
    const { hash, timestamp } = await restBook(V2_YES);
    expect(first).toMatchObject({
      timestamp,
      price_changes: [
        { asset_id: V2_YES, price: '0.01', size: '7', side: 'BUY', hash },
        { price: '0.99', size: '7', side: 'SELL' },
      ],
    });
    await rest('0.01');
    const [, second] = await client.find(ofType('price_change'), 2);
    expect(second).toMatchObject({ price_changes: [{ price: '0.01', size: '14' }, {}] });
    await trader.call('DELETE', '/cancel-all');
    const [, , third] = await client.find(ofType('price_change'), 3);
    expect(third).toMatchObject({ price_changes: [{ price: '0.01', size: '0' }, {}] });
  });

  it('shows a trade as whole books, then the trade, and the best prices to those who asked', async () => {
    const [client, plain] = [await connect([V2_YES], CUSTOM), await connect([V2_YES])];
    for (const one of [client, plain]) await one.find(ofType('book'));
    const { asks } = (await restBook(V2_YES)) as { asks: { price: string; size: string }[] };
    const best = asks.at(-1) ?? { price: '', size: '' };
    await rest(best.price, best.size);
    const [trade] = await client.find(ofType('last_trade_price'));
    expect(trade).toMatchObject({
      asset_id: V2_YES,
      ...best,
      side: 'BUY',
      transaction_hash: expect.stringMatching(/^0x/),
    });
    const [bests] = await client.find(ofType('best_bid_ask'));
    expect(bests).toMatchObject({ asset_id: V2_YES, best_ask: asks.at(-2)?.price });
    expect(client.messages.map(({ event_type }) => event_type)).toEqual([
      'book',
      'book',
      'last_trade_price',
      'best_bid_ask',
    ]);
    const [, after] = await plain.find(ofType('book'), 2);
    expect(after).toMatchObject({ hash: (await restBook(V2_YES)).hash });
    expect(after).not.toHaveProperty('tick_size');
    await plain.find(ofType('last_trade_price'));
    expect(plain.messages).toHaveLength(3);
  });

  it('contract.md 7 tells of a finer tick, of new markets and of ends; the last end closes the connection', async () => {
    const [market, other] = openMarkets();
    if (market === undefined || other === undefined) throw new Error('there are too few markets');
    const client = await connect([...market.tokenIds, other.tokenIds[0]], CUSTOM);
    const plain = await connect(market.tokenIds);
    for (const one of [client, plain]) await one.find(ofType('book'), 2);
    expect(await change(market, { tick_size: '0.0001' })).toBe(200);
    const [tick] = await client.find(ofType('tick_size_change'), 2);
    expect(tick).toMatchObject({ asset_id: market.tokenIds[0], new_tick_size: '0.0001' });
    expect(await restBook(market.tokenIds[0])).toMatchObject({ tick_size: '0.0001' });
    await change(other, { announced: true });
    const [listed] = await client.find(ofType('new_market'));
    expect(listed).toMatchObject({ game_start_time: expect.stringMatching(/^\d{4}-\d{2}-\d{2} [\d:]{8}\+00$/) });
    await change(market, { winner: 1 });
    const [resolved] = await client.find(ofType('market_resolved'));
    expect(resolved).toMatchObject({ winning_asset_id: market.tokenIds[1], market: market.conditionId });
    const [emptied] = await client.find(ofType('price_change'));
    const sizes = (emptied?.price_changes as { size: string }[]).map(({ size }) => size);
    expect(new Set(sizes)).toEqual(new Set(['0']));
    expect(await plain.ended).toEqual({ code: 1000, reason: 'all subscribed assets resolved' });
    expect(plain.messages.map(({ event_type }) => event_type)).not.toContain('market_resolved');
    await change(other, { winner: 0 });
    expect(await client.ended).toMatchObject({ code: 1000 });
    const late = await connect([...market.tokenIds]);
    await late.findText('[]');
    expect(await change(market, { winner: 2 })).toBe(400);
  });

  it('forgets a connection on which nothing moves, without a close frame', async () => {
    const { exchange } = sandbox.polymarket;
    const server = new WireServer({
      ...{ exchange: 'polymarket', faults: sandbox.faults, log: sandbox.log, clock: exchange.clock },
      handler: () => ({ status: 426 }),
      upgrades: new PolymarketStreams(exchange, sandbox.streamFaults, 300),
    });
    const url = `${(await server.listen()).replace('http', 'ws')}/ws/market`;
    const quiet = await StreamClient.open(url);
    expect(await quiet.ended).toEqual({ code: 1006, reason: '' });
    const open = await StreamClient.open(`${sandbox.polymarket.account.ws_url}/market`);
    await server.close();
    expect(open.socket.readyState).toBe(open.socket.OPEN);
    await open.close();
  });

  it('faults name a market by condition or token; a slow reader is closed with 1013', async () => {
    const { conditionId } = openMarkets().at(-1) ?? { conditionId: '' };
    const token = openMarkets().at(-1)?.tokenIds[0] ?? '';
    for (const market_id of [conditionId, token]) {
      sandbox.streamFaults.add({ exchange: 'polymarket', stream: 'silence_market', market_id, times: 1 });
      const client = await connect([token]);
      await client.findText('[]');
    }
    sandbox.streamFaults.add({ exchange: 'polymarket', stream: 'slow' });
    const client = await connect([]);
    for (let at = 0; at < 1_500; at += 1) client.send('PING');
    expect(await client.ended).toEqual({ code: 1013, reason: 'slow consumer: send buffer full' });
  });
});
