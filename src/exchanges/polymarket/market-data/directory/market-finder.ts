import { pathOf } from '../../../../platform/upstream/path.js';
import type { Answer } from '../../../checked-answer.js';
import type { PolymarketClient } from '../../connection/client.js';
import { GAMMA_ID } from '../../polymarket.ids.js';
import { CONDITION_ID, positionOf, wideId, widthsOf } from '../../position-ids.js';
import { identify } from '../market-identity.js';
import { type WireMarket, wireMarket, wireMarketPage } from '../market.wire.js';

type Key = 'condition_ids' | 'id' | 'slug' | 'clob_token_ids';

/** How Gamma is asked. */
interface Asking {
  readonly signal?: AbortSignal | undefined;
  /** By calls of their own, past what is kept of earlier answers. */
  readonly uncached?: boolean;
}

/** Which of the markets are searched. */
interface Part extends Asking {
  readonly closed: boolean;
}

/** Condition ids and tokens are long: more of them would not fit into one request line everywhere. */
const IDS_PER_CALL = 40;

/** Finds markets in Gamma, which hides closed ones unless it is asked for them (polymarket.md 4). */
export class MarketFinder {
  constructor(private readonly client: PolymarketClient) {}

  /** By condition id of either width, Gamma id or slug. */
  async find(marketId: string, asking: Asking = {}): Promise<Answer<WireMarket | null>> {
    const read = { host: 'gamma', query: [['include_tag', 'true']], ...asking } as const;
    switch (kindOf(marketId)) {
      case 'condition_ids': {
        const { value, at } = await this.findMany([marketId], asking);
        return { value: value[0] ?? null, at };
      }
      case 'id':
        return this.client.find({ ...read, path: pathOf`/markets/${marketId}` }, wireMarket);
      default:
        return this.client.find({ ...read, path: pathOf`/markets/slug/${marketId}` }, wireMarket);
    }
  }

  /** By ids of any form, in their order, each market once; leaves out those that Gamma does not have. `at` is the oldest answer's time. */
  async findMany(marketIds: readonly string[], asking: Asking = {}): Promise<Answer<WireMarket[]>> {
    const found = new Map<string, WireMarket>();
    let at = new Date();
    for (const kind of ['condition_ids', 'id', 'slug'] as const) {
      const keys = [...new Set(marketIds.filter((id) => kindOf(id) === kind).map((id) => normal(kind, id)))];
      for (const answer of await this.#lookUp(kind, keys, asking)) {
        if (answer.at < at) at = answer.at;
        for (const market of answer.value) found.set(keyOf(kind, market), market);
      }
    }
    const markets = marketIds.flatMap((id) => found.get(normal(kindOf(id), id)) ?? []);
    return { value: [...new Map(markets.map((market) => [market.id, market])).values()], at };
  }

  /**
   * By the id of one of its outcomes; that of a V2 market names the market (polymarket.md 2.2). Also one that is not
   * understood: what the CLOB says of it is not asked then.
   */
  async findByToken(tokenId: string): Promise<WireMarket | null> {
    const position = positionOf(tokenId);
    if (position?.isV2 === true) return (await this.find(position.conditionId)).value;
    for (const closed of [false, true]) {
      const { value } = await this.#page('clob_token_ids', [tokenId], { closed });
      const market = value.find((one) => hasToken(one, tokenId));
      if (market !== undefined) return market;
    }
    return null;
  }

  /** Open ones first, then what is missing among the closed ones. */
  async #lookUp(kind: Key, keys: readonly string[], asking: Asking): Promise<Answer<WireMarket[]>[]> {
    const answers: Answer<WireMarket[]>[] = [];
    for (const chunk of chunksOf(kind, keys)) {
      const open = await this.#page(kind, chunk, { ...asking, closed: false });
      const known = new Set(open.value.map((market) => keyOf(kind, market)));
      const missing = chunk.filter((key) => !known.has(key));
      answers.push(open);
      if (missing.length > 0) answers.push(await this.#page(kind, missing, { ...asking, closed: true }));
    }
    return answers;
  }

  async #page(kind: Key, keys: readonly string[], { closed, ...asking }: Part): Promise<Answer<WireMarket[]>> {
    const query = [
      ...keys.flatMap((key) => spellings(kind, key)).map((spelling) => [kind, spelling] as const),
      ['closed', closed] as const,
      ['include_tag', true] as const,
      ['limit', 100] as const,
    ];
    const read = { host: 'gamma', path: '/markets/keyset', query, ...asking } as const;
    const { value, at } = await this.client.read(read, wireMarketPage);
    return { value: value.items, at };
  }
}

function hasToken(market: WireMarket, tokenId: string): boolean {
  const identity = identify(market);
  if (identity === 'not_understood') return market.clobTokenIds?.includes(tokenId) === true;
  return identity !== 'no_book' && identity.outcomes.some(({ id }) => id === tokenId);
}

function kindOf(marketId: string): 'condition_ids' | 'id' | 'slug' {
  if (CONDITION_ID.test(marketId)) return 'condition_ids';
  return GAMMA_ID.test(marketId) ? 'id' : 'slug';
}

/** Which width Gamma wants is not known, so it is asked for both. */
function spellings(kind: Key, key: string): string[] {
  return kind === 'condition_ids' ? widthsOf(key) : [key];
}

function chunksOf(kind: Key, keys: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let room = 0;
  for (const key of keys) {
    const { length } = spellings(kind, key);
    if (length > room) {
      chunks.push([]);
      room = IDS_PER_CALL;
    }
    chunks.at(-1)?.push(key);
    room -= length;
  }
  return chunks;
}

function normal(kind: Key, key: string): string {
  return kind === 'condition_ids' ? wideId(key) : key;
}

function keyOf(kind: Key, market: WireMarket): string {
  if (kind === 'id') return market.id;
  return normal(kind, (kind === 'slug' ? market.slug : market.conditionId) ?? '');
}
