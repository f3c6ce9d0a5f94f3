import { pathOf } from '../../../platform/upstream/path.js';
import type { Execution, FeeEstimate, Fees } from '../../fees.contract.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { MarketDto } from '../../unified.market-data.dto.js';
import type { Side } from '../../unified.trading.dto.js';
import type { PolymarketClient } from '../connection/client.js';
import { type WireClobFees, wireClobFees } from '../market-data/market.wire.js';
import { type FeeRule, orderFee } from './fee.js';

/** No market is known with more than 2. */
const MOST_EXPONENT = 9;

const UNKNOWN: FeeEstimate = { amount: null, source: null };

/** The fees of markets, as the CLOB states them (polymarket.md 7.3). */
export class PolymarketFees implements Fees {
  constructor(private readonly client: PolymarketClient) {}

  async estimate({ id }: Pick<MarketDto, 'id'>, _side: Side, executions: readonly Execution[]): Promise<FeeEstimate> {
    const read = { host: 'clob', path: pathOf`/clob-markets/${id}`, signal: optionalReadLimit() } as const;
    const stated = await readOptional(this.client.read(read, wireClobFees), null);
    if (stated === null) return UNKNOWN;
    const { fd } = stated.value;
    if (fd === null) return { amount: '0', source: "Polymarket's CLOB states no fee of this market" };
    const rule = ruleOf(fd);
    return rule === null ? UNKNOWN : { amount: orderFee(rule, executions), source: sourceOf(rule) };
  }
}

function ruleOf({ r: rate, e, to }: NonNullable<WireClobFees['fd']>): FeeRule | null {
  const exponent = Number(e ?? 'none');
  const isWhole = Number.isInteger(exponent) && exponent >= 0 && exponent <= MOST_EXPONENT;
  return rate === null || !isWhole ? null : { rate, exponent, takersOnly: to === true };
}

function sourceOf({ rate, exponent, takersOnly }: FeeRule): string {
  const who = takersOnly ? 'takers alone' : 'all';
  return `Polymarket's fee of this market: rate ${rate}, exponent ${exponent}, paid by ${who}`;
}
