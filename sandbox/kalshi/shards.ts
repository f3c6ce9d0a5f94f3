/** What a shard lets happen at the moment. Nothing at all happens on one that is not active. */
export interface ShardState {
  exchangeActive: boolean;
  tradingActive: boolean;
  transfersActive: boolean;
}

/** One matching engine with the money that lies there (kalshi.md 9.1). */
interface Shard extends ShardState {
  readonly index: number;
  /** Empty for one that the exchange has not named. */
  readonly description: string;
}

const DESCRIPTIONS = ['Default', 'Exotics', 'Crypto and commodities', ''];

/** The shards of the exchange, all of them open at first. */
export class Shards {
  readonly #shards: readonly Shard[] = DESCRIPTIONS.map((description, index) => ({
    index,
    description,
    exchangeActive: true,
    tradingActive: true,
    transfersActive: true,
  }));

  list(): readonly Readonly<Shard>[] {
    return this.#shards;
  }

  find(index: number): Readonly<Shard> | undefined {
    return this.#shards[index];
  }

  /** Pauses or reopens parts of one shard; undefined where there is none of that number. */
  change(index: number, change: Partial<ShardState>): Readonly<Shard> | undefined {
    const shard = this.#shards[index];
    return shard === undefined ? undefined : Object.assign(shard, change);
  }
}
