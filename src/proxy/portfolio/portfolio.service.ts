import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { OrdersService } from '../orders/orders.service.js';
import { AccountReader, countOf } from './account-reader.js';
import type { PortfolioDto } from './portfolio.dto.js';
import { totalsOf } from './sums.js';

/** What a user has at all exchanges at once (contract.md 5.17). */
@Injectable()
export class PortfolioService {
  constructor(
    private readonly registry: ExchangeRegistry,
    private readonly accounts: AccountReader,
    private readonly orders: OrdersService,
  ) {}

  /** Of a bot its own exchanges. */
  async read(caller: Principal): Promise<PortfolioDto> {
    const own = caller.kind === 'api-key' ? (caller.bot?.exchanges ?? null) : null;
    const exchanges = this.registry.all.filter(({ id }) => own?.includes(id) ?? true);
    const count = (exchange: Exchange): Promise<number | null> => this.#countOrders(caller, exchange);
    const readings = await Promise.all(exchanges.map((one) => this.accounts.read(caller.userId, one, count)));
    return {
      exchanges: readings.map(({ portfolio }) => portfolio),
      totals: totalsOf(readings),
      as_of: new Date().toISOString(),
    };
  }

  #countOrders(caller: Principal, exchange: Exchange): Promise<number | null> {
    return countOf(async (cursor) => {
      const page = { status: 'open', limit: '100', ...(cursor !== null && { cursor }) } as const;
      const { data, next_cursor: next } = await this.orders.list(caller, exchange, page);
      return { items: data, next };
    });
  }
}
