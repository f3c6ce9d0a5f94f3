import { Injectable, Logger } from '@nestjs/common';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import { type ActivityEvent, ActivityService } from '../../activity/activity.service.js';
import type { TransferTerms } from '../../exchanges/transfers.contract.js';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';
import { LedgerReads, NOTED, type PlacementName } from '../placing/ledger-reads.repository.js';
import type { Placement } from '../placing/outcomes.js';

const UNKNOWN = 'unknown';

/** The details of a note: `transfer_id` is null as long as nobody knows which transfer of the history it is. */
interface Note {
  readonly outcome: string;
  readonly transfer_id: string | null;
  readonly client_transfer_id: string;
}

/**
 * Notes transfers in their owner's activity with the outcome (contract.md 4): at most once that the fate is unknown, then once that
 * the transfer was made, and once more where its id is learned later. A note that fails is logged, and fails no transfer.
 */
@Injectable()
export class TransferJournal {
  readonly #logger = new Logger('TransferJournal');

  constructor(
    private readonly activity: ActivityService,
    private readonly reads: LedgerReads,
  ) {}

  /** Notes a transfer in a statement of its own: where it has no key, or its record cannot keep it as the answer. */
  async notePlacement(
    caller: ApiKeyPrincipal,
    exchange: string,
    placement: Placement<TransferDto>,
    clientTransferId: string,
  ): Promise<void> {
    await this.#safely(() => this.note(caller, exchange, placement, clientTransferId));
  }

  /** As `notePlacement`, in the transaction of the caller. Throws the error of the database. */
  async note(
    caller: ApiKeyPrincipal,
    exchange: string,
    placement: Placement<TransferDto>,
    clientTransferId: string,
  ): Promise<void> {
    const note = await this.#noteOf(caller, exchange, placement, clientTransferId);
    if (note === null) return;
    const level = placement.placed.id === null ? NOTED.unnamed : NOTED.made;
    await this.reads.note(nameOf(caller, exchange, clientTransferId), level, this.activity.prepare(note));
  }

  /** Returns the note of a transfer that was made or found; null where the activity has the note, or cannot be read. */
  async noteOf(
    caller: ApiKeyPrincipal,
    exchange: string,
    placement: Placement<TransferDto>,
    clientTransferId: string,
  ): Promise<ActivityEvent | null> {
    let note: ActivityEvent | null = null;
    await this.#safely(async () => {
      note = await this.#noteOf(caller, exchange, placement, clientTransferId);
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
      const name = nameOf(caller, exchange, clientTransferId);
      if ((await this.reads.findNoted(name)) > 0) return;
      await this.reads.note(name, NOTED.unknown, this.activity.prepare(eventOf(caller, exchange, terms, note)));
    });
  }

  /** Returns null for a replay, which was noted the first time. Looks for an earlier note only of a transfer that was found. */
  async #noteOf(
    caller: ApiKeyPrincipal,
    exchange: string,
    { placed: transfer, origin }: Placement<TransferDto>,
    clientTransferId: string,
  ): Promise<ActivityEvent | null> {
    if (origin === 'replayed') return null;
    const note = { outcome: transfer.status, transfer_id: transfer.id, client_transfer_id: clientTransferId };
    const level = transfer.id === null ? NOTED.unnamed : NOTED.made;
    const name = nameOf(caller, exchange, clientTransferId);
    if (origin === 'found' && (await this.reads.findNoted(name)) >= level) return null;
    return eventOf(caller, exchange, transfer, note);
  }

  async #safely(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#logger.error({ err: error, message: 'a transfer could not be noted in the activity' });
    }
  }
}

function nameOf({ userId }: ApiKeyPrincipal, exchange: string, clientId: string): PlacementName {
  return { userId, exchange, kind: 'transfer', clientId, exchangeId: null };
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
