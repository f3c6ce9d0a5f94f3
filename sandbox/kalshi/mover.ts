import { type BookSide, type TimeInForce } from '../matching-engine.js';
import { Mover, type Movable } from '../moves/mover.js';
import { SeededRandom } from '../random.js';
import { type Account } from './account.js';
import { type Exchange } from './exchange.js';
import { type Market } from './market.js';
import { placeOrder } from './trading.js';

/** The made-up trader of this exchange: one account rests, another one takes. */
export class KalshiMover {
  readonly #mover: Mover;
  readonly #rests: Account;
  readonly #takes: Account;

  constructor(
    private readonly exchange: Exchange,
    private readonly now: () => number,
    seed = 'kalshi moves',
  ) {
    this.#mover = new Mover(new SeededRandom(seed));
    this.#rests = exchange.openAccount({ now: now(), unlimited: true });
    this.#takes = exchange.openAccount({ now: now(), unlimited: true });
  }

  /** Moves one market that is open, and forgets what members without end of credit have done: nobody asks for that. */
  step(): void {
    const now = this.now();
    this.exchange.advance(now);
    const open = this.exchange
      .liveMarkets()
      .filter((market) => market.statusAt(now) === 'active' && market.seed.few === undefined);
    this.#mover.step(open.map((market) => this.#movable(market)));
    for (const account of this.exchange.accounts.values()) if (account.unlimited) account.forget();
  }

  #movable(market: Market): Movable {
    return {
      book: market.book,
      next: (price, way) => nextOf(market.seed.grid.prices(), price, way),
      rest: (side, price, size) => {
        const { order } = this.#place(this.#rests, market, { side, price, size, timeInForce: 'GTC' });
        return () => {
          if (order.status === 'resting') this.exchange.withdraw(this.#rests, order, this.now());
        };
      },
      take: (side, price, size) => {
        this.#place(this.#takes, market, { side, price, size, timeInForce: 'IOC' });
      },
    };
  }

  #place(
    account: Account,
    { ticker }: Market,
    terms: { side: BookSide; price: bigint; size: bigint; timeInForce: TimeInForce },
  ): ReturnType<typeof placeOrder> {
    const who = { ticker, subaccount: 0, clientOrderId: '', selfTradePrevention: 'taker_at_cross' } as const;
    const rest = { reduceOnly: false, cancelOnPause: false, expiresAt: null, exchangeIndex: undefined };
    const postOnly = terms.timeInForce === 'GTC';
    return placeOrder(this.exchange, account, { ...who, ...terms, ...rest, postOnly }, this.now());
  }
}

function nextOf(prices: readonly bigint[], price: bigint, way: 'up' | 'down'): bigint | undefined {
  return way === 'up' ? prices.find((other) => other > price) : prices.findLast((other) => other < price);
}
