import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '../platform/config/settings.js';
import { randomFraction } from '../platform/secrets/random.js';
import { Periodic } from '../platform/time/periodic.js';
import { outsideCallContext } from '../platform/upstream/call-context.js';
import { type Connect, webSockets } from '../platform/upstream/web-socket.js';
import { AccountFeed, type AccountParts } from './account-feed.js';
import { HOST_CLOCK } from './feed-parts.js';

const TICK_MS = 250;
/** How long the feed of an account goes on that nobody reads any more: who comes back at once finds it. */
const LINGER_MS = 5_000;

/** Of `UPSTREAM_TIMEOUT` so much: who waits for that as a whole learns what was wrong. */
const WAITED = 0.9;

/** What an account is opened and read by; see `AccountFeed`. */
export type AccountAccess = Pick<AccountParts, 'open' | 'recorded' | 'run' | 'skewMs'>;

/** Whose account it is: each version of the credentials is one of its own. */
export interface AccountName {
  readonly userId: string;
  readonly exchange: string;
  readonly version: string;
}

interface Kept {
  readonly feed: AccountFeed;
  readonly exchange: string;
  readers: number;
  /** Unix milliseconds; null while it is read. */
  idleSinceMs: number | null;
}

/** How the feed of an account stands; `polling` where all is told, but late. */
export const ACCOUNT_STATES = ['waiting', 'live', 'polling', 'stale'] as const;
type AccountState = (typeof ACCOUNT_STATES)[number];

/** A feed that somebody reads, until it is given back. */
export interface HeldFeed {
  readonly feed: AccountFeed;
  release(): void;
}

/** The feeds of accounts, one a set of credentials and instance, while somebody reads them (feeds.md 6). */
@Injectable()
export class AccountFeeds implements OnApplicationShutdown {
  readonly #kept = new Map<string, Kept>();
  readonly #connect: Connect;
  readonly #timeoutMs: number;
  readonly #rounds = new Periodic(TICK_MS, () => {
    this.#tick();
    return Promise.resolve();
  });
  #hasBegun = false;

  constructor({ upstreamTimeoutMs }: Settings) {
    this.#timeoutMs = upstreamTimeoutMs * WAITED;
    this.#connect = webSockets(upstreamTimeoutMs);
  }

  /** How many accounts of an exchange are followed, by how they stand. */
  statesOf(exchange: string): Readonly<Record<AccountState, number>> {
    const states = { waiting: 0, live: 0, polling: 0, stale: 0 };
    for (const kept of this.#kept.values()) if (kept.exchange === exchange) states[stateOf(kept.feed)] += 1;
    return states;
  }

  /** The feed of an account, which begins where nobody reads it yet. What is returned must be released. */
  hold({ userId, exchange, version }: AccountName, access: AccountAccess): HeldFeed {
    const name = `${userId} ${exchange} ${version}`;
    const known = this.#kept.get(name);
    const kept = known === undefined || known.feed.hasFailed ? this.#begin(name, exchange, access) : known;
    kept.readers += 1;
    kept.idleSinceMs = null;
    let isHeld = true;
    return {
      feed: kept.feed,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        kept.readers -= 1;
        if (kept.readers === 0) kept.idleSinceMs = HOST_CLOCK.now();
      },
    };
  }

  /**
   * Waits until a feed tells all that happens, a little less than `UPSTREAM_TIMEOUT`. Throws what keeps it from that, `credentials_rejected` too, and
   * `exchange_timeout`.
   */
  whenSure({ feed }: HeldFeed): Promise<void> {
    return feed.whenSure(this.#timeoutMs);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
    for (const { feed } of this.#kept.values()) feed.stop();
    this.#kept.clear();
  }

  #begin(name: string, exchange: string, access: AccountAccess): Kept {
    const parts = { ...access, connect: this.#connect, clock: HOST_CLOCK, random: randomFraction };
    const kept: Kept = { feed: new AccountFeed(parts), exchange, readers: 0, idleSinceMs: null };
    this.#kept.set(name, kept);
    outsideCallContext(() => {
      if (!this.#hasBegun) this.#rounds.start();
      this.#hasBegun = true;
      kept.feed.start();
    });
    return kept;
  }

  #tick(): void {
    const now = HOST_CLOCK.now();
    for (const [name, { feed, idleSinceMs }] of this.#kept) {
      if (idleSinceMs !== null && now - idleSinceMs >= LINGER_MS) {
        feed.stop();
        this.#kept.delete(name);
      } else feed.tick();
    }
  }
}

function stateOf({ status: { state, source } }: AccountFeed): AccountState {
  return state === 'live' && source === 'polling' ? source : state;
}
