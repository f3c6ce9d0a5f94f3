import type { Decimal } from '../../decimal.js';
import type { Page, Paging, PositionFilters } from '../../exchange.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { BalanceDto, PositionDto } from '../../unified.trading.dto.js';
import type { Query, SignedPolymarketClient } from '../connection/client.js';
import { parseOffset } from '../connection/pages.js';
import type { MarketDirectory } from '../market-data/directory/market-directory.js';
import { toBalance } from './account.mapper.js';
import { wireAccountValue, wireBalance, wirePositions } from './account.wire.js';
import type { PolymarketOrders } from './orders.js';
import { toPosition } from './position.mapper.js';
import type { Wallet } from './wallet.js';

/** Reads the money and positions of the account wallet (polymarket.md 7 and 8). */
export class PolymarketAccount {
  constructor(
    private readonly client: SignedPolymarketClient,
    private readonly wallet: Wallet,
    private readonly directory: MarketDirectory,
    private readonly orders: PolymarketOrders,
  ) {}

  async getBalance(): Promise<BalanceDto> {
    const [balance, orders, value] = await Promise.all([
      this.readCollateral(),
      readOptional(this.orders.allOpen(), null),
      readOptional(this.#readValue(), null),
    ]);
    return toBalance(balance, orders, value);
  }

  /** Returns the collateral in millionths; one signed read. */
  async readCollateral(): Promise<string> {
    const query = [
      ['asset_type', 'COLLATERAL'],
      ['signature_type', this.wallet.signatureType.reveal()],
    ] as const;
    return (await this.client.read('/balance-allowance', query, wireBalance)).value.balance;
  }

  async listPositions({ market_id: marketId }: PositionFilters, { limit, cursor }: Paging): Promise<Page<PositionDto>> {
    const offset = cursor === null ? 0 : parseOffset(cursor);
    const query: Query = [
      ['user', this.wallet.account.reveal()],
      ['sizeThreshold', 0],
      ['limit', limit],
      ['offset', offset],
      ['market', marketId && (await this.directory.conditionIdOf(marketId))],
    ];
    const { value } = await this.client.readData('/positions', query, wirePositions);
    const items = value.filter(({ size }) => size !== '0').map(toPosition);
    return { items, next: value.length < limit ? null : String(offset + value.length) };
  }

  async #readValue(): Promise<Decimal | null> {
    const query = [['user', this.wallet.account.reveal()]] as const;
    const { value } = await this.client.readData('/value', query, wireAccountValue, optionalReadLimit());
    return value[0]?.value ?? null;
  }
}
