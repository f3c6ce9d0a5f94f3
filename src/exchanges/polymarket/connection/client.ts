import type { z } from 'zod';
import type { Secret } from '../../../platform/secrets/secret.js';
import { AppError } from '../../../platform/errors/app-error.js';
import {
  UpstreamError,
  type UpstreamClient,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../../platform/upstream/upstream-client.js';
import type { UpstreamClients } from '../../../platform/upstream/upstream-clients.js';
import type { UpstreamClock } from '../../../platform/upstream/upstream-clock.js';
import type { Settings } from '../../../platform/config/settings.js';
import type { OrderReference } from '../../exchange.js';
import {
  UpstreamErrors,
  type CallKind,
  type ExchangeFault,
  type UpstreamProblem,
  type Verdict,
} from '../../upstream-errors.js';
import { POLYMARKET_ERRORS } from '../polymarket.errors.js';
import { POLYMARKET } from '../polymarket.ids.js';
import { POLYMARKET_SETTINGS } from '../polymarket.settings.js';
import { type ApiCredentials, PolymarketSigner } from '../polymarket.signer.js';

type Host = 'clob' | 'gamma' | 'data';

/** Query parameters; a name may be repeated, and those without a value are left out. */
export type Query = readonly (readonly [name: string, value: string | number | boolean | null | undefined])[];

/** One public read below a host's base address. */
export interface PublicRead {
  readonly host: Host;
  readonly path: string;
  readonly query?: Query;
  /** What one account has: public at the exchange, but trading never caches, so each read is a call of its own (DESIGN 5). */
  readonly ofAccount?: boolean;
  /** Ends it early. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer that has been checked, and when it came. */
export interface Answer<T> {
  readonly value: T;
  readonly at: Date;
}

type SignedCall = Pick<UpstreamRequest, 'method' | 'path' | 'query' | 'body' | 'priority' | 'signal'>;

/** What signs the private calls of a wallet, and what no message may repeat. */
interface SigningCredentials {
  readonly apiCredentials: ApiCredentials;
  readonly secrets: readonly Secret[];
}

/** Polymarket's three APIs (polymarket.md 1): one client for each host, limited together, and their public reads. */
export class PolymarketClient {
  readonly #hosts: Readonly<Record<Host, UpstreamClient>>;
  readonly #errors = new UpstreamErrors(POLYMARKET_ERRORS);

  constructor(settings: Settings, clients: UpstreamClients) {
    const urls = settings.extension(POLYMARKET_SETTINGS);
    const common = { group: POLYMARKET, readFault: POLYMARKET_ERRORS.readFault };
    this.#hosts = {
      clob: clients.create({ ...common, name: 'polymarket-clob', baseUrl: urls.POLYMARKET_CLOB_URL }),
      gamma: clients.create({ ...common, name: 'polymarket-gamma', baseUrl: urls.POLYMARKET_GAMMA_URL }),
      data: clients.create({ ...common, name: 'polymarket-data', baseUrl: urls.POLYMARKET_DATA_URL }),
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

  /** Returns the checked answer. Throws AppError: `not_found`, `exchange_error`, … (unified.md 11). */
  async read<Schema extends z.ZodType>(read: PublicRead, schema: Schema): Promise<Answer<z.output<Schema>>> {
    const response = await this.#request(read);
    if (!succeeded(response)) throw this.#failed(response);
    return { value: parseAnswer(schema, response, (problem) => this.#failed(problem)), at: response.receivedAt };
  }

  /** As `read`, but null where the host knows no such thing (404). */
  async find<Schema extends z.ZodType>(read: PublicRead, schema: Schema): Promise<Answer<z.output<Schema> | null>> {
    return await orNull(this.read(read, schema));
  }

  /** The error of an answer that contradicts itself or the request: `exchange_error`. */
  unusable(): AppError {
    return this.#failed(new UpstreamError('unreadable', true));
  }

  /** Reads the exchange's clock before the first signed call (DESIGN 5). */
  async synchronise(): Promise<void> {
    await this.clock.synchronise(() => this.#request({ host: 'clob', path: '/time' }));
  }

  async #request({ host, path, query = [], ofAccount = false, signal }: PublicRead): Promise<UpstreamResponse> {
    try {
      return await this.#hosts[host].request({
        method: 'GET',
        path,
        query: pairs(query),
        shared: !ofAccount,
        ...(signal && { signal }),
      });
    } catch (error) {
      if (error instanceof UpstreamError) throw this.#failed(error);
      throw error;
    }
  }

  #failed(problem: UpstreamProblem): AppError {
    return this.#errors.ofCall(problem, 'public');
  }
}

/** So far the signed time and the exchange's may lie apart, longer than any call takes, before a 401 is put down to it. */
const SKEW_LIMIT_MS = 15_000;

/** The private calls of one wallet; each attempt is signed anew, with the exchange's own time (DESIGN 5). */
export class SignedPolymarketClient {
  readonly #signer: PolymarketSigner;
  readonly #errors: UpstreamErrors;

  constructor(
    private readonly client: PolymarketClient,
    private readonly clob: UpstreamClient,
    { apiCredentials, secrets }: SigningCredentials,
  ) {
    this.#signer = new PolymarketSigner(apiCredentials);
    this.#errors = new UpstreamErrors(POLYMARKET_ERRORS, secrets);
  }

  /** A signed read. Throws AppError (unified.md 11). */
  async read<Schema extends z.ZodType>(
    path: string,
    query: Query,
    schema: Schema,
    signal?: AbortSignal,
  ): Promise<Answer<z.output<Schema>>> {
    return await this.#call({ method: 'GET', path, query: pairs(query), ...(signal && { signal }) }, 'signed', schema);
  }

  /** As `read`, but null where the exchange itself says that it knows no such thing (404), and no gateway on the way. */
  async find<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    signal?: AbortSignal,
  ): Promise<Answer<z.output<Schema> | null>> {
    return await orNull(this.read(path, [], schema, signal));
  }

  /** What the Data API shows of an account, unsigned, as anyone may read it. */
  async readData<Schema extends z.ZodType>(
    path: string,
    query: Query,
    schema: Schema,
    signal?: AbortSignal,
  ): Promise<Answer<z.output<Schema>>> {
    return await this.client.read({ host: 'data', path, query, ofAccount: true, signal }, schema);
  }

  /** A call that takes orders out: it may be repeated safely, but is never repeated here. */
  async cancel<Schema extends z.ZodType>(
    path: string,
    body: string,
    schema: Schema,
  ): Promise<Answer<z.output<Schema>>> {
    return await this.#call({ method: 'DELETE', path, body, priority: 'cancel' }, 'cancel', schema);
  }

  /**
   * Sends an order once. Returns the answer of a 2xx; throws what the exchange proves, `exchange_error` where nothing was
   * sent, else `order_outcome_unknown`.
   */
  async sendOrder(body: string, reference: OrderReference): Promise<UpstreamResponse> {
    await this.synchronise();
    try {
      const response = await this.#send({ method: 'POST', path: '/order', body, priority: 'order' });
      if (succeeded(response)) return response;
      throw this.#errors.ofOrder(response, reference);
    } catch (error) {
      if (error instanceof UpstreamError) throw this.#errors.ofOrder(error, reference);
      throw error;
    }
  }

  /** The exchange's time. */
  now(): Date {
    return this.client.clock.now();
  }

  /** Makes sure that the exchange's time is known. */
  async synchronise(): Promise<void> {
    await this.client.synchronise();
  }

  /** The error of an order whose answer says neither that it exists nor that it does not. */
  outcomeUnknown(reference: OrderReference): AppError {
    return this.#errors.ofOrder(new UpstreamError('unreadable', true), reference);
  }

  /** The error of a refusal that stands in an answer of status 200. */
  refused(verdict: Verdict, fault: ExchangeFault): AppError {
    return this.#errors.ofRefusal(verdict, 200, fault);
  }

  /** The error of an answer that contradicts itself: `exchange_error`. */
  unusable(): AppError {
    return this.#errors.ofCall(new UpstreamError('unreadable', true), 'signed');
  }

  async #call<Schema extends z.ZodType>(
    call: SignedCall,
    kind: CallKind,
    schema: Schema,
  ): Promise<Answer<z.output<Schema>>> {
    await this.synchronise();
    try {
      const response = await this.#send(call);
      const isForeign = response.status === 404 && POLYMARKET_ERRORS.readFault(response.body) === null;
      if (isForeign && kind === 'signed') throw this.unusable();
      if (!succeeded(response)) throw this.#errors.ofCall(response, kind);
      const value = parseAnswer(schema, response, (problem) => this.#errors.ofCall(problem, kind));
      return { value, at: response.receivedAt };
    } catch (error) {
      if (error instanceof UpstreamError) throw this.#errors.ofCall(error, kind);
      throw error;
    }
  }

  async #send(call: SignedCall): Promise<UpstreamResponse> {
    const { clock } = this.clob;
    let signedAt = clock.now();
    const headers = (): Record<string, string> => {
      signedAt = clock.now();
      return this.#signer.sign({ method: call.method, path: call.path, body: call.body ?? '' }, signedAt);
    };
    const response = await this.clob.request({ ...call, headers });
    const awayMs = Math.abs(clock.now().getTime() - signedAt.getTime());
    if (response.status === 401 && awayMs > SKEW_LIMIT_MS && POLYMARKET_ERRORS.readFault(response.body) !== null) {
      throw this.#errors.ofRefusal('clock_skew', 401, { code: null, text: null });
    }
    return response;
  }
}

/** Returns null in place of `not_found`. */
async function orNull<T>(read: Promise<Answer<T>>): Promise<Answer<T | null>> {
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

function succeeded(response: UpstreamResponse): boolean {
  return response.status >= 200 && response.status < 300;
}

/** The body as the schema returns it; throws what `failed` makes of an unreadable answer where it does not fit. */
function parseAnswer<Schema extends z.ZodType>(
  schema: Schema,
  response: UpstreamResponse,
  failed: (problem: UpstreamError) => Error,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(response.body);
  if (success) return data;
  // The paths of what does not fit are logged with the cause; the answer itself is not.
  const places = error.issues.slice(0, 5).map((issue) => `${issue.path.join('.')}: ${issue.code}`);
  const cause = new Error(`the answer does not fit its schema at ${places.join(', ')}`);
  throw failed(new UpstreamError('unreadable', true, { status: response.status, cause }));
}
