import { type BookSide, OrderBook } from '../matching-engine.js';
import { DAY } from '../times.js';
import { ONE, toUnits } from '../units.js';
import { type EventSeed, type MarketSeed } from './seeds/seed.js';
import { keccakText, toHex } from './signing/hex.js';
import { narrowConditionId, positionId, wideConditionId } from './signing/position-id.js';
import { type Domain, domainOf, type Side } from './signing/typed-data.js';

export const OUTCOMES = [0, 1] as const;
export type OutcomeIndex = (typeof OUTCOMES)[number];

/** The mark of outcome 0 from a moment on, in millionths. */
export interface Mark {
  at: Date;
  price: bigint;
}

/** The smallest order of every market, in millionths of a share. */
const MIN_SIZE = 5_000_000n;
/** Marks that a market keeps at most, and how many of the oldest go when there are more. */
const MOST_MARKS = 10_000;
const FORGOTTEN_AT_ONCE = 1_000;
const HALF = ONE / 2n;

/** A listed market with its book. Prices and sizes are whole millionths; the book speaks of outcome 0. */
export class Market {
  /** 64 digits, as everything but Gamma writes it. */
  readonly conditionId: string;
  /** As Gamma writes it: 62 digits for V2 markets, empty for one without ids. */
  readonly gammaId: string;
  readonly questionId: string;
  readonly tokenIds: readonly [string, string];
  readonly book = new OrderBook();
  readonly minSize = MIN_SIZE;
  tick: bigint;
  /** Price of the last trade, of outcome 0. */
  last: bigint;
  /** Money turned over since the start. */
  turnover = 0n;
  readonly marks: Mark[] = [];
  /** When the book last changed: the `timestamp` of every book. */
  changedAt: Date;

  #seed: MarketSeed;

  constructor(
    seed: MarketSeed,
    readonly event: EventSeed,
    readonly start: Date,
  ) {
    this.#seed = seed;
    this.changedAt = start;
    this.conditionId = conditionIdOf(seed);
    this.gammaId = gammaIdOf(seed, this.conditionId);
    this.questionId = toHex(keccakText(`question ${seed.slug}`));
    this.tokenIds = this.version === 'v1' ? v1Tokens(seed) : positionIds(this.conditionId);
    this.tick = toUnits(seed.tick);
    this.last = toUnits(seed.last);
  }

  get seed(): MarketSeed {
    return this.#seed;
  }

  /** Moves the market on while it runs; what is not named stays. */
  change(part: Partial<Pick<MarketSeed, 'state' | 'payout' | 'tick'>>, at: Date): void {
    this.#seed = { ...this.#seed, ...part };
    this.tick = toUnits(this.#seed.tick);
    this.changedAt = at;
  }

  /** A placeholder becomes a market. */
  list(at: Date): void {
    this.#seed = { ...this.#seed };
    delete this.#seed.state;
    this.changedAt = at;
  }

  get version(): 'v1' | 'v2' | 'v9' {
    return this.seed.version ?? 'v1';
  }

  /** What orders are signed for; undefined where no contract settles the market. */
  get domain(): Domain | undefined {
    return this.version === 'v9' ? undefined : domainOf(this.version, this.negRisk);
  }

  /** Whether the market has its ids, without which nothing but Gamma knows it. */
  get assigned(): boolean {
    return this.seed.unassigned === undefined;
  }

  /** Whether anybody ever traded it. */
  get traded(): boolean {
    return this.seed.neverTraded !== true || this.turnover > 0n;
  }

  get listedAt(): Date {
    return new Date(this.start.getTime() - this.seed.startDaysAgo * DAY);
  }

  /** The scheduled end, which may have passed while the market still trades. */
  get endsAt(): Date {
    return new Date(this.start.getTime() + this.seed.endInDays * DAY);
  }

  get negRisk(): boolean {
    return this.event.negRisk !== 'no';
  }

  get active(): boolean {
    return this.seed.state !== 'placeholder';
  }

  get closed(): boolean {
    return this.seed.state === 'resolved';
  }

  get acceptingOrders(): boolean {
    return this.assigned && this.seed.state === undefined;
  }

  /** Whether the exchange keeps a book: also for a paused market, not for one that is being resolved or over. */
  get hasBook(): boolean {
    return this.assigned && (this.seed.state === undefined || this.seed.state === 'paused');
  }

  /** What a share of an outcome is worth: the payout, the midpoint, else the last trade. */
  worth(outcome: OutcomeIndex): bigint {
    const first = this.payout ?? this.midpoint ?? this.last;
    return ofOutcome(outcome, first);
  }

  /** What a share of outcome 0 pays; undefined until resolved. */
  get payout(): bigint | undefined {
    return this.seed.payout === undefined ? undefined : toUnits(this.seed.payout);
  }

  /** Between the best quotes of outcome 0; undefined where a side is empty. */
  get midpoint(): bigint | undefined {
    const bid = this.book.best('bid');
    const ask = this.book.best('ask');
    return bid === undefined || ask === undefined ? undefined : (bid.price + ask.price) / 2n;
  }

  /** Writes down the mark where it has moved since. */
  recordMark(at: Date): void {
    const price = this.worth(0);
    if (this.marks.at(-1)?.price === price) return;
    this.marks.push({ at, price });
    if (this.marks.length > MOST_MARKS) this.marks.splice(0, FORGOTTEN_AT_ONCE);
  }
}

/** A price of outcome 0 in terms of an outcome's own token, and back. */
export function ofOutcome(outcome: OutcomeIndex, price: bigint): bigint {
  return outcome === 0 ? price : ONE - price;
}

/** Which side of the outcome-0 book an order is on, and at which price. */
export function inBookTerms(outcome: OutcomeIndex, side: Side, price: bigint): { side: BookSide; price: bigint } {
  return {
    side: (outcome === 0) === (side === 'BUY') ? 'bid' : 'ask',
    price: ofOutcome(outcome, price),
  };
}

function conditionIdOf(seed: MarketSeed): string {
  if (seed.condition !== undefined) return wideConditionId(seed.condition);
  return seed.conditionId ?? toHex(keccakText(`condition ${seed.slug}`));
}

function gammaIdOf({ version, condition }: MarketSeed, wide: string): string {
  if (version === undefined) return wide;
  return condition === undefined ? '' : narrowConditionId(wide);
}

/** The ids of both outcomes of a V2 condition. */
export function positionIds(wide: string): readonly [string, string] {
  return [positionId(wide, 0), positionId(wide, 1)];
}

function v1Tokens({ slug, tokenIds }: MarketSeed): readonly [string, string] {
  return tokenIds ?? [tokenId(slug, 0), tokenId(slug, 1)];
}

function tokenId(slug: string, outcome: OutcomeIndex): string {
  const id = BigInt(toHex(keccakText(`token ${outcome} ${slug}`)));
  return (id | (1n << 250n)).toString();
}

/** The nearest price on a market's tick. */
export function onTick(price: bigint, tick: bigint): bigint {
  const down = price - (price % tick);
  return price - down > (tick * HALF) / ONE ? down + tick : down;
}
