import { LRUCache } from 'lru-cache';
import { pathOf } from '../../../platform/upstream/path.js';
import { noteEndOfUse, outsideCallContext } from '../../../platform/upstream/call-context.js';
import type { ShardState } from '../../exchange.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { KalshiClient } from './client.js';
import { wireMarketShard, wireShard, wireStatus, type WireStatus } from './shards.wire.js';

/** The status is read at most so often, in ms (contract.md 5.2). */
const REFRESH_MS = 10_000;

/** An older status, in ms, is not believed: then a shard counts as trading. */
const BELIEVED_MS = 60_000;

/** As many markets are remembered. */
const MOST_MARKETS = 10_000;

const LONGEST_NAME = 100;

interface Reading {
  readonly at: number;
  readonly halted: ReadonlySet<number>;
  readonly names: ReadonlyMap<number, string>;
}

const NOTHING: Reading = { at: -Infinity, halted: new Set(), names: new Map() };

/** What this process knows of the shards: which market is on which, what they are called, and whether they trade (kalshi.md 9). */
export class KalshiShards {
  readonly #indexes = new LRUCache<string, number>({ max: MOST_MARKETS });
  #reading = NOTHING;
  #askedAt = -Infinity;
  #refreshing: Promise<void> = Promise.resolve();
  #isRefreshing = false;

  constructor(private readonly client: KalshiClient) {}

  /** Notes the shard that a market itself names; it never changes. Anything else is no shard. */
  learn(ticker: string, shard: unknown): void {
    const { data } = wireShard.safeParse(shard);
    if (data !== undefined) this.#indexes.set(ticker, data);
  }

  /** The shard of a market that was read in this process; undefined for others, since a wrong one is refused. */
  indexOf(ticker: string): number | undefined {
    return this.#indexes.get(ticker);
  }

  /** The same, read from the market where it is not known; null where it cannot be read before `signal`. */
  async findIndex(ticker: string, signal: AbortSignal): Promise<number | null> {
    const known = this.indexOf(ticker);
    if (known !== undefined) return known;
    const read = this.client.read(pathOf`/markets/${ticker}`, {}, wireMarketShard, signal);
    const market = (await readOptional(read, null))?.value.market;
    if (market?.ticker !== ticker) return null;
    this.learn(ticker, market.exchange_index);
    return market.exchange_index;
  }

  /**
   * Whether trading on a shard is known to be paused. Never waits: what it reads is for the next call. An answer made of this is
   * used until the status is read again, and not again while it is being read.
   */
  isHalted(shard: number): boolean {
    void this.#refreshed();
    noteEndOfUse(this.#isRefreshing ? 0 : this.#askedAt + REFRESH_MS);
    return performance.now() - this.#reading.at < BELIEVED_MS && this.#reading.halted.has(shard);
  }

  /** The exchange's own names of the shards that have one; waits (2 s at most) only where no status was ever read. */
  async names(): Promise<ReadonlyMap<number, string>> {
    const refreshed = this.#refreshed();
    if (this.#reading === NOTHING) await refreshed;
    return this.#reading.names;
  }

  /** Reads the status now, past what is kept. Throws as public reads do. */
  async readStates(): Promise<ShardState[]> {
    const { value } = await this.client.readAlsoPaused('/exchange/status', wireStatus, optionalReadLimit());
    const { halted, names } = factsOf(value);
    const listed = (value.exchange_index_statuses ?? []).map(({ exchange_index: shard }) => shard);
    return [...new Set([0, ...listed])].map((shard) => {
      const name = names.get(shard) ?? '';
      return { name: name === '' ? String(shard) : `${shard} (${name})`, isTrading: !halted.has(shard) };
    });
  }

  /** Reads the status where it is due; never rejects. */
  #refreshed(): Promise<void> {
    if (performance.now() - this.#askedAt < REFRESH_MS) return this.#refreshing;
    this.#askedAt = performance.now();
    this.#isRefreshing = true;
    this.#refreshing = outsideCallContext(() => this.#refresh())
      .catch(() => undefined)
      .finally(() => {
        this.#isRefreshing = false;
      });
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const read = this.client.readAlsoPaused('/exchange/status', wireStatus, optionalReadLimit());
    const status = (await readOptional(read, null))?.value;
    if (status !== undefined) this.#reading = { at: performance.now(), ...factsOf(status) };
  }
}

function factsOf(status: WireStatus): Omit<Reading, 'at'> {
  const listed = status.exchange_index_statuses ?? [];
  const shards = listed.some(({ exchange_index: shard }) => shard === 0)
    ? listed
    : [{ ...status, exchange_index: 0, description: null }, ...listed];
  const halted = shards.filter(
    ({ exchange_active, trading_active }) => !(exchange_active ?? true) || !(trading_active ?? true),
  );
  const named = shards.flatMap(({ exchange_index: shard, description }): [number, string][] =>
    description === null ? [] : [[shard, description.slice(0, LONGEST_NAME)]],
  );
  return { halted: new Set(halted.map(({ exchange_index: shard }) => shard)), names: new Map(named) };
}
