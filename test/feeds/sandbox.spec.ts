import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { exchangeAddresses } from '../../sandbox/demo/environment.js';
import { KalshiTrader } from '../../sandbox/kalshi/trader.js';
import { PolymarketTrader } from '../../sandbox/polymarket/trader.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import type { StreamFault } from '../../sandbox/streams/faults.js';
import { add, complement } from '../../src/exchanges/decimal.js';
import type { Exchange } from '../../src/exchanges/exchange.js';
import type { Feeds, FeedTrade } from '../../src/exchanges/feeds.contract.js';
import { KalshiExchange } from '../../src/exchanges/kalshi/kalshi.exchange.js';
import { LongReads } from '../../src/exchanges/long-reads.js';
import { PolymarketExchange } from '../../src/exchanges/polymarket/polymarket.exchange.js';
import { Book, digestOf } from '../../src/feeds/book.js';
import { ExchangeFeed } from '../../src/feeds/exchange-feed.js';
import type { BookReader, ReaderMessage } from '../../src/feeds/watched-book.js';
import type { Quote, QuoteMessage, QuoteReader } from '../../src/feeds/watched-quote.js';
import type { TradeMessage, TradeReader } from '../../src/feeds/watched-trades.js';
import { Settings } from '../../src/platform/config/settings.js';
import { UpstreamClients } from '../../src/platform/upstream/upstream-clients.js';
import type { TradeDto } from '../../src/exchanges/unified.market-data.dto.js';
import { webSockets } from '../../src/platform/upstream/web-socket.js';
import { ADAPTER_SETTINGS } from '../support/settings.js';

/** The first outcome of a market of V2, where a deposit wallet can trade. */
const TOKEN = BigInt(`0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(30)}`).toString();

/** A client that believes what it reads. */
class Replica implements BookReader {
  readonly book = new Book();
  state = 'none';
  stale = 0;

  tell(message: ReaderMessage): void {
    if (message.type === 'snapshot') this.book.replace(message.book.bids, message.book.asks);
    else if (message.type === 'update') for (const change of message.changes) this.book.set(change);
    else {
      this.state = message.state;
      if (message.state === 'stale') this.stale += 1;
    }
  }
}

/** One who notes what trades happen. */
class Tape implements TradeReader {
  readonly told: FeedTrade[] = [];
  state = 'none';
  stale = 0;

  tell(message: TradeMessage): void {
    if (message.type === 'trade') this.told.push(message.trade);
    else {
      this.state = message.state;
      if (message.state === 'stale') this.stale += 1;
    }
  }
}

/** One who notes quotes. */
class Board implements QuoteReader {
  readonly quotes: Quote[] = [];
  state = 'none';
  stale = 0;

  tell(message: QuoteMessage): void {
    if (message.type === 'quote') this.quotes.push(message.quote);
    else {
      this.state = message.state;
      if (message.state === 'stale') this.stale += 1;
    }
  }
}

/** A trade by what both the feed and HTTP say of it. */
function inShort({ timestamp, outcome, side, price, size, transaction_hash: hash, id }: FeedTrade): string {
  return [timestamp, outcome.label, side, price, size, hash ?? id].join(' ');
}

/** Trades over HTTP have whole seconds at one exchange: those of a test have one of their own. */
async function untilNextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1_000);
  while (Math.floor(Date.now() / 1_000) === second) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The feed of one exchange in front of the sandbox, with one book that is read. */
class Stand {
  readonly replica = new Replica();
  readonly tape = new Tape();
  readonly board = new Board();
  readonly #feeds: Feeds;
  readonly #feed: ExchangeFeed;
  #key = '';

  constructor(
    private readonly exchange: Exchange,
    private readonly clients: UpstreamClients,
  ) {
    if (exchange.feeds === undefined) throw new Error('there is no feed');
    this.#feeds = exchange.feeds;
    this.#feed = new ExchangeFeed(exchange, this.#feeds, webSockets(5_000), 20);
  }

  async watch(marketId: string): Promise<void> {
    const { value } = await this.exchange.marketData.getMarket(marketId);
    this.#key = this.#feeds.bookOf(value, 0).key;
    this.#feed.watch(value, 0, this.replica);
  }

  async watchTrades(marketId: string): Promise<void> {
    const { value } = await this.exchange.marketData.getMarket(marketId);
    this.#feed.watchTrades(value, this.tape);
    await this.until(() => this.tape.state === 'live');
  }

  async watchQuote(marketId: string): Promise<void> {
    const { value } = await this.exchange.marketData.getMarket(marketId);
    this.#feed.watchQuote(value, this.board);
  }

  /** Whether the quote is live, and as HTTP says. */
  async isQuoteRight(marketId: string): Promise<boolean> {
    const { value } = await this.exchange.marketData.getMarket(marketId);
    const { status, tradable, outcomes, volume, volume_24h, open_interest, result } = value;
    const read = { market_id: marketId, status, tradable, outcomes, volume, volume_24h, open_interest, result };
    const bare = (quote: object | undefined) => ({ ...quote, timestamp: null, timestamp_source: null });
    return this.board.state === 'live' && isDeepStrictEqual(bare(this.board.quotes.at(-1)), bare(read));
  }

  /** The newest trades over HTTP, oldest first, so many. */
  async listed(marketId: string, limit: number): Promise<readonly TradeDto[]> {
    const { value } = await this.exchange.marketData.listTrades({ market_id: marketId }, { limit, cursor: null });
    return [...value.items].reverse();
  }

  /** Whether the replica is live, and as HTTP says. */
  async isRight(): Promise<boolean> {
    const [read] = await this.#feeds.readBooks([this.#key]);
    if (read === undefined || this.replica.state !== 'live') return false;
    return this.replica.book.digest === digestOf(read.bids, read.asks);
  }

  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async untilRight(): Promise<void> {
    await this.until(() => this.isRight());
  }

  async close(): Promise<void> {
    await this.#feed.close();
    await this.clients.onApplicationShutdown();
  }
}

describe('feeds.md 1 a feed in front of the stand-ins', () => {
  let sandbox: Sandbox;
  let settings: Settings;
  let stand: Stand;

  beforeAll(async () => {
    sandbox = await startSandbox();
    const { access_key, private_key } = sandbox.addresses.kalshi;
    const variables = {
      ...ADAPTER_SETTINGS,
      ...exchangeAddresses(sandbox.addresses),
      KALSHI_STREAM_ACCESS_KEY: access_key,
      KALSHI_STREAM_PRIVATE_KEY: private_key,
    };
    settings = Settings.read(variables, { ...KalshiExchange.settings, ...PolymarketExchange.settings });
  });

  afterEach(async () => {
    sandbox.streamFaults.clear();
    await stand.close();
  });

  afterAll(() => sandbox.close());

  /** Reads a book, then does `trade` several times under a fault; returns how often the book was stale. */
  async function under(
    fault: Omit<StreamFault, 'exchange'>,
    marketId: string,
    trade: (at: number) => Promise<unknown>,
  ) {
    await stand.watch(marketId);
    await stand.untilRight();
    const exchange = marketId.startsWith('KX') ? 'kalshi' : 'polymarket';
    sandbox.streamFaults.add({ exchange, ...fault });
    for (let at = 1; at <= 4; at += 1) await trade(at);
    await stand.untilRight();
    return stand.replica.stale;
  }

  it.each([
    [{ stream: 'skip_sequence', times: 1 }, 1],
    [{ stream: 'reorder', times: 1 }, 1],
    [{ stream: 'duplicate', times: 2 }, 0],
    [{ stream: 'garbage', times: 3 }, 1],
    [{ stream: 'drop' }, 1],
  ] as const)('of Kalshi is right again after %j', async (fault, least) => {
    const clients = new UpstreamClients(settings);
    stand = new Stand(new KalshiExchange(settings, clients, new LongReads(settings)), clients);
    const trader = new KalshiTrader(sandbox.kalshi.account);
    const stale = await under(fault, 'KXHIGHNY-TODAY-B55.5', (at) =>
      trader.order({ price: `0.0${at}00`, count: `${at}.00` }),
    );
    expect(stale).toBeGreaterThanOrEqual(least);
    expect(stale === 0).toBe(least === 0);
  });

  it.each([
    [{ stream: 'duplicate', times: 2 }, 0],
    [{ stream: 'garbage', times: 1 }, 1],
    [{ stream: 'drop' }, 1],
  ] as const)('of Polymarket is right again after %j', async (fault, least) => {
    const clients = new UpstreamClients(settings);
    stand = new Stand(new PolymarketExchange(settings, clients, new LongReads(settings)), clients);
    const trader = new PolymarketTrader(sandbox.polymarket.account.clob_url, sandbox.polymarket.account);
    const market = sandbox.polymarket.exchange.catalogue.markets.find(({ tokenIds }) => tokenIds.includes(TOKEN));
    if (market === undefined) throw new Error('there is no such market');
    const rest = (price: string) => trader.post(trader.sign({ tokenId: TOKEN, side: 'BUY', price, size: '7' }));
    const stale = await under(fault, market.conditionId, (at) => rest(`0.0${at}`));
    expect(stale === 0).toBe(least === 0);
  });

  /** Makes trades one after the other under a fault, and returns those that were told and those of HTTP, in the same form. */
  async function tradesUnder(fault: Omit<StreamFault, 'exchange'>, marketId: string, trade: () => Promise<unknown>) {
    await stand.watchTrades(marketId);
    const exchange = marketId.startsWith('KX') ? 'kalshi' : 'polymarket';
    if (exchange === 'polymarket') await untilNextSecond();
    await trade();
    await stand.until(() => stand.tape.told.length > 0);
    sandbox.streamFaults.add({ exchange, ...fault });
    for (let at = 0; at < 4; at += 1) await trade();
    await stand.until(() => stand.tape.state === 'live' && stand.tape.told.length >= 5);
    return { told: stand.tape.told.map(inShort), listed: (await stand.listed(marketId, 5)).map(inShort) };
  }

  it.each([
    [{ stream: 'skip_sequence', times: 1 }],
    [{ stream: 'reorder', times: 1 }],
    [{ stream: 'duplicate', times: 4 }],
    [{ stream: 'drop' }],
  ] as const)('of Kalshi tells every trade once under %j', async (fault) => {
    const clients = new UpstreamClients(settings);
    stand = new Stand(new KalshiExchange(settings, clients, new LongReads(settings)), clients);
    const trader = new KalshiTrader(sandbox.kalshi.account);
    const { told, listed } = await tradesUnder(fault, 'KXHIGHNY-TODAY-B55.5', () =>
      trader.order({ price: '0.9900', count: '1.00' }),
    );
    expect(told).toEqual(listed);
  });

  it.each([[{ stream: 'duplicate', times: 4 }], [{ stream: 'garbage', times: 1 }], [{ stream: 'drop' }]] as const)(
    'of Polymarket tells every trade once under %j',
    async (fault) => {
      const clients = new UpstreamClients(settings);
      stand = new Stand(new PolymarketExchange(settings, clients, new LongReads(settings)), clients);
      const trader = new PolymarketTrader(sandbox.polymarket.account.clob_url, sandbox.polymarket.account);
      const market = sandbox.polymarket.exchange.catalogue.markets.find(({ tokenIds }) => tokenIds.includes(TOKEN));
      const { told, listed } = await tradesUnder(fault, market?.conditionId ?? '', () =>
        trader.post(trader.sign({ tokenId: TOKEN, side: 'BUY', price: '0.99', size: '5' })),
      );
      expect(told.sort()).toEqual(listed.sort());
    },
  );

  it('of Kalshi tells quotes as HTTP does, with the volume of the feed', async () => {
    const clients = new UpstreamClients(settings);
    stand = new Stand(new KalshiExchange(settings, clients, new LongReads(settings)), clients);
    const trader = new KalshiTrader(sandbox.kalshi.account);
    await stand.watchQuote('KXHIGHNY-TODAY-B55.5');
    await stand.until(() => stand.isQuoteRight('KXHIGHNY-TODAY-B55.5'));
    const before = stand.board.quotes.at(-1);
    sandbox.streamFaults.add({ exchange: 'kalshi', stream: 'drop' });
    await trader.order({ price: '0.9900', count: '3.00' });
    await stand.until(() => stand.board.stale > 0);
    await trader.order({ price: '0.9900', count: '3.00' });
    await stand.until(() => stand.isQuoteRight('KXHIGHNY-TODAY-B55.5'));
    expect(stand.board.quotes.at(-1)?.volume).not.toBe(before?.volume);
    expect(new Set(stand.board.quotes.map((quote) => JSON.stringify(quote))).size).toBe(stand.board.quotes.length);
  });

  it('of Polymarket tells quotes as HTTP does, by the books of both outcomes', async () => {
    const clients = new UpstreamClients(settings);
    stand = new Stand(new PolymarketExchange(settings, clients, new LongReads(settings)), clients);
    const trader = new PolymarketTrader(sandbox.polymarket.account.clob_url, sandbox.polymarket.account);
    const market = sandbox.polymarket.exchange.catalogue.markets.find(({ tokenIds }) => tokenIds.includes(TOKEN));
    await stand.watchQuote(market?.conditionId ?? '');
    const quoteIs = (bid: string | null) => (): boolean => {
      const [zero, one] = stand.board.quotes.at(-1)?.outcomes ?? [];
      return stand.board.state === 'live' && zero?.bid === bid && one?.ask === (bid === null ? null : complement(bid));
    };
    await stand.until(() => stand.board.state === 'live');
    const [zero] = stand.board.quotes.at(-1)?.outcomes ?? [];
    const higher = add(zero?.bid ?? '0', '0.01');
    await trader.post(trader.sign({ tokenId: TOKEN, side: 'BUY', price: higher, size: '7' }));
    await stand.until(quoteIs(higher));
    expect(stand.board.quotes.at(-1)).toMatchObject({ status: 'open', tradable: true, timestamp_source: 'exchange' });
  });

  it('of Kalshi is polled without a key of the operator', async () => {
    const variables = { ...ADAPTER_SETTINGS, ...exchangeAddresses(sandbox.addresses) };
    const unsigned = Settings.read(variables, KalshiExchange.settings);
    const clients = new UpstreamClients(unsigned);
    stand = new Stand(new KalshiExchange(unsigned, clients, new LongReads(unsigned)), clients);
    await stand.watch('KXHIGHNY-TODAY-B55.5');
    await stand.watchQuote('KXHIGHNY-TODAY-B55.5');
    await stand.untilRight();
    await stand.until(() => stand.isQuoteRight('KXHIGHNY-TODAY-B55.5'));
    await expect(stand.watchTrades('KXHIGHNY-TODAY-B55.5')).rejects.toMatchObject({ code: 'not_supported' });
    await new KalshiTrader(sandbox.kalshi.account).order({ price: '0.0300', count: '2.00' });
    await stand.untilRight();
    expect(stand.replica.stale).toBe(0);
  });

  it('of Polymarket says that a market is over once HTTP says so too', async () => {
    const clients = new UpstreamClients(settings);
    stand = new Stand(new PolymarketExchange(settings, clients, new LongReads(settings)), clients);
    const market = sandbox.polymarket.exchange.catalogue.markets.find(({ tokenIds }) => tokenIds.includes(TOKEN));
    await stand.watch(market?.conditionId ?? '');
    await stand.watchQuote(market?.conditionId ?? '');
    await stand.untilRight();
    await stand.until(() => stand.board.state === 'live');
    const body = JSON.stringify({ market_id: market?.conditionId, winner: 0 });
    const resolved = await fetch(`${sandbox.controlUrl}/polymarket/markets`, { method: 'POST', body });
    await stand.until(() => stand.replica.state === 'closed');
    expect([resolved.ok, stand.replica.stale]).toEqual([true, 1]);
    await stand.until(() => stand.board.state === 'closed');
    const result = { outcome_index: 0, settlement_price: '1' };
    expect(stand.board.quotes.at(-1)).toMatchObject({
      tradable: false,
      result,
      outcomes: [{ bid: null }, { ask: null }],
    });
  });
});
