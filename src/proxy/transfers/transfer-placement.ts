import { Injectable, Logger } from '@nestjs/common';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import { ActivityService } from '../../activity/activity.service.js';
import type { SendingPermit } from '../../credentials/credentials.service.js';
import type { Trading, TransferTerms } from '../../exchanges/exchange.js';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { randomOrderId } from '../../platform/secrets/random.js';
import { withoutClientAbort, withReadLimit } from '../../platform/upstream/call-context.js';
import {
  ALL_REFUSED,
  type Claim,
  EXISTS,
  type IdempotencyScope,
  type IdempotentOrder,
  type SendingHistory,
} from '../orders/idempotency.repository.js';
import { hasCode, inProgress, isKept, isRefusal, keyReused, throwRefusal } from '../orders/order-outcomes.js';
import { doubtOf } from '../orders/order-settling.js';
import { OutcomeRecorder } from '../orders/outcome-recorder.js';
import { fingerprintOf } from '../orders/request-fingerprint.js';
import { REFUSAL_WAIT_SLACK_MS, type Sending, Sendings } from '../orders/sendings.js';
import { findLikeTransfers, type HistorySearch } from './transfer-finder.js';
import { TransferJournal } from './transfer-journal.js';
import {
  asUnknownTransfer,
  isDuplicateTransfer,
  isUnknownTransfer,
  type TransferPlacement as Placement,
  transferOf,
  transferUnknown,
  unnamedTransfer,
} from './transfer-outcomes.js';
import { TransferRecordsRepository } from './transfer-records.repository.js';

/** A checked transfer, who asks for it, and the signed calls that make it. */
export interface TransferCall {
  readonly caller: ApiKeyPrincipal;
  readonly terms: TransferTerms;
  readonly trading: Trading;
  readonly permit: SendingPermit;
  /** Where it is made; milliseconds that its clock is ahead of the host's, null where that is not known. */
  readonly exchange: { readonly id: string; readonly clockSkewMs: number | null };
}

/** A transfer under a key, and the claim of the one call that may send it; `nonce` is its `client_transfer_id`. */
interface Claimed extends TransferCall {
  readonly claim: Claim;
  /** A digest of the exchange account that signs. */
  readonly account: Buffer;
  /** When it was first sent, by `performance.now()`: no later than that, and within the time of a database call. */
  readonly firstSentAt: number;
}

/** What the history shows of a transfer. */
interface Found {
  readonly placement: Placement | null;
  readonly isWhole: boolean;
}

/** How a transfer is looked for in the history. */
interface Wanted {
  /** The exchange has said that it exists. */
  readonly isProven: boolean;
  /** Its refusal is kept, and yet to be confirmed: only what was made by the time that an exchange may lag is it. */
  readonly wasRefused?: boolean;
}

/**
 * Moves money between shards at most once. Under an `Idempotency-Key` a transfer is recorded first, then sent. A repeat replays
 * the answer, or, where its fate is unknown, sends it again under the same `client_transfer_id`, which the exchange takes once.
 * What it then calls a duplicate is the one in its history. Once a byte has left, the record and that id stay, whatever is answered.
 * While an earlier sending may have made the transfer, no refusal is final (contract.md 9, R-13, R-14, R-26;
 * docs/order-lifecycle.md).
 */
@Injectable()
export class TransferPlacement {
  readonly #logger = new Logger('TransferPlacement');
  readonly #recorder: OutcomeRecorder;
  readonly #upstreamMs: number;

  constructor(
    private readonly records: TransferRecordsRepository,
    private readonly journal: TransferJournal,
    private readonly sendings: Sendings,
    activity: ActivityService,
    settings: Settings,
  ) {
    this.#recorder = new OutcomeRecorder(records, activity);
    this.#upstreamMs = settings.upstreamTimeoutMs;
  }

  /** Without a key: sends once, and notes it. A first sending has a new id: what is called its duplicate is of unknown fate. */
  async placeOnce({ caller, terms, trading, permit, exchange }: TransferCall): Promise<Placement> {
    const clientTransferId = randomOrderId();
    const sending = this.sendings.once(this.records, permit);
    try {
      const made = withoutClientAbort(() => trading.createTransfer(terms, clientTransferId, sending.before));
      const placement: Placement = { transfer: await made, origin: 'made', clientTransferId };
      await this.journal.notePlacement(caller, exchange.id, placement);
      return placement;
    } catch (error) {
      const isUnknown = sending.mayHaveLeft(error) && (isUnknownTransfer(error) || isDuplicateTransfer(error));
      throw isUnknown ? asUnknownTransfer(error, clientTransferId, false) : error;
    }
  }

  /** With a key: records, sends and notes the transfer, or returns what an earlier call with the key made of it. */
  async place(scope: IdempotencyScope, call: TransferCall): Promise<Placement> {
    const fingerprint = fingerprintOf(call.terms);
    const account = call.trading.accountDigest();
    const attempt = { account, busyMs: this.sendings.busyMs };
    const first = await this.records.begin(scope, fingerprint, attempt.busyMs);
    if (first !== null) return this.#sendFirst({ ...call, account, claim: first, firstSentAt: performance.now() });
    const askedAt = performance.now();
    const known = await this.records.find(scope);
    if (known === null) throw inProgress();
    if (!known.fingerprint.equals(fingerprint)) throw keyReused();
    const sentAt = ({ firstSentMsAgo }: SendingHistory): number => askedAt - (firstSentMsAgo ?? 0);
    if (known.state === 'done') {
      return this.#replay({ ...call, account, claim: { ...scope, ...known }, firstSentAt: sentAt(known) }, known);
    }
    const taken = known.busy ? null : await this.records.takeOver(scope, known, attempt);
    if (taken === null) throw inProgress();
    const claimed = { ...call, account, claim: taken.claim, firstSentAt: sentAt(taken.sendings) };
    // A call that was cut off without a reference had sent nothing.
    if (taken.sendings.reference === null) return this.#sendFirst(claimed);
    return this.#sendAgain(claimed, taken.sendings);
  }

  /** The kept answer. A refusal that the history has not confirmed yet is looked at once more. */
  async #replay(claimed: Claimed, known: IdempotentOrder): Promise<Placement> {
    const { claim, account } = claimed;
    const transfer = transferOf(known.answer);
    if (transfer !== null) return { transfer, origin: 'replayed', clientTransferId: claim.nonce };
    const mayLook = known.refusalHoldsAt !== ALL_REFUSED && known.account?.equals(account) === true;
    if (!mayLook) return throwRefusal(known.answer);
    try {
      const { placement, isWhole } = await this.#find(claimed, { isProven: false, wasRefused: true });
      if (placement !== null) return placement;
      if (isWhole && known.refusalHolds) await this.records.confirmRefusal(claim);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
    return throwRefusal(known.answer);
  }

  /** Sends a transfer of which nothing was sent before. */
  async #sendFirst(claimed: Claimed): Promise<Placement> {
    const { claim } = claimed;
    const sending = this.#begin(claimed);
    try {
      return await this.#send(claimed, sending);
    } catch (error) {
      if (hasCode(error, 'idempotency_in_progress')) throw error;
      const isUnsent = !sending.mayHaveLeft(error) && !hasCode(error, 'transfer_outcome_unknown');
      if (isUnsent) throw (await this.#recorder.forget(claim)) ? error : inProgress();
      if (isUnknownTransfer(error) || !(error instanceof AppError))
        throw await this.#recorder.recordUnknown(claim, asUnknownTransfer(error, claim.nonce, true));
      if (isDuplicateTransfer(error))
        throw await this.#recorder.recordUnknown(claim, duplicateUnknown(claim, error), { isDuplicate: true });
      throw await this.#recorder.recordRefused(claim, error);
    }
  }

  /** Sends a transfer that may exist again, under the same id. */
  async #sendAgain(claimed: Claimed, earlier: SendingHistory): Promise<Placement> {
    const { claim, account } = claimed;
    if (earlier.account !== null && !earlier.account.equals(account)) {
      const message =
        'Other exchange credentials are stored than those that sent this transfer. Store those again and repeat the call.';
      const changed = transferUnknown({ message, clientTransferId: claim.nonce, reason: 'credentials_changed' });
      throw await this.#recorder.recordUnknown(claim, changed);
    }
    const sending = this.#begin(claimed);
    try {
      return await this.#send(claimed, sending);
    } catch (error) {
      if (hasCode(error, 'idempotency_in_progress')) throw error;
      if (isUnknownTransfer(error) || !(error instanceof AppError)) {
        const unknown = asUnknownTransfer(error, claim.nonce, true);
        throw await this.#recorder.recordUnknown(claim, unknown, sending.mayHaveLeft(error) ? {} : doubtOf(earlier));
      }
      return isDuplicateTransfer(error)
        ? this.#findDuplicate(claimed, earlier, error)
        : this.#findEarlier(claimed, earlier, error);
    }
  }

  #begin({ claim, account, permit }: Claimed): Sending {
    const message = 'The service was held up before it could send. Repeat the call.';
    const heldUp = (): AppError => transferUnknown({ message, clientTransferId: claim.nonce });
    const reference = { client_transfer_id: claim.nonce };
    return this.sendings.keyed({ records: this.records, claim, account, reference, heldUp }, permit);
  }

  /** Sends the transfer and records that it exists; throws what the exchange's `createTransfer` throws. */
  async #send({ claim, caller, terms, trading }: Claimed, sending: Sending): Promise<Placement> {
    const transfer = await withoutClientAbort(() => trading.createTransfer(terms, claim.nonce, sending.before));
    const placement: Placement = { transfer, origin: 'made', clientTransferId: claim.nonce };
    const note = await this.journal.noteOf(caller, claim.exchange, placement);
    const isRecorded = await this.#recorder.recordMade(claim, { transfer }, note);
    if (!isRecorded) await this.journal.notePlacement(caller, claim.exchange, { ...placement, origin: 'found' });
    return placement;
  }

  /**
   * The exchange says that it has a transfer of this id: the one in its history is the answer. Where none shows, or several calls
   * wait for theirs, the answer names none and is not kept, so that a later repeat may learn more; no refusal is final any more.
   * After nothing but refusals the exchange may have burned the id of what it refused: then it is of unknown fate, and refused
   * once the whole history has shown none for long enough.
   */
  async #findDuplicate(claimed: Claimed, earlier: SendingHistory, refusal: AppError): Promise<Placement> {
    const { claim, caller, exchange, terms } = claimed;
    const isProven = earlier.refusalHoldsAt !== ALL_REFUSED && !earlier.isDuplicate;
    let found: Found = { placement: null, isWhole: false };
    try {
      found = await this.#find(claimed, { isProven });
    } catch (error) {
      if (hasCode(error, 'idempotency_in_progress')) throw error;
      this.#logger.warn({ err: error, message: 'a transfer that exists could not be looked up in the history' });
    }
    if (found.placement !== null) return found.placement;
    const unknown = duplicateUnknown(claim, refusal);
    if (!isProven) {
      if (earlier.isDuplicate && earlier.refusalHolds && found.isWhole)
        throw await this.#recorder.recordRefused(claim, refusal);
      const refusalHoldsAt = earlier.isDuplicate ? earlier.refusalHoldsAt : null;
      throw await this.#recorder.recordUnknown(claim, unknown, { isDuplicate: true, refusalHoldsAt });
    }
    await this.#recorder.recordUnknown(claim, unknown, { refusalHoldsAt: EXISTS });
    const transfer = unnamedTransfer(exchange.id, terms);
    const unnamed: Placement = { transfer, origin: 'found', clientTransferId: claim.nonce };
    await this.journal.notePlacement(caller, exchange.id, unnamed);
    return unnamed;
  }

  /**
   * This sending made no transfer, but an earlier one may have, and may even be the reason: the history is read. Where it
   * shows none, a refusal is final only long enough after the earlier sendings, and only if all of the history was seen, or where
   * all of those were refused. The record is never deleted here: the same key stays the same transfer.
   */
  async #findEarlier(claimed: Claimed, earlier: SendingHistory, error: AppError): Promise<Placement> {
    const { claim } = claimed;
    const wereRefused = earlier.refusalHoldsAt === ALL_REFUSED;
    let isFinal = wereRefused;
    if (isRefusal(error)) {
      if (!wereRefused) {
        const { placement, isWhole } = await this.#findOrUnknown(claimed, earlier);
        if (placement !== null) return placement;
        isFinal = earlier.refusalHolds && isWhole;
      }
      if (isFinal && isKept(error)) throw await this.#recorder.recordRefused(claim, error);
    }
    const message =
      'The exchange did not take the transfer now, but may have taken it before and not show it yet. Repeat the call.';
    const answer = isFinal ? error : transferUnknown({ message, clientTransferId: claim.nonce, cause: error });
    throw await this.#recorder.recordUnknown(claim, answer, doubtOf(earlier));
  }

  async #findOrUnknown(claimed: Claimed, earlier: SendingHistory): Promise<Found> {
    try {
      return await this.#find(claimed, { isProven: false });
    } catch (error) {
      if (hasCode(error, 'idempotency_in_progress')) throw error;
      const message = 'The transfer could not be looked up. It may exist: repeat the call.';
      const answer = transferUnknown({ message, clientTransferId: claimed.claim.nonce, cause: error });
      throw await this.#recorder.recordUnknown(claimed.claim, answer, doubtOf(earlier));
    }
  }

  /**
   * Finds the transfer in the history within `UPSTREAM_TIMEOUT`, also where the client has gone, and keeps it as the answer.
   * What was made shortly before and may yet be it keeps the search from being whole.
   */
  async #find(claimed: Claimed, { isProven, wasRefused = false }: Wanted): Promise<Found> {
    const { claim, caller, trading } = claimed;
    const search = this.#searchFor(claimed, wasRefused);
    const like = await withoutClientAbort(() =>
      withReadLimit(this.#upstreamMs, () => findLikeTransfers(trading, search)),
    );
    const latest = new Date(search.firstSentAt.getTime() + this.#upstreamMs + REFUSAL_WAIT_SLACK_MS).toISOString();
    const inTime = like.since.filter(({ created_at: at }) => !wasRefused || (at !== null && at <= latest));
    const since = await this.journal.withoutOthers(claim, claim.nonce, inTime);
    const foundAs = (transfer: TransferDto): Placement => {
      return { transfer, origin: 'found', clientTransferId: claim.nonce };
    };
    const note = (one: TransferDto): Promise<void> => this.journal.note(caller, claim.exchange, foundAs(one));
    const transfer = await this.records.finishWithFree(claim, since, { isProven, wasRefused }, note);
    if (transfer !== null) return { placement: foundAs(transfer), isWhole: true };
    const before = await this.journal.withoutOthers(claim, claim.nonce, like.before);
    const doubtful = [...since, ...before];
    const isClear = (await this.records.withoutOthers(claim, doubtful)).length === 0;
    return { placement: null, isWhole: like.isWhole && isClear };
  }

  /** A kept refusal is nobody's to renew. */
  #searchFor({ claim, terms, exchange, firstSentAt }: Claimed, wasRefused: boolean): HistorySearch {
    const sentAt = new Date(Date.now() + (exchange.clockSkewMs ?? 0) - (performance.now() - firstSentAt));
    const beforePage = async (): Promise<void> => {
      if (!wasRefused && !(await this.records.extend(claim, this.sendings.busyMs))) throw inProgress();
    };
    return { terms, firstSentAt: sentAt, isClockKnown: exchange.clockSkewMs !== null, beforePage };
  }
}

/** The error of a transfer that the exchange calls a duplicate and does not show. */
function duplicateUnknown({ nonce }: Claim, cause: AppError): AppError {
  const message = 'The exchange says that it has this transfer, but does not show which it is. Repeat the call.';
  return transferUnknown({ message, clientTransferId: nonce, cause });
}
