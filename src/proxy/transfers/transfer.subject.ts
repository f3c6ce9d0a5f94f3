import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import type { ActivityEvent } from '../../activity/activity.service.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import { parseDecimal } from '../../exchanges/decimal.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { Trading } from '../../exchanges/trading.contract.js';
import type { SignedTransfers, TransferTerms } from '../../exchanges/transfers.contract.js';
import { supported } from '../../exchanges/optional-parts.js';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';
import type { ErrorDetails } from '../../platform/errors/app-error.js';
import { LookUps } from '../placing/look-ups.js';
import type { Ledger } from '../placing/ledger.repository.js';
import { LedgerTransfers } from '../placing/ledger-transfers.repository.js';
import type { Name, Placement } from '../placing/outcomes.js';
import { OutcomeRecorder } from '../placing/outcome-recorder.js';
import type { Claim } from '../placing/placement.js';
import { isInDoubt } from '../placing/settling.js';
import type { Earlier, LookUp, Naming, Prepared, Rights, Sought, Subject } from '../placing/subject.js';
import { findLikeTransfers, type LikeTransfers } from './transfer-history.js';
import { TransferJournal } from './transfer-journal.js';

const KEPT_TRANSFER = z.object({
  transfer: z.custom<TransferDto>((value) => typeof value === 'object' && value !== null),
});
const KEPT_REFERENCE = z.object({ client_transfer_id: z.string() }).nullable();

/** Amounts of transfers are in dollars at every exchange (contract.md 5.8). */
const CURRENCY = 'USD';

const NOT_LOOKED_UP: LookUp<TransferDto> = { shown: null, isWhole: false };

/** The services that every `TransferSubject` uses. */
@Injectable()
export class TransferParts {
  constructor(
    readonly credentials: CredentialsService,
    readonly transfers: LedgerTransfers,
    readonly recorder: OutcomeRecorder,
    readonly journal: TransferJournal,
    readonly lookUps: LookUps,
  ) {}
}

/**
 * A transfer of money between shards. We send it under a `client_transfer_id` of our own. The exchange takes an id once, but does not
 * show it in the history: after a refusal as a duplicate we look there for the same shards and amount (contract.md 5.8, R-13).
 */
export class TransferSubject implements Subject<TransferDto> {
  readonly kind = 'transfer';
  readonly exchange: string;
  readonly records: Ledger;
  readonly recorder: OutcomeRecorder;

  constructor(
    private readonly parts: TransferParts,
    readonly caller: ApiKeyPrincipal,
    private readonly at: Exchange,
    readonly request: TransferTerms,
  ) {
    this.exchange = at.id;
    this.records = parts.transfers.ledger;
    this.recorder = parts.recorder;
  }

  admit(): Promise<void> {
    return Promise.resolve();
  }

  /** Transfers have no limits. */
  findRoom(): Promise<void> {
    return Promise.resolve();
  }

  async open(): Promise<Rights & { readonly account: Buffer }> {
    const rights = await this.parts.credentials.tradingToSend(this.caller, this.at);
    return { ...rights, account: rights.trading.accountDigest() };
  }

  clientIdOf({ nonce }: Claim): string {
    return nonce;
  }

  prepare(trading: Trading, { clientId }: Naming): Promise<Prepared<TransferDto>> {
    const name = { client_transfer_id: clientId };
    return Promise.resolve({
      name,
      reference: name,
      asked: { cost: this.request.amount, currency: CURRENCY },
      limitFacts: null,
      isSafeToResend: false,
      place: (beforeSend) => this.#transfersOf(trading).create(this.request, clientId, beforeSend),
      lookUp: (sought) => this.#lookUp(trading, sought),
      unnamed: this.#unnamed(),
    });
  }

  nameIn(reference: unknown): Name | null {
    return KEPT_REFERENCE.parse(reference);
  }

  isProvisional(): boolean {
    return false;
  }

  answerOf(transfer: TransferDto): object {
    return { transfer };
  }

  placedIn(answer: unknown): TransferDto | null {
    return KEPT_TRANSFER.safeParse(answer).data?.transfer ?? null;
  }

  noteOf(placement: Placement<TransferDto>, name: Name): Promise<ActivityEvent | null> {
    return this.parts.journal.noteOf(this.caller, this.exchange, placement, idIn(name));
  }

  note(placement: Placement<TransferDto>, name: Name): Promise<void> {
    return this.parts.journal.notePlacement(this.caller, this.exchange, placement, idIn(name));
  }

  noteUnknown(details: ErrorDetails | undefined): Promise<void> {
    return this.parts.journal.noteUnknown(this.caller, this.exchange, this.request, idIn(details ?? {}));
  }

  /**
   * Reads the history, and keeps the transfer that it shows as the answer; one record of a user does so at a time. Does not look before
   * a sending, since a transfer of unknown fate is sent again at once, nor for a first sending, whose id is new: where the exchange
   * calls that a duplicate, its fate is unknown. The look-up is not whole where a transfer was made shortly before that may be this one.
   */
  async #lookUp(trading: Trading, sought: Sought): Promise<LookUp<TransferDto>> {
    const { when, earlier, claim } = sought;
    if (earlier === null || claim === null || when === 'before') return NOT_LOOKED_UP;
    const { journal } = this.parts;
    const wasRefused = when === 'refused';
    const sentAt = this.#sentAt(earlier);
    const like = await this.#readHistory(trading, sought, sentAt);
    // After a refusal only a transfer that was made until `refusal_holds_at` can be this one.
    const latest = wasRefused ? this.#ago(earlier.readAt, earlier.refusalHeldMs ?? -Infinity) : Infinity;
    const inTime = like.since.filter(({ created_at: at }) => at !== null && Date.parse(at) <= latest);
    const since = await this.parts.transfers.withoutOthers(claim, inTime);
    const note = (placed: TransferDto): Promise<void> =>
      journal.note(this.caller, this.exchange, { placed, origin: 'found' }, claim.nonce);
    const isProven = when === 'duplicate' && isInDoubt(earlier);
    const placed = await this.parts.transfers.finishWithFree(claim, since, { isProven, wasRefused }, note);
    if (placed !== null)
      return { shown: { placed, origin: 'found', isKept: true, isProvisional: false, isAbsent: false }, isWhole: true };
    const before = await this.parts.transfers.withoutOthers(claim, like.before);
    const isClear = (await this.parts.transfers.withoutOthers(claim, [...since, ...before])).length === 0;
    return { shown: null, isWhole: like.isWhole && isClear };
  }

  #transfersOf({ transfers }: Trading): SignedTransfers {
    return supported(transfers, this.at, 'transfers');
  }

  async #readHistory(trading: Trading, sought: Sought, firstSentAt: Date): Promise<LikeTransfers> {
    const search = { terms: this.request, firstSentAt, isClockKnown: this.at.clockSkewMs !== null };
    const like = await this.parts.lookUps.find(sought, this.records, (beforePage) =>
      findLikeTransfers(this.#transfersOf(trading), { ...search, beforePage }),
    );
    return like ?? { since: [], before: [], isWhole: false };
  }

  /**
   * Returns when the transfer was first sent, by the exchange's clock; early by the time of a database call at most, never late.
   */
  #sentAt({ readAt, firstSentMsAgo }: Earlier): Date {
    return new Date(this.#ago(readAt, firstSentMsAgo ?? 0));
  }

  /** Returns the time that lay `ms` before the record was read, in ms by the exchange's clock. */
  #ago(readAt: number, ms: number): number {
    return Date.now() + (this.at.clockSkewMs ?? 0) - (performance.now() - readAt) - ms;
  }

  /** The answer of a transfer that exists, as long as nobody knows which one of the history it is (contract.md 5.8). */
  #unnamed(): TransferDto {
    const { from_shard, to_shard, amount } = this.request;
    const known = { from_shard, to_shard, amount: parseDecimal(amount) ?? amount, currency: CURRENCY };
    return { exchange: this.exchange, id: null, ...known, status: 'pending', created_at: null };
  }
}

function idIn({ client_transfer_id: id = '' }: Name): string {
  return id;
}
