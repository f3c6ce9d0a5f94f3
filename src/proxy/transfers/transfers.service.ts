import { Injectable } from '@nestjs/common';
import type { ApiKeyPrincipal, Principal } from '../../access/principal.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { SignedTransfers } from '../../exchanges/transfers.contract.js';
import { supported } from '../../exchanges/optional-parts.js';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';
import { badField } from '../../platform/errors/app-error.js';
import { Cursors } from '../paging/cursors.js';
import { limitOf, type PagingQueryDto } from '../paging/paging.dto.js';
import type { Placement } from '../placing/outcomes.js';
import { Placing } from '../placing/placing.js';
import { checkPathId } from '../request/request-ids.js';
import { TransferParts, TransferSubject } from './transfer.subject.js';
import type { TransferListDto, TransferRequestDto } from './transfers.dto.js';

/** Money between the shards of one account at an exchange (contract.md 5.8). */
@Injectable()
export class TransfersService {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly placing: Placing,
    private readonly parts: TransferParts,
    private readonly cursors: Cursors,
  ) {}

  /**
   * Makes a transfer and notes it in the activity; repeats under one `Idempotency-Key` make one transfer. Throws
   * `transfer_outcome_unknown` where the transfer may exist, and another error only where that error is certain.
   */
  create(
    caller: ApiKeyPrincipal,
    exchange: Exchange,
    { from_shard, to_shard, amount }: TransferRequestDto,
    key?: string,
  ): Promise<Placement<TransferDto>> {
    const terms = { from_shard, to_shard, amount };
    if (from_shard === to_shard) throw badField('to_shard', 'must be another shard than from_shard');
    supported(exchange.transfers, exchange, 'transfers').check(terms);
    return this.placing.place(new TransferSubject(this.parts, caller, exchange, terms), key);
  }

  async list({ userId }: Principal, exchange: Exchange, query: PagingQueryDto): Promise<TransferListDto> {
    supported(exchange.transfers, exchange, 'transfers');
    const list = { exchange: exchange.id, operation: 'transfers', filters: {}, userId };
    const from = this.cursors.read(list, limitOf(query), query.cursor);
    const page = await (await this.#signed(userId, exchange)).list(from.paging);
    return this.cursors.list(list, from, page, ({ id }) => id ?? '');
  }

  async get({ userId }: Principal, exchange: Exchange, transferId: string): Promise<TransferDto> {
    supported(exchange.transfers, exchange, 'transfers');
    const id = checkPathId(exchange, 'transfer', transferId);
    return (await this.#signed(userId, exchange)).get(id);
  }

  async #signed(userId: string, exchange: Exchange): Promise<SignedTransfers> {
    return supported((await this.credentials.trading(userId, exchange)).transfers, exchange, 'transfers');
  }
}
