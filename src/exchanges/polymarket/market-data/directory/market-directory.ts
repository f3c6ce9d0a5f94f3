import { AppError, badField } from '../../../../platform/errors/app-error.js';
import { pathOf } from '../../../../platform/upstream/path.js';
import { compare, type Decimal } from '../../../decimal.js';
import { optionalReadLimit, readOptional } from '../../../optional-read.js';
import type { OrderBookDto, OutcomeRefDto } from '../../../unified.market-data.dto.js';
import type { PolymarketClient } from '../../connection/client.js';
import { GAMMA_ID } from '../../polymarket.ids.js';
import { CONDITION_ID, positionOf, type Protocol, wideId } from '../../position-ids.js';
import { getIdentity, identify, identityAtClob, type MarketIdentity, unknownVersion } from '../market-identity.js';
import {
  wireClobMarket,
  type WireMarket,
  wireMarketByToken,
  type WireMarketRules,
  wireMarketRules,
  wireNegRisk,
} from '../market.wire.js';
import { toOrderBook } from '../order-book.mapper.js';
import { wireOrderBook } from '../order-book.wire.js';
import { labelKey, outcomesCalled, resolveOutcome } from '../outcomes.js';
import { KeptFacts } from './kept-facts.js';
import type { MarketFinder } from './market-finder.js';

/** What never changes about a market, so that it may be kept. */
export interface MarketFacts extends MarketIdentity {
  /** Which contract settles a V1 market, and so what its orders are signed for; null where Gamma does not say. */
  readonly negRisk: boolean | null;
}

/** One outcome of a market, as an order needs it. */
export interface TokenFacts {
  readonly marketId: string;
  readonly outcome: OutcomeRefDto;
  readonly protocol: Protocol;
  readonly negRisk: boolean;
}

/** What the exchange asks of orders on a market; the tick changes with the price. */
export interface MarketRules {
  readonly tick: Decimal;
  /** Null where the exchange does not say. */
  readonly minSize: Decimal | null;
}

/** The rules as the exchange states them. */
interface StatedRules {
  readonly tick: Decimal | null;
  readonly minSize: Decimal | null;
}

/** The outcome that an order is of, and what the exchange asks of orders on its market now. */
export interface OrderTarget {
  readonly token: TokenFacts;
  readonly rules: MarketRules;
}

interface KeptMarket extends MarketFacts {
  /** Whether Gamma lists the market: then the order of its outcomes is Gamma's. */
  readonly isListed: boolean;
}

const CAPACITY = 5_000;

/** Of a market that the CLOB does not know. */
const UNSTATED: WireMarketRules = { c: null, mts: null, mos: null, t: [], nr: null };

/**
 * Finds facts about markets by any of their ids: reads each once, then keeps it for an hour, for all users (contract.md 5,
 * unified-schema.md 7).
 */
export class MarketDirectory {
  readonly #markets: KeptFacts<string, KeptMarket>;
  /** The markets of Gamma's ids and of tokens; what is known of them is kept once, with the market. */
  readonly #ofGammaIds: KeptFacts<string, string>;
  readonly #ofTokens: KeptFacts<string, string>;

  /** `nowMs` is a clock that never goes back. */
  constructor(
    private readonly client: PolymarketClient,
    private readonly finder: MarketFinder,
    nowMs = (): number => performance.now(),
  ) {
    this.#markets = new KeptFacts(CAPACITY, nowMs);
    this.#ofGammaIds = new KeptFacts(CAPACITY, nowMs);
    this.#ofTokens = new KeptFacts(2 * CAPACITY, nowMs);
  }

  /** By condition id, Gamma id or slug. Throws `not_found`, and `not_supported` where it is not understood. */
  async get(marketId: string): Promise<MarketFacts> {
    const kept = this.#markets.get(this.#ofGammaIds.get(marketId) ?? wideId(marketId));
    if (kept !== undefined) return kept;
    return (await this.#readGamma(marketId)) ?? { ...getIdentity(null), negRisk: null };
  }

  /** Returns the wide form; looks up only what is not a condition id already. Throws as `get`. */
  async conditionIdOf(marketId: string): Promise<string> {
    return CONDITION_ID.test(marketId) ? wideId(marketId) : (await this.get(marketId)).marketId;
  }

  /** As `conditionIdOf`, also of a market that is not understood, since its orders may be cancelled; null where there is none. */
  async findConditionId(marketId: string): Promise<string | null> {
    const kept = this.#markets.get(this.#ofGammaIds.get(marketId) ?? wideId(marketId));
    if (kept !== undefined) return kept.marketId;
    if (CONDITION_ID.test(marketId)) return wideId(marketId);
    const conditionId = (await this.finder.find(marketId)).value?.conditionId ?? '';
    return CONDITION_ID.test(conditionId) ? wideId(conditionId) : null;
  }

  /** By condition ids of either width; leaves out those that neither Gamma nor the CLOB returns in time. The keys are wide. */
  async findMany(conditionIds: readonly string[]): Promise<ReadonlyMap<string, MarketFacts>> {
    const wanted = [...new Set(conditionIds.map(wideId))];
    const missing = wanted.filter((id) => this.#markets.get(id) === undefined);
    const odd: ReadonlySet<string> | null =
      missing.length === 0 ? new Set() : await readOptional(this.#readListed(missing, optionalReadLimit()), null);
    const signal = optionalReadLimit();
    const find = async (id: string): Promise<[string, MarketFacts][]> => {
      if (odd?.has(id) === true) return [];
      const facts = this.#markets.get(id) ?? (await readOptional(this.#readClob(id, odd !== null, signal), null));
      return facts === null ? [] : [[id, facts]];
    };
    return new Map((await Promise.all(wanted.map(find))).flat());
  }

  /**
   * By an id of a market, and an outcome as clients name it. Throws as `get`, and `bad_request` on `outcome`. Where Gamma may
   * list the market by now, it is asked again: what 0 and 1 mean is Gamma's to say.
   */
  async getOutcome(marketId: string, name: string): Promise<TokenFacts> {
    const kept = await this.get(marketId);
    const market = this.#isListed(kept) ? kept : ((await this.#readGamma(kept.marketId)) ?? kept);
    const outcome = resolveOutcome(market.outcomes, name);
    const isCertain = market.protocol === 'v2' || this.#isListed(market);
    if (!isCertain && !outcomesCalled(market.outcomes, name).includes(outcome)) throw noOrder();
    return this.#tokenOf(market, outcome);
  }

  /** Returns both outcomes of a market, by an id of it. Throws as `get`. */
  async getOutcomes(marketId: string): Promise<TokenFacts[]> {
    const market = await this.get(marketId);
    return Promise.all(market.outcomes.map((outcome) => this.#tokenOf(market, outcome)));
  }

  /**
   * As `getOutcome`, for an order that is sent first, with the market's rules of now (the CLOB's, and Gamma's where that does
   * not say). Token, label and neg-risk flag must be what the CLOB says too: else both are read anew, for all users, and where
   * they still differ it throws `exchange_error` (S-50).
   */
  async getOrderTarget(marketId: string, name: string): Promise<OrderTarget> {
    const target = await this.#confirmed(await this.getOutcome(marketId, name));
    if (target !== null) return target;
    await this.#readGamma(marketId, true);
    const anew = await this.#confirmed(await this.getOutcome(marketId, name));
    if (anew === null) throw this.client.unusable();
    return anew;
  }

  /** Reads the whole book of an outcome as it is now; null where there is none. Keeps nothing. */
  async readBook({ marketId, outcome }: TokenFacts): Promise<OrderBookDto | null> {
    const read = { host: 'clob', path: '/book', query: [['token_id', outcome.id]], uncached: true } as const;
    const { value } = await this.client.find(read, wireOrderBook);
    if (value !== null && value.asset_id !== outcome.id) throw this.client.unusable();
    return value && toOrderBook(value, { marketId, outcome });
  }

  /** By the id of an outcome. Throws `not_found` where no market has it, and `not_supported` where that is not understood. */
  async getToken(tokenId: string): Promise<TokenFacts> {
    const kept = this.#markets.get(this.#ofTokens.get(tokenId) ?? '');
    const known = kept?.outcomes.find(({ id }) => id === tokenId);
    if (kept !== undefined && known !== undefined) return this.#tokenOf(kept, known);
    const market = await this.#marketOfToken(tokenId);
    const outcome = market.outcomes.find(({ id }) => id === tokenId);
    if (outcome === undefined) throw positionOf(tokenId)?.isV2 === true ? noSuchOutcome() : this.client.unusable();
    return this.#tokenOf(market, outcome);
  }

  async #tokenOf({ marketId, protocol, negRisk: said }: MarketFacts, outcome: OutcomeRefDto): Promise<TokenFacts> {
    this.#ofTokens.set(outcome.id, marketId);
    // Of a V2 market the flag chooses nothing.
    if (said !== null || protocol === 'v2') return { marketId, outcome, protocol, negRisk: said ?? false };
    const negRisk = await this.#readNegRisk(outcome.id);
    this.#markets.amend(marketId, (market) => ({ ...market, negRisk: market.negRisk ?? negRisk }));
    return { marketId, outcome, protocol, negRisk };
  }

  /** Null where the CLOB says otherwise; then what is kept of the market is forgotten. */
  async #confirmed(token: TokenFacts): Promise<OrderTarget | null> {
    const stated = await this.#readStated(token.marketId);
    if (!isConfirmed(token, stated)) {
      this.#markets.delete(token.marketId);
      return null;
    }
    return { token, rules: await this.#rulesOf(token, stated) };
  }

  async #rulesOf({ marketId }: TokenFacts, { mts, mos }: WireMarketRules): Promise<MarketRules> {
    const isWhole = mts !== null && mos !== null;
    const { tick, minSize } = isWhole
      ? { tick: mts, minSize: mos }
      : await this.#readGammaRules(marketId, { mts, mos });
    if (tick === null || !isTick(tick)) throw this.client.unusable();
    return { tick, minSize };
  }

  #isListed({ marketId }: MarketFacts): boolean {
    return this.#markets.get(marketId)?.isListed ?? true;
  }

  /** Reads a market and keeps it; null where Gamma does not list it. */
  async #readGamma(marketId: string, uncached = false): Promise<MarketFacts | null> {
    const { value } = await this.finder.find(marketId, { uncached });
    return value === null ? null : this.#keep(value, getIdentity(value));
  }

  async #marketOfToken(tokenId: string): Promise<MarketFacts> {
    const market = await this.finder.findByToken(tokenId);
    if (market !== null) return this.#keep(market, getIdentity(market));
    const position = positionOf(tokenId);
    if (position?.isV2 === true) return this.#readClob(position.conditionId, true);
    const path = pathOf`/markets-by-token/${tokenId}`;
    const { value } = await this.client.find({ host: 'clob', path }, wireMarketByToken);
    if (value === null) throw noSuchOutcome();
    const conditionId = wideId(value.condition_id);
    if ((await this.#readListed([conditionId])).has(conditionId)) throw unknownVersion();
    return this.#markets.get(conditionId) ?? (await this.#readClob(conditionId, true));
  }

  /** Makes known those that Gamma lists; returns the wide ids of those that are not understood, whatever the CLOB says of them. */
  async #readListed(conditionIds: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string>> {
    const { value } = await this.finder.findMany(conditionIds, { signal });
    const odd = new Set<string>();
    for (const market of value) {
      const identity = identify(market);
      if (typeof identity !== 'string') this.#keep(market, identity);
      else if (identity === 'not_understood' && market.conditionId !== null) odd.add(wideId(market.conditionId));
    }
    return odd;
  }

  /**
   * Markets that Gamma does not list, such as new or withdrawn ones, are known to the CLOB. What it says while Gamma does
   * not answer is not kept: the order of outcomes is Gamma's. Throws `not_found`, and `not_supported` where it is not understood.
   */
  async #readClob(conditionId: string, isKept: boolean, signal?: AbortSignal): Promise<MarketFacts> {
    const read = { host: 'clob', path: pathOf`/clob-markets/${conditionId}`, signal } as const;
    const { value } = await this.client.find(read, wireClobMarket);
    if (value === null) throw noSuchOutcome();
    const tokens = value.t.map(({ t: id, o: label }) => ({ id, label }));
    const identity = identityAtClob(conditionId, value.v, tokens);
    const isAnother = value.c !== null && wideId(value.c) !== conditionId;
    if (identity === null || isAnother) throw this.client.unusable();
    const facts = { ...identity, negRisk: value.nr ?? null };
    if (isKept) this.#markets.set(conditionId, { ...facts, isListed: false });
    return facts;
  }

  async #readStated(conditionId: string): Promise<WireMarketRules> {
    const read = { host: 'clob', path: pathOf`/clob-markets/${conditionId}`, uncached: true } as const;
    const value = (await this.client.find(read, wireMarketRules)).value ?? UNSTATED;
    if (value.c !== null && wideId(value.c) !== conditionId) throw this.client.unusable();
    return value;
  }

  /** Gamma's answers may be minutes old, so what the CLOB has stated goes before (polymarket.md 1). */
  async #readGammaRules(conditionId: string, { mts, mos }: Pick<WireMarketRules, 'mts' | 'mos'>): Promise<StatedRules> {
    const { value } = await this.finder.find(conditionId);
    return { tick: mts ?? value?.orderPriceMinTickSize ?? null, minSize: mos ?? value?.orderMinSize ?? null };
  }

  async #readNegRisk(tokenId: string): Promise<boolean> {
    const query = [['token_id', tokenId]] as const;
    return (await this.client.read({ host: 'clob', path: '/neg-risk', query }, wireNegRisk)).value.neg_risk;
  }

  #keep({ id, negRisk }: WireMarket, identity: MarketIdentity): MarketFacts {
    const facts: MarketFacts = { ...identity, negRisk };
    this.#markets.set(facts.marketId, { ...facts, isListed: true });
    if (GAMMA_ID.test(id)) this.#ofGammaIds.set(id, facts.marketId);
    return facts;
  }
}

/** Whether the CLOB has the token under the same label, where labels tell its tokens apart; what it does not state, it does not deny. */
function isConfirmed({ outcome, protocol, negRisk }: TokenFacts, { t: tokens, nr }: WireMarketRules): boolean {
  if (protocol === 'v1' && nr !== null && nr !== negRisk) return false;
  const named = tokens.find(({ t: id }) => id === outcome.id);
  if (named === undefined) return tokens.length === 0;
  const labels = new Set(tokens.map(({ o: label }) => labelKey(label ?? '')));
  const areAlike = tokens.length > 1 && labels.size === 1;
  return areAlike || labelKey(named.o ?? '') === labelKey(outcome.label);
}

/** Of a V1 market that Gamma does not list nobody says which outcome is the first. */
function noOrder(): AppError {
  return badField('outcome', 'must be an outcome id or a label of this market, whose outcomes have no order yet');
}

function noSuchOutcome(): AppError {
  return new AppError('not_found', 'Polymarket has no outcome with this token id.');
}

/** No price lies on both sides of a greater step. */
function isTick(tick: Decimal): boolean {
  return compare(tick, '0') > 0 && compare(tick, '0.5') <= 0;
}
