import type { z } from 'zod';
import { sha256 } from '../../../platform/crypto/digests.js';
import type { Secret } from '../../../platform/secrets/secret.js';
import { AppError } from '../../../platform/errors/app-error.js';
import {
  type UpstreamClient,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../../platform/upstream/upstream-client.js';
import type { Opened, OrderReference } from '../../exchange.js';
import { type CallKind, UpstreamErrors, type UpstreamProblem } from '../../upstream-errors.js';
import type { KalshiCredentialsDto } from '../kalshi.credentials.dto.js';
import { KALSHI_ERRORS } from '../kalshi.errors.js';
import { KalshiSigner } from '../kalshi.signer.js';

/** A checked answer and when it came. */
export interface Answer<T> {
  readonly body: T;
  readonly receivedAt: Date;
}

/** Query parameters; those without a value are left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

const UNFIT_KEY =
  'The stored private key is no working one of RSA with 2048 to 4096 bits or of Ed25519. Store another under /account/credentials.';

/** For a key that was stored before S-54 and does not meet it; nothing has been sent. */
function refuseKey(cause: unknown): never {
  throw new AppError('credentials_rejected', UNFIT_KEY, { cause });
}

/** Public calls to Kalshi: unsigned, the same for everyone. Throws AppError only. */
export class KalshiClient {
  readonly #errors = new UpstreamErrors(KALSHI_ERRORS);
  readonly #basePath: string;

  constructor(
    private readonly upstream: UpstreamClient,
    baseUrl: string,
  ) {
    this.#basePath = new URL(baseUrl).pathname.replace(/\/$/, '');
  }

  read<T>(path: string, query: Query, schema: z.ZodType<T>, signal?: AbortSignal): Promise<Answer<T>> {
    const request = { method: 'GET', path, query: pairs(query), shared: true, ...(signal && { signal }) } as const;
    return checked(this.upstream.request(request), schema, (problem) => this.#errors.ofCall(problem, 'public'));
  }

  /** The same exchange with one user's credentials, for one request of ours (S-39). */
  signedWith(credentials: Opened<KalshiCredentialsDto>): SignedKalshiClient {
    return new SignedKalshiClient(this.upstream, this.#basePath, credentials, () => this.#synchronise());
  }

  /** Before the first signed call one public answer tells the exchange's time (DESIGN 5). Nothing signed is sent here. */
  async #synchronise(): Promise<void> {
    const read = () => this.upstream.request({ method: 'GET', path: '/exchange/status', shared: true });
    try {
      await this.upstream.clock.synchronise(read);
    } catch (error) {
      throw error instanceof UpstreamError ? this.#errors.ofCall(error, 'public') : error;
    }
  }
}

/** Signed calls. Each is signed just before it leaves, with the exchange's time. Throws AppError only. */
export class SignedKalshiClient {
  readonly #errors: UpstreamErrors;
  #signer: KalshiSigner | null = null;

  constructor(
    private readonly upstream: UpstreamClient,
    private readonly basePath: string,
    private readonly credentials: Opened<KalshiCredentialsDto>,
    /** Makes sure that the exchange's time is known. */
    readonly ready: () => Promise<void>,
  ) {
    const hidden: Secret[] = [credentials.access_key, credentials.private_key];
    this.#errors = new UpstreamErrors(KALSHI_ERRORS, hidden);
  }

  get<T>(path: string, query: Query, schema: z.ZodType<T>, signal?: AbortSignal): Promise<Answer<T>> {
    return this.#call({ method: 'GET', path, query: pairs(query), ...(signal && { signal }) }, schema, 'signed');
  }

  /** Takes orders out. */
  delete<T>(path: string, parameters: { query?: Query; body?: string }, schema: z.ZodType<T>): Promise<Answer<T>> {
    const { query = {}, body } = parameters;
    const request = { method: 'DELETE', path, query: pairs(query), priority: 'cancel' } as const;
    return this.#call({ ...request, ...(body === undefined ? {} : { body }) }, schema, 'cancel');
  }

  /**
   * Sends an order once. Await `ready` before, so that all that fails here concerns the order itself: what was not sent,
   * what was refused, and `order_outcome_unknown`.
   */
  sendOrder<T>(path: string, body: string, schema: z.ZodType<T>, reference: OrderReference): Promise<Answer<T>> {
    const response = this.#send({ method: 'POST', path, body, priority: 'order' });
    return checked(response, schema, (problem) => this.#errors.ofOrder(problem, reference));
  }

  /** Kalshi tells no id of the account, so its API key stands for it. */
  accountDigest(): Buffer {
    return sha256(JSON.stringify(['kalshi', this.credentials.access_key.reveal()]));
  }

  /** A part of an answer that was left unchecked; throws `exchange_error` where it does not fit. */
  parsed<T>(schema: z.ZodType<T>, part: unknown): T {
    const { success, data, error } = schema.safeParse(part);
    if (success) return data;
    throw this.#errors.ofCall(new UpstreamError('unreadable', true, { cause: error }), 'signed');
  }

  /** The exchange's time. */
  now(): Date {
    return this.upstream.clock.now();
  }

  async #call<T>(request: UpstreamRequest, schema: z.ZodType<T>, kind: CallKind): Promise<Answer<T>> {
    await this.ready();
    return checked(this.#send(request), schema, (problem) => this.#errors.ofCall(problem, kind));
  }

  async #send(request: UpstreamRequest): Promise<UpstreamResponse> {
    const { method, path } = request;
    const signer = this.#openSigner();
    const unsigned = { method, path: `${this.basePath}${path}` };
    const headers = () => signer.sign(unsigned, this.upstream.clock.now()).catch(refuseKey);
    return await this.upstream.request({ ...request, headers });
  }

  #openSigner(): KalshiSigner {
    try {
      return (this.#signer ??= new KalshiSigner(this.credentials.access_key, this.credentials.private_key));
    } catch (cause) {
      return refuseKey(cause);
    }
  }
}

/** The body of a 2xx answer that fits the schema; `toError` makes the error of everything else. */
async function checked<T>(
  call: Promise<UpstreamResponse>,
  schema: z.ZodType<T>,
  toError: (problem: UpstreamProblem) => AppError,
): Promise<Answer<T>> {
  try {
    const response = await call;
    const { status, receivedAt } = response;
    if (status < 200 || status >= 300) throw toError(response);
    const parsed = schema.safeParse(response.body);
    if (!parsed.success) throw new UpstreamError('unreadable', true, { status, cause: parsed.error });
    return { body: parsed.data, receivedAt };
  } catch (error) {
    throw error instanceof UpstreamError ? toError(error) : error;
  }
}

function pairs(query: Query): [name: string, value: string][] {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.map(([name, value]) => [name, String(value)]);
}
