import { AppError } from '../platform/errors/app-error.js';
import { currentCallContext, withCallContext } from '../platform/upstream/call-context.js';
import { onAbort, StopSignal } from '../platform/upstream/stop-signal.js';
import { type CancelReport, CancelTally, type ReasonOf } from './cancel-batches.js';
import type { LongReads, ReadInParts } from './long-reads.js';
import { eachPage, type ReadPage } from './page-walk.js';

/** The most walks through one list. */
const MOST_WALKS = 3;

/** The exchange's own clocks may lie apart by so much, in ms, without an order being missed. */
const SLACK_MS = 5_000;

/** An open order as a list shows it. */
export interface ListedOrder<Order> {
  /** Null where it names none. */
  readonly id: string | null;
  /** Null where it has none, or none can be read. */
  readonly clientOrderId: string | null;
  /** Null where the exchange does not say. */
  readonly createdAt: Date | null;
  /** What a cancel needs of it; null where that cannot be read, or not whether it is wanted. */
  readonly order: Order | null;
}

/** By what an open order is known. */
interface OpenOrderName {
  readonly id: string;
  readonly clientOrderId: string | null;
}

/** Returns the ids of those of these open orders that are to be cancelled. Throws AppError, which ends the walk. */
export type WantedOrders = (orders: readonly OpenOrderName[]) => Promise<ReadonlySet<string>>;

/** The open orders that are to be cancelled. */
export interface OpenOrders<Order> {
  readonly readPage: ReadPage<ListedOrder<Order>>;
  /** The exchange's time. */
  readonly now: () => Date;
  /** The error of a list that cannot be relied on. */
  readonly unusable: () => AppError;
  /** As many as one call cancels. */
  readonly batchSize: number;
  /** Sends one call; `read` is for what must be read to know what became of the orders. */
  readonly cancel: (batch: readonly Order[], read: ReadInParts) => Promise<ReasonOf<Order>>;
}

/**
 * Cancels what these lists show, each order once, those of a page before the next page is read; the lists at the same time. What
 * ends a list early is the report's `failure`, and thrown where the report would be empty; so is the refusal of a first batch
 * where no other was answered. A first batch that may have been taken is in the report beside its failure. The reading of each list together has the time of a long read, and ends with its client
 * until the first cancel. Where `wanted` is given, only what it wants is cancelled, and in the report.
 */
export function cancelOpen<Order extends { readonly id: string }>(
  lists: readonly OpenOrders<Order>[],
  longReads: LongReads,
  wanted: WantedOrders = allOf,
): Promise<CancelReport> {
  return endingWithClient(async (begin) => {
    const seen = new Set<string>();
    const walks = lists.map((list) => new CancelWalk(list, longReads.inParts(), { seen, wanted, begin }));
    await Promise.all(walks.map((walk) => walk.run()));
    return reportOf(walks, seen.size);
  });
}

/** A list of orders that are named, in place of one that is read. */
export function listOf<Order extends { readonly id: string }>(orders: readonly Order[]): OpenOrders<Order>['readPage'] {
  const items = orders.map((order) => ({ id: order.id, clientOrderId: null, createdAt: null, order }));
  return () => Promise.resolve({ items, next: null });
}

/** A walk that has come to its end. */
type Walked = Pick<CancelWalk<never>, 'failure' | 'refusal'> & {
  readonly tally: Pick<CancelTally<never>, 'report' | 'isAnswered'>;
};

/** What walks came to that have seen so many orders; throws where that is nothing. */
function reportOf(walks: readonly Walked[], seen: number): CancelReport {
  const refused = walks.some(({ tally }) => tally.isAnswered) ? null : firstOf(walks, 'refusal');
  if (refused !== null && refused.details?.may_have_been_cancelled !== true) throw refused;
  const cancelled = walks.flatMap(({ tally }) => tally.report.cancelled);
  const not_cancelled = walks.flatMap(({ tally }) => tally.report.not_cancelled);
  const failure = firstOf(walks, 'failure') ?? refused;
  if (failure === null) return { cancelled, not_cancelled };
  if (seen === 0) throw failure;
  return { cancelled, not_cancelled, failure };
}

function firstOf(walks: readonly Walked[], kind: 'failure' | 'refusal'): AppError | null {
  return walks.map((walk) => walk[kind]).find((error) => error !== null) ?? null;
}

/** What walks through several lists share. */
interface SharedWalk {
  /** Ids, in small letters, of orders that need no second look. */
  readonly seen: Set<string>;
  readonly wanted: WantedOrders;
  /** Is called before each cancel. */
  readonly begin: () => void;
}

const allOf: WantedOrders = (orders) => Promise.resolve(new Set(orders.map(({ id }) => id)));

/** Cancels what one list shows. */
class CancelWalk<Order extends { readonly id: string }> {
  readonly tally: CancelTally<Order>;
  /** Why there may be open orders that the tally does not name. */
  failure: AppError | null = null;
  /** Why nothing was cancelled: the error of the first batch. */
  refusal: AppError | null = null;
  #begunAt: Date | null = null;

  constructor(
    private readonly list: OpenOrders<Order>,
    private readonly read: ReadInParts,
    private readonly shared: SharedWalk,
  ) {
    this.tally = new CancelTally(list.batchSize, (batch) => {
      shared.begin();
      return list.cancel(batch, read);
    });
  }

  /**
   * Cancels may shift the pages behind them, so a list of several is walked again until it shows nothing new; then what was made
   * since the beginning is left alone.
   */
  async run(): Promise<void> {
    try {
      for (let walk = 1; walk <= MOST_WALKS; walk += 1) if (await this.#walk(walk > 1)) return;
      this.failure ??= this.list.unusable();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.failure = error;
    }
  }

  /** Returns whether there is nothing more to be done. */
  async #walk(isRepeat: boolean): Promise<boolean> {
    let [pages, found] = [0, 0];
    for await (const page of eachPage((cursor) => this.read(() => this.list.readPage(cursor)), this.list.unusable)) {
      this.#begunAt ??= this.list.now();
      const orders = await this.#wanted(page.items.filter((listed) => this.#isNew(listed, isRepeat)));
      pages += 1;
      found += orders.length;
      this.refusal = await this.#cancel(orders);
      if (this.refusal === null) continue;
      if (isRepeat || pages > 1 || page.next !== null) this.failure = this.refusal;
      return true;
    }
    return pages === 1 || found === 0;
  }

  #isNew({ id, createdAt }: ListedOrder<Order>, isRepeat: boolean): boolean {
    if (id === null) {
      this.failure ??= this.list.unusable();
      return false;
    }
    const latest = (this.#begunAt?.getTime() ?? 0) + SLACK_MS;
    if (this.shared.seen.has(id.toLowerCase()) || (isRepeat && (createdAt?.getTime() ?? 0) > latest)) return false;
    this.shared.seen.add(id.toLowerCase());
    return true;
  }

  async #wanted(listed: readonly ListedOrder<Order>[]): Promise<ListedOrder<Order>[]> {
    const names = listed.flatMap(({ id, clientOrderId }) => (id === null ? [] : [{ id, clientOrderId }]));
    const wanted = names.length === 0 ? new Set() : await this.shared.wanted(names);
    return listed.filter(({ id }) => id !== null && wanted.has(id));
  }

  async #cancel(listed: readonly ListedOrder<Order>[]): Promise<AppError | null> {
    for (const { id, order } of listed) if (id !== null && order === null) this.tally.noteUnknown(id);
    return this.tally.cancel(listed.flatMap(({ order }) => (order === null ? [] : [order])));
  }
}

/** Runs `work`, whose reads end with the client until it calls `begin`: a change that has begun is completed. */
async function endingWithClient<T>(work: (begin: () => void) => Promise<T>): Promise<T> {
  const context = currentCallContext();
  if (context?.signal === undefined) return work(() => undefined);
  const stop = new StopSignal();
  const end = (): void => {
    stop.abort();
  };
  const begin = onAbort(context.signal, end);
  if (context.signal.aborted) end();
  try {
    return await withCallContext({ ...context, signal: stop }, () => work(begin));
  } finally {
    begin();
  }
}
