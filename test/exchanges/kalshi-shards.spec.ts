import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type KalshiAccount, KalshiSandbox } from '../../sandbox/kalshi/sandbox.js';
import { KalshiTrader } from '../../sandbox/kalshi/trader.js';
import { type Fault, FaultList } from '../../sandbox/wire/faults.js';
import { RequestLog } from '../../sandbox/wire/request-log.js';
import type { CredentialFacts } from '../../src/exchanges/credentials.contract.js';
import type { RecordedOrder } from '../../src/exchanges/orders.contract.js';
import type { KalshiTrading } from '../../src/exchanges/kalshi/trading/trading.js';
import { OrderSearch } from '../../src/exchanges/order-search.js';
import { Secret } from '../../src/platform/secrets/secret.js';
import { KalshiAdapter, madeOn, orderRequest } from '../support/fake-kalshi.js';
import { naming } from '../support/naming.js';

/** A market of each shard that holds money, and one of the shard that holds none. */
const MARKETS = { 0: 'KXHIGHNY-TODAY-B55.5', 2: 'KXBTCD-FRIDAY-T110000', 3: 'KXNBAGAME-BOSNYK-BOS' } as const;
const UNFUNDED = 'KXMVECROSS-S1-01';
const PAGE = { limit: 100, cursor: null };

const faults = new FaultList();
let sandbox: KalshiSandbox;
let adapter: KalshiAdapter;
let account: KalshiAccount;
let trading: KalshiTrading;

const tradingOf = (
  { access_key, private_key }: Pick<KalshiAccount, 'access_key' | 'private_key'>,
  facts?: CredentialFacts,
) => adapter.exchange.trading({ access_key: new Secret(access_key), private_key: new Secret(private_key) }, facts);
const prepared = (market_id: string, change: object = {}) =>
  trading.prepareOrder(
    orderRequest(adapter.exchange, { market_id, price: '0.02', size: '5', ...change }),
    naming(randomUUID()),
  );
const placed = async (market_id: string, change?: object) => (await prepared(market_id, change)).place();
const on =
  (market: string): RecordedOrder =>
  () =>
    Promise.resolve(madeOn(market));
const arm = (fault: Omit<Fault, 'exchange' | 'times'>): void => {
  faults.add({ exchange: 'kalshi', times: 1, ...fault });
};

beforeAll(async () => {
  sandbox = await KalshiSandbox.start({ faults, log: new RequestLog(), clock: () => new Date(), keyType: 'ed25519' });
  sandbox.exchange.transfers.delayMs = 0;
  adapter = new KalshiAdapter(sandbox.account.api_url, { MARKET_DATA_CACHE_TTL: '0' });
});

afterAll(async () => {
  await adapter.close();
  await sandbox.close();
});

beforeEach(async () => {
  faults.clear();
  account = await sandbox.addAccount({ keyType: 'ed25519', shards: { 2: '100.00', 3: '100.00' } });
  trading = tradingOf(account);
});

describe.each(Object.entries(MARKETS))('an order on shard %s', (shard, market) => {
  it('is created, read with and without our record, and cancelled', async () => {
    const { id } = await placed(market);
    expect(await trading.getOrder(id, on(market))).toMatchObject({ id, market_id: market, status: 'open' });
    expect(await trading.getOrder(id)).toMatchObject({ id, market_id: market, status: 'open' });
    expect(await trading.cancelOrder(id, on(market))).toMatchObject({ id, status: 'cancelled', cancelled_size: '5' });
    for (const recorded of [on(market), undefined]) {
      expect(await trading.getOrder(id, recorded)).toMatchObject({ id, status: 'cancelled' });
      expect(await trading.cancelOrder(id, recorded)).toMatchObject({ status: 'cancelled', filled_size: '0' });
    }
  });

  it('is cancelled where there is no record of it', async () => {
    const { id } = await placed(market);
    expect(await trading.cancelOrder(id)).toMatchObject({ id, cancelled_size: '5' });
  });

  it('is named by the own shard of its market once that was read', async () => {
    const { value } = await adapter.exchange.marketData.getMarket(market);
    expect(value.refs).toMatchObject({ exchange_index: Number(shard) });
    const { id } = await placed(market);
    expect(await trading.cancelOrder(id, on(market))).toMatchObject({ id });
  });

  it('is found after a lost answer, on its own market and anywhere', async () => {
    arm({ method: 'POST', path: '/portfolio/events/orders', fault: 'reset_after' });
    const order = await prepared(market);
    await expect(order.place()).rejects.toMatchObject({ code: 'order_outcome_unknown' });
    for (const search of [new OrderSearch(1_000), new OrderSearch()]) {
      expect(await order.find(search)).toMatchObject({ isAsAsked: true, order: { market_id: market, status: 'open' } });
    }
  });

  it('is refused for funds by what lies where', async () => {
    const before = await trading.getBalance();
    await expect(placed(market, { size: '900000' })).rejects.toMatchObject({
      code: 'exchange_rejected',
      details: {
        reason: 'insufficient_funds',
        shard: {
          needed: shard,
          available: [
            { shard: '0', available: '10000' },
            { shard: '2', available: '100' },
            { shard: '3', available: '100' },
          ],
        },
      },
    });
    expect(await trading.getBalance()).toMatchObject({ available: before.available });
  });

  it('holds money back on its shard alone, shown by name', async () => {
    await placed(market);
    const { reserved, breakdown } = await trading.getBalance();
    expect(reserved).toBe('0.1');
    expect(breakdown.map(({ key, label }) => [key, label])).toEqual([
      ['0', 'Default'],
      ['1', 'Exotics'],
      ['2', 'Crypto and commodities'],
      ['3', 'Shard 3'],
    ]);
    expect(breakdown.filter((part) => part.reserved !== '0')).toMatchObject([{ key: shard, reserved: '0.1' }]);
  });
});

describe('cancelling many orders on all shards', () => {
  it('contract.md 5.4 cancels those of one market, then all', async () => {
    const ids = new Map<string, string>();
    for (const market of Object.values(MARKETS)) ids.set(market, (await placed(market)).id);
    const one = await trading.cancelAllOrders({ market_id: MARKETS[2] });
    expect(one).toEqual({ cancelled: [ids.get(MARKETS[2])], not_cancelled: [] });
    expect(await trading.cancelAllOrders({ market_id: 'KXNONE-1' })).toEqual({ cancelled: [], not_cancelled: [] });
    const rest = await trading.cancelAllOrders();
    expect(new Set(rest.cancelled)).toEqual(new Set([ids.get(MARKETS[0]), ids.get(MARKETS[3])]));
    expect(rest.not_cancelled).toEqual([]);
    expect((await trading.listOrders({ status: 'open' }, PAGE)).items).toEqual([]);
  });

  it('contract.md 5.7 keeps to the account of the key', async () => {
    const bound = sandbox.keys.find(({ name }) => name === 'subaccount') ?? account;
    const facts = await tradingOf(bound).readFacts();
    expect(facts.key).toMatchObject({ isBound: true });
    const own = new KalshiTrader(sandbox.account);
    const sub = new KalshiTrader({ ...bound, api_url: account.api_url });
    await own.order({ ticker: MARKETS[2], price: '0.0200', count: '1' });
    const answer = await sub.order({ ticker: MARKETS[2], price: '0.0200', count: '1' });
    const id = (answer.body as { order_id: string }).order_id;
    const primary = tradingOf(sandbox.account);
    await expect(primary.getOrder(id, on(MARKETS[2]))).rejects.toMatchObject({ code: 'not_found' });
    await expect(primary.cancelOrder(id)).rejects.toMatchObject({ code: 'not_found' });
    expect((await primary.listOrders({ status: 'open' }, PAGE)).items.map((order) => order.id)).not.toContain(id);
    expect((await primary.cancelAllOrders()).cancelled).not.toContain(id);
    expect(await tradingOf(bound, facts).getOrder(id)).toMatchObject({ id, status: 'open' });
    expect((await tradingOf(bound, facts).getBalance()).breakdown).toEqual([]);
    expect(await tradingOf(bound, facts).cancelAllOrders()).toEqual({ cancelled: [id], not_cancelled: [] });
  });
});

describe('money between shards', () => {
  it('contract.md 5.7 lets an order pass where there was none', async () => {
    await expect(placed(UNFUNDED)).rejects.toMatchObject({ details: { shard: { needed: '1' } } });
    const terms = { from_shard: '0', to_shard: '1', amount: '12.5' };
    const transfer = await trading.transfers.create(terms, randomUUID());
    expect(transfer).toMatchObject({ ...terms, status: 'complete', created_at: expect.any(String) });
    expect((await trading.getBalance()).breakdown).toMatchObject([
      { available: '9987.5' },
      { available: '12.5' },
      {},
      {},
    ]);
    expect(await placed(UNFUNDED)).toMatchObject({ status: 'open' });
    expect((await trading.transfers.list(PAGE)).items).toEqual([transfer]);
    expect(await trading.transfers.get(transfer.id ?? '')).toEqual(transfer);
    await expect(trading.transfers.get(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
  });

  it('contract.md 5.8 a repeat is told as a duplicate, and a lost answer as unknown', async () => {
    const terms = { from_shard: '2', to_shard: '3', amount: '0.0001' };
    const id = randomUUID();
    arm({ method: 'POST', path: '/portfolio/intra_exchange_instance_transfer', fault: 'reset_after' });
    await expect(trading.transfers.create(terms, id)).rejects.toMatchObject({
      code: 'transfer_outcome_unknown',
      details: { client_transfer_id: id },
    });
    await expect(trading.transfers.create(terms, id)).rejects.toMatchObject({
      details: { reason: 'duplicate_transfer' },
    });
    expect((await trading.transfers.list(PAGE)).items).toMatchObject([{ ...terms, status: 'complete' }]);
  });

  it('is refused where the shard has less, and where it takes no transfers', async () => {
    const terms = { from_shard: '3', to_shard: '0', amount: '100.0001' };
    await expect(trading.transfers.create(terms, randomUUID())).rejects.toMatchObject({
      code: 'exchange_rejected',
      details: { reason: 'insufficient_funds' },
    });
    sandbox.exchange.changeShard(3, { transfersActive: false }, Date.now());
    const refused = trading.transfers.create({ ...terms, amount: '1' }, randomUUID());
    await expect(refused).rejects.toMatchObject({ code: 'transfer_outcome_unknown' });
    sandbox.exchange.changeShard(3, { transfersActive: true }, Date.now());
  });
});

describe('a key of the exchange', () => {
  it.each([
    ['read', ['cannot_trade']],
    ['read_trade', []],
    ['read_trade_transfer', ['can_transfer']],
    ['trade', []],
    ['subaccount', []],
  ])('contract.md 4 named %s is a good one, with the warnings %j', async (name, warnings) => {
    const key = sandbox.keys.find((candidate) => candidate.name === name) ?? account;
    await tradingOf(key).verify();
    const facts = await tradingOf(key).readFacts();
    expect(adapter.exchange.warningsOf(facts, new Date())).toEqual(warnings);
  });

  it('contract.md 4 without an attestation is warned of', async () => {
    const own = await sandbox.addAccount({ attestedUntil: null, keyType: 'ed25519' });
    const facts = await tradingOf(own).readFacts();
    expect(adapter.exchange.warningsOf(facts, new Date())).toEqual(['can_transfer', 'attestation_missing']);
  });

  it('kalshi.md 13 that trades alone cancels what it may not read, on the recorded market', async () => {
    const own = await sandbox.addAccount({ scopes: ['write::trade'], keyType: 'ed25519', shards: { 2: '10.00' } });
    trading = tradingOf(own);
    const { id } = await placed(MARKETS[2]);
    await expect(trading.cancelOrder(id)).rejects.toMatchObject({ details: { reason: 'permission_denied' } });
    expect(await trading.cancelOrder(id, on(MARKETS[2]))).toMatchObject({ id, status: 'cancelled' });
    await expect(trading.cancelOrder(id, on(MARKETS[2]))).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a shard whose trading is paused', () => {
  it('contract.md 5.2 makes its markets not tradable, once the status is read', async () => {
    const fresh = new KalshiAdapter(sandbox.account.api_url, { MARKET_DATA_CACHE_TTL: '0' });
    const tradable = async (market: string) => (await fresh.exchange.marketData.getMarket(market)).value.tradable;
    sandbox.exchange.changeShard(2, { tradingActive: false }, Date.now());
    while (await tradable(MARKETS[2])) await new Promise((resolve) => setTimeout(resolve, 20));
    expect([await tradable(MARKETS[0]), await tradable(MARKETS[2]), await tradable(MARKETS[3])]).toEqual([
      true,
      false,
      true,
    ]);
    await expect(placed(MARKETS[2])).rejects.toMatchObject({ code: 'exchange_unavailable' });
    sandbox.exchange.changeShard(2, { tradingActive: true }, Date.now());
    await fresh.close();
  });
});
