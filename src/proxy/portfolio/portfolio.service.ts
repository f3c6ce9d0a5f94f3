import { Injectable } from '@nestjs/common';
import { botIdOf, type Principal } from '../../access/principal.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { currentCallContext } from '../../platform/upstream/call-context.js';
import { OrdersService } from '../orders/orders.service.js';
import { AccountReader, countOf } from './account-reader.js';
import { EquityService } from './equity.service.js';
import type { PortfolioDto } from './portfolio.dto.js';
import { type AccountReading, totalsOf } from './sums.js';

/** What a user has at all exchanges at once (contract.md 5.17). */
@Injectable()
export class PortfolioService {
  constructor(
    private readonly registry: ExchangeRegistry,
    private readonly accounts: AccountReader,
    private readonly orders: OrdersService,
    private readonly equity: EquityService,
  ) {}

  /** Of a bot its own exchanges, and never anew for `no-cache`. A reading by anybody else leaves a point of equity. */
  async read(caller: Principal): Promise<PortfolioDto> {
    const own = caller.kind === 'api-key' ? (caller.bot?.exchanges ?? null) : null;
    const exchanges = this.registry.all.filter(({ id }) => own?.includes(id) ?? true);
    const botId = botIdOf(caller);
    const count = { by: botId ?? 'all', read: (exchange: Exchange) => this.#countOrders(caller, exchange) };
    const isFresh = botId === null && currentCallContext()?.fresh === true;
    const readings = await Promise.all(
      exchanges.map((one) => this.accounts.read(caller.userId, one, { count, isFresh })),
    );
    if (botId === null) await this.equity.note(caller.userId, readings);
    const from = Math.min(Date.now(), ...readings.map((reading) => reading.from.getTime()));
    return {
      exchanges: readings.map(({ portfolio }) => portfolio),
      totals: totalsOf(readings),
      as_of: new Date(from).toISOString(),
    };
  }

  /** Of all exchanges, for nobody who asks. */
  readAll(userId: string): Promise<AccountReading[]> {
    const asking = { count: null, isFresh: true };
    return Promise.all(this.registry.all.map((one) => this.accounts.read(userId, one, asking)));
  }

  #countOrders(caller: Principal, exchange: Exchange): Promise<number | null> {
    return countOf(async (cursor) => {
      const page = { status: 'open', limit: '100', ...(cursor !== null && { cursor }) } as const;
      const { data, next_cursor: next } = await this.orders.list(caller, exchange, page);
      return { items: data, next };
    });
  }
}
