import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { requestTime } from '../../platform/http/request-context.js';
import { Cursors } from '../paging/cursors.js';
import { limitOf } from '../paging/paging.dto.js';
import { type LedgerNames, LedgerPages } from '../placing/ledger-pages.repository.js';
import { spanOf } from '../request/query-fields.js';
import { type AccountOrderListDto, type AccountOrdersQueryDto, toAccountOrderDto } from './account-orders.dto.js';

/** Between the time and the id in a cursor; no time has one. */
const BETWEEN = '/';

/** So soon after a request has come, all that it asks for has its row, in ms; the clocks of the service and of its database agree so far. */
const BEGUN_MS = 60_000;

/** What users asked of this service, from the ledger (contract.md 4). */
@Injectable()
export class AccountOrdersService {
  constructor(
    private readonly pages: LedgerPages,
    private readonly activity: ActivityService,
    private readonly cursors: Cursors,
  ) {}

  /** Throws `bad_request` for times that make no span, and for a cursor of another user or other filters. */
  async list(userId: string, query: AccountOrdersQueryDto): Promise<AccountOrderListDto> {
    const { cursor, id: name } = query;
    const filters = Object.assign({}, query, { limit: undefined, cursor: undefined });
    const scope = { exchange: 'account', operation: 'orders', filters, userId };
    const from = this.cursors.read(scope, limitOf(query), cursor);
    const [at, id] = from.paging.cursor?.split(BETWEEN) ?? [];
    const after = at === undefined || id === undefined ? null : { at, id };
    const span = { ...spanOf(query), limit: from.paging.limit, after };
    const named = name === undefined ? undefined : await this.#namesOf(userId, name);
    const { rows, next } = await this.pages.read(userId, Object.assign({}, query, { named }), span);
    const items = rows.map(toAccountOrderDto);
    const onward = next === null ? null : `${next.at}${BETWEEN}${next.id}`;
    return this.cursors.list(scope, from, { items, next: onward }, (row) => row.id);
  }

  /** A request names what it made, changed or cancelled, as it is noted, however long ago that was asked for. */
  async #namesOf(userId: string, id: string): Promise<LedgerNames> {
    const at = requestTime(id);
    if (at === null) return { ids: [id], request: null };
    const noted = await this.activity.findOrderIds(userId, id, at);
    return { ids: [id, ...noted], request: { id, before: new Date(at.getTime() + BEGUN_MS) } };
  }
}
