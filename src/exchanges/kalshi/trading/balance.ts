import type { ShardFunds } from '../../../platform/errors/app-error.js';
import { compare } from '../../decimal.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { BalanceDto } from '../../unified.trading.dto.js';
import type { SignedKalshiClient } from '../connection/client.js';
import type { KalshiShards } from '../connection/shards.js';
import { toBalance } from './account.mapper.js';
import { type WireBalance, wireBalance, wireReserved } from './account.wire.js';

/** How long a refused order may wait for what explains it, in ms (contract.md 5.7). */
const EXPLANATION_MS = 1_000;

/** Reads the money of one account, shard by shard (kalshi.md 7.3). */
export class KalshiBalance {
  constructor(
    private readonly client: SignedKalshiClient,
    private readonly shards: KalshiShards,
  ) {}

  /** What orders hold back and the names of the shards are left out where they cannot be read in 2 s. */
  async get(): Promise<BalanceDto> {
    const path = '/portfolio/summary/total_resting_order_value';
    const [balance, reserved, names] = await Promise.all([
      this.#read(),
      readOptional(this.client.read(path, {}, wireReserved, optionalReadLimit()), null),
      this.shards.names(),
    ]);
    return toBalance(balance, { reserved: reserved?.value ?? null, names });
  }

  /** Returns where the money lies and on which shard a market needs it; null where that cannot be read in 1 s. */
  async fundsFor(ticker: string): Promise<ShardFunds | null> {
    const signal = AbortSignal.timeout(EXPLANATION_MS);
    const [needed, balance] = await Promise.all([
      this.shards.findIndex(ticker, signal),
      readOptional(this.#read(signal), null),
    ]);
    const parts = balance?.balance_breakdown ?? [];
    if (needed === null || parts.length === 0) return null;
    const funded = parts.filter(({ balance: available }) => compare(available, '0') > 0);
    return {
      needed: String(needed),
      available: funded.map(({ exchange_index: shard, balance: available }) => ({ shard: String(shard), available })),
    };
  }

  async #read(signal?: AbortSignal): Promise<WireBalance> {
    const read = (subaccount: number | undefined) =>
      this.client.read('/portfolio/balance', { subaccount }, wireBalance, signal);
    return (await this.client.account.named(read)).value;
  }
}
