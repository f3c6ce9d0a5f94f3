import type { z } from 'zod';
import { pathOf } from '../../platform/upstream/path.js';
import {
  UpstreamError,
  type UpstreamClient,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../platform/upstream/upstream-client.js';
import { parsed } from '../../exchanges/checked-answer.js';
import { scrub } from '../../exchanges/upstream-text.js';
import { POLYMARKET_ERRORS } from '../../exchanges/polymarket/polymarket.errors.js';
import { type BuilderCredentials, builderHeaders } from './builder.signer.js';
import { type Operation, wireOperation, wireTransaction, wireWalletParams } from './relayer.wire.js';

/** A call of the relayer that failed; `status` is null where there was no usable answer, `words` are the relayer's own. */
export class RelayerError extends Error {
  override readonly name = 'RelayerError';

  constructor(
    readonly status: number | null,
    readonly words: string | null,
    /** Whether the request may have been taken nonetheless. */
    readonly mayHaveArrived: boolean,
    readonly retryAfterSeconds: number | null = null,
    options?: ErrorOptions,
  ) {
    super('the relayer did not do what it was asked', options);
  }

  /** Whether the same request may work a moment later. */
  get isPassing(): boolean {
    return this.status === null || this.status >= 500 || [408, 425, 429].includes(this.status);
  }
}

/** Sends what owners of deposit wallets signed, so that they pay no gas (polymarket.md 11.1). Throws RelayerError. */
export class PolymarketRelayer {
  constructor(private readonly upstream: UpstreamClient) {}

  /** The relayer's time, as its answers state it. */
  now(): Date {
    return this.upstream.clock.now();
  }

  /** Returns the nonce of an owner's next batch, in decimal digits. */
  async nonceOf(owner: string): Promise<string> {
    const query = [['address', owner] as const, ['type', 'WALLET'] as const];
    const path = '/v1/account/transactions/params';
    return (await this.#read({ method: 'GET', path, query }, wireWalletParams)).nonce;
  }

  /** Sends a signed call once. One with the same `idempotencyKey` is the same one to the relayer. */
  async send(
    path: '/v1/session-signers/authorizations' | '/v1/session-signers/revocations',
    body: string,
    builder: BuilderCredentials,
    idempotencyKey: string,
  ): Promise<Operation> {
    const headers = (): Record<string, string> => ({
      ...builderHeaders(builder, { method: 'POST', path, body }, this.now()),
      'Idempotency-Key': idempotencyKey,
    });
    return this.#call({ method: 'POST', path, body, headers }, wireOperation, Object.values(builder));
  }

  /** Returns how far a transaction is. */
  transaction(id: string): Promise<z.output<typeof wireTransaction>> {
    return this.#read({ method: 'GET', path: pathOf`/v1/account/transactions/${id}` }, wireTransaction);
  }

  #read<T>(request: UpstreamRequest, schema: z.ZodType<T>): Promise<T> {
    return this.#call(request, schema, []);
  }

  async #call<T>(request: UpstreamRequest, schema: z.ZodType<T>, hidden: Parameters<typeof scrub>[1]): Promise<T> {
    try {
      const response = await this.upstream.request(request);
      if (response.status < 200 || response.status >= 300) throw refused(response, hidden);
      return parsed(schema, response.body, response.status);
    } catch (error) {
      throw error instanceof UpstreamError ? new RelayerError(null, null, error.sent, null, { cause: error }) : error;
    }
  }
}

/** The shape of its errors is not published: the CLOB's, or the text alone. */
function refused(
  { status, body, retryAfterSeconds }: UpstreamResponse,
  hidden: Parameters<typeof scrub>[1],
): RelayerError {
  const text = typeof body === 'string' ? body : (POLYMARKET_ERRORS.readFault(body)?.text ?? null);
  return new RelayerError(status, text && scrub(text, hidden), status >= 500 || status === 408, retryAfterSeconds);
}
