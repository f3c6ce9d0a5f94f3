import { InvalidArgument } from './errors.js';
import { OPERATIONS, type Answers, type Bodies, type Queries } from './generated.js';
import type { Input } from './decimal.js';
import { List, type Page } from './pages.js';
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

/** What the arguments of a method come to. */
type Take<Args extends unknown[]> = (...args: Args) => Partial<Call> & { readonly ids?: readonly string[] };
type More = Partial<{ readonly isKeyed: boolean; readonly cursor: string | undefined }>;
type With<Args extends unknown[], Options = CallOptions> = [...Args, options?: Options];

/** Sent once: a second one would make something more, or undo what somebody did since. */
const ONCE = /^(?:createBot|changeBot|removeBot|rotateBotKey|resumeBot|createApiKey|revokeApiKey)$/;

/** Makes methods of operations: their arguments are those of `take`, then the options. `scope` has the first ids of all paths: the exchange. */
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

  /** Methods whose one argument is the body, or the query. */
  body<Of extends Operation & keyof Bodies>(name: Of) {
    return this.method(name, (body: Asked<Of>) => ({ body }));
  }

  query<Of extends Operation & keyof Queries>(name: Of, more: Partial<Call> = {}) {
    return this.method(name, (query?: Filters<Of>) => ({ query, ...more }));
  }

  pages<Of extends Operation & keyof Queries>(name: Of) {
    return this.list(name, (query?: Filters<Of>) => ({ query }));
  }

  async #call<Value>(name: Operation, take: Take<never>, args: unknown[], more: More = {}): Promise<Value> {
    const { ids: own = [], query, ...rest } = take(...(args.slice(0, take.length) as never));
    const { idempotencyKey, ...options } = (args[take.length] ?? {}) as KeyedOptions;
    const [method = '', template = ''] = OPERATIONS[name].split(' ');
    const segments = [...this.scope, ...own].map(segment);
    const path = template.replace(/\{\w+\}/g, () => segments.shift() ?? '');
    const key = more.isKeyed === true ? keyOf(idempotencyKey) : undefined;
    const repeat = ONCE.test(name) ? 'never' : 'always';
    return this.send({
      method,
      path,
      query: { ...query, cursor: more.cursor ?? query?.cursor },
      options,
      key,
      repeat,
      ...rest,
    });
  }

  async send<Value>({ finish = (value) => value, ...call }: Omit<Call, 'finish'> & Partial<Call>): Promise<Value> {
    const give: Call['finish'] = (body, key, response) => {
      const value = finish(body, key, response);
      return this.isWhole ? { value, response } : value;
    };
    return (await this.transport.send({ ...call, finish: give })) as Value;
  }
}

/** What most methods take. */
export const nothing = () => ({});
export const byId = (id: string) => ({ ids: [id] });

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
