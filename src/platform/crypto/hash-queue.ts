import { AppError } from '../errors/app-error.js';
import type { Networks } from '../logging/current-request.js';

/**
 * What a hash is for, in the order of need: a log-in of somebody whom the account knows (by the network, or signed in),
 * a mailed reset, any other log-in, a sign-up.
 */
export const HASH_SHARES = ['known', 'reset', 'log_in', 'sign_up'] as const;
export type HashShare = (typeof HASH_SHARES)[number];

interface ShareFacts {
  /** While two shares wait, hashes are made in the proportion of their weights. */
  readonly weight: number;
  /** How many may wait. */
  readonly limit: number;
  /** How many may wait for one account. */
  readonly accountLimit?: number;
}

const SHARES: Readonly<Record<HashShare, ShareFacts>> = {
  known: { weight: 8, limit: 50, accountLimit: 4 },
  reset: { weight: 4, limit: 50, accountLimit: 2 },
  log_in: { weight: 4, limit: 100 },
  sign_up: { weight: 1, limit: 50 },
};

/** How many hashes of a share may wait from a /64 (IPv4: an address), and from a /56 (IPv4: a /24). */
const CLIENT_LIMIT = 4;
const SITE_LIMIT = 16;
/** Which part of a share a /32 may fill, or an IPv4 /8. */
const BLOCK_PART = 1 / 2;
/** The networks of a hash that no client asked for. */
export const NOWHERE: Networks = ['', '', '', ''];
const MAX_WAIT_MS = 30_000;
const RETRY_AFTER_SECONDS = 1;

/** A hash that waits. */
export interface WaitingHash {
  readonly share: HashShare;
  readonly networks: Networks;
  /** The account that knows the caller, or that mailed the caller the token of a reset. */
  readonly account: string | undefined;
  hasGone(): boolean;
  begin(): Promise<void>;
  refuse(error: AppError): void;
}

/** How many hashes wait from a network, and the turn in which the network was served last, or began to wait. */
interface NetworkTurn {
  waiting: number;
  turn: number;
}

function full(): AppError {
  return new AppError('service_unavailable', 'Too many sign-ins at once. Try again shortly.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    isCounted: true,
  });
}

/** Groups the hashes by their network of one level, and returns the largest group in its order. */
function crowdOf(hashes: readonly WaitingHash[], level: number): readonly WaitingHash[] {
  const groups = new Map<string | undefined, WaitingHash[]>();
  for (const hash of hashes) {
    const group = groups.get(hash.networks[level]);
    if (group === undefined) groups.set(hash.networks[level], [hash]);
    else group.push(hash);
  }
  return [...groups.values()].reduce((a, b) => (b.length >= a.length ? b : a), []);
}

/**
 * The waiting hashes of one share. Wide networks take turns, within each of them the narrower ones; the hashes of one
 * network keep their order.
 */
class Lane {
  readonly hashes = new Map<WaitingHash, number>();
  /** Rises with each hash that is made, by less the more weight the share has. The lane with the lowest value is next. */
  passed = 0;
  readonly #turns = NOWHERE.map(() => new Map<string, NetworkTurn>());
  /** How many hashes may wait from one network, for each level from narrow to wide. */
  readonly #limits: readonly number[];
  #turn = 0;

  constructor(
    private readonly facts: ShareFacts,
    private readonly limitsNetworks: boolean,
  ) {
    const blockLimit = facts.limit * BLOCK_PART;
    this.#limits = [CLIENT_LIMIT, SITE_LIMIT, blockLimit, blockLimit];
  }

  /**
   * Returns the place that a hash would take: `free`, or the place of another hash, or null where the hash may not wait
   * here. That other hash is the newest of the most crowded part of the narrowest full network of the new one, or of
   * the whole lane.
   */
  placeFor(hash: WaitingHash): WaitingHash | 'free' | null {
    if (this.limitsNetworks && hash.networks !== NOWHERE) {
      if (hash.account !== undefined && this.#waitingFor(hash.account) >= (this.facts.accountLimit ?? Infinity))
        return null;
      const full = this.#limits.findIndex(
        (limit, level) => this.#waitingOf(hash.networks[level] ?? '', level) >= limit,
      );
      if (full !== -1) return this.#crowding(hash, full);
    }
    return this.hashes.size < this.facts.limit ? 'free' : this.#crowding(hash, this.#limits.length);
  }

  add(hash: WaitingHash, now: number): void {
    this.hashes.set(hash, now);
    this.#turn += 1;
    for (const [level, byNetwork] of this.#turns.entries()) {
      const network = hash.networks[level] ?? '';
      const known = byNetwork.get(network);
      if (known === undefined) byNetwork.set(network, { waiting: 1, turn: this.#turn });
      else known.waiting += 1;
    }
  }

  delete(hash: WaitingHash): void {
    if (!this.hashes.delete(hash)) return;
    for (const [level, byNetwork] of this.#turns.entries()) {
      const network = hash.networks[level] ?? '';
      const known = byNetwork.get(network);
      if (known === undefined) continue;
      known.waiting -= 1;
      if (known.waiting === 0) byNetwork.delete(network);
    }
  }

  /** Takes the hash whose turn it is. */
  take(): WaitingHash | undefined {
    let next: { readonly hash: WaitingHash; readonly turns: readonly number[] } | undefined;
    for (const hash of this.hashes.keys()) {
      const turns = this.#turnsOf(hash).map(({ turn }) => turn);
      if (next === undefined || isBefore(turns, next.turns)) next = { hash, turns };
    }
    if (next === undefined) return undefined;
    this.passed += 1 / this.facts.weight;
    this.#turn += 1;
    for (const known of this.#turnsOf(next.hash)) known.turn = this.#turn;
    this.delete(next.hash);
    return next.hash;
  }

  #turnsOf({ networks }: WaitingHash): NetworkTurn[] {
    const wideFirst = this.#turns.map((byNetwork, level) => byNetwork.get(networks[level] ?? '')).reverse();
    return wideFirst.filter((known) => known !== undefined);
  }

  /**
   * Looks at the part of the lane that shares the network of this level (`within`) with the hash, and returns the
   * newest hash of the narrower network from which most of that part come. Null unless that network has at least two
   * more hashes waiting than the narrower network of the hash itself.
   */
  #crowding({ networks }: WaitingHash, within: number): WaitingHash | null {
    const isOwn = (level: number) => (hash: WaitingHash) => hash.networks[level] === networks[level];
    const all = [...this.hashes.keys()].filter(isOwn(within));
    let crowd = crowdOf(all, within - 1);
    if (crowd.length < all.filter(isOwn(within - 1)).length + 2) return null;
    for (let level = within - 2; level >= 0; level -= 1) crowd = crowdOf(crowd, level);
    return crowd.at(-1) ?? null;
  }

  #waitingOf(network: string, level: number): number {
    return this.#turns[level]?.get(network)?.waiting ?? 0;
  }

  #waitingFor(account: string): number {
    return [...this.hashes.keys()].filter((hash) => hash.account === account).length;
  }
}

function isBefore(turns: readonly number[], others: readonly number[]): boolean {
  const at = turns.findIndex((turn, level) => turn !== others[level]);
  return at !== -1 && (turns[at] ?? 0) < (others[at] ?? 0);
}

/**
 * The hashes that wait for a place (S-4). Each share has room of its own, which no other share fills; the hashes of a share are made
 * by turns of the networks that they come from. What nobody waits for any more is never made.
 */
export class HashQueue {
  readonly #lanes: Readonly<Record<HashShare, Lane>>;

  /** Without `limitsNetworks` one network may fill a share; the networks still take turns. */
  constructor(
    limitsNetworks: boolean,
    private readonly whenRefused: (share: HashShare) => void,
  ) {
    const laneOf = (share: HashShare): Lane => new Lane(SHARES[share], limitsNetworks);
    this.#lanes = {
      known: laneOf('known'),
      reset: laneOf('reset'),
      log_in: laneOf('log_in'),
      sign_up: laneOf('sign_up'),
    };
  }

  waitingOf(share: HashShare): number {
    return this.#lanes[share].hashes.size;
  }

  /**
   * Adds a hash. Where there is no room, refuses with `service_unavailable` this hash, or the newest of a more crowded
   * network in its place.
   */
  add(hash: WaitingHash, now = performance.now()): void {
    this.#dropLate(now);
    const found = this.#findPlace(hash);
    if (found === null) {
      this.#refuse(hash);
      return;
    }
    const { lane, place } = found;
    if (place !== 'free') {
      lane.delete(place);
      this.#refuse(place);
    }
    if (lane.hashes.size === 0) lane.passed = Math.max(lane.passed, this.#lowestPassed());
    lane.add(hash, now);
  }

  /** Takes the hash whose turn it is; undefined where none waits. */
  take(now = performance.now()): WaitingHash | undefined {
    this.#dropLate(now);
    const [next] = this.#waitingLanes().sort((a, b) => a.passed - b.passed);
    return next?.take();
  }

  /** A caller whom the account knows may wait among the strangers where the share of known callers has no room. */
  #findPlace(hash: WaitingHash): { readonly lane: Lane; readonly place: WaitingHash | 'free' } | null {
    const shares: readonly HashShare[] = hash.share === 'known' ? ['known', 'log_in'] : [hash.share];
    for (const share of shares) {
      const lane = this.#lanes[share];
      const place = lane.placeFor(hash);
      if (place !== null) return { lane, place };
    }
    return null;
  }

  #waitingLanes(): Lane[] {
    return HASH_SHARES.map((share) => this.#lanes[share]).filter(({ hashes }) => hashes.size > 0);
  }

  /** Returns the value from which a share goes on that had nothing waiting: it saves up nothing for later. */
  #lowestPassed(): number {
    const passed = this.#waitingLanes().map((lane) => lane.passed);
    if (passed.length > 0) return Math.min(...passed);
    return Math.max(...HASH_SHARES.map((share) => this.#lanes[share].passed));
  }

  #dropLate(now: number): void {
    for (const lane of this.#waitingLanes()) {
      for (const [hash, since] of lane.hashes) {
        if (hash.hasGone()) {
          lane.delete(hash);
          hash.refuse(full());
        } else if (now - since > MAX_WAIT_MS) {
          lane.delete(hash);
          this.#refuse(hash);
        }
      }
    }
  }

  #refuse(hash: WaitingHash): void {
    this.whenRefused(hash.share);
    hash.refuse(full());
  }
}
