import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { BalanceDto, FillDto, SettlementDto } from '../../exchanges/unified.trading.dto.js';
import { OrderNotes, type ShownOrder } from '../orders/order-notes.js';
import { listOwnerOf, ownPage } from '../orders/own-pages.js';
import { Cursors } from '../paging/cursors.js';
import { limitOf } from '../paging/paging.dto.js';
import { spanOf } from '../request/query-fields.js';
import { checkFieldId } from '../request/request-ids.js';
import type {
  CsvQueryDto,
  FillListDto,
  FillsQueryDto,
  PositionListDto,
  PositionsQueryDto,
  SettlementListDto,
  SettlementsQueryDto,
} from './holdings.dto.js';

/** Balance, fills and positions, read with the caller's own stored credentials (contract.md 5). */
@Injectable()
export class HoldingsService {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly cursors: Cursors,
    private readonly notes: OrderNotes,
  ) {}

  async getBalance({ userId }: Principal, exchange: Exchange): Promise<BalanceDto> {
    return (await this.credentials.trading(userId, exchange)).getBalance();
  }

  /** Of a bot those of its own orders. */
  async listFills(caller: Principal, exchange: Exchange, query: FillsQueryDto): Promise<FillListDto> {
    const marketId = checkFieldId(exchange, 'market', 'market_id', query.market_id);
    checkFieldId(exchange, 'order', 'order_id', query.order_id);
    const filters = { market_id: marketId, order_id: query.order_id, ...spanOf(query) };
    const list = { exchange: exchange.id, operation: 'fills', filters, userId: listOwnerOf(caller) };
    const from = this.cursors.read(list, limitOf(query), query.cursor);
    const trading = await this.credentials.trading(caller.userId, exchange);
    const page = await ownPage(
      caller,
      from.paging,
      (paging) => trading.listFills(filters, paging),
      async (fills) => {
        const known = await this.notes.ofPage(caller, exchange, fills.map(orderOf));
        const own = fills.filter((fill) => known.isFor(caller, orderOf(fill)));
        return own.map((fill) => Object.assign({}, fill, { bot_id: known.ownerOf(orderOf(fill)) ?? null }));
      },
    );
    return this.cursors.list(list, from, page, ({ id }) => id);
  }

  async listPositions({ userId }: Principal, exchange: Exchange, query: PositionsQueryDto): Promise<PositionListDto> {
    const filters = { market_id: checkFieldId(exchange, 'market', 'market_id', query.market_id) };
    const list = { exchange: exchange.id, operation: 'positions', filters, userId };
    const from = this.cursors.read(list, limitOf(query), query.cursor);
    const page = await (await this.credentials.trading(userId, exchange)).listPositions(filters, from.paging);
    return this.cursors.list(list, from, page, ({ market_id, outcome }) => `${market_id}:${outcome.id}`);
  }

  async listSettlements(
    { userId }: Principal,
    exchange: Exchange,
    query: SettlementsQueryDto & Pick<CsvQueryDto, 'market_id'>,
  ): Promise<SettlementListDto> {
    const filters = { ...spanOf(query), market_id: checkFieldId(exchange, 'market', 'market_id', query.market_id) };
    const list = { exchange: exchange.id, operation: 'settlements', filters, userId };
    const from = this.cursors.read(list, limitOf(query), query.cursor);
    const page = await (await this.credentials.trading(userId, exchange)).listSettlements(filters, from.paging);
    return this.cursors.list(list, from, page, settlementKey);
  }
}

/** Tells settlements apart, which have no ids. */
function settlementKey({ market_id, outcome, settled_at, size }: SettlementDto): string {
  return `${market_id}:${outcome?.id ?? ''}:${settled_at}:${size}`;
}

/** The order that a fill is of. */
function orderOf({ order_id: id }: FillDto): ShownOrder {
  return { id };
}
