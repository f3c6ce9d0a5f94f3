import { Market, type OutcomeIndex, OUTCOMES } from './market.js';
import { ECONOMY_EVENTS } from './seeds/economy.js';
import { POLITICS_EVENTS } from './seeds/politics.js';
import { manyEvents } from './seeds/many.js';
import { type EventSeed, TAGS, type TagSeed } from './seeds/seed.js';
import { CRYPTO_EVENTS, SPORTS_EVENTS } from './seeds/sports.js';
import { V2_EVENTS } from './seeds/v2.js';

export interface ListedEvent {
  seed: EventSeed;
  markets: readonly Market[];
}

/** One outcome of a market. */
export interface Token {
  market: Market;
  outcome: OutcomeIndex;
}

/** Everything that is listed, in order of the Gamma ids. */
export class Catalogue {
  readonly events: readonly ListedEvent[];
  readonly markets: readonly Market[];
  readonly tags: readonly TagSeed[] = Object.values(TAGS);
  /** Those that open and close by the clock. */
  readonly timed: readonly Market[];
  readonly #tokens = new Map<string, Token>();
  readonly #byCondition = new Map<string, Market>();

  /** `start` is the moment that the seeds' days count from; `many` adds a thousand markets to the few that tests know. */
  constructor(
    readonly start: Date,
    many = false,
  ) {
    const more = many ? manyEvents() : [];
    this.events = [...more, ...POLITICS_EVENTS, ...ECONOMY_EVENTS, ...SPORTS_EVENTS, ...CRYPTO_EVENTS, ...V2_EVENTS]
      .map((seed) => ({ seed, markets: seed.markets.map((market) => new Market(market, seed, start)) }))
      .sort((one, other) => Number(one.seed.id) - Number(other.seed.id));
    this.markets = this.events
      .flatMap((event) => event.markets)
      .sort((one, other) => Number(one.seed.id) - Number(other.seed.id));
    this.timed = this.markets.filter(({ seed }) => seed.hours !== undefined);
    for (const market of this.markets.filter((one) => one.assigned)) {
      this.#byCondition.set(market.conditionId, market);
      for (const outcome of OUTCOMES) this.#tokens.set(market.tokenIds[outcome], { market, outcome });
    }
  }

  findToken(id: string): Token | undefined {
    return this.#tokens.get(id);
  }

  findByCondition(conditionId: string): Market | undefined {
    return this.#byCondition.get(conditionId.toLowerCase());
  }
}
