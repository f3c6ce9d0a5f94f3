import { type WireRequest } from '../../wire/server.js';
import { type Account } from '../account.js';
import { chargeOf } from './costs.js';

/** Tokens that come back each second, and how many there are at most. */
interface Budget {
  refill: number;
  capacity: number;
}

/** kalshi.md 10. */
const TIERS = {
  basic: tier(200, 600, 100, 100),
  advanced: tier(300, 900, 300, 900),
  expert: tier(600, 600, 600, 1_800),
  premier: tier(1_200, 1_200, 1_200, 3_600),
  paragon: tier(2_400, 2_400, 2_400, 7_200),
  prime: tier(4_800, 4_800, 4_800, 14_400),
  prestige: tier(12_000, 12_000, 9_600, 28_800),
} as const;
export type Tier = keyof typeof TIERS;
export const TIER_NAMES = Object.keys(TIERS) as [Tier, ...Tier[]];

/** The token buckets of the members, which all have one tier. They refuse nothing until somebody says so (contract.md 7). */
export class RateLimits {
  #tier: Tier = 'advanced';
  #isEnforced = false;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  get tier(): Tier {
    return this.#tier;
  }

  get budgets(): { read: Budget; write: Budget } {
    return TIERS[this.#tier];
  }

  /** What is not named stays; all buckets are full again. */
  change({ tier: name = this.#tier, enforced = this.#isEnforced }: { tier?: Tier; enforced?: boolean }): void {
    this.#tier = name;
    this.#isEnforced = enforced;
    this.#buckets.clear();
  }

  /** Takes what a call costs from each bucket that it draws from; false, and nothing taken, where one of them is short. */
  admits(account: Account, request: WireRequest, basePath: string): boolean {
    if (!this.#isEnforced) return true;
    const { kind, cost, shards } = chargeOf(request, request.path.slice(basePath.length));
    const budget = this.budgets[kind];
    const names = kind === 'read' ? ['read'] : shards.map((shard) => `write ${shard}`);
    const now = request.receivedAt.getTime();
    const buckets = names.map((name) => this.#refilled(`${account.userId} ${name}`, budget, now));
    if (buckets.some(({ tokens }) => tokens < cost)) return false;
    for (const bucket of buckets) bucket.tokens -= cost;
    return true;
  }

  #refilled(key: string, { refill, capacity }: Budget, now: number): { tokens: number; at: number } {
    const bucket = this.#buckets.get(key) ?? { tokens: capacity, at: now };
    bucket.tokens = Math.min(capacity, bucket.tokens + (Math.max(0, now - bucket.at) / 1_000) * refill);
    bucket.at = now;
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

function tier(read: number, readMost: number, write: number, writeMost: number): { read: Budget; write: Budget } {
  return { read: { refill: read, capacity: readMost }, write: { refill: write, capacity: writeMost } };
}
