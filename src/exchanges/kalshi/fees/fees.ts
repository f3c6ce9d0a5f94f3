import { LRUCache } from 'lru-cache';
import { pathOf } from '../../../platform/upstream/path.js';
import { parseDecimal } from '../../decimal.js';
import type { Execution, FeeEstimate, Fees } from '../../fees.contract.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { MarketDto } from '../../unified.market-data.dto.js';
import type { Side } from '../../unified.trading.dto.js';
import type { KalshiClient } from '../connection/client.js';
import { wireOneEvent, wireOneSeries } from '../market-data/market.wire.js';
import { type FeeRule, orderFee } from './fee.js';

const MOST_EVENTS = 1_000;
/** Rules change at times that are announced, of series and of single events. */
const KEPT_FOR_MS = 60_000;

/** Where the exchange says a rule. */
interface StatedRule extends FeeRule {
  readonly source: string;
}

const UNKNOWN: FeeEstimate = { amount: null, source: null };

/** The fees of series, and of events that deviate from theirs (kalshi.md 7.1). */
export class KalshiFees implements Fees {
  readonly #rules = new LRUCache<string, StatedRule>({ max: MOST_EVENTS, ttl: KEPT_FOR_MS });

  constructor(private readonly client: KalshiClient) {}

  async estimate(
    { event_id: event }: Pick<MarketDto, 'event_id'>,
    side: Side,
    executions: readonly Execution[],
  ): Promise<FeeEstimate> {
    const rule = event === null ? null : await readOptional(this.#ruleOf(event), null);
    return rule === null ? UNKNOWN : { amount: orderFee(rule, side, executions), source: rule.source };
  }

  async #ruleOf(event: string): Promise<StatedRule | null> {
    const known = this.#rules.get(event);
    if (known !== undefined) return known;
    const rule = await this.#readRule(event, optionalReadLimit());
    if (rule !== null) this.#rules.set(event, rule);
    return rule;
  }

  async #readRule(ticker: string, signal: AbortSignal): Promise<StatedRule | null> {
    const { event } = (await this.client.read(pathOf`/events/${ticker}`, {}, wireOneEvent, signal)).value;
    const { fee_type_override: type, fee_multiplier_override: multiplier, series_ticker: series_of } = event;
    // An event with half a rule of its own has none that is known.
    const isOwn = type !== null || (multiplier ?? null) !== null;
    if (isOwn || series_of === null) return statedRule(`event ${ticker}`, type, multiplier);
    const { series } = (await this.client.read(pathOf`/series/${series_of}`, {}, wireOneSeries, signal)).value;
    return statedRule(`series ${series_of}`, series.fee_type, series.fee_multiplier);
  }
}

function statedRule(where: string, type: string | null, number: number | null | undefined): StatedRule | null {
  const multiplier = parseDecimal(number);
  if (type === null || multiplier === null) return null;
  return { type, multiplier, source: `Kalshi's fee of the ${where}: ${type}, multiplier ${multiplier}` };
}
