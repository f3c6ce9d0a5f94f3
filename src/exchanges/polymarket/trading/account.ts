import type { Decimal } from '../../decimal.js';
import type { Page, Paging } from '../../paging.contract.js';
import type { PositionFilters } from '../../trading.contract.js';
import type { ReadPage } from '../../page-walk.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { BalanceDto, PositionDto } from '../../unified.trading.dto.js';
import type { Query, SignedPolymarketClient } from '../connection/client.js';
import { slicePages } from '../../sliced-pages.js';
import type { MarketDirectory } from '../market-data/directory/market-directory.js';
import { toBalance } from './account.mapper.js';
import { wireAccountValue, wirePositions } from './account.wire.js';
import type { PolymarketFunds } from './funds.js';
import type { WireOrder } from './order.wire.js';
import type { PolymarketOrders } from './orders.js';
import { isListed, toPosition } from './position.mapper.js';
import type { Wallet } from './wallet.js';

/** One millionth of a share: without it less than a tenth is hidden, and 0 may mean the same (polymarket.md 9.2, 15). */
const LEAST_SIZE = '0.000001';

/** Reads the money and positions of the account wallet (polymarket.md 6.4, 9.2 and 9.3). */
export class PolymarketAccount {
  constructor(
    private readonly client: SignedPolymarketClient,
    private readonly wallet: Wallet,
    private readonly directory: MarketDirectory,
    private readonly orders: PolymarketOrders,
    private readonly funds: PolymarketFunds,
  ) {}

  /** `beside` reads the orders of another API key, which hold money of the same wallet back. */
  async getBalance(beside: PolymarketOrders | null = null): Promise<BalanceDto> {
    const [balance, orders, value] = await Promise.all([
      this.funds.readCollateral(),
      readOptional(this.#allOpen(beside), null),
      readOptional(this.#readValue(), null),
    ]);
    return toBalance(balance.balance, orders, value);
  }

  async listPositions(filters: PositionFilters, paging: Paging): Promise<Page<PositionDto>> {
    return slicePages(await this.positions(filters, paging), paging, () => this.client.unusable());
  }

  /** Returns the pages of the positions. Each repeats all filters, and the first one fixes how long all are (polymarket.md 6.1). */
  async positions({ market_id: marketId }: PositionFilters, { limit }: Paging): Promise<ReadPage<PositionDto>> {
    const filters: Query = [
      ['user', this.wallet.account.reveal()],
      ['filter_amount', LEAST_SIZE],
      ['limit', limit],
      ['condition', marketId && (await this.directory.conditionIdOf(marketId))],
    ];
    return async (cursor) => {
      const query = [...filters, ['cursor', cursor]] as const;
      const { items, next } = (await this.client.readData('/v2/positions', query, wirePositions)).value;
      return { items: items.filter(isListed).map(toPosition), next };
    };
  }

  async #allOpen(beside: PolymarketOrders | null): Promise<WireOrder[]> {
    const [own, others] = await Promise.all([this.orders.allOpen(), beside?.allOpen() ?? []]);
    const seen = new Set(own.map(({ id }) => id));
    return [...own, ...others.filter(({ id }) => !seen.has(id))];
  }

  async #readValue(): Promise<Decimal | null> {
    const query = [['user', this.wallet.account.reveal()]] as const;
    const { value } = await this.client.readData('/v2/value', query, wireAccountValue, optionalReadLimit());
    return value.data?.value ?? null;
  }
}
