import { Injectable, Logger } from '@nestjs/common';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import { type ActivityEvent, ActivityService } from '../../activity/activity.service.js';
import type { TransferTerms } from '../../exchanges/exchange.js';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';
import type { TransferPlacement } from './transfer-outcomes.js';

const UNKNOWN = 'unknown';

/** A transfer as it is noted: `transfer_id` is null while it is not known which one it is. */
interface Note {
  readonly outcome: string;
  readonly transfer_id: string | null;
  readonly client_transfer_id: string;
}

/**
 * Notes transfers in their owner's activity, each with its outcome (contract.md 4): once as made, once more where its id was
 * learned later, and before that at most once as of unknown fate. What cannot be noted is logged, and fails no transfer.
 */
@Injectable()
export class TransferJournal {
  readonly #logger = new Logger('TransferJournal');

  constructor(private readonly activity: ActivityService) {}

  /** Notes a transfer by itself: one that was made or found without a key, or whose record does not take it. */
  async notePlacement(caller: ApiKeyPrincipal, exchange: string, placement: TransferPlacement): Promise<void> {
    await this.#safely(() => this.note(caller, exchange, placement));
  }

  /** As `notePlacement`, as a part of the transaction that it is called in: throws what the database does. */
  async note(caller: ApiKeyPrincipal, exchange: string, placement: TransferPlacement): Promise<void> {
    const note = await this.#noteOf(caller, exchange, placement);
    if (note !== null) await this.activity.record(note);
  }

  /** Returns the note of a transfer that was made or found; null where it is noted already, or nobody can tell. */
  async noteOf(caller: ApiKeyPrincipal, exchange: string, placement: TransferPlacement): Promise<ActivityEvent | null> {
    let note: ActivityEvent | null = null;
    await this.#safely(async () => {
      note = await this.#noteOf(caller, exchange, placement);
    });
    return note;
  }

  async noteUnknown(
    caller: ApiKeyPrincipal,
    exchange: string,
    terms: TransferTerms,
    clientTransferId: string,
  ): Promise<void> {
    const note = { outcome: UNKNOWN, transfer_id: null, client_transfer_id: clientTransferId };
    await this.#safely(async () => {
      if (!(await this.#isNoted(caller, exchange, note))) {
        await this.activity.record(eventOf(caller, exchange, terms, note));
      }
    });
  }

  /** Those of the transfers that were not answered to another call of the user, with or without a key. */
  async withoutOthers(
    { userId, exchange }: { readonly userId: string; readonly exchange: string },
    clientTransferId: string,
    transfers: readonly TransferDto[],
  ): Promise<TransferDto[]> {
    const ids = transfers.flatMap(({ id }) => id ?? []);
    const notes = ids.length === 0 ? [] : await this.activity.findTransfers(userId, exchange, ids);
    const others = notes.filter((note) => note.client_transfer_id !== clientTransferId);
    const taken = new Set(others.map((note) => note.transfer_id));
    return transfers.filter(({ id }) => !taken.has(id));
  }

  /** A replay was noted the first time; one that was made just now has no such note yet. */
  async #noteOf(
    caller: ApiKeyPrincipal,
    exchange: string,
    { transfer, origin, clientTransferId }: TransferPlacement,
  ): Promise<ActivityEvent | null> {
    if (origin === 'replayed') return null;
    const note = { outcome: transfer.status, transfer_id: transfer.id, client_transfer_id: clientTransferId };
    if (origin === 'found' && (await this.#isNoted(caller, exchange, note))) return null;
    return eventOf(caller, exchange, transfer, note);
  }

  /** Of unknown fate it is noted where there is any note of it; else where one has its id, or none as this one. */
  async #isNoted(
    { userId }: ApiKeyPrincipal,
    exchange: string,
    { client_transfer_id, ...note }: Note,
  ): Promise<boolean> {
    const notes = await this.activity.findTransferNotes(userId, exchange, client_transfer_id);
    if (note.outcome === UNKNOWN) return notes.length > 0;
    return notes.some(({ outcome, transfer_id }) => outcome !== UNKNOWN && transfer_id === note.transfer_id);
  }

  async #safely(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#logger.error({ err: error, message: 'a transfer could not be noted in the activity' });
    }
  }
}

function eventOf(
  { userId, keyPrefix }: ApiKeyPrincipal,
  exchange: string,
  { from_shard, to_shard, amount }: TransferTerms,
  note: Note,
): ActivityEvent {
  const details = { ...note, from_shard, to_shard, amount };
  return { type: 'transfer_created', userId, keyPrefix, exchange, details };
}
