/**
 * A market maker: quotes both sides of some markets a few ticks from the middle, and requotes as the book moves, or after `--refresh` seconds.
 *
 *   TRADING_PROXY_URL=… TRADING_PROXY_API_KEY=… node market-maker.js --exchange kalshi --markets ID,ID --state maker.jsonl
 *
 * It survives kill -9 and lost answers: each order is written to the state file with its idempotency key before it is sent, and after a start
 * what is open there is repeated under its key until its fate is known, or given up where its price is a minute old. So no order is dropped, and
 * none is doubled. With the key of a bot it keeps the heartbeat: if it stays away, the service takes its orders out of the book.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Journal, type Intent } from './journal.js';
import {
  NotCancellable,
  NotFound,
  OrderOutcomeUnknown,
  RateLimited,
  TradingProxy,
  TradingProxyError,
  type Exchange,
  type Market,
  type OrderBook,
} from 'trading-proxy-client';

const { values } = parseArgs({
  options: {
    exchange: { type: 'string', default: 'kalshi' },
    markets: { type: 'string' },
    state: { type: 'string', default: 'market-maker.jsonl' },
    size: { type: 'string', default: '5' },
    ticks: { type: 'string', default: '3' },
    refresh: { type: 'string', default: '3' },
  },
});
const HEARTBEAT_TTL_S = 30;
const AGAIN_MS = 500;
/** How long a quote that stands wrong waits for the one in its place. */
const LEFT_STANDING_MS = 1_000;
const AFTER_REFUSAL_MS = 1_000;
const GRACE_MS = 5_000;
const LONGEST_WAIT_MS = 30_000;
/** A price that is older is not sent any more. */
const STALE_MS = 60_000;
/** The service keeps a key for 24 h: what is older is never sent again, as it would be a second order. */
const KEPT_MS = 23 * 3_600_000;
const isForgotten = ({ at }: Intent): boolean => Date.now() - at > KEPT_MS;

/** Prices as whole millionths: no floats. */
const UNIT = 1_000_000;
const toUnits = (price: string): number => {
  const [whole = '0', fraction = ''] = price.split('.');
  return Number(whole) * UNIT + Number(fraction.padEnd(6, '0').slice(0, 6));
};
const toPrice = (units: number): string => `0.${String(units).padStart(6, '0')}`.replace(/0+$/, '');

const log = (text: string): void => void process.stdout.write(`${new Date().toISOString()} ${text}\n`);

/** One side of one market. Side 0 buys YES below the middle, side 1 buys NO below it: to sell YES, on every exchange. */
class Quote {
  current: Intent | undefined;

  constructor(
    readonly exchange: Exchange,
    readonly journal: Journal,
    readonly market: Market,
    readonly side: 0 | 1,
  ) {}

  /** Where it should stand; null where the book says nothing. */
  target({ bids, asks }: Pick<OrderBook, 'bids' | 'asks'>): string | null {
    const [bid] = bids;
    const [ask] = asks;
    if (bid === undefined || ask === undefined) return null;
    const yes = (toUnits(bid.price) + toUnits(ask.price)) / 2;
    const middle = this.side === 0 ? yes : UNIT - yes;
    const tick = this.#tickAt(middle);
    const price = Math.floor(middle / tick - Number(values.ticks)) * tick;
    return price >= tick && price <= UNIT - tick ? toPrice(price) : null;
  }

  #tickAt(units: number): number {
    const range = this.market.price_ranges.find(({ end }) => units <= toUnits(end));
    return toUnits(range?.step ?? '0.01');
  }

  /** One step towards it: put in what is missing, then take out what stands wrong, so that the side is never empty. */
  async step(book: Readonly<OrderBook> | null): Promise<void> {
    const price = book === null ? null : this.target(book);
    const last = this.current;
    const isFresh = last !== undefined && Date.now() - last.at < Number(values.refresh) * 1000;
    if (isFresh && last.order.price === price) return;
    const placing = price === null ? Promise.resolve(true) : this.#place(price);
    // A placing that takes long leaves no quote in the book that is wrong by now.
    await Promise.race([placing, wait(LEFT_STANDING_MS)]);
    if (last !== undefined && this.journal.open.some(({ key }) => key === last.key)) await this.#cancel(last);
    if (!(await placing)) await wait(AFTER_REFUSAL_MS);
  }

  /** Whether it rests now. */
  async #place(price: string): Promise<boolean> {
    const { id: market_id } = this.market;
    const order = { market_id, outcome: this.side, side: 'buy', price, size: values.size, post_only: true } as const;
    const intent = this.journal.write({ key: randomUUID(), order, at: Date.now() });
    await this.settle(intent, false);
    return this.current?.key === intent.key;
  }

  /** Sends an intent, as often as it takes to know what became of it. An earlier process may have sent it (`isOld`). */
  async settle(intent: Intent, isOld: boolean): Promise<void> {
    const { key, order, at } = intent;
    for (let mayExist = isOld; ;) {
      if (Date.now() - at > STALE_MS) return this.#giveUp(intent, 'stale');
      try {
        const { id, status } = await this.exchange.orders.create(order, { idempotencyKey: key, timeout: 10_000 });
        this.current = this.journal.write({ key, order_id: id });
        log(`${order.market_id} ${String(order.outcome)} ${String(order.price)}: ${id} ${status}`);
        return;
      } catch (error) {
        if (!(error instanceof TradingProxyError)) throw error;
        mayExist ||= error instanceof OrderOutcomeUnknown;
        const last = error.cause instanceof TradingProxyError ? error.cause : error;
        if (!last.retryable) return this.#refused(intent, last, mayExist);
        await wait((error.retry_after ?? 0) * 1000 + AGAIN_MS);
      }
    }
  }

  /** A refusal says nothing of an attempt before it, whose order may exist. */
  async #refused(intent: Intent, error: TradingProxyError, mayExist: boolean): Promise<void> {
    const { key, order } = intent;
    const reason = error.reason ?? error.code;
    log(`${order.market_id} ${String(order.outcome)} ${String(order.price)}: ${error.code} ${error.message}`);
    if (mayExist) await this.#giveUp(intent, reason);
    else this.journal.write({ key, refused: reason });
  }

  /** Nothing is sent of it from now on, and what it made is taken out. After the service has forgotten the key that is all of the market. */
  async #giveUp(intent: Intent, reason: string): Promise<void> {
    const { key, order } = intent;
    if (isForgotten(intent)) {
      const { market_id } = order;
      while ((await again(async () => this.exchange.orders.cancelAll({ market_id }))).not_cancelled.length > 0)
        await wait(AGAIN_MS);
      this.ended(key, 'forgotten');
      return;
    }
    const { order: made } = await again(async () => this.exchange.orders.abandon(key));
    this.journal.write(made === null ? { key, refused: reason } : { key, order_id: made.id, ended: made.status });
  }

  async #cancel({ key, order_id = '' }: Intent): Promise<void> {
    this.ended(key, await cancelled(this.exchange, order_id));
  }

  ended(key: string, status: string): void {
    this.journal.write({ key, ended: status });
    if (this.current?.key === key) this.current = undefined;
  }
}

/** What is known of a book: none, or one that may be trusted, or that was cut off from us a moment ago. */
interface Sight {
  book: Readonly<OrderBook> | null;
  lostAt: number | null;
}

async function follow(exchange: Exchange, id: string, sight: Sight): Promise<void> {
  for await (const event of exchange.orderbooks.stream([id])) {
    const isCutOff = event.type === 'stale' && event.reason === 'disconnected';
    if (event.book !== null) Object.assign(sight, { book: event.book, lostAt: null });
    else if (isCutOff) sight.lostAt ??= Date.now();
    else sight.book = null;
  }
  sight.book = null;
}

/** Keeps the quotes of one market where they belong; out of a book that may not be trusted. Where the connection breaks, they rest for a moment. */
async function quote(exchange: Exchange, quotes: readonly Quote[], market: Market): Promise<void> {
  const sight: Sight = { book: null, lostAt: Date.now() };
  const keep = async (each: Quote): Promise<void> => {
    for (;;) {
      if (sight.lostAt === null) await each.step(sight.book);
      else if (Date.now() - sight.lostAt > GRACE_MS) await each.step(null);
      await wait(200);
    }
  };
  await Promise.all([follow(exchange, market.id, sight), ...quotes.map(keep)]);
}

/** Tells which orders have ended, by fills or by others. */
async function watch(exchange: Exchange, quotes: readonly Quote[]): Promise<void> {
  for await (const event of exchange.orders.stream()) {
    if (event.type !== 'order' || ['open', 'partially_filled', 'pending'].includes(event.data.status)) continue;
    const each = quotes.find(({ current }) => current?.order_id === event.data.id);
    if (each?.current !== undefined) each.ended(each.current.key, event.data.status);
  }
}

async function beat(client: TradingProxy): Promise<void> {
  for (;;) {
    await client.bot.heartbeat(HEARTBEAT_TTL_S, { on_miss: 'cancel' }).catch((error: unknown) => {
      log(`heartbeat: ${String(error)}`);
    });
    await wait((HEARTBEAT_TTL_S * 1000) / 3);
  }
}

/** Takes up what an earlier process left: settles what it may have sent, keeps what still rests. */
async function recover(exchange: Exchange, journal: Journal, quotes: readonly Quote[]): Promise<void> {
  const quotedOf = ({ order: { market_id, outcome } }: Intent): Quote =>
    quotes.find(({ market, side }) => market.id === market_id && side === outcome) ??
    new Quote(exchange, journal, { id: market_id } as Market, outcome === 0 ? 0 : 1);
  const take = async (intent: Intent): Promise<void> =>
    intent.order_id === undefined ? quotedOf(intent).settle(intent, true) : check(exchange, quotedOf(intent), intent);
  // What takes a whole market out goes before what is put in, or looked at.
  for (const intent of journal.open) if (intent.order_id === undefined && isForgotten(intent)) await take(intent);
  await Promise.all(journal.open.map(take));
  // An earlier process may have died between two orders of one side: one of them stays.
  for (const { key, order_id } of journal.open) {
    const isHeld = quotes.some(({ current }) => current?.key === key);
    if (!isHeld && order_id !== undefined) journal.write({ key, ended: await cancelled(exchange, order_id) });
  }
}

/** Cancels an order, however often it takes; how it ended. */
async function cancelled(exchange: Exchange, id: string): Promise<string> {
  for (;;) {
    try {
      return (await exchange.orders.cancel(id, { timeout: 10_000 })).status;
    } catch (error) {
      if (error instanceof NotFound) return 'gone';
      if (!(error instanceof NotCancellable || (error instanceof TradingProxyError && error.retryable))) throw error;
      await wait(AGAIN_MS);
    }
  }
}

/** Whether the order of an earlier process still rests. */
async function check(exchange: Exchange, quoted: Quote, intent: Intent): Promise<void> {
  const order = await again(async () => exchange.orders.get(String(intent.order_id))).catch((error: unknown) => {
    if (error instanceof NotFound) return { status: 'gone' };
    throw error;
  });
  if (['open', 'partially_filled', 'pending'].includes(order.status)) quoted.current = intent;
  else quoted.ended(intent.key, order.status);
}

/** Repeats a call while its error is retryable, as the service may be starting, or a limit is used up: 1,000 keys a day may be given up. */
async function again<Value>(call: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof TradingProxyError) || !(error.retryable || error instanceof RateLimited)) throw error;
      await wait(Math.min((error.retry_after ?? 0) * 1000, LONGEST_WAIT_MS) + AGAIN_MS);
    }
  }
}

const client = new TradingProxy();
const exchange = client.exchange(values.exchange === 'polymarket' ? 'polymarket' : 'kalshi');
const journal = new Journal(values.state);
const ids = (values.markets ?? '').split(',').filter((id) => id !== '');
const markets = await Promise.all(ids.map((id) => again(async () => exchange.markets.get(id))));
const quotes = markets.flatMap((market) => ([0, 1] as const).map((side) => new Quote(exchange, journal, market, side)));
const { bot } = await again(async () => client.me.get());
await recover(exchange, journal, quotes);
log(`quoting ${ids.join(', ')} at ${exchange.id}; ${journal.intents.size} intents so far`);
await Promise.all([
  watch(exchange, quotes),
  ...(bot === null ? [] : [beat(client)]),
  ...markets.map((market) =>
    quote(
      exchange,
      quotes.filter((each) => each.market === market),
      market,
    ),
  ),
]);
