import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { exchangeAddresses, exchangeCredentials } from '../../sandbox/demo/environment.js';
import { KalshiTrader } from '../../sandbox/kalshi/trader.js';
import { PolymarketTrader } from '../../sandbox/polymarket/trader.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import type { StreamFault } from '../../sandbox/streams/faults.js';
import { add } from '../../src/exchanges/decimal.js';
import { KalshiExchange } from '../../src/exchanges/kalshi/kalshi.exchange.js';
import { LongReads } from '../../src/exchanges/long-reads.js';
import { PolymarketExchange } from '../../src/exchanges/polymarket/polymarket.exchange.js';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import type { FillDto, OrderDto } from '../../src/exchanges/unified.trading.dto.js';
import { AccountFeed } from '../../src/feeds/account-feed.js';
import { AccountFeeds, type HeldFeed } from '../../src/feeds/account-feeds.js';
import { type FeedClock, HOST_CLOCK } from '../../src/feeds/feed-parts.js';
import type { AccountMessage, AccountReader } from '../../src/feeds/private-messages.js';
import { Settings } from '../../src/platform/config/settings.js';
import { AppError } from '../../src/platform/errors/app-error.js';
import { Secret } from '../../src/platform/secrets/secret.js';
import { UpstreamClients } from '../../src/platform/upstream/upstream-clients.js';
import { webSockets } from '../../src/platform/upstream/web-socket.js';
import { ADAPTER_SETTINGS } from '../support/settings.js';

/** The first outcome of a market of V2, where a deposit wallet can trade. */
const TOKEN = BigInt(`0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(30)}`).toString();

/** A reader that folds what it is told, and complains of what is told twice. */
class Account implements AccountReader {
  readonly messages: AccountMessage[] = [];
  readonly fills = new Map<string, FillDto>();
  readonly states = new Map<string, FillDto['status'][]>();
  readonly orders = new Map<string, OrderDto>();

  tell(message: AccountMessage): void {
    this.messages.push(message);
    if (message.type === 'fill') {
      const { id, status } = message.fill;
      this.fills.set(id, message.fill);
      this.states.set(id, [...(this.states.get(id) ?? []), status]);
    } else if (message.type === 'order') this.orders.set(message.order.id, message.order);
    else if (message.type === 'orders') for (const order of message.orders) this.orders.set(order.id, order);
  }

  get filled(): string {
    return [...this.fills.values()].reduce((sum, { size }) => add(sum, size), '0');
  }

  get told(): string[] {
    return this.messages.map((message) =>
      message.type === 'status' ? `${message.state} ${message.reason ?? message.source}` : message.type,
    );
  }
}

describe('feeds.md 6 what becomes of own orders, in front of the stand-ins', () => {
  let sandbox: Sandbox;
  let settings: Settings;
  let clients: UpstreamClients;
  let feeds: AccountFeeds;
  let kalshi: KalshiExchange;
  let polymarket: PolymarketExchange;
  let account: Account;
  const held: HeldFeed[] = [];

  beforeAll(async () => {
    sandbox = await startSandbox();
    const variables = { ...ADAPTER_SETTINGS, ...exchangeAddresses(sandbox.addresses) };
    settings = Settings.read(variables, { ...KalshiExchange.settings, ...PolymarketExchange.settings });
    clients = new UpstreamClients(settings);
    feeds = new AccountFeeds(settings);
    kalshi = new KalshiExchange(settings, clients, new LongReads(settings));
    polymarket = new PolymarketExchange(settings, clients, new LongReads(settings));
  });

  afterEach(async () => {
    sandbox.streamFaults.clear();
    for (const one of held.splice(0)) {
      one.feed.stop();
      one.release();
    }
    await fetch(`${sandbox.controlUrl}/polymarket/trades`, { method: 'POST', body: JSON.stringify({ fail: false }) });
  });

  afterAll(async () => {
    await feeds.onApplicationShutdown();
    await clients.onApplicationShutdown();
    await sandbox.close();
  });

  function credentials(exchange: 'kalshi' | 'polymarket'): never {
    const fields = Object.entries(exchangeCredentials(sandbox.addresses)[exchange]) as [string, string][];
    return Object.fromEntries(fields.map(([name, value]) => [name, new Secret(value)])) as never;
  }

  /** Follows an account until all of it is told. */
  async function follow(exchange: 'kalshi' | 'polymarket', open?: () => Trading): Promise<HeldFeed> {
    const own = (): Trading =>
      exchange === 'kalshi' ? kalshi.trading(credentials('kalshi')) : polymarket.trading(credentials('polymarket'));
    account = new Account();
    const one = feeds.hold(
      { userId: 'u', exchange, version: String(Math.random()) },
      {
        open: () => Promise.resolve((open ?? own)()),
        recorded: () => () => Promise.resolve(null),
        run: (work) => work(),
        skewMs: () => 0,
      },
    );
    held.push(one);
    one.feed.join(account);
    await feeds.whenSure(one);
    return one;
  }

  /** The same by a clock of ours that is so many ms ahead of the exchange's, of which `skewMs` is known. */
  async function followBy(exchange: 'kalshi' | 'polymarket', aheadMs: () => number, skewMs = 0): Promise<AccountFeed> {
    const clock: FeedClock = { ...HOST_CLOCK, now: () => Date.now() + aheadMs() };
    const open = (): Trading =>
      exchange === 'kalshi' ? kalshi.trading(credentials('kalshi')) : polymarket.trading(credentials('polymarket'));
    const feed = new AccountFeed({
      connect: webSockets(2_000),
      clock,
      random: Math.random,
      open: () => Promise.resolve(open()),
      recorded: () => () => Promise.resolve(null),
      run: (work) => work(),
      skewMs: () => skewMs,
    });
    held.push({ feed, release: () => undefined });
    account = new Account();
    feed.join(account);
    feed.start();
    await feed.whenSure(10_000);
    return feed;
  }

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  function arm(exchange: 'kalshi' | 'polymarket', fault: Omit<StreamFault, 'exchange'>): void {
    sandbox.streamFaults.add({ exchange, ...fault });
  }

  /** Buys so many of Kalshi's contracts at once. */
  async function buy(count: number): Promise<string> {
    const trader = new KalshiTrader(sandbox.kalshi.account);
    const { body } = await trader.order({
      price: '0.9900',
      count: `${count}.00`,
      time_in_force: 'immediate_or_cancel',
    });
    return (body as { order_id: string }).order_id;
  }

  /** Buys shares of Polymarket for some dollars at once. */
  async function take(size: string): Promise<string> {
    const trader = new PolymarketTrader(sandbox.polymarket.account.clob_url, sandbox.polymarket.account);
    const order = trader.sign({ tokenId: TOKEN, side: 'BUY', price: '0.99', size });
    const { body } = await trader.post(order, { orderType: 'FAK' });
    return (body as { orderID: string }).orderID;
  }

  it('tells orders and fills of Kalshi as HTTP shows them, each once', async () => {
    await follow('kalshi');
    arm('kalshi', { stream: 'duplicate', times: 4 });
    const id = await buy(3);
    await until(() => account.filled === '3' && account.orders.has(id));
    const trading = kalshi.trading(credentials('kalshi'));
    const { trade_ids, ...shown } = await trading.getOrder(id);
    expect(account.orders.get(id)).toEqual({ ...shown, trade_ids: null });
    const { items } = await trading.listFills({ order_id: id }, { limit: 10, cursor: null });
    expect([...account.fills.values()].toReversed()).toEqual(items);
    expect(trade_ids).toEqual(items.map((fill) => fill.id));
    expect([...account.states.values()].flat()).toEqual(items.map(() => 'confirmed'));
    expect(account.told.filter((what) => what !== 'order' && what !== 'fill')).toEqual(['orders', 'live stream']);
  });

  it('tells each step of a trade of Polymarket under one id, also that it failed', async () => {
    await follow('polymarket');
    const control = `${sandbox.controlUrl}/polymarket/trades`;
    await fetch(control, { method: 'POST', body: JSON.stringify({ fail: true }) });
    const id = await take('5');
    await until(() => [...account.fills.values()].some(({ status }) => status === 'failed'));
    expect([...account.states.values()]).toEqual([['pending', 'failed']]);
    const { items } = await polymarket
      .trading(credentials('polymarket'))
      .listFills({ order_id: id }, { limit: 10, cursor: null });
    expect([...account.fills.values()]).toEqual(items);
    expect(account.orders.get(id)).toMatchObject({ status: 'filled', side: 'buy', outcome: { index: 0 } });
  });

  it('reads a fill again of which the stream never says how it ended', async () => {
    let aheadMs = 0;
    const feed = await followBy('polymarket', () => aheadMs);
    const id = await take('5');
    await until(() => account.fills.size > 0);
    arm('polymarket', { stream: 'silence', for_ms: 20_000 });
    const ends = async (): Promise<boolean> => {
      const trading = polymarket.trading(credentials('polymarket'));
      const { items } = await trading.listFills({ order_id: id }, { limit: 10, cursor: null });
      return items.every(({ status }) => status === 'confirmed');
    };
    while (!(await ends())) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(new Set([...account.states.values()].flat())).toEqual(new Set(['pending']));
    for (let step = 0; step < 4; step += 1) {
      const heardMs = feed.heardMs ?? 0;
      aheadMs += 10_000;
      feed.tick();
      await until(() => (feed.heardMs ?? 0) > heardMs);
    }
    await until(() => [...account.fills.values()].every(({ status }) => status === 'confirmed'));
    expect(account.told.filter((what) => what.startsWith('stale'))).toEqual([]);
  }, 15_000);

  it.each([
    ['a connection that is reset', 'kalshi', { stream: 'drop' }, 'exchange_disconnected'],
    ['a frame that cannot be read', 'kalshi', { stream: 'garbage', times: 1 }, 'mismatch'],
    ['a connection that is reset', 'polymarket', { stream: 'drop' }, 'exchange_disconnected'],
    ['a frame that cannot be read', 'polymarket', { stream: 'garbage', times: 1 }, 'mismatch'],
  ] as const)('says stale after %s of %s, and then what was missed', async (_name, exchange, fault, reason) => {
    await follow(exchange);
    arm(exchange, fault);
    const id = await (exchange === 'kalshi' ? buy(2) : take('4'));
    await until(() => account.told.lastIndexOf('live stream') > account.told.indexOf(`stale ${reason}`));
    await until(() => account.told.includes(`stale ${reason}`) && account.filled !== '0');
    expect(account.told.indexOf(`stale ${reason}`)).toBeLessThan(account.told.lastIndexOf('orders'));
    expect([...account.fills.values()].every(({ order_id }) => order_id === id)).toBe(true);
    expect([...account.states.values()].every((states) => new Set(states).size === states.length)).toBe(true);
  });

  it.each([600_000, -600_000])('reads what was missed also by a clock that is %d ms off', async (offMs) => {
    await followBy('kalshi', () => offMs, -offMs);
    arm('kalshi', { stream: 'drop' });
    await buy(2);
    await until(() => account.filled === '2');
    expect([...account.states.values()].every((states) => states.length === 1)).toBe(true);
  });

  it('ends where the exchange refuses the credentials', async () => {
    const wrong = (): Trading =>
      polymarket.trading({
        ...(credentials('polymarket') as object),
        secret: new Secret('AAAA'),
      } as never);
    await expect(follow('polymarket', wrong)).rejects.toMatchObject({ code: 'credentials_rejected' });
    await expect(
      follow('kalshi', () => {
        throw new AppError('credentials_not_configured', 'none');
      }),
    ).rejects.toMatchObject({ code: 'credentials_not_configured' });
  });

  it('polls where the exchange refuses the stream, and says so', async () => {
    const unheard = (): Trading => {
      const trading = kalshi.trading(credentials('kalshi')) as Trading;
      const [stream] = trading.privateStreams ?? [];
      if (stream === undefined) throw new Error('there is no stream');
      const headers = () => Promise.resolve({});
      const refused = { ...stream, headers, line: () => stream.line(), name: stream.name, url: `${stream.url}/not` };
      return Object.assign(trading, { privateStreams: [refused] });
    };
    const { feed } = await follow('kalshi', unheard);
    expect(feed.status).toMatchObject({ state: 'live', source: 'polling' });
    await buy(1);
    await until(() => account.filled === '1');
  }, 15_000);

  it('tells every fill over random cuts, each folded once', async () => {
    await follow('kalshi');
    let bought = 0;
    for (let at = 0; at < 12; at += 1) {
      const count = 1 + Math.floor(Math.random() * 3);
      const order = buy(count);
      if (at % 3 === 0) arm('kalshi', { stream: 'drop' });
      else if (at % 3 === 1) arm('kalshi', { stream: 'garbage', times: 1 + Math.floor(Math.random() * 3) });
      await order;
      bought += count;
    }
    await until(() => account.filled === String(bought));
    expect([...account.states.values()].every((states) => states.length === 1)).toBe(true);
  }, 30_000);
});
