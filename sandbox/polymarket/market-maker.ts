import { ONE } from '../matching-engine.js';
import { type Accounts } from './accounts.js';
import { type Catalogue } from './catalogue.js';
import { keccakText, toHex } from './signing/hex.js';
import { type ApiCredentials } from './signing/l2-signature.js';
import { type Ledger } from './ledger.js';
import { type Market, type OutcomeIndex } from './market.js';
import { type CheckedOrder } from './order.js';
import { type Trading } from './trading.js';
import { type Side } from './signing/typed-data.js';
import { toUnits } from './units.js';
import { SandboxWallet } from './signing/wallet.js';

/** Shares at each level, rotated from market to market, and how many ticks each level is behind the best. */
const SIZES = ['1450', '300', '2110.4', '9000', '640.25', '1500', '820', '11200.5', '5000', '7838.1'];
const STEPS = [0n, 1n, 2n, 3n, 4n, 6n, 9n, 14n, 24n, 44n];
const FORTUNE = 1_000_000_000_000_000n;

/** Quotes every open market once, at the start. Its orders can be taken like anyone's; they do not come back. */
export class MarketMaker {
  readonly #credentials: ApiCredentials;

  constructor(
    accounts: Accounts,
    private readonly ledger: Ledger,
    private readonly trading: Trading,
  ) {
    this.#credentials = accounts.create(SandboxWallet.random().address, 0n, true);
    ledger.deposit(this.#credentials.address, FORTUNE);
  }

  quote(catalogue: Catalogue): void {
    for (const market of catalogue.markets.filter((one) => one.hasBook)) {
      if (market.seed.bid !== null) this.#ladder(market, 'BUY', toUnits(market.seed.bid));
      if (market.seed.ask !== null) this.#ladder(market, 'SELL', toUnits(market.seed.ask));
      market.marks.length = 0;
      market.noteMark(market.start);
    }
  }

  #ladder(market: Market, side: Side, best: bigint): void {
    STEPS.forEach((step, level) => {
      const price = side === 'BUY' ? best - step * market.tick : best + step * market.tick;
      if (price < market.tick || price > ONE - market.tick) return;
      const size = toUnits(SIZES[(level + Number(market.seed.id)) % SIZES.length] ?? '1000');
      // Every other level is quoted in the other token, so that takers meet transfers as well as mints and merges.
      const mirrored = level % 2 === 1;
      const outcome = mirrored ? 1 : 0;
      this.#rest(market, outcome, {
        side: mirrored ? opposite(side) : side,
        price: mirrored ? ONE - price : price,
        size,
      });
    });
  }

  #rest(market: Market, outcome: OutcomeIndex, terms: Pick<CheckedOrder, 'side' | 'price' | 'size'>): void {
    if (terms.side === 'SELL') this.#supply(market, outcome, terms.size);
    const { address, apiKey } = this.#credentials;
    const name = `${market.conditionId} ${outcome} ${terms.side} ${terms.price}`;
    this.trading.place({
      ...terms,
      id: toHex(keccakText(`market maker ${name}`)),
      account: address,
      owner: apiKey,
      maker: address,
      market,
      outcome,
      orderType: 'GTC',
      postOnly: true,
      expiration: 0,
    });
  }

  /** Splits pUSD into shares of both outcomes, as the chain would. */
  #supply(market: Market, outcome: OutcomeIndex, size: bigint): void {
    const { address: wallet } = this.#credentials;
    const price = market.worth(outcome);
    const at = market.start;
    const shares = { wallet, side: 'BUY', size, fee: 0n, at } as const;
    const money = (price * size) / ONE;
    this.ledger.apply({ ...shares, tokenId: market.tokenIds[outcome], money });
    this.ledger.apply({ ...shares, tokenId: market.tokenIds[outcome === 0 ? 1 : 0], money: size - money });
  }
}

function opposite(side: Side): Side {
  return side === 'BUY' ? 'SELL' : 'BUY';
}
