import { Injectable } from '@nestjs/common';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';
import { badField } from '../../platform/errors/app-error.js';
import { hasCode } from '../orders/order-outcomes.js';
import { PlacementCounts } from '../orders/placement-counts.js';
import { Cursors } from '../paging/cursors.js';
import { limitOf, type PagingQueryDto } from '../paging/paging.dto.js';
import { checkPathId } from '../request/request-ids.js';
import { TransferJournal } from './transfer-journal.js';
import type { TransferPlacement as Placement } from './transfer-outcomes.js';
import { TransferPlacement } from './transfer-placement.js';
import type { TransferListDto, TransferRequestDto } from './transfers.dto.js';

/** Money between the shards of one account at an exchange (contract.md 9). */
@Injectable()
export class TransfersService {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly placement: TransferPlacement,
    private readonly journal: TransferJournal,
    private readonly cursors: Cursors,
    private readonly counts: PlacementCounts,
  ) {}

  /**
   * Makes a transfer, with an `Idempotency-Key` once over all repeats, and notes it in the activity. Throws
   * `transfer_outcome_unknown` where it may exist, else what is certain.
   */
  async create(
    caller: ApiKeyPrincipal,
    exchange: Exchange,
    { from_shard, to_shard, amount }: TransferRequestDto,
    key?: string,
  ): Promise<Placement> {
    const terms = { from_shard, to_shard, amount };
    if (from_shard === to_shard) throw badField('to_shard', 'must be another shard than from_shard');
    exchange.checkTransfers?.(terms);
    const call = { caller, terms, exchange, ...(await this.credentials.tradingToSend(caller, exchange)) };
    try {
      return await this.counts.count('transfers', exchange.id, async () => {
        if (key === undefined) return this.placement.placeOnce(call);
        return this.placement.place({ userId: caller.userId, exchange: exchange.id, key }, call);
      });
    } catch (error) {
      if (hasCode(error, 'transfer_outcome_unknown')) {
        await this.journal.noteUnknown(caller, exchange.id, terms, error.details?.client_transfer_id ?? '');
      }
      throw error;
    }
  }

  async list({ userId }: ApiKeyPrincipal, exchange: Exchange, query: PagingQueryDto): Promise<TransferListDto> {
    exchange.checkTransfers?.();
    const list = { exchange: exchange.id, operation: 'transfers', filters: {}, userId };
    const from = this.cursors.read(list, limitOf(query), query.cursor);
    const page = await (await this.credentials.trading(userId, exchange)).listTransfers(from.paging);
    return this.cursors.list(list, from, page, ({ id }) => id ?? '');
  }

  async get({ userId }: ApiKeyPrincipal, exchange: Exchange, transferId: string): Promise<TransferDto> {
    exchange.checkTransfers?.();
    const id = checkPathId(exchange, 'transfer', transferId);
    return (await this.credentials.trading(userId, exchange)).getTransfer(id);
  }
}
