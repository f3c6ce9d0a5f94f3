import type { BeforeSend } from '../../before-send.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { pathOf } from '../../../platform/upstream/path.js';
import type { Page, Paging } from '../../paging.contract.js';
import type { SignedTransfers, TransferTerms } from '../../transfers.contract.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { TransferDto } from '../../unified.trading.dto.js';
import type { SignedKalshiClient } from '../connection/client.js';
import { KALSHI } from '../kalshi.ids.js';
import { notFound } from './orders.js';
import { isBetweenShards, toPendingTransfer, toTransfer, toTransferBody } from './transfer.mapper.js';
import { type WireTransfer, wireOneTransfer, wireTransferAccepted, wireTransferPage } from './transfer.wire.js';

const SENDING = '/portfolio/intra_exchange_instance_transfer';
const HISTORY = '/portfolio/intra_exchange_instance_transfers';

/** Moves money between the shards of one member, and lists such movements (kalshi.md 9.4). */
export class KalshiTransfers implements SignedTransfers {
  constructor(private readonly client: SignedKalshiClient) {}

  /**
   * Sends a transfer once, then reads its state: accepted is not done. What cannot be read in 2 s is told as pending.
   */
  async create(terms: TransferTerms, clientTransferId: string, beforeSend?: BeforeSend): Promise<TransferDto> {
    const body = JSON.stringify(toTransferBody(terms, clientTransferId));
    await this.client.synchronise();
    const { value } = await this.client.sendTransfer(
      { path: SENDING, body, beforeSend },
      wireTransferAccepted,
      clientTransferId,
    );
    const transfer = await readOptional(this.#read(value.transfer_id, optionalReadLimit()), null);
    return transfer === null ? toPendingTransfer(value.transfer_id, terms) : toTransfer(transfer);
  }

  /** Newest first. */
  async list({ cursor, limit }: Paging): Promise<Page<TransferDto>> {
    const { items, next } = (await this.client.read(HISTORY, { limit, cursor }, wireTransferPage)).value;
    const newestFirst = items.filter(isBetweenShards).sort((a, b) => (b.created_ts ?? 0) - (a.created_ts ?? 0));
    return { items: newestFirst.map(toTransfer), next };
  }

  async get(transferId: string): Promise<TransferDto> {
    const transfer = await this.#read(transferId);
    if (!isBetweenShards(transfer)) throw notFound('Kalshi has no such transfer between shards.');
    return toTransfer(transfer);
  }

  /** Throws `not_found`, and `exchange_error` where the answer is about another transfer. */
  async #read(transferId: string, signal?: AbortSignal): Promise<WireTransfer> {
    const { transfer } = (await this.client.read(`${HISTORY}${pathOf`/${transferId}`}`, {}, wireOneTransfer, signal))
      .value;
    if (transfer.transfer_id === transferId) return transfer;
    throw new AppError('exchange_error', 'Kalshi answered with another transfer. Try again later.', {
      details: { exchange: { id: KALSHI, status: 200, code: null } },
    });
  }
}
