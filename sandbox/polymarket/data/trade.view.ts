import { unixSeconds } from '../../times.js';
import { ONE, toUnits } from '../../units.js';
import { type Json } from '../../wire/json.js';
import { type Token } from '../catalogue.js';
import { type Exchange } from '../exchange.js';
import { toNumber } from '../format.js';
import { type Market, ofOutcome } from '../market.js';
import { type CheckedOrder, type Trade } from '../order.js';
import { keccakText, toHex } from '../signing/hex.js';
import { type Side } from '../signing/typed-data.js';
import { labels } from './position.view.js';

/** One party's view of a trade, as anybody can read it. Price and size are millionths. */
export interface PublicTrade extends Token {
  wallet: string;
  isTaker: boolean;
  side: Side;
  price: bigint;
  size: bigint;
  at: Date;
  transactionHash: string;
}

const INVENTED = 40;
const APART_MS = 41_000;
const SIZES = [25n, 117n, 5n, 1000n, 12n, 80n, 250n];

/** All trades, newest first: those made here, then an invented past of each market. */
export function publicTrades({ catalogue, trades }: Exchange): PublicTrade[] {
  const live = trades.flatMap(sidesOf).reverse();
  const past = catalogue.markets.filter((market) => (market.hasBook || market.closed) && market.traded).flatMap(pastOf);
  return [...live, ...past].sort((one, other) => other.at.getTime() - one.at.getTime());
}

/** An entry of GET /trades. */
export function publicTradeView(trade: PublicTrade): Json {
  const { market, wallet } = trade;
  return {
    proxyWallet: wallet,
    side: trade.side,
    asset: market.tokenIds[trade.outcome],
    conditionId: market.conditionId,
    size: toNumber(trade.size),
    price: toNumber(trade.price),
    timestamp: unixSeconds(trade.at),
    ...labels(trade),
    name: `trader-${wallet.slice(2, 8).toLowerCase()}`,
    pseudonym: 'Quiet-Otter',
    bio: '',
    profileImage: '',
    profileImageOptimized: '',
    transactionHash: trade.transactionHash,
  };
}

/** The makers' sides, then the taker's. */
function sidesOf(trade: Trade): PublicTrade[] {
  const { at, transactionHash } = trade;
  const party = (order: CheckedOrder, price: bigint, size: bigint): Omit<PublicTrade, 'isTaker'> => {
    const { maker: wallet, market, outcome, side } = order;
    return { wallet, market, outcome, side, price, size, at, transactionHash };
  };
  return [
    ...trade.makers.map(({ order, price, size }) => ({ ...party(order, price, size), isTaker: false })),
    { ...party(trade.taker, trade.price, trade.size), isTaker: true },
  ];
}

/** The newest one traded outcome 0 at the market's last price. */
function pastOf(market: Market): PublicTrade[] {
  const end = market.closed ? market.endsAt : market.start;
  return Array.from({ length: INVENTED }, (_unused, index) => {
    const outcome = index % 5 === 3 ? 1 : 0;
    const first = nearLast(market, index);
    const transactionHash = toHex(keccakText(`past trade ${market.seed.slug} ${index}`));
    return {
      wallet: `0x${transactionHash.slice(-40)}`,
      isTaker: true,
      market,
      outcome,
      side: index % 3 === 2 ? 'SELL' : 'BUY',
      price: ofOutcome(outcome, first),
      size: (SIZES[index % SIZES.length] ?? 1n) * ONE,
      at: new Date(end.getTime() - (index + 1) * APART_MS),
      transactionHash,
    };
  });
}

function nearLast({ seed, tick, event }: Market, index: number): bigint {
  const last = toUnits(seed.last);
  const steps = index === 0 ? 0n : BigInt((index * (event.markets.length + 2)) % 3) - 1n;
  const price = last - (last % tick) + steps * tick;
  return price < tick ? tick : price > ONE - tick ? ONE - tick : price;
}
