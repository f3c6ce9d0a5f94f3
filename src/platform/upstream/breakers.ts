import { LRUCache } from 'lru-cache';
import { Breaker, type BreakerState, type Outcome } from './breaker.js';
import type { Caller } from './callers.js';
import { BREAKER_MAX_CALLERS } from './upstream.constants.js';
import type { Call } from './upstream-call.js';
import { UpstreamError } from './upstream-client.js';

/**
 * The kinds of calls that have a breaker each: sent cancels, sent orders, shared reads, and all other calls, nearly all of them
 * signed reads.
 */
export const BREAKER_KINDS = ['cancel', 'order', 'signed_read', 'public_read'] as const;
export type BreakerKind = (typeof BREAKER_KINDS)[number];

/** The facts of a call that breakers use. */
export type BreakableCall = Pick<Call, 'method' | 'priority' | 'shared' | 'target' | 'callers'>;

function kindOf({ method, priority, shared }: BreakableCall): BreakerKind {
  if (method === 'DELETE' && priority === 'cancel') return 'cancel';
  if (method === 'POST' && priority === 'order') return 'order';
  return shared ? 'public_read' : 'signed_read';
}

/** Whether a call is a read that an order or a cancel waits for. */
function isUrgentRead({ method, priority }: BreakableCall): boolean {
  return method === 'GET' && (priority === 'order' || priority === 'cancel');
}

/**
 * Each kind of call has one breaker for all callers, which opens when the calls of several callers fail.
 * Each caller also has breakers of their own: for sent cancels, for sent orders, for the reads that either needs and
 * for other reads. They open when the calls of that caller fail, since the cause may be the account or the question.
 * What an order or a cancel must read counts among reads, but failing reads of others never hold it back.
 */
export class Breakers {
  readonly #common: Readonly<Record<BreakerKind, Breaker>>;
  readonly #own: Readonly<Record<BreakerKind, OwnBreakers>>;

  /** `name` is for the log; `now` is a clock in ms that only goes forward. */
  constructor(name: string, now: () => number = () => performance.now()) {
    this.#common = {
      // Each caller may try a cancel, however many do.
      cancel: new Breaker(`${name} for cancels`, now, Infinity),
      order: new Breaker(`${name} for orders`, now),
      signed_read: new Breaker(`${name} for signed reads`, now),
      public_read: new Breaker(`${name} for public reads`, now),
    };
    const reads = new OwnBreakers(`${name} for reads`, now);
    this.#own = {
      cancel: new OwnBreakers(`${name} for cancels`, now),
      order: new OwnBreakers(`${name} for orders`, now),
      signed_read: reads,
      public_read: reads,
    };
  }

  /** The state of each kind: `open` where its calls are stopped for all callers, or for each caller who called lately. */
  get states(): Readonly<Record<BreakerKind, BreakerState>> {
    const stateOf = (kind: BreakerKind): BreakerState => {
      const { state } = this.#common[kind];
      return state === 'closed' ? this.#own[kind].state : state;
    };
    return {
      cancel: stateOf('cancel'),
      order: stateOf('order'),
      signed_read: stateOf('signed_read'),
      public_read: stateOf('public_read'),
    };
  }

  /** Throws UpstreamError `paused` where the call may be made for none of its callers now; counts nothing. */
  check(call: BreakableCall): void {
    this.#firstAllowed(call);
  }

  /** Like `check`, and admits one call. Returns the function that records the outcome of the call once. */
  enter(call: BreakableCall): (outcome: Outcome) => void {
    const { caller, own } = this.#firstAllowed(call);
    const all = this.#common[kindOf(call)];
    // Only of public reads, since callers choose what they ask for; signed calls of all accounts have the same targets.
    const target = call.shared ? call.target : undefined;
    const common = isUrgentRead(call) ? all.watch(caller, target) : all.enter(caller, target);
    const recorders = [common, ...(own ? [own.enter(undefined)] : [])];
    return (outcome) => {
      for (const record of recorders) record(outcome);
    };
  }

  #firstAllowed(call: BreakableCall): { caller: Caller; own: Breaker | undefined } {
    const kind = kindOf(call);
    let refusal: UpstreamError | null = null;
    for (const caller of call.callers) {
      const own = caller === undefined ? undefined : this.#own[kind].of(`${call.priority} ${caller}`);
      const common = isUrgentRead(call) ? null : this.#common[kind].refusal(caller);
      refusal = common ?? own?.refusal(undefined) ?? null;
      if (refusal === null) return { caller, own };
    }
    throw refusal ?? new UpstreamError('paused', false);
  }
}

/** The breakers of each caller alone, made where there is none yet. */
class OwnBreakers {
  readonly #breakers = new LRUCache<string, Breaker>({ max: BREAKER_MAX_CALLERS });

  constructor(
    private readonly name: string,
    private readonly now: () => number,
  ) {}

  /** `open` where each who called lately is stopped. */
  get state(): BreakerState {
    const states = [...this.#breakers.values()].filter(({ isIdle }) => !isIdle).map(({ state }) => state);
    if (states.length === 0 || states.includes('closed')) return 'closed';
    return states.includes('open') ? 'open' : 'half_open';
  }

  of(key: string): Breaker {
    const known = this.#breakers.get(key);
    if (known !== undefined) return known;
    const own = new Breaker(`${this.name} of one caller`, this.now);
    this.#breakers.set(key, own);
    return own;
  }
}
