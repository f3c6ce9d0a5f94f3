import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../../sandbox.js';
import { StreamClient } from '../../streams/client.js';
import { type Json } from '../../wire/json.js';
import { type PolymarketAccount } from '../sandbox.js';
import { type Answer, PolymarketTrader } from '../trader.js';

const V2_YES = BigInt(`0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(30)}`).toString();

function ofKind(event_type: string, type: string): (message: Json) => boolean {
  return (message) => message.event_type === event_type && message.type === type;
}

describe('user channel of the Polymarket stream (streams.md 2.7)', () => {
  let sandbox: Sandbox;
  let account: PolymarketAccount;
  let trader: PolymarketTrader;
  const clients: StreamClient[] = [];

  beforeAll(async () => {
    sandbox = await startSandbox();
    ({ account } = sandbox.polymarket);
    trader = new PolymarketTrader(sandbox.polymarket.account.clob_url, account);
  });

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });

  afterAll(() => sandbox.close());

  function authOf({ api_key, secret, passphrase }: PolymarketAccount): object {
    return { apiKey: api_key, secret, passphrase };
  }

  async function connect(auth: object, extra: object = {}): Promise<StreamClient> {
    const client = await StreamClient.open(`${sandbox.polymarket.account.ws_url}/user`);
    clients.push(client);
    client.send({ type: 'user', auth, ...extra });
    client.send('PING');
    return client;
  }

  /** Connects and waits until the exchange has read the first frame. */
  async function open(of: PolymarketAccount = account, extra: object = {}): Promise<StreamClient> {
    const client = await connect(authOf(of), extra);
    await client.findText('PONG');
    return client;
  }

  function post(price: string, orderType: 'GTC' | 'FOK' | 'FAK' = 'GTC', by = trader): Promise<Answer> {
    return by.post(by.sign({ tokenId: V2_YES, side: 'BUY', price, size: '10' }), { orderType });
  }

  it.each([
    ['a wrong secret', { secret: 'x' }],
    ['a wrong passphrase', { passphrase: 'x' }],
    ['an unknown key', { apiKey: 'x' }],
  ])('ends without a word for %s', async (_name, part) => {
    const client = await connect({ ...authOf(account), ...part });
    expect(await client.ended).toEqual({ code: 1006, reason: '' });
    expect(client.texts).toEqual([]);
  });

  it('tells of an order that rests and is cancelled, to its owner alone', async () => {
    const [mine, other] = [await open(), await open(sandbox.polymarket.addAccount())];
    const { body } = await post('0.02');
    const { orderID: id } = body as { orderID: string };
    const [placed] = await mine.find(ofKind('order', 'PLACEMENT'));
    expect(placed).toMatchObject({
      id,
      status: 'LIVE',
      size_matched: '0',
      original_size: '10',
      associate_trades: null,
    });
    await trader.call('DELETE', '/order', { orderID: id });
    const [cancelled] = await mine.find(ofKind('order', 'CANCELLATION'));
    expect(cancelled).toMatchObject({ id, status: 'CANCELED', asset_id: V2_YES, owner: account.api_key });
    expect(other.texts).toEqual(['PONG']);
  });

  it('tells a trade at each step under one id, as REST does, to taker and maker', async () => {
    const maker = sandbox.polymarket.addAccount();
    const [mine, theirs] = [await open(), await open(maker)];
    const makes = new PolymarketTrader(sandbox.polymarket.account.clob_url, maker);
    const rested = await post('0.53', 'GTC', makes);
    const { orderID } = rested.body as { orderID: string };
    const sold = trader.sign({ tokenId: V2_YES, side: 'SELL', price: '0.53', size: '10' });
    sandbox.polymarket.exchange.ledger.apply({
      wallet: account.wallet_address,
      tokenId: V2_YES,
      ...{ side: 'BUY', size: 10_000_000n, money: 0n, fee: 0n, at: new Date() },
    });
    expect((await trader.post(sold)).body).toMatchObject({ status: 'matched' });
    const isTrade = ofKind('trade', 'TRADE');
    const trades = await mine.find(isTrade, 3);
    expect(trades).toMatchObject([
      { status: 'MATCHED', trader_side: 'TAKER', transaction_hash: '' },
      { status: 'MINED', transaction_hash: expect.stringMatching(/^0x/) },
      { status: 'CONFIRMED' },
    ]);
    expect(new Set(trades.map(({ id }) => id)).size).toBe(1);
    const parts = { maker_orders: expect.arrayContaining([expect.objectContaining({ order_id: orderID })]) };
    expect(await theirs.find(isTrade, 3)).toMatchObject([{ ...parts, trader_side: 'MAKER' }, {}, {}]);
    expect(await theirs.find(ofKind('order', 'UPDATE'))).toMatchObject([
      { id: orderID, status: 'MATCHED', size_matched: '10' },
    ]);
    const { body } = await trader.call('GET', `/data/trades?id=${String(trades[0]?.id)}`);
    expect(body).toMatchObject({ data: [{ status: 'CONFIRMED' }] });
    const kinds = mine.messages.map(({ type }) => type).filter((type) => type !== 'TRADE');
    expect(kinds).toEqual(['PLACEMENT', 'UPDATE']);
  });

  it('says of a killed FOK what third parties saw', async () => {
    const client = await open();
    expect((await post('0.02', 'FOK')).status).toBe(400);
    const [killed] = await client.find(ofKind('order', 'CANCELLATION'));
    expect(killed).toMatchObject({
      status: expect.stringMatching(/^CANCELED_order couldn't be fully filled/),
      size_matched: '',
    });
  });

  it('narrows by markets where the client names some', async () => {
    const [narrow, all] = [await open(account, { markets: [`0x${'1'.repeat(64)}`] }), await open()];
    await post('0.02');
    await all.find(ofKind('order', 'PLACEMENT'));
    expect(narrow.texts).toEqual(['PONG']);
  });
});
