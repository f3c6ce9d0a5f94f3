import { unixSeconds } from '../../times.js';
import { ONE, product } from '../../units.js';
import { type Json } from '../../wire/json.js';
import { type Catalogue, type Token } from '../catalogue.js';
import { imageOf, toNumber } from '../format.js';
import { type Holding, type Ledger } from '../ledger.js';

/** Shares of a wallet with the token they are of. */
export interface HeldPosition extends Token {
  holding: Holding;
}

/** Everything a wallet holds or held. */
export function heldBy(catalogue: Catalogue, ledger: Ledger, wallet: string): HeldPosition[] {
  return ledger.list(wallet).flatMap((holding) => {
    const token = catalogue.findToken(holding.tokenId);
    return token === undefined ? [] : [{ holding, ...token }];
  });
}

/** What the shares are worth now, in millionths. */
export function valueOf({ holding, market, outcome }: HeldPosition): bigint {
  return product(market.worth(outcome), holding.size);
}

/** An entry of GET /positions. The fee fields are there only where fees were paid. */
export function positionView(wallet: string, position: HeldPosition, mergeable: boolean): Json {
  const { holding, market, outcome } = position;
  const value = valueOf(position);
  const profit = value - holding.cost;
  return {
    proxyWallet: wallet,
    ...identity(position),
    size: toNumber(holding.size),
    avgPrice: average(holding.cost, holding.size),
    initialValue: toNumber(holding.cost),
    ...(holding.fees === 0n
      ? {}
      : { grossInitialValue: toNumber(holding.cost + holding.fees), entryFeesUsdc: toNumber(holding.fees) }),
    currentValue: toNumber(value),
    cashPnl: toNumber(profit),
    percentPnl: percent(profit, holding.cost),
    totalBought: toNumber(holding.bought),
    realizedPnl: toNumber(holding.realized),
    percentRealizedPnl: percent(holding.realized, holding.spent),
    curPrice: toNumber(market.worth(outcome)),
    redeemable: market.closed,
    mergeable,
    ...labels(position),
    ...oppositeLabels(position),
    negativeRisk: market.negRisk,
  };
}

/** An entry of GET /closed-positions. */
export function closedPositionView(wallet: string, position: HeldPosition): Json {
  const { holding, market, outcome } = position;
  return {
    proxyWallet: wallet,
    ...identity(position),
    avgPrice: average(holding.spent, holding.bought),
    totalBought: toNumber(holding.bought),
    realizedPnl: toNumber(holding.realized),
    curPrice: toNumber(market.worth(outcome)),
    timestamp: unixSeconds(holding.changedAt),
    ...labels(position),
    ...oppositeLabels(position),
  };
}

function identity({ holding, market }: HeldPosition): Json {
  return { asset: holding.tokenId, conditionId: market.conditionId };
}

/** What entries of the Data API say of a token in words. */
export function labels({ market: { seed, event }, outcome }: Token): Json {
  return {
    title: seed.question,
    slug: seed.slug,
    icon: imageOf(seed.slug),
    eventSlug: event.slug,
    outcome: seed.outcomes[outcome],
    outcomeIndex: outcome,
  };
}

function oppositeLabels({ market, outcome }: Token): Json {
  const other = outcome === 0 ? 1 : 0;
  return {
    oppositeOutcome: market.seed.outcomes[other],
    oppositeAsset: market.tokenIds[other],
    endDate: market.endsAt.toISOString().slice(0, 10),
  };
}

/** Money per share, to six decimals. */
function average(money: bigint, size: bigint): number {
  return size === 0n ? 0 : toNumber((money * ONE) / size);
}

/** To four decimals. */
function percent(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1_000_000n) / whole) / 10_000;
}
