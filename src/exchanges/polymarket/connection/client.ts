import type { BeforeSend } from '../../before-send.js';
import { z } from 'zod';
import type { Settings } from '../../../platform/config/settings.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { Secret } from '../../../platform/secrets/secret.js';
import {
  UpstreamError,
  type UpstreamClient,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../../platform/upstream/upstream-client.js';
import type { UpstreamClients } from '../../../platform/upstream/upstream-clients.js';
import type { UpstreamClock } from '../../../platform/upstream/upstream-clock.js';
import { type Answer, checkedAnswer } from '../../checked-answer.js';
import { synchroniseClock } from '../../exchange-clock.js';
import { type BatchCall, type BatchItem, MOST_ORDERS_OF_BATCH, type BatchSeat } from '../../order-batch.js';
import type { OrderReference } from '../../orders.contract.js';
import { UpstreamErrors, type CallKind, type ExchangeFault, type UpstreamProblem } from '../../upstream-errors.js';
import type { Verdict } from '../../verdicts.js';
import { ALLOWANCE_MISSING, POLYMARKET_ERRORS, SESSION_ERRORS, SESSION_KEY_SETTLING } from '../polymarket.errors.js';
import { POLYMARKET } from '../polymarket.ids.js';
import { POLYMARKET_SETTINGS } from '../polymarket.settings.js';
import { type ApiCredentials, PolymarketSigner } from '../polymarket.signer.js';
import { answersIn } from './batch-answer.js';

type Host = 'clob' | 'gamma' | 'data';

/** Beside a 429: when the account's calls are counted anew, Unix seconds (polymarket.md 12.2). */
const RESET_HEADER = 'poly-ratelimit-reset';

/** The Data API refuses more, by an edge that does not say for how long (polymarket.md 12.1). */
const DATA_CALLS_PER_SECOND = 20;

/** Query parameters; a name may be repeated, and those without a value are left out. */
export type Query = readonly (readonly [name: string, value: string | number | boolean | null | undefined])[];

/** One public read below a host's base address. */
export interface PublicRead {
  readonly host: Host;
  readonly path: string;
  readonly query?: Query;
  /** For trading, which never caches: what is public at the exchange is read by a call of its own then (contract.md 5). */
  readonly uncached?: boolean;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
  /** Made once, whatever becomes of it, of an answer of at most so many bytes. */
  readonly once?: { readonly maxBodyBytes: number };
}

/** A call that a key signs for itself (L1, polymarket.md 3), for which the exchange needs no API credentials. */
export interface AttestedCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Returns the headers for the exchange's time. */
  readonly sign: (at: Date) => Record<string, string>;
  /** What no message may repeat. */
  readonly hidden: readonly Secret[];
}

type SignedCall = Pick<UpstreamRequest, 'method' | 'path' | 'query' | 'body' | 'priority' | 'signal' | 'beforeSend'>;

/** An order that is sent once. */
interface OrderSending {
  /** Makes the text that is signed. */
  readonly body: () => string;
  /** Whether a session key signed it: what is wrong with the signer is that key's then. */
  readonly isBySession: boolean;
  readonly beforeSend: BeforeSend | undefined;
  /** The others that it leaves with, of one kind. */
  readonly together: { readonly seat: BatchSeat; readonly kind: string } | undefined;
}

/** What signs the private calls of a wallet, and what no message may repeat. */
interface SigningCredentials {
  readonly apiCredentials: ApiCredentials;
  readonly secrets: readonly Secret[];
}

/**
 * Public calls to Polymarket's three APIs (polymarket.md 1), one client for each host, limited together. Throws
 * AppError only.
 */
export class PolymarketClient {
  readonly #hosts: Readonly<Record<Host, UpstreamClient>>;
  readonly #errors = new UpstreamErrors(POLYMARKET_ERRORS);
  /** Address of the user channel. */
  readonly userStreamUrl: string;

  constructor(settings: Settings, clients: UpstreamClients) {
    const urls = settings.extension(POLYMARKET_SETTINGS);
    this.userStreamUrl = `${urls.POLYMARKET_WS_URL}/user`;
    const common = { group: POLYMARKET, readFault: POLYMARKET_ERRORS.readFault, resetHeader: RESET_HEADER };
    this.#hosts = {
      clob: clients.create({ ...common, name: 'polymarket-clob', baseUrl: urls.POLYMARKET_CLOB_URL }),
      gamma: clients.create({ ...common, name: 'polymarket-gamma', baseUrl: urls.POLYMARKET_GAMMA_URL }),
      data: clients.create({
        ...common,
        name: 'polymarket-data',
        baseUrl: urls.POLYMARKET_DATA_URL,
        callsPerSecond: DATA_CALLS_PER_SECOND,
      }),
    };
  }

  /** The exchange's time, as the answers of the CLOB state it. */
  get clock(): UpstreamClock {
    return this.#hosts.clob.clock;
  }

  /** The same exchange with one user's credentials, for one request of ours (S-39). */
  signedWith(credentials: SigningCredentials): SignedPolymarketClient {
    return new SignedPolymarketClient(this, this.#hosts.clob, credentials);
  }

  /** Throws `not_found`, `exchange_error`, … (unified-schema.md 11). */
  read<T>(
    { host, path, query = [], uncached = false, signal, once }: PublicRead,
    schema: z.ZodType<T>,
  ): Promise<Answer<T>> {
    const request = {
      method: 'GET',
      path,
      query: pairs(query),
      shared: !uncached,
      ...(signal && { signal }),
      ...(once && { once: true, maxBodyBytes: once.maxBodyBytes }),
    } as const;
    return checkedAnswer(this.#hosts[host].request(request), schema, (problem) => this.#failed(problem));
  }

  /** Reads the books of tokens by one call of its own: for what is compared with a feed. */
  readBooks<T>(tokens: readonly string[], schema: z.ZodType<T>): Promise<Answer<T>> {
    const body = JSON.stringify(tokens.map((token_id) => ({ token_id })));
    const answer = this.#hosts.clob.request({ method: 'POST', path: '/books', body });
    return checkedAnswer(answer, schema, (problem) => this.#failed(problem));
  }

  /** As `read`, but null where the host knows no such thing (404). */
  find<T>(read: PublicRead, schema: z.ZodType<T>): Promise<Answer<T | null>> {
    return nullIfAbsent(this.read(read, schema));
  }

  /** As `read`, of the Data API, which answers an empty list where it knows nothing: a 404 says nothing of what was asked for. */
  async readData<T>(read: Omit<PublicRead, 'host'>, schema: z.ZodType<T>): Promise<Answer<T>> {
    const answer = await this.find({ ...read, host: 'data' }, schema);
    const { value, at } = answer;
    if (value === null) throw this.unusable();
    return { value, at };
  }

  /** Sends a call that a key signs for itself, once where it is a POST. Throws as signed reads do. */
  async attest<T>({ method, path, sign, hidden }: AttestedCall, schema: z.ZodType<T>): Promise<Answer<T>> {
    const errors = new UpstreamErrors(POLYMARKET_ERRORS, hidden);
    const { clob } = this.#hosts;
    await synchroniseClock(clob, '/time', errors);
    const response = clob.request({ method, path, headers: () => sign(clob.clock.now()) });
    return checkedAnswer(response, schema, (problem) => errors.ofCall(problem, 'signed'));
  }

  /** The error of what an answer for several leaves out: as of a call for it alone. */
  notFound(): AppError {
    return this.#errors.ofRefusal('not_found', null, { code: null, text: null });
  }

  /** The error of an answer that contradicts itself or the request: `exchange_error`. */
  unusable(): AppError {
    return this.#failed(new UpstreamError('unreadable', true));
  }

  #failed(problem: UpstreamProblem): AppError {
    return this.#errors.ofCall(problem, 'public');
  }
}

/** Where the signed time and the exchange's are further apart, longer than any call takes, that explains a 401. */
const SKEW_LIMIT_MS = 15_000;

/** Signed calls of one wallet; each attempt is signed anew, with the exchange's time (contract.md 5). Throws AppError only. */
export class SignedPolymarketClient {
  readonly #signer: PolymarketSigner;
  readonly #errors: UpstreamErrors;
  readonly #sessionErrors: UpstreamErrors;

  constructor(
    private readonly client: PolymarketClient,
    private readonly clob: UpstreamClient,
    { apiCredentials, secrets }: SigningCredentials,
  ) {
    this.#signer = new PolymarketSigner(apiCredentials);
    this.#errors = new UpstreamErrors(POLYMARKET_ERRORS, secrets);
    this.#sessionErrors = new UpstreamErrors(SESSION_ERRORS, secrets);
  }

  /** A signed read. Throws as `PolymarketClient.read`. */
  read<T>(path: string, query: Query, schema: z.ZodType<T>, signal?: AbortSignal): Promise<Answer<T>> {
    return this.#call({ method: 'GET', path, query: pairs(query), ...(signal && { signal }) }, 'signed', schema);
  }

  /** As `read`, but null where the exchange itself says that it knows no such thing (404), and no gateway on the way. */
  find<T>(path: string, schema: z.ZodType<T>, signal?: AbortSignal): Promise<Answer<T | null>> {
    return nullIfAbsent(this.read(path, [], schema, signal));
  }

  /** What the Data API shows of an account, unsigned, as anyone may read it. */
  readData<T>(path: string, query: Query, schema: z.ZodType<T>, signal?: AbortSignal): Promise<Answer<T>> {
    return this.client.readData({ path, query, uncached: true, signal }, schema);
  }

  /** Takes orders out of the book: that may be repeated safely, but is never repeated here. */
  cancel<T>(path: string, body: string, schema: z.ZodType<T>): Promise<Answer<T>> {
    return this.#call({ method: 'DELETE', path, body, priority: 'cancel' }, 'cancel', schema);
  }

  /**
   * Sends an order once. Returns the answer of a 2xx, unchecked; throws what the exchange proves, `exchange_error` where
   * nothing was sent, else `order_outcome_unknown`.
   */
  async sendOrder(
    { body, isBySession, beforeSend, together }: OrderSending,
    reference: OrderReference,
  ): Promise<Answer<unknown>> {
    await this.synchronise();
    const errors = isBySession ? this.#sessionErrors : this.#errors;
    const call = { method: 'POST', path: '/order', priority: 'order' } as const;
    const name = reference.details.order_id ?? '';
    const response =
      together === undefined
        ? this.#send({ ...call, body: body(), ...(beforeSend && { beforeSend }) })
        : together.seat.send(this.#batchOf(together.kind, errors), { body, name, beforeSend });
    return checkedAnswer(response, z.unknown(), (problem) => errors.ofOrder(problem, reference));
  }

  /** One call for the orders of a batch of one kind (polymarket.md 7.1). */
  #batchOf(kind: string, errors: UpstreamErrors): BatchCall {
    return {
      ...{ signer: this, kind, most: () => MOST_ORDERS_OF_BATCH, pauseMs: 0 },
      send: async (begin) => {
        let items: readonly BatchItem[] = [];
        const response = await this.#send({ method: 'POST', path: '/orders', priority: 'order' }, async () => {
          items = await begin();
          return `[${items.map(({ body }) => body()).join(',')}]`;
        });
        return errors.ofEach(response, items, (answer) => answersIn(answer, items));
      },
    };
  }

  /** The exchange's time. */
  now(): Date {
    return this.clob.clock.now();
  }

  /** Makes sure that the exchange's time is known. */
  synchronise(): Promise<void> {
    return synchroniseClock(this.clob, '/time', this.#errors);
  }

  /** The error of an order whose answer says neither that it exists nor that it does not. */
  outcomeUnknown(reference: OrderReference): AppError {
    return this.#errors.ofOrder(new UpstreamError('unreadable', true), reference);
  }

  /** The error of a refusal that stands in an answer of another status, or (null) is known without asking. */
  refused(verdict: Verdict, status: number | null, fault: ExchangeFault): AppError {
    return this.#errors.ofRefusal(verdict, status, fault);
  }

  /** The error of an order that was refused for funds, where in truth `spender` lacks the approval to take them. */
  allowanceMissing(refusal: AppError, spender: string): AppError {
    return this.#errors.ofMeaning(refusal, ALLOWANCE_MISSING, { details: { spender } });
  }

  /** The error of an order that was refused for its session key, which the exchange may not know everywhere yet. */
  keySettling(refusal: AppError, retryAfterSeconds: number): AppError {
    return this.#errors.ofMeaning(refusal, SESSION_KEY_SETTLING, { retryAfterSeconds });
  }

  /** The error of an answer that contradicts itself: `exchange_error`. */
  unusable(kind: CallKind = 'signed'): AppError {
    return this.#errors.ofCall(new UpstreamError('unreadable', true), kind);
  }

  async #call<T>(call: SignedCall, kind: CallKind, schema: z.ZodType<T>): Promise<Answer<T>> {
    await this.synchronise();
    return checkedAnswer(this.#send(call), schema, (problem) =>
      kind === 'signed' && isForeign(problem) ? this.unusable() : this.#errors.ofCall(problem, kind),
    );
  }

  /** `makeBody` makes the body when the call is about to leave, where others decide what is in it. */
  async #send(call: SignedCall, makeBody?: () => Promise<string>): Promise<UpstreamResponse> {
    const { clock } = this.clob;
    let signedAt = clock.now();
    const headers = (body = call.body ?? ''): Record<string, string> => {
      signedAt = clock.now();
      return this.#signer.sign({ method: call.method, path: call.path, body }, signedAt);
    };
    const make = makeBody && (() => makeBody().then((body) => ({ headers: headers(body), body })));
    const response = await this.clob.request(
      make === undefined ? { ...call, headers: () => headers() } : { ...call, make },
    );
    const awayMs = Math.abs(clock.told().getTime() - signedAt.getTime());
    if (response.status === 401 && awayMs > SKEW_LIMIT_MS && isOwn(response)) {
      throw this.#errors.ofRefusal('clock_skew', 401, { code: null, text: null });
    }
    return response;
  }
}

/** Returns null in place of `not_found`. */
async function nullIfAbsent<T>(read: Promise<Answer<T>>): Promise<Answer<T | null>> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return { value: null, at: new Date() };
    throw error;
  }
}

function pairs(query: Query): [name: string, value: string][] {
  return query.flatMap(([name, value]) => (value === undefined || value === null ? [] : [[name, String(value)]]));
}

/** Whether a gateway on the way says 404, and not the exchange. */
function isForeign(problem: UpstreamProblem): boolean {
  return !(problem instanceof UpstreamError) && problem.status === 404 && !isOwn(problem);
}

function isOwn({ body }: Pick<UpstreamResponse, 'body'>): boolean {
  return POLYMARKET_ERRORS.readFault(body) !== null;
}
