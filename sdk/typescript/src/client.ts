import { accountOf, type Account } from './account.js';
import { Caller, keyOf, nothing, type Asked, type KeyedOptions, type Responding } from './caller.js';
import { InvalidArgument } from './errors.js';
import { exchangeOf, type Exchange, type ExchangeId } from './exchange.js';
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

/** The client of one Trading Proxy, for one API key or session. */
export class TradingProxy {
  readonly kalshi: Exchange;
  readonly polymarket: Exchange;
  /** Of a session (`token`). */
  readonly account: Account;
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
    this.account = accountOf(caller);
    this.portfolio = { get: caller.method('getPortfolio', nothing) };
    this.me = { get: caller.method('getMe', nothing) };
    const beat = caller.method('beat', (body: Asked<'beat'>) => ({ body }));
    this.bot = {
      get: caller.method('getOwnBot', nothing),
      /** Stops itself; only its owner resumes it. */
      halt: caller.method('haltOwnBot', () => ({ proof: 'bot_id' })),
      /** One beat, with a time-out of a third of the ttl at most; nothing beats by itself. */
      heartbeat: (ttl_seconds: number, more: Omit<Asked<'beat'>, 'ttl_seconds'> = {}, options: CallOptions = {}) => {
        const timeout = Math.min(options.timeout ?? caller.transport.settings.timeout, Math.floor(ttl_seconds * 333));
        return beat({ ...more, ttl_seconds }, { ...options, timeout });
      },
      stopHeartbeat: caller.method('stopHeartbeat', nothing),
    };
    this.bots = { halt: caller.method('haltBotsByKey', () => ({ proof: 'bots' })) };
  }

  exchange(id: ExchangeId): Exchange {
    const { transport, isWhole } = this.#caller;
    return exchangeOf(id, new Caller(transport, isWhole, [id]));
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
    const isCsv = path.endsWith('.csv');
    return this.#caller.send({ method, path, query, body, options: rest, key, repeat, isCsv });
  }

  /** The same client, whose calls give `{ value, response }`: status, headers and request id beside the body. */
  withResponse(): Responding<TradingProxy> {
    return new TradingProxy(undefined, new Caller(this.#caller.transport, true)) as unknown as Responding<TradingProxy>;
  }
}
