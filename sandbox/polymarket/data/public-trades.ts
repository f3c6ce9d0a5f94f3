import { ONE, toUnits } from '../../units.js';
import { type Token } from '../catalogue.js';
import { type Exchange } from '../exchange.js';
import { type Market, ofOutcome } from '../market.js';
import { type CheckedOrder, type Trade } from '../order.js';
import { keccakText, toHex } from '../signing/hex.js';
import { type Side } from '../signing/typed-data.js';

/** One party's view of a trade, as anybody can read it. Price and size are millionths. */
export interface PublicTrade {
  /** Undefined for a combination of several markets, which no market's list shows. */
  token: Token | undefined;
  wallet: string;
  isTaker: boolean;
  side: Side;
  price: bigint;
  size: bigint;
  at: Date;
  transactionHash: string;
  /** Further decimals of the price: averages come unrounded. */
  tail: string;
  /** Orders rows of the same moment; the same for ever. */
  sequence: number;
}

type Unnumbered = Omit<PublicTrade, 'sequence'>;

const INVENTED = 40;
const APART_MS = 41_000;
const SIZES = [25n, 117n, 5n, 1000n, 12n, 80n, 250n];
/** Which invented row has a price that is an average. */
const AVERAGED = 7;
const COMBO = { size: 12n * ONE, price: 200_000n };

/** All trades, newest first: those made here, then an invented past of each market. */
export function publicTrades({ catalogue, trades }: Exchange): PublicTrade[] {
  const traders = new Set<string>();
  const live = trades.flatMap((trade) => [...sidesOf(trade), ...firstCombo(trade, traders)]);
  const past = catalogue.markets.filter((market) => market.assigned && market.seed.neverTraded !== true);
  const rows = [
    ...past
      .filter((market) => market.hasBook || market.closed)
      .flatMap(pastOf)
      .map((row, at) => ({ ...row, sequence: -at })),
    ...live.map((row, at) => ({ ...row, sequence: at + 1 })),
  ];
  return rows.sort((one, other) => other.at.getTime() - one.at.getTime() || other.sequence - one.sequence);
}

/** The makers' sides, then the taker's. */
function sidesOf(trade: Trade): Unnumbered[] {
  const { at, transactionHash } = trade;
  const party = (order: CheckedOrder, price: bigint, size: bigint): Omit<Unnumbered, 'isTaker'> => {
    const { maker: wallet, market, outcome, side } = order;
    return { token: { market, outcome }, wallet, side, price, size, at, transactionHash, tail: '' };
  };
  return [
    ...trade.makers.map(({ order, price, size }) => ({ ...party(order, price, size), isTaker: false })),
    { ...party(trade.taker, trade.price, trade.size), isTaker: true },
  ];
}

/** Everybody who ever took an order also took a combination, a second before. */
function firstCombo({ taker, at, id }: Trade, traders: Set<string>): Unnumbered[] {
  if (traders.has(taker.maker)) return [];
  traders.add(taker.maker);
  return [
    {
      ...COMBO,
      token: undefined,
      wallet: taker.maker,
      isTaker: true,
      side: 'BUY',
      at: new Date(at.getTime() - 1_000),
      transactionHash: toHex(keccakText(`combination ${id}`)),
      tail: '',
    },
  ];
}

/** The newest one traded outcome 0 at the market's last price. */
function pastOf(market: Market): Unnumbered[] {
  const end = market.closed ? market.endsAt : market.start;
  return Array.from({ length: INVENTED }, (_unused, index) => {
    const outcome = index % 5 === 3 ? 1 : 0;
    const first = nearLast(market, index);
    const transactionHash = toHex(keccakText(`past trade ${market.seed.slug} ${index}`));
    return {
      token: { market, outcome },
      wallet: `0x${transactionHash.slice(-40)}`,
      isTaker: true,
      side: index % 3 === 2 ? 'SELL' : 'BUY',
      price: ofOutcome(outcome, first),
      size: (SIZES[index % SIZES.length] ?? 1n) * ONE,
      at: new Date(end.getTime() - (index + 1) * APART_MS),
      transactionHash,
      tail: index === AVERAGED ? '0035' : '',
    };
  });
}

function nearLast({ seed, tick, event }: Market, index: number): bigint {
  const last = toUnits(seed.last);
  const steps = index === 0 ? 0n : BigInt((index * (event.markets.length + 2)) % 3) - 1n;
  const price = last - (last % tick) + steps * tick;
  return price < tick ? tick : price > ONE - tick ? ONE - tick : price;
}
