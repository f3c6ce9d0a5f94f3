import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { AppError } from '../../platform/errors/app-error.js';
import { Drain } from '../../platform/http/drain.js';
import { randomFraction } from '../../platform/secrets/random.js';
import { Periodic } from '../../platform/time/periodic.js';
import { outsideCallContext } from '../../platform/upstream/call-context.js';
import type { StreamConnection } from './stream-connection.js';
import { StreamGrants } from './stream-grants.js';

const TICK_MS = 250;
/** Callers are looked up so many times within the time that one reading is good for. */
const LOOKS_PER_RELIANCE = 3;
/** When readers come again of streams that end with the service: not all at once. */
const [SOONEST_MS, LATEST_MS] = [1_000, 10_000];

/**
 * The open streams of this instance. All of their callers are looked up together, several times within the time that one reading is
 * good for: who may read no more is ended then (S-60).
 */
@Injectable()
export class LiveStreams implements OnModuleDestroy {
  readonly #logger = new Logger('LiveStreams');
  readonly #open = new Set<StreamConnection>();
  readonly #looks: Periodic;
  readonly #ticks: Periodic;
  #hasBegun = false;

  constructor(
    private readonly grants: StreamGrants,
    private readonly drain: Drain,
  ) {
    this.#looks = new Periodic(
      Math.floor(grants.relianceMs / LOOKS_PER_RELIANCE),
      () => this.#look(),
      (error) => {
        this.#logger.warn({ err: error, message: 'The callers of streams could not be looked up; streams wait' });
      },
    );
    this.#ticks = new Periodic(TICK_MS, () => {
      for (const stream of this.#open) stream.tick(databaseAway);
      return Promise.resolve();
    });
    drain.onStart(() => {
      this.#endAll();
    });
  }

  /** Throws `service_unavailable` with reason `draining` where the service ends. */
  assertOpen(): void {
    if (this.drain.started) throw draining();
  }

  add(stream: StreamConnection): void {
    this.#open.add(stream);
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    outsideCallContext(() => {
      this.#looks.start();
      this.#ticks.start();
    });
  }

  remove(stream: StreamConnection): void {
    this.#open.delete(stream);
  }

  async onModuleDestroy(): Promise<void> {
    this.#endAll();
    await Promise.all([this.#looks.stop(), this.#ticks.stop()]);
  }

  async #look(): Promise<void> {
    const streams = [...this.#open];
    if (streams.length === 0) return;
    const verdicts = await this.grants.look(streams.map(({ caller }) => caller));
    for (const [at, stream] of streams.entries()) {
      const verdict = verdicts[at];
      if (verdict !== undefined) stream.apply(verdict);
    }
  }

  #endAll(): void {
    for (const stream of this.#open) stream.end(draining(), retryMs());
  }
}

function draining(): AppError {
  return new AppError('service_unavailable', 'This instance ends. Open the stream again.', {
    details: { reason: 'draining' },
  });
}

function databaseAway(): AppError {
  return new AppError('service_unavailable', 'The service cannot reach its database. Open the stream again shortly.');
}

function retryMs(): number {
  return Math.round(SOONEST_MS + randomFraction() * (LATEST_MS - SOONEST_MS));
}
