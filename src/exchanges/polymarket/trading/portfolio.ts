import { add, type Decimal, multiply, scaleDown, subtract } from '../../decimal.js';
import type { Page, Paging, PositionFilters } from '../../exchange.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { BalanceDto, OrderStatus, PositionDto } from '../../unified.trading.dto.js';
import { parseOffset } from '../market-data/lists/local-lists.js';
import type { MarketDirectory } from '../market-data/directory/market-directory.js';
import type { PolymarketApi } from '../connection/client.js';
import { CURRENCY, CURRENCY_DECIMALS, POLYMARKET } from '../polymarket.ids.js';
import { stateOf } from './order.mapper.js';
import { toPositionDto } from './position.mapper.js';
import type { SignedClob } from '../connection/signed-client.js';
import { accountValue, balanceAllowance, type OpenOrder, positions } from './order.wire.js';
import type { Wallet } from './wallet.js';

/** Money and positions of the account wallet (polymarket.md 7 and 8). */
export class Account {
  constructor(
    private readonly api: PolymarketApi,
    private readonly clob: SignedClob,
    private readonly wallet: Wallet,
    private readonly directory: MarketDirectory,
  ) {}

  /** The exchange's balance is gross; what cannot be learnt beside it is null. `readOrders` gives all open orders. */
  async getBalance(readOrders: () => Promise<readonly OpenOrder[]>): Promise<BalanceDto> {
    const [balance, orders, value] = await Promise.all([
      this.readBalance(),
      readOptional(readOrders(), null),
      readOptional(this.#readValue(), null),
    ]);
    const answer: BalanceDto = {
      exchange: POLYMARKET,
      currency: CURRENCY,
      available: scaleDown(balance, CURRENCY_DECIMALS),
      reserved: orders === null ? null : reservedBy(orders),
      total: null,
      portfolio_value: value,
      breakdown: [],
      updated_at: null,
    };
    return answer;
  }

  /** Collateral in millionths; one signed read. */
  async readBalance(): Promise<string> {
    const query = [
      ['asset_type', 'COLLATERAL'],
      ['signature_type', this.wallet.signatureType.reveal()],
    ] as const;
    return (await this.clob.read('/balance-allowance', query, balanceAllowance)).balance;
  }

  async listPositions({ market_id: marketId }: PositionFilters, { limit, cursor }: Paging): Promise<Page<PositionDto>> {
    const offset = cursor === null ? 0 : parseOffset(cursor);
    const query: [name: string, value: string][] = [
      ['user', this.wallet.account.reveal()],
      ['sizeThreshold', '0'],
      ['limit', String(limit)],
      ['offset', String(offset)],
    ];
    if (marketId !== undefined) query.push(['market', await this.directory.conditionIdOf(marketId)]);
    const { value } = await this.api.read({ host: 'data', path: '/positions', query, ofAccount: true }, positions);
    const items = value.filter(({ size }) => size !== '0').map(toPositionDto);
    return { items, next: value.length < limit ? null : String(offset + value.length) };
  }

  async #readValue(): Promise<Decimal | null> {
    const query = [['user', this.wallet.account.reveal()]] as const;
    const read = { host: 'data', path: '/value', query, ofAccount: true, signal: optionalReadLimit() } as const;
    const { value } = await this.api.read(read, accountValue);
    return value[0]?.value ?? null;
  }
}

/** Only an order that may still trade holds money back. */
const HOLDING: ReadonlySet<OrderStatus> = new Set(['open', 'partially_filled', 'pending']);

function reservedBy(orders: readonly OpenOrder[]): Decimal {
  return orders
    .filter((order) => order.side === 'BUY' && HOLDING.has(stateOf(order).status))
    .map(({ original_size: size, size_matched: filled, price }) => multiply(subtract(size, filled), price))
    .reduce(add, '0');
}
