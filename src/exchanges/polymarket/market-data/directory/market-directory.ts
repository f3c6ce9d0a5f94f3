import { AppError } from '../../../../platform/errors/app-error.js';
import { pathOf } from '../../../../platform/upstream/path.js';
import { optionalReadLimit, readOptional } from '../../../optional-read.js';
import type { OutcomeRefDto } from '../../../unified.market-data.dto.js';
import type { PolymarketClient } from '../../connection/client.js';
import { CONDITION_ID, GAMMA_ID } from '../../polymarket.ids.js';
import { wireClobMarket, type WireMarket, wireMarketByToken, wireNegRisk } from '../market.wire.js';
import { type Outcomes, outcomesOf } from '../outcomes.js';
import { BoundedMap } from './bounded-map.js';
import type { MarketFinder } from './market-finder.js';

/** What never changes about a market, so that it may be kept. */
export interface MarketFacts {
  /** The condition id. */
  readonly marketId: string;
  readonly outcomes: Outcomes;
  /** Which contract settles it, and so what its orders are signed for; null where Gamma does not say. */
  readonly negRisk: boolean | null;
}

/** One outcome of a market, as an order needs it. */
export interface TokenFacts {
  readonly marketId: string;
  readonly outcome: OutcomeRefDto;
  readonly negRisk: boolean;
}

const CAPACITY = 5_000;

/** Finds facts about markets by any of their ids: reads each once, then keeps it (unified-schema.md 7). */
export class MarketDirectory {
  readonly #markets = new BoundedMap<string, MarketFacts>(CAPACITY);
  readonly #ofGammaIds = new BoundedMap<string, string>(CAPACITY);
  readonly #ofTokens = new BoundedMap<string, TokenFacts>(2 * CAPACITY);

  constructor(
    private readonly client: PolymarketClient,
    private readonly finder: MarketFinder,
  ) {}

  /** By condition id, Gamma id or slug. Throws `not_found`. */
  async get(marketId: string): Promise<MarketFacts> {
    const kept = this.#markets.get((this.#ofGammaIds.get(marketId) ?? marketId).toLowerCase());
    if (kept !== undefined) return kept;
    const { value } = await this.finder.find(marketId);
    const facts = value === null ? null : this.#keep(value);
    if (facts === null) throw new AppError('not_found', 'Polymarket has no market with this id.');
    return facts;
  }

  /** Looks up only what is not a condition id already. Throws `not_found`. */
  async conditionIdOf(marketId: string): Promise<string> {
    return CONDITION_ID.test(marketId) ? marketId.toLowerCase() : (await this.get(marketId)).marketId;
  }

  /** By condition ids in small letters; leaves out those that neither Gamma nor the CLOB returns in time. */
  async findMany(conditionIds: readonly string[]): Promise<ReadonlyMap<string, MarketFacts>> {
    const wanted = [...new Set(conditionIds.map((id) => id.toLowerCase()))];
    const missing = wanted.filter((id) => this.#markets.get(id) === undefined);
    const isListed =
      missing.length === 0 || (await readOptional(this.#readListed(missing, optionalReadLimit()), false));
    const signal = optionalReadLimit();
    const find = async (id: string): Promise<[string, MarketFacts][]> => {
      const facts = this.#markets.get(id) ?? (await readOptional(this.#readClob(id, isListed, signal), null));
      return facts === null ? [] : [[id, facts]];
    };
    return new Map((await Promise.all(wanted.map(find))).flat());
  }

  /** By the token of an outcome. Throws `not_found` where no market has it. */
  async getToken(tokenId: string): Promise<TokenFacts> {
    const kept = this.#ofTokens.get(tokenId);
    if (kept !== undefined) return kept;
    const market = await this.#marketOfToken(tokenId);
    const outcome = market.outcomes.find(({ id }) => id === tokenId);
    if (outcome === undefined) throw this.client.unusable();
    const negRisk = market.negRisk ?? (await this.#readNegRisk(tokenId));
    const facts = { marketId: market.marketId, outcome, negRisk };
    this.#ofTokens.set(tokenId, facts);
    return facts;
  }

  async #marketOfToken(tokenId: string): Promise<MarketFacts> {
    const market = await this.finder.findByToken(tokenId);
    const facts = market === null ? null : this.#keep(market);
    if (facts !== null) return facts;
    const path = pathOf`/markets-by-token/${tokenId}`;
    const { value } = await this.client.find({ host: 'clob', path }, wireMarketByToken);
    if (value === null) throw new AppError('not_found', 'Polymarket has no outcome with this token id.');
    const conditionId = value.condition_id.toLowerCase();
    await this.#readListed([conditionId]);
    return this.#markets.get(conditionId) ?? (await this.#readClob(conditionId, true));
  }

  /** Returns true when those that Gamma lists are known. */
  async #readListed(conditionIds: readonly string[], signal?: AbortSignal): Promise<true> {
    const { value } = await this.finder.findMany(conditionIds, signal);
    for (const market of value) this.#keep(market);
    return true;
  }

  /**
   * Markets that Gamma does not list, such as new or withdrawn ones, are known to the CLOB. What it says while Gamma does
   * not answer is not kept: the order of outcomes is Gamma's.
   */
  async #readClob(conditionId: string, isKept: boolean, signal?: AbortSignal): Promise<MarketFacts> {
    const read = { host: 'clob', path: pathOf`/clob-markets/${conditionId}`, signal } as const;
    const { value } = await this.client.find(read, wireClobMarket);
    const [first, second, ...more] = value?.t ?? [];
    if (first === undefined || second === undefined || more.length > 0) throw this.client.unusable();
    const outcomes: Outcomes = [
      { id: first.t, index: 0, label: first.o },
      { id: second.t, index: 1, label: second.o },
    ];
    const facts = { marketId: conditionId, outcomes, negRisk: value?.nr ?? null };
    if (isKept) this.#markets.set(conditionId, facts);
    return facts;
  }

  async #readNegRisk(tokenId: string): Promise<boolean> {
    const query = [['token_id', tokenId]] as const;
    return (await this.client.read({ host: 'clob', path: '/neg-risk', query }, wireNegRisk)).value.neg_risk;
  }

  /** Returns null where the market has no book (`outcomesOf`). */
  #keep(market: WireMarket): MarketFacts | null {
    const outcomes = outcomesOf(market);
    if (outcomes === null || market.conditionId === null) return null;
    const facts: MarketFacts = { marketId: market.conditionId, outcomes, negRisk: market.negRisk };
    this.#markets.set(market.conditionId.toLowerCase(), facts);
    if (GAMMA_ID.test(market.id)) this.#ofGammaIds.set(market.id, market.conditionId);
    return facts;
  }
}
