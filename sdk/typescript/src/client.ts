import { Caller, keyOf, segment, type Asked, type KeyedOptions, type Responding } from './caller.js';
import { InvalidArgument } from './errors.js';
import { exchangeOf, type Exchange, type ExchangeId } from './exchange.js';
import { accountMethods, clientMethods } from './methods.js';
import { type ClientOptions, settingsOf } from './settings.js';
import { Stream } from './stream.js';
import type { StreamEvent } from './stream-events.js';
import { type CallOptions, type Query, Transport } from './transport.js';

/** One leading `/`, and nothing that leads elsewhere. */
const OWN_PATH = /^\/(?!\/)(?!(?:.*\/)?(?:\.|%2e){1,2}(?:\/|$))[!"$->@-[\]-~]*$/i;

export interface RequestOptions extends KeyedOptions {
  readonly query?: Query | undefined;
  readonly body?: unknown;
}

/** What a signed-in person manages: for clients with a `token`. */
export type Account = ReturnType<typeof accountMethods>;

/** The client of one Trading Proxy, for one API key or session. */
export class TradingProxy {
  readonly kalshi: Exchange;
  readonly polymarket: Exchange;
  /** Of a session (`token`). */
  readonly account: Account;
  /** Markets and events of all exchanges, by words. */
  readonly markets;
  readonly events;
  readonly portfolio;
  readonly me;
  /** The bot whose key this is. */
  readonly bot;
  /** All bots of the user, by the main key. */
  readonly bots;
  readonly #caller: Caller;

  /** Without an address it is `TRADING_PROXY_URL` of the environment; there is no default. Throws InvalidArgument. */
  constructor(baseUrl?: string, options: ClientOptions | Caller = {}) {
    const caller = options instanceof Caller ? options : new Caller(new Transport(settingsOf(baseUrl, options)));
    this.#caller = caller;
    this.kalshi = this.exchange('kalshi');
    this.polymarket = this.exchange('polymarket');
    this.account = accountMethods(caller);
    const { markets, events, portfolio, me, bot, bots } = clientMethods(caller);
    const beat = caller.method('beat', (body: Asked<'beat'>) => ({ body }));
    this.markets = markets;
    this.events = events;
    this.portfolio = portfolio;
    this.me = me;
    this.bots = bots;
    this.bot = {
      ...bot,
      /** One beat, with a time-out of a third of the ttl at most; nothing beats by itself. */
      heartbeat: (ttl_seconds: number, more: Omit<Asked<'beat'>, 'ttl_seconds'> = {}, options: CallOptions = {}) => {
        const timeout = Math.min(options.timeout ?? caller.transport.settings.timeout, Math.floor(ttl_seconds * 333));
        return beat({ ...more, ttl_seconds }, { ...options, timeout });
      },
    };
  }

  exchange(id: ExchangeId): Exchange {
    const { transport, isWhole } = this.#caller;
    return exchangeOf(id, new Caller(transport, isWhole, [segment(id)]));
  }

  /** Several subscriptions in one connection: `kalshi.orderbooks:ID,ID`, `polymarket.fills`. */
  stream(subscriptions: readonly string[]): Stream<StreamEvent> {
    const isFit = subscriptions.length > 0 && subscriptions.every((each) => /^\w+\.\w+(?::.+)?$/.test(each));
    if (!isFit) throw new InvalidArgument('Give subscriptions as "kalshi.orderbooks:ID,ID" or "polymarket.fills".');
    const isEndless = subscriptions.some((each) => /^\w+\.(?:orders|fills)\b/.test(each));
    const named = subscriptions.flatMap((each) => each.replaceAll(',', `,${String(each.split(':')[0])}:`).split(','));
    const lines = isEndless ? null : new Set(named).size;
    return new Stream(this.#caller.transport, { path: '/stream', query: { subscribe: subscriptions }, lines });
  }

  /** Any other route. A read is repeated; another call only under an `idempotencyKey` that you give. */
  async request(verb: string, path: string, options: RequestOptions = {}): Promise<unknown> {
    const { query, body, idempotencyKey, ...rest } = options;
    const method = verb.toUpperCase();
    const key = idempotencyKey === undefined ? undefined : keyOf(idempotencyKey);
    const repeat = key !== undefined || method === 'GET' ? 'always' : 'never';
    if (!OWN_PATH.test(path))
      throw new InvalidArgument('A path has one leading "/", and no "..", "?", "#", "\\" or space.');
    return this.#caller.send({ method, path, query, body, options: rest, key, repeat });
  }

  /** The same client, whose calls give `{ value, response }`: status, headers and request id beside the body. */
  withResponse(): Responding<TradingProxy> {
    return new TradingProxy(undefined, new Caller(this.#caller.transport, true)) as unknown as Responding<TradingProxy>;
  }
}
