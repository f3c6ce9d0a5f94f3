import { Injectable, Logger } from '@nestjs/common';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import { ActivityService } from '../../activity/activity.service.js';
import type { Trading, TransferTerms } from '../../exchanges/exchange.js';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';
import { Settings } from '../../platform/config/settings.js';
import type { AppError } from '../../platform/errors/app-error.js';
import { randomOrderId } from '../../platform/secrets/random.js';
import { withoutClientAbort, withReadLimit } from '../../platform/upstream/call-context.js';
import type { Claim, IdempotencyScope, SendingHistory } from '../orders/idempotency.repository.js';
import { CUT_OFF_SLACK_MS } from '../orders/order-finder.js';
import { hasCode, inProgress, isKept, isRefusal, keyReused } from '../orders/order-outcomes.js';
import { MAX_SEND_DELAY_MS, REFUSAL_WAIT_SLACK_MS } from '../orders/order-placement.js';
import { OutcomeRecorder } from '../orders/outcome-recorder.js';
import { fingerprintOf } from '../orders/request-fingerprint.js';
import { findLikeTransfers, type HistorySearch } from './transfer-finder.js';
import { TransferJournal } from './transfer-journal.js';
import {
  asUnknownTransfer,
  isDuplicateTransfer,
  madeNoTransfer,
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

/**
 * Moves money between shards at most once. Under an `Idempotency-Key` a transfer is recorded first, then sent. A repeat replays
 * the answer, or, where its fate is unknown, sends it again under the same `client_transfer_id`, which the exchange takes once.
 * What it then calls a duplicate is the one in its history. While an earlier sending may have made the transfer, no refusal is
 * final (contract.md 9, R-13, R-14, R-26; docs/order-lifecycle.md).
 */
@Injectable()
export class TransferPlacement {
  readonly #logger = new Logger('TransferPlacement');
  readonly #recorder: OutcomeRecorder;
  readonly #upstreamMs: number;

  constructor(
    private readonly records: TransferRecordsRepository,
    private readonly journal: TransferJournal,
    activity: ActivityService,
    settings: Settings,
  ) {
    this.#recorder = new OutcomeRecorder(records, activity);
    this.#upstreamMs = settings.upstreamTimeoutMs;
  }

  get #times(): { readonly busyMs: number; readonly refusalWaitMs: number } {
    return { busyMs: this.#upstreamMs + CUT_OFF_SLACK_MS, refusalWaitMs: this.#upstreamMs + REFUSAL_WAIT_SLACK_MS };
  }

  /** Without a key: sends once, and notes it. */
  async placeOnce(call: TransferCall): Promise<Placement> {
    const placement = await this.#sendOnce(call);
    await this.journal.notePlacement(call.caller, call.exchange.id, placement);
    return placement;
  }

  async #sendOnce({ terms, trading, exchange }: TransferCall): Promise<Placement> {
    const clientTransferId = randomOrderId();
    try {
      const transfer = await withoutClientAbort(() => trading.createTransfer(terms, clientTransferId));
      return { transfer, origin: 'made', clientTransferId };
    } catch (error) {
      if (isDuplicateTransfer(error)) {
        return { transfer: unnamedTransfer(exchange.id, terms), origin: 'found', clientTransferId };
      }
      throw madeNoTransfer(error) ? error : asUnknownTransfer(error, clientTransferId, false);
    }
  }

  /** With a key: records, sends and notes the transfer, or returns what an earlier call with the key made of it. */
  async place(scope: IdempotencyScope, call: TransferCall): Promise<Placement> {
    const fingerprint = fingerprintOf(call.terms);
    const attempt = { account: call.trading.accountDigest(), busyMs: this.#times.busyMs };
    const { account } = attempt;
    const first = await this.records.begin(scope, fingerprint, attempt.busyMs);
    if (first !== null) return this.#sendFirst({ ...call, account, claim: first, firstSentAt: performance.now() });
    const known = await this.records.find(scope);
    if (known === null) throw inProgress();
    if (!known.fingerprint.equals(fingerprint)) throw keyReused();
    if (known.state === 'done') {
      return { transfer: transferOf(known.answer), origin: 'replayed', clientTransferId: known.nonce };
    }
    const askedAt = performance.now();
    const taken = known.busy ? null : await this.records.takeOver(scope, known, attempt);
    if (taken === null) throw inProgress();
    const firstSentAt = askedAt - (taken.sendings.firstSentMsAgo ?? 0);
    const claimed = { ...call, account, claim: taken.claim, firstSentAt };
    // A call that was cut off without a reference had sent nothing.
    if (taken.sendings.reference === null) return this.#sendFirst(claimed);
    return this.#sendAgain(claimed, taken.sendings);
  }

  /** Sends a transfer of which nothing was sent before: what the exchange proves now is final. */
  async #sendFirst(claimed: Claimed): Promise<Placement> {
    const { claim } = claimed;
    await this.#startSending(claimed);
    try {
      return await this.#send(claimed);
    } catch (error) {
      if (isDuplicateTransfer(error)) return this.#findDuplicate(claimed);
      if (madeNoTransfer(error)) throw await this.#recorder.recordNoOrder(claim, error);
      throw await this.#recorder.recordUnknown(claim, asUnknownTransfer(error, claim.nonce, true));
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
    await this.#startSending(claimed);
    try {
      return await this.#send(claimed);
    } catch (error) {
      if (isDuplicateTransfer(error)) return this.#findDuplicate(claimed);
      if (madeNoTransfer(error)) return this.#findEarlier(claimed, earlier, error);
      throw await this.#recorder.recordUnknown(claim, asUnknownTransfer(error, claim.nonce, true));
    }
  }

  /** From here on the transfer may exist. Throws `idempotency_in_progress` where another call has taken over meanwhile. */
  async #startSending({ claim, account }: Claimed): Promise<void> {
    const [wall, running] = [Date.now(), performance.now()];
    const sending = { ...this.#times, account };
    if (!(await this.records.startSending(claim, { client_transfer_id: claim.nonce }, sending))) throw inProgress();
    // A process that was frozen meanwhile must not send what other calls may have told as refused.
    if (Math.max(Date.now() - wall, performance.now() - running) < MAX_SEND_DELAY_MS) return;
    const message = 'The service was held up before it could send. Repeat the call.';
    throw await this.#recorder.recordUnknown(claim, transferUnknown({ message, clientTransferId: claim.nonce }));
  }

  /** Sends the transfer and records that it exists; throws what the exchange's `createTransfer` throws. */
  async #send({ claim, caller, terms, trading }: Claimed): Promise<Placement> {
    const transfer = await withoutClientAbort(() => trading.createTransfer(terms, claim.nonce));
    const placement: Placement = { transfer, origin: 'made', clientTransferId: claim.nonce };
    const note = await this.journal.noteOf(caller, claim.exchange, placement);
    const isRecorded = await this.#recorder.recordMade(claim, { transfer }, note);
    if (!isRecorded) await this.journal.notePlacement(caller, claim.exchange, { ...placement, origin: 'found' });
    return placement;
  }

  /**
   * The exchange has a transfer of this id: the one in its history is the answer. Where none shows, or several calls wait for
   * theirs, the answer names none and is not kept, so that a later repeat may learn more; no refusal is final any more.
   */
  async #findDuplicate(claimed: Claimed): Promise<Placement> {
    const { claim, caller, exchange, terms } = claimed;
    const transfer = unnamedTransfer(exchange.id, terms);
    const unnamed: Placement = { transfer, origin: 'found', clientTransferId: claim.nonce };
    let found: Placement | null = null;
    try {
      found = (await this.#find(claimed, true)).placement;
    } catch (error) {
      if (hasCode(error, 'idempotency_in_progress')) throw error;
      this.#logger.warn({ err: error, message: 'a transfer that exists could not be looked up in the history' });
    }
    if (found !== null) return found;
    const message = 'The exchange has this transfer, but does not show which it is.';
    await this.#recorder.recordUnknown(claim, transferUnknown({ message, clientTransferId: claim.nonce }), 'infinity');
    await this.journal.notePlacement(caller, exchange.id, unnamed);
    return unnamed;
  }

  /**
   * This sending made no transfer, but an earlier one may have, and may even be the reason: the history is read. Where it
   * shows none, a refusal is final only long enough after the earlier sendings, and only if all of the history was seen. The
   * record is never deleted here: the same key stays the same transfer.
   */
  async #findEarlier(claimed: Claimed, earlier: SendingHistory, error: AppError): Promise<Placement> {
    const { claim } = claimed;
    let isFinal = false;
    if (isRefusal(error)) {
      const { placement, isWhole } = await this.#findOrUnknown(claimed, earlier);
      if (placement !== null) return placement;
      isFinal = earlier.refusalHolds && isWhole;
      if (isFinal && isKept(error)) throw await this.#recorder.recordNoOrder(claim, error);
    }
    const message =
      'The exchange did not take the transfer now, but may have taken it before and not show it yet. Repeat the call.';
    const answer = isFinal ? error : transferUnknown({ message, clientTransferId: claim.nonce, cause: error });
    throw await this.#recorder.recordUnknown(claim, answer, earlier.refusalHoldsAt);
  }

  async #findOrUnknown(claimed: Claimed, { refusalHoldsAt }: SendingHistory): Promise<Found> {
    try {
      return await this.#find(claimed, false);
    } catch (error) {
      if (hasCode(error, 'idempotency_in_progress')) throw error;
      const message = 'The transfer could not be looked up. It may exist: repeat the call.';
      const answer = transferUnknown({ message, clientTransferId: claimed.claim.nonce, cause: error });
      throw await this.#recorder.recordUnknown(claimed.claim, answer, refusalHoldsAt);
    }
  }

  /**
   * Finds the transfer in the history within `UPSTREAM_TIMEOUT`, also where the client has gone, and keeps it as the answer.
   * `isProven`: the exchange has said that it exists. What was made shortly before and may yet be it keeps the search from being
   * whole.
   */
  async #find(claimed: Claimed, isProven: boolean): Promise<Found> {
    const { claim, caller, trading } = claimed;
    const search = this.#searchFor(claimed);
    const like = await withoutClientAbort(() =>
      withReadLimit(this.#upstreamMs, () => findLikeTransfers(trading, search)),
    );
    const since = await this.journal.withoutOthers(claim, claim.nonce, like.since);
    const foundAs = (transfer: TransferDto): Placement => {
      return { transfer, origin: 'found', clientTransferId: claim.nonce };
    };
    const note = (one: TransferDto): Promise<void> => this.journal.note(caller, claim.exchange, foundAs(one));
    const transfer = await this.records.finishWithFree(claim, since, isProven, note);
    if (transfer !== null) return { placement: foundAs(transfer), isWhole: true };
    const before = await this.journal.withoutOthers(claim, claim.nonce, like.before);
    const doubtful = [...since, ...before];
    const isClear = (await this.records.withoutOthers(claim, doubtful)).length === 0;
    return { placement: null, isWhole: like.isWhole && isClear };
  }

  #searchFor({ claim, terms, exchange, firstSentAt }: Claimed): HistorySearch {
    const sentAt = new Date(Date.now() + (exchange.clockSkewMs ?? 0) - (performance.now() - firstSentAt));
    const beforePage = async (): Promise<void> => {
      if (!(await this.records.extend(claim, this.#times.busyMs))) throw inProgress();
    };
    return { terms, firstSentAt: sentAt, isClockKnown: exchange.clockSkewMs !== null, beforePage };
  }
}
