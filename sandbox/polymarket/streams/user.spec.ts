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
  let shift = 0;

  beforeAll(async () => {
    sandbox = await startSandbox({ clock });
    ({ account } = sandbox.polymarket);
    trader = new PolymarketTrader(sandbox.polymarket.account.clob_url, account, clock);
  });

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });

  afterAll(() => sandbox.close());

  function clock(): Date {
    return new Date(Date.now() + shift);
  }

  /** All steps of the one trade that a client hears of: the exchange's clock moves on as each arrives. */
  async function stepsOf(client: StreamClient): Promise<Json[]> {
    const isTrade = ofKind('trade', 'TRADE');
    await client.find(isTrade);
    shift += 600;
    await client.find(isTrade, 2);
    shift += 1_500;
    return client.find(isTrade, 3);
  }

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
    const makes = new PolymarketTrader(sandbox.polymarket.account.clob_url, maker, clock);
    const rested = await post('0.53', 'GTC', makes);
    const { orderID } = rested.body as { orderID: string };
    const sold = trader.sign({ tokenId: V2_YES, side: 'SELL', price: '0.53', size: '10' });
    sandbox.polymarket.exchange.ledger.apply({
      wallet: account.wallet_address,
      tokenId: V2_YES,
      ...{ side: 'BUY', size: 10_000_000n, money: 0n, at: new Date() },
    });
    expect((await trader.post(sold)).body).toMatchObject({ status: 'matched' });
    const trades = await stepsOf(mine);
    expect(trades).toMatchObject([
      { status: 'MATCHED', trader_side: 'TAKER', transaction_hash: '' },
      { status: 'MINED', transaction_hash: expect.stringMatching(/^0x/) },
      { status: 'CONFIRMED' },
    ]);
    expect(new Set(trades.map(({ id }) => id)).size).toBe(1);
    const parts = { maker_orders: expect.arrayContaining([expect.objectContaining({ order_id: orderID })]) };
    expect(await theirs.find(ofKind('trade', 'TRADE'), 3)).toMatchObject([{ ...parts, trader_side: 'MAKER' }, {}, {}]);
    expect(await theirs.find(ofKind('order', 'UPDATE'))).toMatchObject([
      { id: orderID, status: 'MATCHED', size_matched: '10' },
    ]);
    const { body } = await trader.call('GET', `/data/trades?id=${String(trades[0]?.id)}`);
    expect(body).toMatchObject({ data: [{ status: 'CONFIRMED' }] });
    const kinds = mine.messages.map(({ type }) => type).filter((type) => type !== 'TRADE');
    expect(kinds).toEqual(['PLACEMENT', 'UPDATE']);
  });

  it('contract.md 7 takes a trade back that the chain refuses, where REST does', async () => {
    const client = await open(sandbox.polymarket.addAccount());
    const owner = sandbox.polymarket.addAccount();
    const [mine, buyer] = [await open(owner), new PolymarketTrader(sandbox.polymarket.account.clob_url, owner, clock)];
    const control = (fail: boolean): Promise<Response> =>
      fetch(`${sandbox.controlUrl}/polymarket/trades`, { method: 'POST', body: JSON.stringify({ fail }) });
    expect((await control(true)).status).toBe(200);
    expect((await post('0.99', 'FAK', buyer)).body).toMatchObject({ status: 'matched' });
    await control(false);
    const { ledger } = sandbox.polymarket.exchange;
    expect(ledger.shares(owner.wallet_address, V2_YES)).toBeGreaterThan(0n);
    const trades = await stepsOf(mine);
    expect(trades.map(({ status }) => status)).toEqual(['MATCHED', 'RETRYING', 'FAILED']);
    expect(ledger.shares(owner.wallet_address, V2_YES)).toBe(0n);
    const { body } = await buyer.call('GET', '/data/trades');
    expect(body).toMatchObject({ data: [{ status: 'FAILED' }] });
    expect(client.texts).toEqual(['PONG']);
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
