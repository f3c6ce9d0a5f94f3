import { InvalidArgument } from './errors.js';
import { OPERATIONS, type Answers, type Bodies, type Queries } from './generated.js';
import type { Input } from './decimal.js';
import type { Queued } from './event-queue.js';
import { List, type Page } from './pages.js';
import { Stream } from './stream.js';
import type { Call, CallOptions, ResponseInfo, Transport } from './transport.js';

/** Of a call that makes an order or a transfer. */
export interface KeyedOptions extends CallOptions {
  /** 1 to 255 visible ASCII characters. Left out, the client makes one and keeps it over its own retries. */
  readonly idempotencyKey?: string | undefined;
}

/** What `withResponse()` gives in place of the body. */
export interface WithResponse<Value> {
  readonly value: Value;
  readonly response: ResponseInfo;
}

/** A client whose calls give `{ value, response }`. Lists and streams stay as they are. */
export type Responding<Part> = Part extends (...args: infer Args) => infer Result
  ? Result extends Promise<infer Value>
    ? (...args: Args) => Promise<WithResponse<Value>>
    : Result extends AsyncIterable<unknown>
      ? Part
      : (...args: Args) => Responding<Result>
  : Part extends object
    ? { readonly [Name in keyof Part]: Responding<Part[Name]> }
    : Part;

export type Operation = keyof typeof OPERATIONS;
/** The body that an operation takes, with decimals as callers write them. */
export type Asked<Of extends keyof Bodies> = Input<Bodies[Of]>;
/** The query of an operation. */
export type Filters<Of extends keyof Queries> = Readonly<Queries[Of]>;
type Pages<Answer> = Answer extends Page<infer Item> ? List<Item, Answer> : never;

/** What a query takes beside the market, and what a stream of own orders or fills takes: all markets where none is named. */
export type Rest<Of extends keyof Queries> = Omit<Filters<Of>, 'market_id'>;
export type Own<Of extends keyof Queries> = Rest<Of> & { readonly market_ids?: readonly string[] | undefined };

/** What the arguments of a method come to. */
type Take<Args extends unknown[]> = (...args: Args) => Partial<Call> & { readonly ids?: readonly string[] };
type More = Partial<{ readonly isKeyed: boolean; readonly cursor: string | undefined }>;
type With<Args extends unknown[], Options = CallOptions> = [...Args, options?: Options];

/** Sent once: a second one would make something more, or undo what somebody did since. */
const ONCE = /^(?:createBot|changeBot|removeBot|rotateBotKey|resumeBot|createApiKey|revokeApiKey)$/;
const REPEATS = new Map<Operation, Call['repeat']>([
  ['cancelOrders', 'unlessOrders'],
  ['amendOrder', 'change'],
]);

/** Makes methods of operations: their arguments are those of `take`, then the options. `scope` has the first segments of all paths: the exchange. */
export class Caller {
  constructor(
    readonly transport: Transport,
    readonly isWhole = false,
    readonly scope: readonly string[] = [],
  ) {}

  method<Of extends Operation, Args extends unknown[]>(name: Of, take: Take<Args>) {
    return (...args: With<Args>): Promise<Answers[Of]> => this.#call(name, take, args);
  }

  /** Of an order or a transfer: under a key. */
  make<Of extends Operation, Args extends unknown[], Value = Answers[Of]>(name: Of, take: Take<Args>) {
    return (...args: With<Args, KeyedOptions>): Promise<Value> => this.#call(name, take, args, { isKeyed: true });
  }

  list<Of extends Operation, Args extends unknown[]>(name: Of, take: Take<Args>) {
    const plain = new Caller(this.transport, false, this.scope);
    const read = (args: With<Args>) => (cursor?: string) => plain.#call<Page<unknown>>(name, take, args, { cursor });
    return (...args: With<Args>) => new List(read(args)) as unknown as Pages<Answers[Of]>;
  }

  /** Of markets it ends where all are closed; of own orders and fills never. */
  stream<Event extends Pick<Queued, 'type'>>(name: Operation, marketIds?: readonly string[], query?: object) {
    const lines = name === 'streamOrders' || name === 'streamFills' ? null : new Set(marketIds).size;
    const all = { ...query, market_id: marketIds && ids(marketIds) };
    return new Stream<Event>(this.transport, { path: this.#pathOf(name), query: all, lines });
  }

  #pathOf(name: Operation, own: readonly string[] = []): string {
    const segments = [...this.scope, ...own.map(segment)];
    return OPERATIONS[name][1].replace(/\{\w+\}/g, () => segments.shift() ?? '');
  }

  async #call<Value>(name: Operation, take: Take<never>, args: unknown[], more: More = {}): Promise<Value> {
    const { ids: own, query, ...rest } = take(...(args.slice(0, take.length) as never));
    const { idempotencyKey, ...options } = (args[take.length] ?? {}) as KeyedOptions;
    const [method, , proof] = OPERATIONS[name];
    const cursor = more.cursor ?? query?.cursor;
    const key = more.isKeyed === true ? keyOf(idempotencyKey) : undefined;
    const repeat = REPEATS.get(name) ?? (ONCE.test(name) ? 'never' : 'always');
    const path = this.#pathOf(name, own);
    return this.send({ method, path, proof, query: { ...query, cursor }, options, key, repeat, ...rest });
  }

  async send<Value>({ finish = (value) => value, ...call }: Omit<Call, 'finish'> & Partial<Call>): Promise<Value> {
    const give: Call['finish'] = (body, key, response) => {
      const value = finish(body, key, response);
      return this.isWhole ? { value, response } : value;
    };
    return (await this.transport.send({ ...call, finish: give })) as Value;
  }
}

/** An id as one segment of a path. Throws InvalidArgument for what would vanish from it. */
export function segment(id: string): string {
  if (typeof id === 'string' && !['', '.', '..'].includes(id)) return encodeURIComponent(id);
  throw new InvalidArgument('An id is a text, and neither empty nor "." or "..".');
}

/** Ids as a comma list. */
export function ids(list: readonly string[]): string {
  const isFit = Array.isArray(list) && list.length > 0 && list.every((id: string) => /^[^,]+$/.test(id));
  if (!isFit) throw new InvalidArgument('Give a list of ids, at least one, none of them empty.');
  return list.join(',');
}

/** The key of a call that makes something: the caller's, or a new one. */
export function keyOf(key: string = crypto.randomUUID()): string {
  if (typeof key === 'string' && /^(?!\.{1,2}$)[!-~]{1,255}$/.test(key)) return key;
  throw new InvalidArgument('An idempotency key is 1 to 255 visible ASCII characters, and neither "." nor "..".');
}
