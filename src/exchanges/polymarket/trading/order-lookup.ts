import { pathOf } from '../../../platform/upstream/path.js';
import { add, compare } from '../../decimal.js';
import type { LongReads } from '../../long-reads.js';
import type { OrderSearch } from '../../order-search.js';
import { secondsFrom } from '../../time.js';
import { readAllPages } from '../connection/pages.js';
import { fillStatus, ownFillsOf } from './fill.mapper.js';
import type { OrderState, OrderTerms } from './order.mapper.js';
import type { SignedClob } from '../connection/signed-client.js';
import { maybeOpenOrder, type OpenOrder, pageOf, userTrade } from './order.wire.js';
import type { Wallet } from './wallet.js';

/** Finds orders by their hash, as long as the exchange shows a trace of them. */
export class OrderLookup {
  constructor(
    private readonly clob: SignedClob,
    private readonly wallet: Wallet,
    private readonly longReads: LongReads,
  ) {}

  /** The order as the exchange lists it; null for one that it does not have or has forgotten (polymarket.md 7). */
  async findOrder(orderId: string, signal?: AbortSignal): Promise<OpenOrder | null> {
    return await this.clob.find(pathOf`/data/order/${orderId}`, maybeOpenOrder, signal);
  }

  /**
   * What the user's trades tell of an order that is listed no more: old closed orders disappear, their trades do not. Null
   * where no trade is its own. `notBefore` is when it was signed at the earliest, null where that is not known.
   */
  async findInTrades(
    { id, marketId, size }: OrderTerms,
    notBefore: Date | null,
    search: OrderSearch,
  ): Promise<OrderState | null> {
    const since = latest(notBefore, search.earliest(this.clob.now()));
    const after = since === null ? [] : [['after', String(secondsFrom(since))] as const];
    const trades = await this.longReads.run(() =>
      readAllPages(
        async (cursor) => {
          await search.nextCall();
          return await this.readTrades([['market', marketId], ...after], cursor);
        },
        () => this.clob.unusable(),
      ),
    );
    const fills = trades
      .flatMap((trade) => ownFillsOf(trade, this.wallet))
      .filter((fill) => fill.orderId.toLowerCase() === id);
    if (fills.length === 0) return null;
    const happened = fills.filter(({ trade }) => fillStatus(trade) !== 'failed');
    const filledSize = happened.reduce((sum, fill) => add(sum, fill.size), '0');
    return {
      status: compare(filledSize, size) >= 0 ? 'filled' : 'cancelled',
      statusReason: null,
      filledSize,
      createdAt: null,
      tradeIds: [...new Set(happened.map(({ trade }) => trade.id))],
    };
  }

  /** One page of the trades of the account wallet. */
  async readTrades(filters: readonly (readonly [string, string])[], cursor: string | null) {
    const query = [['maker_address', this.wallet.account.reveal()] as const, ...filters];
    const paged = cursor === null ? query : [...query, ['next_cursor', cursor] as const];
    return await this.clob.read('/data/trades', paged, pageOf(userTrade));
  }
}

function latest(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
