import { sumOf } from '../../decimal.js';
import type { Page, Paging } from '../../paging.contract.js';
import { atMostPages, type ReadPage } from '../../page-walk.js';
import type { Gains, PositionFilters, SettlementFilters } from '../../trading.contract.js';
import type { PositionDto, SettlementDto } from '../../unified.trading.dto.js';
import type { SignedKalshiClient } from '../connection/client.js';
import { emptyWhereAbsent, isToldNotFound, type ReadPart } from '../connection/pages.js';
import {
  type WirePosition,
  wireLongPositionPage,
  wirePositionPage,
  type WireSettlement,
  wireSettlementPage,
} from './account.wire.js';
import { wholeSeconds } from './fills.js';
import { toPosition } from './position.mapper.js';
import { toSettlement, wasHeld } from './settlement.mapper.js';

/** Of settled positions a page holds so many whole events (kalshi.md 7.2). */
const EVENTS_A_PAGE = 200;
/** Of each of the two lists that the gains are summed from. */
const MOST_PAGES = 20;

/** Reads what one account holds, and what became of what it held (kalshi.md 7.2, 7.4). */
export class KalshiHoldings {
  constructor(private readonly client: SignedKalshiClient) {}

  async positions({ market_id: ticker }: PositionFilters, { cursor, limit }: Paging): Promise<Page<PositionDto>> {
    const page = await this.client.account.named((subaccount) => {
      const query = { count_filter: 'position', ticker, subaccount, limit, cursor };
      return this.client.read('/portfolio/positions', query, wirePositionPage);
    });
    const { items, next } = page.value;
    return { items: items.filter(({ position_fp: size }) => size !== '0').map(toPosition), next };
  }

  /** The exchange's whole seconds are both inclusive, so the edges are cut here; what is archived it does not list (kalshi.md 8). */
  async settlements(filters: SettlementFilters, { cursor, limit }: Paging): Promise<Page<SettlementDto>> {
    const { market_id: ticker, start, end } = filters;
    const [from, before] = [start?.toISOString() ?? '', end?.toISOString() ?? '~'];
    const page = await this.client.account.named((subaccount) => {
      const query = { ticker, ...wholeSeconds(start, end), subaccount, limit, cursor };
      return this.client.read('/portfolio/settlements', query, wireSettlementPage);
    });
    const { items, next } = page.value;
    const isWanted = (one: WireSettlement): boolean =>
      wasHeld(one) && from <= one.settled_time && one.settled_time < before;
    return { items: items.filter(isWanted).map(toSettlement), next };
  }

  /**
   * What is settled has its payout in `realized_pnl_dollars`; what is archived lies in a list of its own (kalshi.md 7.2, 8), read second:
   * what is archived between the two is in both, and counts once.
   */
  async gains(): Promise<Gains> {
    const live = await atMostPages(this.#all(this.#list('/portfolio/positions', 'all')), MOST_PAGES);
    const archive = emptyWhereAbsent(this.#list('/historical/positions'), isToldNotFound);
    const archived = await atMostPages(this.#all(archive), MOST_PAGES);
    if (live === null || archived === null) return { realized_pnl: null, fees: null };
    const all = [...new Map([...live, ...archived].map((position) => [position.ticker, position])).values()];
    return {
      realized_pnl: sumOf(all.map(({ realized_pnl_dollars: realized }) => realized)),
      fees: sumOf(all.map(({ fees_paid_dollars: fees }) => fees)),
    };
  }

  #list(path: string, status?: string): ReadPart<WirePosition> {
    return (cursor, limit) =>
      this.client.account.named((subaccount) =>
        this.client.read(path, { settlement_status: status, subaccount, limit, cursor }, wireLongPositionPage),
      );
  }

  #all(read: ReadPart<WirePosition>): ReadPage<WirePosition> {
    return async (cursor) => (await read(cursor, EVENTS_A_PAGE)).value;
  }
}
