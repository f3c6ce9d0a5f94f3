import { unixSeconds } from '../../times.js';
import { ONE, product } from '../../units.js';
import { type Json } from '../../wire/json.js';
import { type Token } from '../catalogue.js';
import { type Exchange } from '../exchange.js';
import { toNumber } from '../format.js';
import { type Holding } from '../ledger.js';
import { nameOf, tokenLabels } from './labels.js';

/** Shares of a wallet with the token they are of. */
export interface HeldPosition extends Token {
  wallet: string;
  holding: Holding;
}

/** Everything a wallet holds or held. */
export function heldBy({ catalogue, ledger }: Exchange, wallet: string): HeldPosition[] {
  return ledger.list(wallet).flatMap((holding) => {
    const token = catalogue.findToken(holding.tokenId);
    return token === undefined ? [] : [{ wallet: wallet.toLowerCase(), holding, ...token }];
  });
}

/** What the shares are worth now, in millionths. */
export function valueOf({ holding, market, outcome }: HeldPosition): bigint {
  return product(market.worth(outcome), holding.size);
}

/** A row of GET /v2/positions: `total_size` is what was ever bought, `current_size` what is held. */
export function positionView(position: HeldPosition, mergeable: boolean): Json {
  const { wallet, holding, market, outcome } = position;
  const isClosed = holding.size === 0n;
  const value = valueOf(position);
  const unrealized = value - holding.cost;
  const average = isClosed ? perShare(holding.spent, holding.bought) : perShare(holding.cost, holding.size);
  const everPaid = product(average, holding.bought);
  const redeemable = market.closed && !isClosed;
  return {
    proxy_wallet: wallet,
    token_id: holding.tokenId,
    condition_id: market.conditionId,
    current_size: toNumber(holding.size),
    avg_price: toNumber(average),
    entry_cost_usdc: toNumber(holding.cost),
    entry_fees_usdc: toNumber(holding.fees),
    total_cost_usdc: toNumber(holding.cost + holding.fees),
    current_price: toNumber(market.worth(outcome)),
    current_value: toNumber(value),
    total_size: toNumber(holding.bought),
    realized_pnl: toNumber(holding.realized),
    unrealized_pnl: toNumber(unrealized),
    total_pnl: toNumber(unrealized + holding.realized),
    percent_pnl: percent(unrealized, holding.cost),
    percent_realized_pnl: percent(value - everPaid, everPaid),
    status: isClosed ? 'CLOSED' : redeemable ? 'REDEEMABLE' : 'OPEN',
    redeemable,
    mergeable: mergeable && !market.closed,
    negative_risk: market.negRisk,
    archived: false,
    ...namesOf(position),
    end_date: market.endsAt.toISOString().slice(0, 10),
    last_event_at: unixSeconds(holding.changedAt),
    name: nameOf(wallet),
    profile_image: '',
    verified: false,
  };
}

function namesOf({ market, outcome }: Token): Json {
  const other = outcome === 0 ? 1 : 0;
  return {
    ...tokenLabels({ market, outcome }),
    event_id: market.event.id,
    opposite_outcome: market.seed.outcomes[other],
    opposite_token_id: market.tokenIds[other],
  };
}

/** Money per share, in millionths. */
function perShare(money: bigint, size: bigint): bigint {
  return size === 0n ? 0n : (money * ONE) / size;
}

/** To four decimals. */
function percent(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1_000_000n) / whole) / 10_000;
}
