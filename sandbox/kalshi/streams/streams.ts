import { type LevelChange } from '../../matching-engine.js';
import { type StreamFaults } from '../../streams/faults.js';
import { StreamServer } from '../../streams/server.js';
import { type WireRequest } from '../../wire/server.js';
import { type KalshiEvent } from '../events.js';
import { type Exchange } from '../exchange.js';
import { type Market } from '../market.js';
import { type OrderRecord } from '../order.js';
import { refusal } from '../refusals.js';
import { deltaOf, fillOf, momentOf, positionOf, tickerOf, tradeOf, userOrderOf } from './messages.js';
import { KalshiSession } from './session.js';
import { lifecycleChannelOf } from './lifecycle.js';

export const STREAM_PATH = '/trade-api/ws/v2';

/** How often the exchange is brought up to its clock while somebody listens. */
const STEP_MS = 250;

type Told = Extract<KalshiEvent, { kind: 'fill' | 'order' }>;

/** The WebSocket API (streams.md 1): tells every connection what it subscribed to of what happens in the exchange. */
export class KalshiStreams extends StreamServer {
  readonly #sessions: Set<KalshiSession>;
  readonly #lastTickers = new Map<string, string>();
  readonly #step: NodeJS.Timeout;

  constructor(
    private readonly exchange: Exchange,
    private readonly now: () => number,
    faults: StreamFaults,
  ) {
    const sessions = new Set<KalshiSession>();
    super({
      exchange: 'kalshi',
      faults,
      admit: (request) => {
        const key = admitted(exchange, request);
        return (line) => {
          const session = new KalshiSession(key, exchange, line, now, (gone) => sessions.delete(gone));
          sessions.add(session);
          return session;
        };
      },
      compresses: true,
      heartbeat: 'heartbeat',
      tooMany: refusal(429, 'too_many_connections'),
    });
    this.#sessions = sessions;
    exchange.tape.watch((events) => {
      if (sessions.size > 0) this.#tell(events);
    });
    this.#step = setInterval(() => {
      if (sessions.size > 0) exchange.advance(now());
    }, STEP_MS).unref();
  }

  override close(): void {
    clearInterval(this.#step);
    super.close();
  }

  /** Tickers and orders are told once for all that one call did. */
  #tell(events: readonly KalshiEvent[]): void {
    const touched = new Set<Market>();
    const orders = new Map<OrderRecord, Extract<KalshiEvent, { kind: 'order' }>>();
    for (const event of events) {
      if (event.kind === 'order') orders.set(event.order, event);
      else this.#tellOne(event);
      if (event.kind === 'level' || event.kind === 'trade') touched.add(event.market);
    }
    for (const market of touched) this.#tellTicker(market);
    for (const event of orders.values()) this.#tellOrder(event);
  }

  #tellOne(event: Exclude<KalshiEvent, { kind: 'order' }>): void {
    if (event.kind === 'level') this.#tellLevel(event.market, event.change);
    else if (event.kind === 'trade') this.#tellTrade(event);
    else if (event.kind === 'lifecycle') this.#tellLifecycle(event);
    else this.#tellFill(event);
  }

  #tellLevel(market: Market, change: LevelChange): void {
    const { ticker } = market;
    const order = this.exchange.accounts.get(change.cause.owner)?.orders.get(change.cause.id);
    for (const session of this.#sessions) {
      const own = session.key.account.userId === change.cause.owner ? order : undefined;
      for (const subscription of session.to('orderbook_delta', ticker)) {
        const options = { yesPrice: subscription.yesPrice, now: this.now(), own };
        subscription.tell('orderbook_delta', ticker, deltaOf(market, change, options));
      }
    }
  }

  #tellTrade({ market: { ticker }, trade }: Extract<KalshiEvent, { kind: 'trade' }>): void {
    for (const session of this.#sessions) {
      for (const subscription of session.to('trade', ticker)) subscription.tell('trade', ticker, tradeOf(trade));
    }
  }

  /** Where any field but the times has changed. */
  #tellTicker(market: Market): void {
    const { ticker } = market;
    const subscriptions = [...this.#sessions].flatMap((session) => session.to('ticker', ticker));
    if (subscriptions.length === 0) return;
    const msg = tickerOf(market);
    const text = JSON.stringify(msg);
    if (this.#lastTickers.get(ticker) === text) return;
    this.#lastTickers.set(ticker, text);
    for (const subscription of subscriptions) subscription.tell('ticker', ticker, { ...msg, ...momentOf(this.now()) });
  }

  #tellLifecycle({ market, change }: Extract<KalshiEvent, { kind: 'lifecycle' }>): void {
    const channel = lifecycleChannelOf(market);
    for (const session of this.#sessions) {
      for (const subscription of session.to(channel, market.ticker))
        subscription.tell(channel, market.ticker, { market_ticker: market.ticker, ...change });
    }
  }

  #tellFill({ account, order, fill, position }: Extract<KalshiEvent, { kind: 'fill' }>): void {
    const { ticker, subaccount } = fill;
    for (const session of this.#owners({ account, order })) {
      for (const one of session.to('fill', ticker)) one.tell('fill', ticker, fillOf(fill, order, position));
      const holding = account.openSubaccount(subaccount, fill.at).holding(ticker);
      for (const one of session.to('market_positions', ticker))
        one.tell('market_position', ticker, positionOf(account, ticker, subaccount, holding));
    }
  }

  #tellOrder({ account, order, reason }: Extract<KalshiEvent, { kind: 'order' }>): void {
    for (const session of this.#owners({ account, order })) {
      for (const subscription of session.to('user_orders', order.ticker))
        subscription.tell('user_order', order.ticker, userOrderOf(order, account.userId, reason));
    }
  }

  /** The connections of an order's account; a key that is bound to a subaccount sees that one's alone. */
  #owners({ account, order }: Pick<Told, 'account' | 'order'>): KalshiSession[] {
    return [...this.#sessions].filter(
      ({ key }) => key.account === account && (key.subaccount ?? order.subaccount) === order.subaccount,
    );
  }
}

/** The key that signed the handshake, or a refusal as that of any request. */
function admitted(exchange: Exchange, request: WireRequest): ReturnType<Exchange['keys']['authenticate']> {
  if (request.path !== STREAM_PATH) throw refusal(404, 'not_found');
  return exchange.keys.authenticate(request);
}
