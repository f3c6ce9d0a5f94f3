import type { BeforeSend } from '../../before-send.js';
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
import { type Answer, checkedAnswer, parsed } from '../../checked-answer.js';
import { synchroniseClock } from '../../exchange-clock.js';
import type { CredentialFacts } from '../../credentials.contract.js';
import type { BatchCall, BatchItem, BatchSeat } from '../../order-batch.js';
import type { OrderReference } from '../../orders.contract.js';
import { type CallKind, UpstreamErrors } from '../../upstream-errors.js';
import type { Verdict } from '../../verdicts.js';
import type { KalshiCredentials } from '../kalshi.credentials.dto.js';
import { KALSHI_ERRORS } from '../kalshi.errors.js';
import { KALSHI } from '../kalshi.ids.js';
import { KalshiSigner } from '../kalshi.signer.js';
import { BoundKeys, CalledAccount } from './account.js';
import { answersIn } from './batch-answer.js';
import { PAUSE_OF_ONE_MS, type WireLimits, wireLimits, WriteBudgets } from './write-budgets.js';

/** Query parameters; those without a value are left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What is sent once: a transfer, or a change of an order. */
interface Sending {
  readonly path: string;
  readonly body: string;
  readonly beforeSend: BeforeSend | undefined;
}

/** An order that is sent once, alone or with others of its shard. */
interface OrderSending extends Pick<Sending, 'body' | 'beforeSend'> {
  readonly together: { readonly seat: BatchSeat; readonly shard: number | null } | undefined;
}

const ORDERS = '/portfolio/events/orders';
const BATCHED = '/portfolio/events/orders/batched';

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
  readonly #boundKeys = new BoundKeys();
  readonly #budgets = new WriteBudgets();

  constructor(
    private readonly upstream: UpstreamClient,
    baseUrl: string,
  ) {
    this.#basePath = new URL(baseUrl).pathname.replace(/\/$/, '');
  }

  read<T>(path: string, query: Query, schema: z.ZodType<T>, signal?: AbortSignal): Promise<Answer<T>> {
    const request = { method: 'GET', path, query: pairs(query), shared: true, ...(signal && { signal }) } as const;
    return checkedAnswer(this.upstream.request(request), schema, (problem) => this.#errors.ofCall(problem, 'public'));
  }

  /** As `read`, by a call of its own: for what is compared with a feed. A name of the query may be repeated. */
  readFresh<T>(
    path: string,
    query: readonly (readonly [name: string, value: string])[],
    schema: z.ZodType<T>,
  ): Promise<Answer<T>> {
    const answer = this.upstream.request({ method: 'GET', path, query });
    return checkedAnswer(answer, schema, (problem) => this.#errors.ofCall(problem, 'public'));
  }

  /** As `read`, by one call of its own that is never made again, of a bounded answer. */
  readOnce<T>(path: string, query: Query, schema: z.ZodType<T>, maxBodyBytes: number): Promise<Answer<T>> {
    const request = { method: 'GET', path, query: pairs(query), once: true, maxBodyBytes } as const;
    return checkedAnswer(this.upstream.request(request), schema, (problem) => this.#errors.ofCall(problem, 'public'));
  }

  /** Returns the exchange's time. */
  async time(): Promise<Date> {
    await synchroniseClock(this.upstream, '/exchange/status', this.#errors);
    return this.upstream.clock.now();
  }

  /** As `read`, also of a 503 that carries the whole answer, as in a pause (kalshi.md 9.5). */
  readAlsoPaused<T>(path: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<Answer<T>> {
    const answer = this.upstream.request({ method: 'GET', path, shared: true, signal });
    const accepted = answer.then((response) => (response.status === 503 ? { ...response, status: 200 } : response));
    return checkedAnswer(accepted, schema, (problem) => this.#errors.ofCall(problem, 'public'));
  }

  /** The error of what an answer for several leaves out: as of a call for it alone. */
  notFound(): AppError {
    return this.#errors.ofRefusal('not_found', null, { code: null, text: null });
  }

  /** The same exchange with one user's credentials, for one request of ours (S-39). */
  signedWith(credentials: KalshiCredentials, facts: CredentialFacts | null): SignedKalshiClient {
    const account = new CalledAccount(facts, this.#boundKeys, digestOf(credentials).toString('base64'));
    return new SignedKalshiClient(this.upstream, this.#basePath, credentials, { account, budgets: this.#budgets });
  }
}

/** Signed calls. Each is signed just before it leaves, with the exchange's time. Throws AppError only. */
export class SignedKalshiClient {
  readonly #errors: UpstreamErrors;
  #signer: KalshiSigner | null = null;

  constructor(
    private readonly upstream: UpstreamClient,
    private readonly basePath: string,
    private readonly credentials: KalshiCredentials,
    private readonly known: { readonly account: CalledAccount; readonly budgets: WriteBudgets },
  ) {
    const { access_key, private_key, signing_key } = credentials;
    const hidden: Secret[] = [access_key, private_key, ...(signing_key === undefined ? [] : [signing_key])];
    this.#errors = new UpstreamErrors(KALSHI_ERRORS, hidden);
  }

  get account(): CalledAccount {
    return this.known.account;
  }

  read<T>(path: string, query: Query, schema: z.ZodType<T>, signal?: AbortSignal): Promise<Answer<T>> {
    return this.#call({ method: 'GET', path, query: pairs(query), ...(signal && { signal }) }, schema, 'signed');
  }

  /** Takes orders out. */
  cancel<T>(path: string, parameters: { query?: Query; body?: string }, schema: z.ZodType<T>): Promise<Answer<T>> {
    const { query = {}, body } = parameters;
    const request = { method: 'DELETE', path, query: pairs(query), priority: 'cancel' } as const;
    return this.#call({ ...request, ...(body === undefined ? {} : { body }) }, schema, 'cancel');
  }

  /**
   * Sends an order once. Await `synchronise` before, so that all that fails here concerns the order itself: what was not
   * sent, what was refused, and `order_outcome_unknown`.
   */
  sendOrder<T>(
    { body, beforeSend, together }: OrderSending,
    schema: z.ZodType<T>,
    reference: OrderReference,
    fits: (value: T) => boolean,
  ): Promise<Answer<T>> {
    const name = reference.details.client_order_id ?? '';
    const response =
      together === undefined
        ? this.#send({ method: 'POST', path: ORDERS, body, priority: 'order', ...(beforeSend && { beforeSend }) })
        : together.seat.send(this.#batchOn(together.shard), { body: () => body, name, beforeSend });
    return checkedAnswer(response, schema, (problem) => this.#errors.ofOrder(problem, reference), fits);
  }

  /** As `sendOrder`, for a change of an order that rests; each is sent alone. */
  sendAmend<T>(
    { path, body, beforeSend }: Sending,
    schema: z.ZodType<T>,
    reference: OrderReference,
    fits: (value: T) => boolean,
  ): Promise<Answer<T>> {
    const response = this.#send({ method: 'POST', path, body, priority: 'order', ...(beforeSend && { beforeSend }) });
    return checkedAnswer(response, schema, (problem) => this.#errors.ofOrder(problem, reference), fits);
  }

  /** One call for the orders of a batch on one shard; null for those of which nobody knows it (kalshi.md 5.3, 10). */
  #batchOn(shard: number | null): BatchCall {
    return {
      ...{ signer: this, kind: String(shard), pauseMs: PAUSE_OF_ONE_MS },
      most: (count) =>
        this.known.budgets.mostOf(this.accountDigest().toString('base64'), count, () => this.#readLimits()),
      send: async (begin) => {
        let items: readonly BatchItem[] = [];
        const sign = this.#signed({ method: 'POST', path: BATCHED });
        const response = await this.upstream.request({
          ...{ method: 'POST', path: BATCHED, priority: 'order' },
          make: async () => {
            const headers = await sign();
            items = await begin();
            return { headers, body: `{"orders":[${items.map(({ body }) => body()).join(',')}]}` };
          },
        });
        return this.#errors.ofEach(response, items, (answer) => answersIn(answer, items));
      },
    };
  }

  async #readLimits(): Promise<WireLimits> {
    return (await this.read('/account/limits', {}, wireLimits)).value;
  }

  /** As `sendOrder`, for moving money; what may have happened is `transfer_outcome_unknown`. */
  sendTransfer<T>(
    { path, body, beforeSend }: Sending,
    schema: z.ZodType<T>,
    clientTransferId: string,
  ): Promise<Answer<T>> {
    const response = this.#send({ method: 'POST', path, body, priority: 'order', ...(beforeSend && { beforeSend }) });
    return checkedAnswer(response, schema, (problem) => this.#errors.ofTransfer(problem, clientTransferId));
  }

  /** Returns the error of a refusal that is known by more than one failed answer, or (null) without any. */
  refusal(verdict: Verdict, status: number | null): AppError {
    return this.#errors.ofRefusal(verdict, status, { code: null, text: null });
  }

  /** The error of an answer that contradicts itself or our own record: `exchange_error`. */
  unusable(kind: CallKind = 'signed'): AppError {
    return this.#errors.ofCall(new UpstreamError('unreadable', true), kind);
  }

  /** Makes sure that the exchange's time is known. */
  synchronise(): Promise<void> {
    return synchroniseClock(this.upstream, '/exchange/status', this.#errors);
  }

  /** The header lines of a handshake with this path, signed for now. Throws as reads do. */
  async handshake(path: string): Promise<Readonly<Record<string, string>>> {
    await this.synchronise();
    return this.#openSigner().sign({ method: 'GET', path }, this.now()).catch(refuseKey);
  }

  /** Whether an id is that of the key that signs. */
  isOwnKey(id: string): boolean {
    return id === this.credentials.access_key.reveal();
  }

  /** Kalshi shows no id of the account, so its API key stands for it. */
  accountDigest(): Buffer {
    return digestOf(this.credentials);
  }

  /** Returns a part of an answer that was left unchecked; throws `exchange_error` where it does not fit. */
  parsed<T>(schema: z.ZodType<T>, part: unknown): T {
    try {
      return parsed(schema, part);
    } catch (error) {
      throw error instanceof UpstreamError ? this.#errors.ofCall(error, 'signed') : error;
    }
  }

  /** The exchange's time. */
  now(): Date {
    return this.upstream.clock.now();
  }

  async #call<T>(request: UpstreamRequest, schema: z.ZodType<T>, kind: CallKind): Promise<Answer<T>> {
    await this.synchronise();
    return checkedAnswer(this.#send(request), schema, (problem) => this.#errors.ofCall(problem, kind));
  }

  async #send(request: UpstreamRequest): Promise<UpstreamResponse> {
    return this.upstream.request({ ...request, headers: this.#signed(request) });
  }

  /** Signs a call when it is about to leave. */
  #signed({ method, path }: Pick<UpstreamRequest, 'method' | 'path'>): () => Promise<Record<string, string>> {
    const signer = this.#openSigner();
    const unsigned = { method, path: `${this.basePath}${path}` };
    return () => signer.sign(unsigned, this.upstream.clock.now()).catch(refuseKey);
  }

  #openSigner(): KalshiSigner {
    const { access_key, private_key, signing_key } = this.credentials;
    try {
      return (this.#signer ??= new KalshiSigner(access_key, signing_key ?? private_key));
    } catch (cause) {
      return refuseKey(cause);
    }
  }
}

function digestOf({ access_key }: KalshiCredentials): Buffer {
  return sha256(JSON.stringify([KALSHI, access_key.reveal()]));
}

function pairs(query: Query): [name: string, value: string][] {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.map(([name, value]) => [name, String(value)]);
}
