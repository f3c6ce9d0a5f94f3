import { ONE, product, toUnits } from '../units.js';
import { type Exchange } from './exchange.js';
import { type Market, ofOutcome, type OutcomeIndex } from './market.js';
import { type CheckedOrder } from './order.js';
import { keccakText, toHex } from './signing/hex.js';
import { type ApiCredentials } from './signing/l2-signature.js';
import { type Side } from './signing/typed-data.js';
import { SandboxWallet } from './signing/wallet.js';

/** Shares at each level, rotated from market to market, and how many ticks each level is behind the best. */
const SIZES = ['1450', '300', '2110.4', '9000', '640.25', '1500', '820', '11200.5', '5000', '7838.1'];
const STEPS = [0n, 1n, 2n, 3n, 4n, 6n, 9n, 14n, 24n, 44n];
/** More than a market maker can ever lose, in millionths of a pUSD. */
export const FORTUNE = 1_000_000_000_000_000n;

/** Quotes every open market once, at the start. The orders can be taken like anyone's; they do not come back. */
export function quoteMarkets(exchange: Exchange): void {
  const maker = exchange.accounts.create(SandboxWallet.random().address, 0n, true);
  exchange.ledger.deposit(maker.address, FORTUNE);
  exchange.invented.add(maker.address);
  for (const market of exchange.catalogue.markets.filter((one) => one.hasBook)) {
    const { bid, ask } = market.seed;
    if (bid !== null) quoteSide(exchange, maker, market, { side: 'BUY', best: toUnits(bid) });
    if (ask !== null) quoteSide(exchange, maker, market, { side: 'SELL', best: toUnits(ask) });
    market.marks.length = 0;
    market.recordMark(market.start);
  }
}

function quoteSide(
  exchange: Exchange,
  maker: ApiCredentials,
  market: Market,
  { side, best }: { side: Side; best: bigint },
): void {
  const steps = market.seed.isFew === true ? STEPS.slice(0, 1) : STEPS;
  steps.forEach((step, level) => {
    const price = side === 'BUY' ? best - step * market.tick : best + step * market.tick;
    if (price < market.tick || price > ONE - market.tick) return;
    const size = toUnits(SIZES[(level + Number(market.seed.id)) % SIZES.length] ?? '1000');
    // Every other level is quoted in the other token, so that takers meet transfers as well as mints and merges.
    const outcome = level % 2 === 1 ? 1 : 0;
    const own = outcome === 0 ? side : opposite(side);
    rest(exchange, maker, { market, outcome, side: own, price: ofOutcome(outcome, price), size });
  });
}

function rest(
  exchange: Exchange,
  { address, apiKey }: ApiCredentials,
  terms: Pick<CheckedOrder, 'market' | 'outcome' | 'side' | 'price' | 'size'>,
): void {
  const { market, outcome, side, price, size } = terms;
  if (side === 'SELL') supply(exchange, address, market, { outcome, size });
  exchange.place({
    ...terms,
    id: toHex(keccakText(`market maker ${market.conditionId} ${outcome} ${side} ${price}`)),
    account: address,
    owner: apiKey,
    maker: address,
    orderType: 'GTC',
    postOnly: true,
    expiration: 0,
  });
}

/** Splits pUSD into shares of both outcomes, as the chain would. */
export function supply(
  { ledger }: Exchange,
  wallet: string,
  market: Market,
  { outcome, size }: { outcome: OutcomeIndex; size: bigint },
): void {
  const shares = { wallet, side: 'BUY', size, at: market.start } as const;
  const money = product(market.worth(outcome), size);
  ledger.apply({ ...shares, tokenId: market.tokenIds[outcome], money });
  ledger.apply({ ...shares, tokenId: market.tokenIds[outcome === 0 ? 1 : 0], money: size - money });
}

function opposite(side: Side): Side {
  return side === 'BUY' ? 'SELL' : 'BUY';
}
