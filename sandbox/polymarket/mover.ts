import { Mover, type Movable } from '../moves/mover.js';
import { SeededRandom } from '../random.js';
import { ONE } from '../units.js';
import { type BookSide } from '../matching-engine.js';
import { type Exchange } from './exchange.js';
import { FORTUNE, supply } from './market-maker.js';
import { type Market } from './market.js';
import { type OrderType } from './order.js';
import { keccakText, toHex } from './signing/hex.js';
import { type ApiCredentials } from './signing/l2-signature.js';
import { SandboxWallet } from './signing/wallet.js';

/** Made-up trades that are kept, and after how many steps the others are forgotten. */
const KEPT_TRADES = 1_000;
const FORGET_STEPS = 100;

/** The made-up trader of this exchange: one wallet rests, another one takes. */
export class PolymarketMover {
  readonly #mover: Mover;
  readonly #rests: ApiCredentials;
  readonly #takes: ApiCredentials;
  #steps = 0;
  #orders = 0;

  constructor(
    private readonly exchange: Exchange,
    private readonly seed = 'polymarket moves',
  ) {
    this.#mover = new Mover(new SeededRandom(seed));
    [this.#rests, this.#takes] = [this.#openWallet(), this.#openWallet()];
  }

  /** Moves one market that is open. */
  step(): void {
    this.exchange.advance();
    const { markets } = this.exchange.catalogue;
    const open = markets.filter(
      ({ acceptingOrders, seed }) => acceptingOrders && seed.behaviour === undefined && seed.isFew !== true,
    );
    this.#mover.step(open.map((market) => this.#movable(market)));
    this.#steps += 1;
    if (this.#steps % FORGET_STEPS === 0) this.exchange.forgetInvented(KEPT_TRADES);
  }

  #movable(market: Market): Movable {
    return {
      book: market.book,
      next: (price, way) => {
        const next = way === 'up' ? price + market.tick : price - market.tick;
        return next < market.tick || next > ONE - market.tick ? undefined : next;
      },
      rest: (side, price, size) => {
        const id = this.#place(this.#rests, market, { side, price, size, orderType: 'GTC' });
        return () => {
          this.exchange.cancel(this.#rests.address, id);
        };
      },
      take: (side, price, size) => {
        this.#place(this.#takes, market, { side, price, size, orderType: 'FAK' });
      },
    };
  }

  #place(
    { address, apiKey }: ApiCredentials,
    market: Market,
    { side, price, size, orderType }: { side: BookSide; price: bigint; size: bigint; orderType: OrderType },
  ): string {
    this.#orders += 1;
    const id = toHex(keccakText(`${this.seed} ${this.#orders}`));
    const isSale = side === 'ask';
    if (isSale) supply(this.exchange, address, market, { outcome: 0, size });
    this.exchange.place({
      ...{ id, account: address, owner: apiKey, maker: address, market, outcome: 0, price, size, orderType },
      side: isSale ? 'SELL' : 'BUY',
      postOnly: orderType === 'GTC',
      expiration: 0,
    });
    return id;
  }

  #openWallet(): ApiCredentials {
    const wallet = this.exchange.accounts.create(SandboxWallet.random().address, 0n, true);
    this.exchange.ledger.deposit(wallet.address, FORTUNE);
    this.exchange.invented.add(wallet.address);
    return wallet;
  }
}
