import { Injectable, Logger } from '@nestjs/common';
import { z } from 'zod';
import type { OrderDto } from '../exchanges/unified.trading.dto.js';
import type { OrderReference, PlacedOrder, PreparedOrder } from '../exchanges/exchange.js';
import { Settings } from '../platform/config/settings.js';
import { sha256 } from '../platform/crypto/digests.js';
import { AppError, type ErrorDetails } from '../platform/errors/app-error.js';
import { ERROR_CODES, type ErrorCode } from '../platform/errors/error-codes.js';
import { type Claim, IdempotencyRepository, type IdempotencyScope } from './idempotency.repository.js';

/** After this long beyond `UPSTREAM_TIMEOUT` a call that has not ended was cut off (DESIGN 5). */
const CUT_OFF_SLACK_MS = 5_000;
const IN_PROGRESS_RETRY_SECONDS = 1;

/** Refusals that the exchange itself proved are kept; after all others the key may be used again (DESIGN 5). */
const KEPT_REFUSALS: ReadonlySet<ErrorCode> = new Set(['exchange_rejected', 'not_found']);

const REPLAYED = { 'Idempotency-Replayed': 'true' };

const KEPT_ANSWER = z.union([
  z.object({ order: z.custom<OrderDto>((value) => typeof value === 'object' && value !== null) }),
  z.object({
    refusal: z.object({
      code: z.custom<ErrorCode>((value) => typeof value === 'string' && value in ERROR_CODES),
      message: z.string(),
      details: z.custom<ErrorDetails>((value) => typeof value === 'object').optional(),
    }),
  }),
]);

/** By what an order that was sent can be found; null where nothing was sent yet. */
const KEPT_REFERENCE: z.ZodType<OrderReference | null> = z
  .union([z.object({ client_order_id: z.string() }), z.object({ order_id: z.string() })])
  .nullable();

/** What is known of an order that may exist: its look-up goes before its sending. */
interface Earlier {
  readonly reference: OrderReference | null;
}

/**
 * Where the order of an answer is from: made now; `found` at the exchange, where an earlier try of this call had brought it;
 * a `duplicate` of an order that the exchange had already; or `replayed`, since the answer was known.
 */
export interface Placement {
  readonly order: OrderDto;
  readonly origin: 'made' | 'found' | 'duplicate' | 'replayed';
}

/** Of an order that was sent just now. */
export function placementOf({ order, made }: PlacedOrder): Placement {
  return { order, origin: made ? 'made' : 'duplicate' };
}

/** One value for equal bodies, whatever the order of their fields; a flag that is left out is false. */
function fingerprintOf(request: object): Buffer {
  const sorted = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(sorted);
    const known = Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== false);
    return known.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, sorted(inner)]);
  };
  return sha256(JSON.stringify(sorted(request)));
}

/** The same UUID for the same user, exchange and key, so that the exchange itself takes a repeat once (DESIGN 5, R-14). */
export function deriveClientOrderId({ userId, exchange, key }: IdempotencyScope): string {
  const hex = sha256(JSON.stringify(['client-order-id', userId, exchange, key])).toString('hex');
  const variant = ((parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** That an order which may exist is a duplicate proves no refusal, though it does not show up yet (DESIGN 5). */
function stillOpen(error: unknown, { reference }: PreparedOrder): unknown {
  if (!(error instanceof AppError) || error.details?.reason !== 'duplicate_order') return error;
  const { exchange } = error.details;
  const told = exchange && { id: exchange.id, status: exchange.status, code: exchange.code };
  const message = 'The exchange has this order, but does not show it yet. Repeat the call.';
  const details = { ...reference, ...(told && { exchange: told }) };
  return new AppError('order_outcome_unknown', message, { retryable: true, cause: error, details });
}

/**
 * Sends an order under an `Idempotency-Key` at most once: recorded first, then sent; a repeat replays the answer, or looks
 * the order up where its fate is unknown, and only if the exchange does not have it sends the same order again under the
 * same id, which the exchange takes once (DESIGN 5, R-13, R-14).
 */
@Injectable()
export class OrderPlacementService {
  private readonly logger = new Logger('OrderPlacement');
  readonly #cutOffMs: number;

  constructor(
    private readonly records: IdempotencyRepository,
    settings: Settings,
  ) {
    this.#cutOffMs = settings.upstreamTimeoutMs + CUT_OFF_SLACK_MS;
  }

  /** `prepare` may read at the exchange but sends nothing; it is called only when the order is to be sent or looked up. */
  async place(scope: IdempotencyScope, request: object, prepare: () => Promise<PreparedOrder>): Promise<Placement> {
    const fingerprint = fingerprintOf(request);
    const claim = await this.records.begin(scope, fingerprint);
    if (claim !== null) return this.#attempt(claim, prepare, null);
    return this.#repeat(scope, fingerprint, prepare);
  }

  async #repeat(
    scope: IdempotencyScope,
    fingerprint: Buffer,
    prepare: () => Promise<PreparedOrder>,
  ): Promise<Placement> {
    const known = await this.records.find(scope, this.#cutOffMs);
    if (known === null) throw this.#inProgress();
    if (!known.fingerprint.equals(fingerprint)) {
      throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used for another order. Use a new one.');
    }
    if (known.state === 'done') return this.#replay(known.answer);
    if (known.state === 'sending' && !known.stale) throw this.#inProgress();
    const claim = await this.records.takeOver(scope, known);
    if (claim === null) throw this.#inProgress();
    return this.#attempt(claim, prepare, { reference: KEPT_REFERENCE.parse(known.reference) });
  }

  async #attempt(claim: Claim, prepare: () => Promise<PreparedOrder>, earlier: Earlier | null): Promise<Placement> {
    const mayExist = earlier !== null;
    const prepared = mayExist
      ? await this.#stillUnknown(claim, prepare, earlier.reference)
      : await this.#prepare(claim, prepare);
    const found = mayExist ? await this.#stillUnknown(claim, () => prepared.find(), prepared.reference) : null;
    // A slow look-up must not send beside another call that has taken over meanwhile.
    if (!(await this.records.renew(claim, prepared.reference))) throw this.#inProgress();
    const placement: Placement =
      found === null ? await this.#send(claim, prepared, mayExist) : { order: found, origin: 'found' };
    await this.#keep(claim, { order: placement.order });
    return placement;
  }

  /** What fails here fails before a byte of the order is sent. */
  async #prepare(claim: Claim, prepare: () => Promise<PreparedOrder>): Promise<PreparedOrder> {
    try {
      return await prepare();
    } catch (error) {
      await this.records.forget(claim);
      throw error;
    }
  }

  /**
   * A step of looking up an order that may exist: whatever fails in it, nothing is known of the order. Where the call
   * before was cut off without a reference, it had sent nothing.
   */
  async #stillUnknown<T>(claim: Claim, step: () => Promise<T>, reference: OrderReference | null): Promise<T> {
    try {
      return await step();
    } catch (error) {
      await this.#markUnknown(claim, reference);
      if (reference === null) throw error;
      throw new AppError('order_outcome_unknown', 'The order could not be looked up. It may exist: repeat the call.', {
        retryable: true,
        cause: error,
        details: reference,
      });
    }
  }

  async #send(claim: Claim, prepared: PreparedOrder, mayExist: boolean): Promise<Placement> {
    try {
      return placementOf(await prepared.place());
    } catch (error) {
      throw await this.#failed(claim, mayExist ? stillOpen(error, prepared) : error, mayExist);
    }
  }

  /** Settles the record of an order that was not made for certain; gives what the caller is told. */
  async #failed(claim: Claim, error: unknown, mayExist: boolean): Promise<unknown> {
    if (!(error instanceof AppError)) {
      await this.#markUnknown(claim, null);
      return error;
    }
    const { code, message, details } = error;
    if (code === 'order_outcome_unknown') {
      await this.#markUnknown(claim, null);
      return new AppError(code, message, { retryable: true, cause: error, ...(details && { details }) });
    }
    if (KEPT_REFUSALS.has(code)) await this.#keep(claim, { refusal: { code, message, details } });
    else if (mayExist) await this.#markUnknown(claim, null);
    else await this.records.forget(claim);
    return error;
  }

  /** A record that could not be marked stays "sending" and counts as unknown soon (DESIGN 5). */
  async #markUnknown(claim: Claim, reference: OrderReference | null): Promise<void> {
    try {
      await this.records.markUnknown(claim, reference);
    } catch (error) {
      this.logger.error({ err: error, message: 'an order of unknown fate could not be marked; it counts so soon' });
    }
  }

  /** An answer that could not be stored is still true: a repeat will look the order up and find the same. */
  async #keep(claim: Claim, answer: object): Promise<void> {
    try {
      await this.records.finish(claim, answer);
    } catch (error) {
      this.logger.error({
        err: error,
        message: 'the answer of an order could not be stored; a repeat will look it up',
      });
    }
  }

  #replay(answer: unknown): Placement {
    const kept = KEPT_ANSWER.parse(answer);
    if ('order' in kept) return { order: kept.order, origin: 'replayed' };
    const { code, message, details } = kept.refusal;
    throw new AppError(code, message, { headers: REPLAYED, ...(details && { details }) });
  }

  #inProgress(): AppError {
    return new AppError(
      'idempotency_in_progress',
      'The first call with this Idempotency-Key still runs. Repeat it shortly.',
      {
        retryAfterSeconds: IN_PROGRESS_RETRY_SECONDS,
      },
    );
  }
}
