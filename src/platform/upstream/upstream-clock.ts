import { Logger } from '@nestjs/common';
import { outsideCallContext } from './call-context.js';
import { SKEW_WARNING_MS } from './upstream.constants.js';

/** `Date` has whole seconds: the moment it names lies up to so long before the moment it was written. */
const RESOLUTION_MS = 1_000;

/** What one answer says: how far the exchange's clock is ahead, in ms, and how far from that the true gap may lie. */
interface Reading {
  readonly skewMs: number;
  readonly withinMs: number;
}

/** The host's clock corrected by an exchange's own, learnt from the `Date` of its answers (contract.md 5, R-17). */
export class UpstreamClock {
  readonly #logger = new Logger(UpstreamClock.name);
  #skewMs: number | null = null;
  /** How far the true gap is from `#skewMs` at most; 0 while the clock of the host is not corrected. */
  #uncertaintyMs = 0;
  /** The newest answer, where it alone says that a clock was changed. */
  #doubted: Reading | null = null;
  #reading: Promise<void> | null = null;

  /** `host` returns the host's time (tests shift it); `name` is the server's, for the log. */
  constructor(
    private readonly host: () => Date = () => new Date(),
    private readonly name = 'upstream',
  ) {}

  /** Milliseconds that the exchange's clock is ahead of the host's; null before the first answer. */
  get skewMs(): number | null {
    return this.#skewMs;
  }

  now(): Date {
    return new Date(this.host().getTime() + (this.#skewMs ?? 0));
  }

  /** As `now`, by the newest answer, whether it is believed or not. */
  told(): Date {
    return new Date(this.host().getTime() + (this.#doubted?.skewMs ?? this.#skewMs ?? 0));
  }

  /** The host's own time, for `observe`. */
  hostNow(): Date {
    return this.host();
  }

  /**
   * Learns from one answer: its `Date` (null and unreadable ones teach nothing) and the host's times around the call. Each
   * answer is right to half a second for the resolution of `Date` and half the round trip. What both it and the estimate so
   * far allow is no change of a clock: the estimate then moves only as far as the answer demands. So a right host clock
   * stays uncorrected, and one that is off is logged once. The first answer is believed; that a clock was changed since, only
   * two in a row that agree.
   */
  observe(dateHeader: string | null, requestStartedAt: Date, receivedAt: Date): void {
    const date = dateHeader === null ? NaN : Date.parse(dateHeader);
    const startedMs = requestStartedAt.getTime();
    const roundTripMs = Math.max(0, receivedAt.getTime() - startedMs);
    const answerMs = Math.round(date + RESOLUTION_MS / 2 - (startedMs + roundTripMs / 2));
    if (Number.isNaN(answerMs)) return;
    const withinMs = Math.ceil((RESOLUTION_MS + roundTripMs) / 2);
    const currentMs = this.#skewMs ?? 0;
    if (Math.abs(answerMs - currentMs) > withinMs + this.#uncertaintyMs) {
      this.#hearChange({ skewMs: answerMs, withinMs });
      return;
    }
    this.#doubted = null;
    const refinedMs = Math.min(Math.max(currentMs, answerMs - withinMs), answerMs + withinMs);
    const leftMs = Math.min(this.#uncertaintyMs, Math.abs(answerMs - refinedMs) + withinMs);
    this.#adopt(refinedMs, leftMs, false);
  }

  /**
   * Where nothing is known yet, or one answer alone says that a clock was changed, makes one public read first, so that the
   * next signed call has the right time. Concurrent callers share it. Throws what `read` throws where nothing is known, and then
   * the next caller tries again.
   */
  async synchronise(read: () => Promise<unknown>): Promise<void> {
    if (this.#skewMs !== null && this.#doubted === null) return;
    this.#reading ??= outsideCallContext(() => this.#learn(read)).finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  async #learn(read: () => Promise<unknown>): Promise<void> {
    try {
      await read();
    } catch (error) {
      if (this.#skewMs === null) throw error;
    }
    // An answer without a `Date` teaches nothing: the estimate stays, so that not every call reads once more.
    this.#skewMs ??= 0;
    this.#doubted = null;
  }

  #hearChange(heard: Reading): void {
    const before = this.#doubted;
    const isAgreed = before !== null && Math.abs(heard.skewMs - before.skewMs) <= heard.withinMs + before.withinMs;
    this.#doubted = heard;
    if (this.#skewMs !== null && !isAgreed) return;
    this.#doubted = null;
    this.#adopt(heard.skewMs, heard.withinMs, true);
  }

  #adopt(skewMs: number, uncertaintyMs: number, changed: boolean): void {
    const wasFar = Math.abs(this.#skewMs ?? 0) > SKEW_WARNING_MS;
    const isFar = Math.abs(skewMs) > SKEW_WARNING_MS;
    this.#skewMs = skewMs;
    this.#uncertaintyMs = uncertaintyMs;
    const gap = `${Math.abs(skewMs)} ms ${skewMs > 0 ? 'ahead of' : 'behind'}`;
    if (isFar && (changed || !wasFar)) {
      this.#logger.warn(`The clock of ${this.name} is ${gap} this host's; signing follows it.`);
    } else if (wasFar && !isFar) this.#logger.log(`The clock of ${this.name} agrees with this host's again.`);
  }
}
