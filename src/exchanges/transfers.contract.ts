import type { BeforeSend } from './before-send.js';
import type { Page, Paging } from './paging.contract.js';
import type { TransferDto } from './unified.trading.dto.js';

/** Money to move between two shards of one account: dollars as a decimal string, shards by their names (contract.md 5.8). */
export interface TransferTerms {
  readonly from_shard: string;
  readonly to_shard: string;
  readonly amount: string;
}

/** Transfers at an exchange whose accounts have shards. */
export interface Transfers {
  /** Checks what can be known without credentials, which goes before their absence (contract.md 3). Throws `bad_request`. */
  check(terms: TransferTerms): void;
}

/** The signed calls of `Trading` that move money between shards. */
export interface SignedTransfers {
  /**
   * Moves money between shards; sends the request once. `clientTransferId`, a UUID, names it: the exchange takes it once, and
   * refuses a repeat as `exchange_rejected` with reason `duplicate_transfer`. Throws `transfer_outcome_unknown` where the transfer
   * may exist (contract.md 5.8).
   */
  create(terms: TransferTerms, clientTransferId: string, beforeSend?: BeforeSend): Promise<TransferDto>;
  /** Lists transfers between shards, newest first. */
  list(paging: Paging): Promise<Page<TransferDto>>;
  /** Returns one transfer. Throws `not_found`. */
  get(transferId: string): Promise<TransferDto>;
}
