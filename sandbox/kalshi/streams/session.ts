import { type StreamLine } from '../../streams/line.js';
import { type StreamSession } from '../../streams/server.js';
import { type ApiKey } from '../auth.js';
import { type Exchange } from '../exchange.js';
import { isGranted } from '../keys/scopes.js';
import { type Channel, type Command, CommandError, type ErrorCode, idOf, type Named, parseCommand } from './command.js';
import { marketIdOf, momentOf, snapshotOf, tickerOf } from './messages.js';
import { Subscription } from './subscription.js';

/** About the key's own account: the key must be able to read. */
const PRIVATE: readonly Channel[] = ['fill', 'user_orders', 'market_positions', 'order_group_updates'];
const WITH_TICKERS: readonly string[] = [
  'orderbook_delta',
  'ticker',
  'trade',
  'fill',
  'user_orders',
  'market_positions',
];
/** Ours: the exchange's own limits are not published (streams.md 1). */
const MAX_SUBSCRIPTIONS = 100;
const MAX_MARKETS = 10_000;
const MAX_COMMANDS_PER_SECOND = 10_000;

type Update = Extract<Command, { cmd: 'update_subscription' }>;

/** One connection: its subscriptions, and the commands that make and change them (streams.md 1). */
export class KalshiSession implements StreamSession {
  readonly #subscriptions = new Map<number, Subscription>();
  #lastSid = 0;
  #second = 0;
  #commands = 0;

  constructor(
    readonly key: ApiKey,
    private readonly exchange: Exchange,
    private readonly line: StreamLine,
    private readonly now: () => number,
    private readonly forget: (session: KalshiSession) => void,
  ) {}

  /** The subscriptions to a channel that take a market. */
  to(channel: Channel, ticker: string): Subscription[] {
    return [...this.#subscriptions.values()].filter((one) => one.channel === channel && one.follows(ticker));
  }

  follows(marketId: string): boolean {
    return [...this.#subscriptions.values()].some((one) => one.follows(marketId));
  }

  onText(text: string): void {
    const id = idOf(text);
    try {
      this.#count();
      this.#run(parseCommand(text));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.#refuse(error.code, error.message, { id, sid: error.sid });
    }
  }

  /** Ends every subscription: the exchange ends one that it cannot deliver (streams.md 1). */
  onSlowReader(): void {
    for (const { sid } of this.#subscriptions.values()) {
      const { code, message } = new CommandError(25);
      this.#refuse(code, message, { sid });
      this.#subscriptions.delete(sid);
    }
  }

  onClose(): void {
    this.#subscriptions.clear();
    this.forget(this);
  }

  #run(command: Command): void {
    if (command.cmd === 'subscribe') this.#subscribe(command);
    else if (command.cmd === 'update_subscription') this.#update(command);
    else if (command.cmd === 'unsubscribe') this.#unsubscribe(command);
    else this.#list(command.id);
  }

  #subscribe({ id, channels, markets, options }: Extract<Command, { cmd: 'subscribe' }>): void {
    if (channels.some((channel) => PRIVATE.includes(channel)) && !isGranted(this.key.scopes, 'read'))
      throw new CommandError(9);
    if (this.#subscriptions.size + channels.length > MAX_SUBSCRIPTIONS) throw new CommandError(27);
    const tickers = this.#tickers(markets);
    for (const channel of channels) {
      this.#lastSid += 1;
      const sid = this.#lastSid;
      const isFiltered = WITH_TICKERS.includes(channel) && tickers.length > 0;
      const chosen = isFiltered ? new Set(tickers) : undefined;
      const subscription = new Subscription(sid, channel, chosen, options.yesPrice, this.line, this.now);
      this.#subscriptions.set(sid, subscription);
      this.#reply({ ...withId(id), type: 'subscribed', msg: { channel, sid } });
      const first = channel === 'ticker' && !isFiltered ? [...this.exchange.markets.keys()] : tickers;
      this.#tellFirst(subscription, first, options.initialTicker);
    }
  }

  #update(update: Update): void {
    const subscription = this.#find(update.sid);
    const isSnapshot = update.action === 'get_snapshot';
    const fits = isSnapshot ? ['orderbook_delta'] : WITH_TICKERS;
    if (!fits.includes(subscription.channel)) throw new CommandError(13, update.sid);
    const tickers = this.#tickers(update.markets);
    if (isSnapshot) this.#tellFirst(subscription, tickers, false);
    else if (update.action === 'add_markets') this.#add(subscription, tickers, update);
    else this.#remove(subscription, tickers, update);
  }

  #add(subscription: Subscription, tickers: readonly string[], update: Update): void {
    const { sid, tickers: followed } = subscription;
    const fresh = tickers.filter((ticker) => !subscription.follows(ticker));
    if ((followed?.size ?? 0) + fresh.length > MAX_MARKETS) throw new CommandError(26, sid);
    for (const ticker of fresh) followed?.add(ticker);
    this.#acknowledge(subscription, update);
    this.#tellFirst(subscription, fresh, update.options.initialTicker);
  }

  #remove(subscription: Subscription, tickers: readonly string[], update: Update): void {
    for (const ticker of tickers) subscription.tickers?.delete(ticker);
    this.#acknowledge(subscription, update);
  }

  #acknowledge(subscription: Subscription, { id, options }: Update): void {
    const msg = options.skipAck ? {} : { msg: { market_tickers: [...(subscription.tickers ?? [])] } };
    this.#reply({ ...withId(id), sid: subscription.sid, seq: subscription.nextSeq(), type: 'ok', ...msg });
  }

  #unsubscribe({ id, sids }: Extract<Command, { cmd: 'unsubscribe' }>): void {
    for (const subscription of sids.map((sid) => this.#find(sid))) {
      this.#subscriptions.delete(subscription.sid);
      this.#reply({ ...withId(id), sid: subscription.sid, seq: subscription.nextSeq(), type: 'unsubscribed' });
    }
  }

  #list(id: number | undefined): void {
    const msg = [...this.#subscriptions.values()].map(({ channel, sid }) => ({ channel, sid }));
    this.#reply({ ...withId(id), type: 'ok', msg });
  }

  /** What a subscription begins with: books, and tickers where these are asked for. An unknown market is silent. */
  #tellFirst(subscription: Subscription, tickers: readonly string[], initialTicker: boolean): void {
    for (const ticker of tickers) {
      const market = this.exchange.liveMarket(ticker);
      if (market === undefined) continue;
      if (subscription.channel === 'orderbook_delta')
        subscription.tell('orderbook_snapshot', ticker, snapshotOf(market, subscription.yesPrice));
      else if (subscription.channel === 'ticker' && initialTicker)
        subscription.tell('ticker', ticker, { ...tickerOf(market), ...momentOf(this.now()) });
    }
  }

  #find(sid: number): Subscription {
    const subscription = this.#subscriptions.get(sid);
    if (subscription === undefined) throw new CommandError(7);
    return subscription;
  }

  #tickers({ tickers, ids }: Named): string[] {
    const byId = [...this.exchange.markets.keys()].filter(
      (ticker) => ids.length > 0 && ids.includes(marketIdOf(ticker)),
    );
    const all = [...new Set([...tickers, ...byId])];
    if (all.length > MAX_MARKETS) throw new CommandError(26);
    return all;
  }

  #count(): void {
    const second = Math.floor(Date.now() / 1_000);
    this.#commands = second === this.#second ? this.#commands + 1 : 1;
    this.#second = second;
    if (this.#commands > MAX_COMMANDS_PER_SECOND) throw new CommandError(27);
  }

  #refuse(code: ErrorCode, msg: string, { id, sid }: { id?: number | undefined; sid?: number | undefined }): void {
    const subscription = sid === undefined ? undefined : this.#subscriptions.get(sid);
    const scope = subscription === undefined ? {} : { sid: subscription.sid, seq: subscription.nextSeq() };
    this.#reply({ ...withId(id), type: 'error', ...scope, msg: { code, msg } });
  }

  #reply(answer: object): void {
    this.line.reply(JSON.stringify({ ...answer, sending_ts_ms: this.now() }));
  }
}

function withId(id: number | undefined): { id?: number } {
  return id === undefined ? {} : { id };
}
