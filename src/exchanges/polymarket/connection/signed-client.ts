import type { z } from 'zod';
import { AppError } from '../../../platform/errors/app-error.js';
import {
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../../platform/upstream/upstream-client.js';
import type { OrderReference } from '../../exchange.js';
import { UpstreamErrors, type CallKind, type ExchangeFault, type Verdict } from '../../upstream-errors.js';
import { parseAnswer, succeeded, type PolymarketApi } from './client.js';
import { POLYMARKET_ERRORS } from '../polymarket.errors.js';
import { PolymarketSigner } from '../polymarket.signer.js';
import type { Wallet } from '../trading/wallet.js';

type SignedCall = Pick<UpstreamRequest, 'method' | 'path' | 'query' | 'body' | 'priority' | 'signal'>;

/** So far the signed time and the exchange's may lie apart, longer than any call takes, before a 401 is put down to it. */
const SKEW_LIMIT_MS = 15_000;

/** The private calls of one wallet's credentials; each attempt is signed anew, with the exchange's own time (DESIGN 5). */
export class SignedClob {
  readonly #signer: PolymarketSigner;
  readonly #errors: UpstreamErrors;

  constructor(
    private readonly api: PolymarketApi,
    wallet: Wallet,
  ) {
    this.#signer = new PolymarketSigner(wallet.api);
    this.#errors = new UpstreamErrors(POLYMARKET_ERRORS, wallet.secrets);
  }

  /** A signed read. Throws AppError (unified.md 11). */
  async read<Schema extends z.ZodType>(
    path: string,
    query: readonly (readonly [name: string, value: string])[],
    schema: Schema,
    signal?: AbortSignal,
  ): Promise<z.output<Schema>> {
    return await this.#call({ method: 'GET', path, query, ...(signal ? { signal } : {}) }, 'signed', schema);
  }

  /** As `read`, but null where the exchange itself says that it knows no such thing (404), and no gateway on the way. */
  async find<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    signal?: AbortSignal,
  ): Promise<z.output<Schema> | null> {
    try {
      return await this.read(path, [], schema, signal);
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    }
  }

  /** A call that takes orders out: it may be repeated safely, but is never repeated here. */
  async cancel<Schema extends z.ZodType>(path: string, body: string, schema: Schema): Promise<z.output<Schema>> {
    return await this.#call({ method: 'DELETE', path, body, priority: 'cancel' }, 'cancel', schema);
  }

  /**
   * Sends an order once. Gives the answer of a 2xx; throws what the exchange proves, `exchange_error` where nothing was sent,
   * else `order_outcome_unknown`.
   */
  async sendOrder(body: string, reference: OrderReference): Promise<UpstreamResponse> {
    await this.api.synchronise();
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
    return this.api.clob.clock.now();
  }

  /** The error of an order whose answer says neither that it exists nor that it does not. */
  outcomeUnknown(reference: OrderReference, told: { status?: number; cause?: unknown } = {}): AppError {
    return this.#errors.ofOrder(new UpstreamError('unreadable', true, told), reference);
  }

  /** The error of a refusal that stands in an answer of status 200. */
  refused(verdict: Verdict, fault: ExchangeFault): AppError {
    return this.#errors.ofRefusal(verdict, 200, fault);
  }

  /** The error of an answer that contradicts itself: `exchange_error`. */
  unusable(): AppError {
    return this.#errors.ofCall(new UpstreamError('unreadable', true), 'signed');
  }

  async #call<Schema extends z.ZodType>(call: SignedCall, kind: CallKind, schema: Schema): Promise<z.output<Schema>> {
    await this.api.synchronise();
    try {
      const response = await this.#send(call);
      const isForeign = response.status === 404 && POLYMARKET_ERRORS.readFault(response.body) === null;
      if (isForeign && kind === 'signed') throw this.unusable();
      if (!succeeded(response)) throw this.#errors.ofCall(response, kind);
      return parseAnswer(schema, response, (problem) => this.#errors.ofCall(problem, kind));
    } catch (error) {
      if (error instanceof UpstreamError) throw this.#errors.ofCall(error, kind);
      throw error;
    }
  }

  async #send(call: SignedCall): Promise<UpstreamResponse> {
    const { clob } = this.api;
    let signedAt = clob.clock.now();
    const headers = (): Record<string, string> => {
      signedAt = clob.clock.now();
      return this.#signer.sign({ method: call.method, path: call.path, body: call.body ?? '' }, signedAt);
    };
    const response = await clob.request({ ...call, headers });
    const awayMs = Math.abs(clob.clock.now().getTime() - signedAt.getTime());
    if (response.status === 401 && awayMs > SKEW_LIMIT_MS && POLYMARKET_ERRORS.readFault(response.body) !== null) {
      throw this.#errors.ofRefusal('clock_skew', 401, { code: null, text: null });
    }
    return response;
  }
}
