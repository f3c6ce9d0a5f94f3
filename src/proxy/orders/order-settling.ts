import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import type { SendingPermit } from '../../credentials/credentials.service.js';
import type { FoundOrder, PreparedOrder, SentOrder, Trading } from '../../exchanges/exchange.js';
import { AppError } from '../../platform/errors/app-error.js';
import { withReadLimit } from '../../platform/upstream/call-context.js';
import { deriveClientOrderId } from './client-order-id.js';
import {
  ALL_REFUSED,
  type Claim,
  type Doubt,
  EXISTS,
  IdempotencyRepository,
  type IdempotentOrder,
  type SendingHistory,
} from './idempotency.repository.js';
import {
  answerOf,
  asUnknown,
  cameToNothing,
  hasCode,
  isEndUnknown,
  isKept,
  isRefusal,
  isTheOrder,
  type Origin,
  outcomeUnknown,
  type Placement,
  throwRefusal,
} from './order-outcomes.js';
import { type CreationLimits, OrderFinder } from './order-finder.js';
import { OrderJournal } from './order-journal.js';
import { OutcomeRecorder } from './outcome-recorder.js';

/** Why an order that the exchange calls a duplicate is of unknown fate, beside that it does not show. */
const NOT_LOOKED_UP = 'search_incomplete';

/** As what an order was sent; null where nothing was sent yet. */
const KEPT_REFERENCE: z.ZodType<SentOrder | null> = z
  .union([
    z.object({ client_order_id: z.string(), terms: z.record(z.string(), z.string()).optional() }),
    z.object({ order_id: z.string(), terms: z.record(z.string(), z.string()).optional() }),
  ])
  .nullable() as z.ZodType<SentOrder | null>;

/** The signed calls that make an order, and the look whether they still may. */
export interface OrderRights {
  readonly trading: Trading;
  readonly permit: SendingPermit;
}

/** A checked order: a validated instance of the exchange's `OrderRequest`. */
export interface OrderCall extends OrderRights {
  readonly request: object;
}

/** An order under a key, and the claim of the one call that may send it. */
export interface Claimed extends OrderCall, CreationLimits {
  readonly caller: ApiKeyPrincipal;
  /** A digest of the exchange account that signs. */
  readonly account: Buffer;
  readonly claim: Claim;
}

/** An order that was sent before and may exist. */
export interface Earlier extends SendingHistory {
  readonly reference: SentOrder;
}

/** Whether a sending of unknown fate was made, or the exchange has shown the order: else nothing but refusals and duplicates came. */
function isInDoubt({ refusalHoldsAt, isDuplicate: hasDuplicate }: SendingHistory): boolean {
  return refusalHoldsAt !== ALL_REFUSED && !hasDuplicate;
}

/** As a sending that made no order leaves its record: the doubt of the earlier ones. */
export function doubtOf({ refusalHoldsAt, isDuplicate }: SendingHistory): Doubt {
  return { refusalHoldsAt, isDuplicate };
}

function isSame({ details }: PreparedOrder['reference'], sent: SentOrder): boolean {
  return details.client_order_id === sent.client_order_id && details.order_id === sent.order_id;
}

/** As what an order was sent, by what its record keeps of it; null where nothing was sent. */
export function sentOrderOf(kept: unknown): SentOrder | null {
  return KEPT_REFERENCE.parse(kept);
}

/** Prepares an order, as it was sent where it was. */
export function prepare(
  { request, trading, claim, readsUntil }: Claimed,
  sentAs: SentOrder | null,
): Promise<PreparedOrder> {
  const clientOrderId = sentAs?.client_order_id ?? deriveClientOrderId(claim);
  const naming = { clientOrderId, createdAt: claim.createdAt, sentAs };
  return withReadLimit(readsUntil - performance.now(), () => trading.prepareOrder(request, naming));
}

async function prepareAgain(claimed: Claimed, sentAs: SentOrder): Promise<PreparedOrder> {
  const prepared = await prepare(claimed, sentAs);
  // Under another reference the exchange would take it as another order.
  if (isSame(prepared.reference, sentAs)) return prepared;
  throw new AppError('exchange_error', 'The order cannot be prepared as it was sent.');
}

/** Whether an order that was refused is yet to be looked up, by the account that it was sent for. */
function mayBeMade({ account }: Claimed, known: IdempotentOrder): boolean {
  return known.refusalHoldsAt !== ALL_REFUSED && known.account?.equals(account) === true;
}

/** Whether more is to be learned of an order: it is told, and the next repeat looks again. */
function isProvisional({
  order,
  isProvisional: mayFillMore = false,
}: Pick<FoundOrder, 'order' | 'isProvisional'>): boolean {
  return mayFillMore || isEndUnknown(order);
}

/** What a look-up says of an order that was refused. */
function fateOf(found: FoundOrder, prepared: PreparedOrder): 'lives' | 'refused' | 'unclear' {
  if (cameToNothing(found.order)) return 'refused';
  if (isTheOrder(found, prepared)) return 'lives';
  return found.isOnSide ? 'unclear' : 'refused';
}

/**
 * Settles what became of orders that may have been made: by look-ups, by what the exchange says of a repeat, and by what is kept
 * (contract.md 5, R-13, R-26; docs/order-lifecycle.md).
 */
@Injectable()
export class OrderSettling {
  constructor(
    private readonly records: IdempotencyRepository,
    private readonly recorder: OutcomeRecorder,
    private readonly finder: OrderFinder,
    private readonly journal: OrderJournal,
  ) {}

  /** The kept answer. A refusal that no look-up has confirmed yet is looked at once more: an exchange may have made the order all the same. */
  async replay(call: Claimed, known: IdempotentOrder): Promise<Placement> {
    const kept = answerOf(known.answer);
    if (kept !== null) return kept;
    const sentAs = mayBeMade(call, known) ? sentOrderOf(known.reference) : null;
    const found = sentAs === null ? null : await this.#findRefused(call, known, sentAs);
    if (found === null) return throwRefusal(known.answer);
    const placement: Placement = { order: found.order, origin: 'found' };
    if (isProvisional(found)) {
      await this.recorder.reopen(call.claim, found.isAbsent ?? false);
      await this.journal.notePlacement(call.caller, call.claim.exchange, placement);
      return placement;
    }
    const note = await this.journal.noteOf(call.caller, call.claim.exchange, placement);
    const isCorrected = await this.recorder.correct(call.claim, { order: found.order }, note);
    if (!isCorrected) await this.journal.notePlacement(call.caller, call.claim.exchange, placement);
    return placement;
  }

  /** The order that was refused, where it lives; what cannot be looked up changes nothing. */
  async #findRefused(call: Claimed, known: IdempotentOrder, sentAs: SentOrder): Promise<FoundOrder | null> {
    try {
      const prepared = await prepareAgain(call, sentAs);
      const found = await this.finder.find(prepared, { readsUntil: call.readsUntil }, known);
      const fate = found === null ? 'absent' : fateOf(found, prepared);
      if (fate === 'lives') return found;
      if (fate === 'refused' || (fate === 'absent' && known.refusalHolds))
        await this.records.confirmRefusal(call.claim);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
    return null;
  }

  /** Prepares an order that may exist as it was sent, and looks it up. */
  async lookUp(claimed: Claimed, earlier: Earlier): Promise<{ prepared: PreparedOrder; found: FoundOrder | null }> {
    try {
      const prepared = await prepareAgain(claimed, earlier.reference);
      const isCancelled = await this.journal.wasCancelled(claimed.claim, earlier.reference.order_id);
      return { prepared, found: await this.finder.find(prepared, claimed, { ...earlier, isCancelled }) };
    } catch (error) {
      throw await this.#stillUnknown(claimed, earlier, error);
    }
  }

  /**
   * Records an order that exists, and notes it once, whoever holds the claim by now: that call may never come to an end. One
   * whose end is not known is told and noted, and looked up again by the next repeat.
   */
  async recordOrder(
    { claim, caller }: Claimed,
    placement: Placement,
    seen: Omit<FoundOrder, 'order' | 'isAsAsked' | 'isOnSide'> = {},
  ): Promise<Placement> {
    if (isProvisional({ ...placement, ...seen })) {
      await this.recorder.recordShown(claim, seen.isAbsent ?? false);
      await this.journal.notePlacement(caller, claim.exchange, { ...placement, origin: 'found' });
      return placement;
    }
    const note = await this.journal.noteOf(caller, claim.exchange, placement);
    const isRecorded = await this.recorder.recordMade(claim, { order: placement.order }, note);
    if (!isRecorded && note !== null)
      await this.journal.notePlacement(caller, claim.exchange, { ...placement, origin: 'found' });
    return placement;
  }

  /** The order that the exchange calls this one a duplicate of, however old; an error where it does not show or cannot be looked up. */
  async findDuplicate(
    prepared: PreparedOrder,
    call: CreationLimits,
    refusal: AppError,
  ): Promise<FoundOrder | AppError> {
    const { details, isSafeToResend } = prepared.reference;
    const unknown = { reference: details, cause: refusal, retryable: call.claim !== undefined || isSafeToResend };
    try {
      const isCancelled = call.claim !== undefined && (await this.journal.wasCancelled(call.claim, details.order_id));
      const found = await this.finder.findAfterSending(prepared, call, { firstSentMsAgo: null, isCancelled });
      if (found !== null) return found;
    } catch (error) {
      if (!(error instanceof AppError) || hasCode(error, 'idempotency_in_progress')) throw error;
      const message = 'The exchange has such an order, but it could not be looked up. Repeat the call.';
      return outcomeUnknown({ ...unknown, message, reason: NOT_LOOKED_UP });
    }
    return outcomeUnknown({
      ...unknown,
      message: 'The exchange has this order, but does not show it yet. Repeat the call.',
    });
  }

  /**
   * The exchange says that it has an order of this id. The same order is the answer, another one makes the refusal final. One that
   * does not show exists where an earlier sending may have made it; where all that came before was refused, the exchange may have
   * burned the id of what it refused: then the refusal is final once the look-ups have stayed empty for long enough.
   */
  async settleDuplicate(
    claimed: Claimed,
    prepared: PreparedOrder,
    earlier: Earlier | null,
    refusal: AppError,
  ): Promise<Placement> {
    const found = await this.findDuplicate(prepared, claimed, refusal);
    if (!(found instanceof AppError))
      return this.keepFound(claimed, { prepared, found, earlier }, refusal, earlier === null);
    if (earlier !== null && isInDoubt(earlier))
      throw await this.recorder.recordUnknown(claimed.claim, found, { refusalHoldsAt: EXISTS });
    if (earlier?.isDuplicate !== true)
      throw await this.recorder.recordUnknown(claimed.claim, found, { isDuplicate: true });
    if (earlier.refusalHolds && found.details?.reason !== NOT_LOOKED_UP)
      throw await this.recorder.recordRefused(claimed.claim, refusal);
    throw await this.recorder.recordUnknown(claimed.claim, found, doubtOf(earlier));
  }

  /**
   * The error of a resend that proves nothing. Where nothing left, for a reason of our own, the record is as it was before: the error
   * itself where every sending was refused.
   */
  async stillInDoubt({ claim }: Claimed, earlier: Earlier, error: unknown, mayHaveLeft: boolean): Promise<unknown> {
    const { refusalHoldsAt, reference } = earlier;
    const answer = asUnknown(error, reference);
    if (mayHaveLeft) return this.recorder.recordUnknown(claim, answer);
    await this.recorder.recordUnknown(claim, answer, doubtOf(earlier));
    return refusalHoldsAt === ALL_REFUSED ? error : answer;
  }

  /**
   * This sending made no order, but an earlier one may have, and may even be the reason: the order is looked up
   * again. Else a refusal is final only where the look-ups have stayed empty for long enough after the earlier sendings, or
   * where all of those were refused. The record is never deleted here: the same key stays the same order.
   */
  async findEarlier(claimed: Claimed, prepared: PreparedOrder, earlier: Earlier, error: AppError): Promise<Placement> {
    const { refusalHolds, refusalHoldsAt } = earlier;
    const wereRefused = refusalHoldsAt === ALL_REFUSED;
    if (isRefusal(error) && !wereRefused) {
      const found = await this.#findAfterSending(claimed, prepared, earlier);
      if (found !== null) return this.keepFound(claimed, { prepared, found, earlier }, error);
    }
    const isFinal = refusalHolds && isRefusal(error);
    if (isFinal && isKept(error)) throw await this.recorder.recordRefused(claimed.claim, error);
    const message =
      'The exchange did not take the order now, but may have taken it before and not show it yet. Repeat the call.';
    const answer =
      isFinal || wereRefused ? error : outcomeUnknown({ message, reference: prepared.reference.details, cause: error });
    throw await this.recorder.recordUnknown(claimed.claim, answer, doubtOf(earlier));
  }

  async #findAfterSending(claimed: Claimed, prepared: PreparedOrder, earlier: Earlier): Promise<FoundOrder | null> {
    try {
      return await this.finder.findAfterSending(prepared, claimed, earlier);
    } catch (error) {
      throw await this.#stillUnknown(claimed, earlier, error);
    }
  }

  /**
   * Answers what a look-up has found. Under a name that the client chose it is the order where all is as asked, or, where a
   * sending under this key may have made it, where market and side are, and no other record has it; else the refusal is final.
   */
  async keepFound(
    claimed: Claimed,
    { prepared, found, earlier }: { prepared: PreparedOrder; found: FoundOrder; earlier: Earlier | null },
    refusal: AppError,
    isFirst = false,
  ): Promise<Placement> {
    const { claim } = claimed;
    const isIt =
      isTheOrder(found, prepared) ||
      (earlier !== null &&
        isInDoubt(earlier) &&
        found.isOnSide &&
        !(await this.records.isAnswerOfAnother(claim, found.order.id)));
    if (!isIt) throw await this.recorder.recordRefused(claim, refusal, true);
    const origin: Origin = isFirst && !prepared.reference.isOurs ? 'duplicate' : 'found';
    return this.recordOrder(claimed, { order: found.order, origin }, found);
  }

  /**
   * Records that the order is still of unknown fate, since a step of its look-up has failed, and returns the error to
   * throw. Where another call has taken over, that call alone records.
   */
  async #stillUnknown({ claim }: Claimed, earlier: Earlier, error: unknown): Promise<AppError> {
    if (hasCode(error, 'idempotency_in_progress')) return error;
    const message = 'The order could not be looked up. It may exist: repeat the call.';
    const answer = hasCode(error, 'order_outcome_unknown')
      ? error
      : outcomeUnknown({ message, reference: earlier.reference });
    return this.recorder.recordUnknown(claim, answer, doubtOf(earlier));
  }
}
