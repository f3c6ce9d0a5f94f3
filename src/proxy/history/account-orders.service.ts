import { Injectable } from '@nestjs/common';
import { Cursors } from '../paging/cursors.js';
import { limitOf } from '../paging/paging.dto.js';
import { LedgerPages } from '../placing/ledger-pages.repository.js';
import { spanOf } from '../request/query-fields.js';
import { type AccountOrderListDto, type AccountOrdersQueryDto, toAccountOrderDto } from './account-orders.dto.js';

/** Between the time and the id in a cursor; no time has one. */
const BETWEEN = '/';

/** What users asked of this service, from the ledger (contract.md 4). */
@Injectable()
export class AccountOrdersService {
  constructor(
    private readonly pages: LedgerPages,
    private readonly cursors: Cursors,
  ) {}

  /** Throws `bad_request` for times that make no span, and for a cursor of another user or other filters. */
  async list(userId: string, query: AccountOrdersQueryDto): Promise<AccountOrderListDto> {
    const { cursor } = query;
    const filters = Object.assign({}, query, { limit: undefined, cursor: undefined });
    const scope = { exchange: 'account', operation: 'orders', filters, userId };
    const from = this.cursors.read(scope, limitOf(query), cursor);
    const [at, id] = from.paging.cursor?.split(BETWEEN) ?? [];
    const after = at === undefined || id === undefined ? null : { at, id };
    const span = { ...spanOf(query), limit: from.paging.limit, after };
    const { rows, next } = await this.pages.read(userId, query, span);
    const items = rows.map(toAccountOrderDto);
    const onward = next === null ? null : `${next.at}${BETWEEN}${next.id}`;
    return this.cursors.list(scope, from, { items, next: onward }, (row) => row.id);
  }
}
