import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Tally } from '../../platform/metrics/tally.js';
import { Periodic } from '../../platform/time/periodic.js';
import { withCallContext } from '../../platform/upstream/call-context.js';
import { type OpenOrder, OpenPlacements, type UnwantedOrder } from '../placing/ledger-open.repository.js';
import { Sendings } from '../placing/sendings.js';
import { type Settled, SentOrders } from './sent-orders.js';

const EVERY_MS = 5_000;
/** Looked up at the same time, by one instance; so many of one user. */
const LANES = 16;
const OF_ONE_USER = 4;

/**
 * Looks up, every 5 s, the orders whose call has ended without knowing what became of them, or has died: so that it is learned although
 * nobody repeats the call, with a key or without. Any instance does that; each order is one's at a time.
 */
@Injectable()
export class OrderSettler implements OnApplicationBootstrap, OnModuleDestroy {
  /** Orders that were looked at, by what came of it. */
  readonly ends = new Tally(['outcome']);
  readonly #logger = new Logger('OrderSettler');
  readonly #stop = new AbortController();
  readonly #rounds = new Periodic(
    EVERY_MS,
    () => this.run(),
    (error) => {
      this.#logger.warn({ err: error, message: 'orders of unknown fate could not be looked up, and are later' });
    },
  );

  constructor(
    private readonly open: OpenPlacements,
    private readonly orders: SentOrders,
    private readonly sendings: Sendings,
  ) {}

  onApplicationBootstrap(): void {
    this.#rounds.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.#stop.abort();
    await this.#rounds.stop();
  }

  /** Looks at all that are due. */
  async run(): Promise<void> {
    await Promise.all((await this.open.takeUnwanted(LANES)).map((order) => this.#cancel(order)));
    while (!this.#stop.signal.aborted) {
      const taken = await this.open.takeDue(LANES, OF_ONE_USER, this.sendings.busyMs);
      if (taken.length === 0) return;
      await Promise.all(taken.map((order) => this.#settle(order)));
    }
  }

  async #cancel(order: UnwantedOrder): Promise<void> {
    const context = { caller: order.userId, fresh: false, signal: this.#stop.signal };
    try {
      await withCallContext(context, () => this.orders.cancelUnwanted(order));
    } catch (error) {
      this.#logger.warn({
        err: error,
        message: 'an order under a key that was given up could not be cancelled, and is later',
      });
    }
  }

  async #settle(order: OpenOrder): Promise<void> {
    const context = { caller: order.claim.userId, fresh: false, signal: this.#stop.signal };
    const settled = await withCallContext(context, () => this.orders.settle(order));
    this.ends.count(outcomeOf(settled));
    if (order.isAbandoned && typeof settled === 'object')
      await this.#cancel({ ...order.claim, orderId: settled.order.id });
  }
}

function outcomeOf(settled: Settled): 'made' | 'none' | 'unknown' {
  return typeof settled === 'string' ? settled : 'made';
}
