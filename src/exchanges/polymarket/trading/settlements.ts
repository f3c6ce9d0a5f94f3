import { sumOf } from '../../decimal.js';
import type { ReadPage } from '../../page-walk.js';
import { atMostPages } from '../../page-walk.js';
import type { Paging } from '../../paging.contract.js';
import type { Gains, SettlementFilters } from '../../trading.contract.js';
import type { SettlementDto } from '../../unified.trading.dto.js';
import type { Query, SignedPolymarketClient } from '../connection/client.js';
import type { MarketDirectory } from '../market-data/directory/market-directory.js';
import { wideId } from '../position-ids.js';
import { type WireClosedPosition, wireClosedPositions, type WireRedemption, wireRedemptions } from './account.wire.js';
import { toSettlement } from './settlement.mapper.js';
import type { Wallet } from './wallet.js';

/** `condition` takes so many (polymarket.md 6.1). */
const CONDITIONS_A_CALL = 20;
const POSITIONS_A_PAGE = 500;
const MOST_PAGES = 20;
/** Less than that much of a share is hidden otherwise (polymarket.md 9.2). */
const LEAST_SIZE = '0.000001';
const HELD: Query = [
  ['filter_amount', LEAST_SIZE],
  ['include_archived', 'true'],
];

/** Reads what became of the positions of a wallet (polymarket.md 6.4, 9.2). */
export class PolymarketSettlements {
  constructor(
    private readonly client: SignedPolymarketClient,
    private readonly wallet: Wallet,
    private readonly directory: MarketDirectory,
  ) {}

  /** Returns the pages, newest first; the times are cut here. */
  async pages({ market_id, start, end }: SettlementFilters, { limit }: Paging): Promise<ReadPage<SettlementDto>> {
    const marketId = market_id && (await this.directory.conditionIdOf(market_id));
    const filters: Query = [...this.#user(), ['type', 'REDEEM'], ['sort_direction', 'DESC'], ['limit', limit]];
    const isWanted = ({ condition_id, timestamp, type }: WireRedemption): boolean =>
      type === 'REDEEM' &&
      (marketId === undefined || wideId(condition_id) === marketId) &&
      (start === undefined || timestamp >= start) &&
      (end === undefined || timestamp < end);
    return async (cursor) => {
      const query = [...filters, ['cursor', cursor]] as const;
      const { items, next } = (await this.client.readData('/v2/activity', query, wireRedemptions)).value;
      const last = items.at(-1);
      const isOver = start !== undefined && last !== undefined && last.timestamp < start;
      return { items: await this.#named(items.filter(isWanted)), next: isOver ? null : next };
    };
  }

  /** Fees are told of what is held alone. Archived ones are asked for beside those; the closed ones take no such wish (polymarket.md 9.2). */
  async gains(): Promise<Gains> {
    const lists = await Promise.all([
      atMostPages(this.#positions(HELD), MOST_PAGES),
      atMostPages(this.#positions([['status', 'CLOSED']]), MOST_PAGES),
    ]);
    const all = lists.flatMap((list) => list?.map(({ realized_pnl: realized }) => realized) ?? [null]);
    return { realized_pnl: sumOf(all), fees: null };
  }

  async #named(redemptions: readonly WireRedemption[]): Promise<SettlementDto[]> {
    const conditions = [...new Set(redemptions.map(({ condition_id: id }) => id))];
    const calls = Array.from({ length: Math.ceil(conditions.length / CONDITIONS_A_CALL) }, (_, index) =>
      conditions.slice(index * CONDITIONS_A_CALL, (index + 1) * CONDITIONS_A_CALL),
    );
    const closed = await Promise.all(
      calls.map(async (some) => {
        const filters = [
          ['status', 'CLOSED'],
          ['condition', some.join(',')],
        ] as const;
        return (await this.#positions(filters)(null)).items;
      }),
    );
    return redemptions.map((redemption) => toSettlement(redemption, closed.flat()));
  }

  #positions(filters: Query): ReadPage<WireClosedPosition> {
    return async (cursor) => {
      const query = [...this.#user(), ...filters, ['limit', POSITIONS_A_PAGE], ['cursor', cursor]] as const;
      return (await this.client.readData('/v2/positions', query, wireClosedPositions)).value;
    };
  }

  #user(): Query {
    return [['user', this.wallet.account.reveal()]];
  }
}
