import type { Interval } from '../../unified.words.js';
import type { PolymarketClient, Answer } from '../connection/client.js';
import { wirePriceHistory, type WirePricePoint } from './candlestick.wire.js';

/** A stretch of time in Unix seconds, `to` not included, and the minutes between its points. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly fidelity: number;
}

const DAY = 86_400;
/** The exchange refuses windows of more than 15 days, whatever the spacing. */
const WINDOW = 14 * DAY;
const CALLS_AT_ONCE = 4;

/** Of settled markets only points of half a day are kept (polymarket.md 5). */
const SETTLED_FIDELITY = 720;

interface Grain {
  readonly fidelity: number;
  /** Before so many seconds ago the spacing is `older`. */
  readonly keptFor: number;
  readonly older: number;
}

/** Spacing of points to ask for (unified.md 6). */
const GRAINS: Readonly<Record<Interval, Grain>> = {
  '1m': { fidelity: 1, keptFor: Infinity, older: 1 },
  '1h': { fidelity: 5, keptFor: 60 * DAY, older: 30 },
  '1d': { fidelity: 30, keptFor: 90 * DAY, older: 180 },
};

/** The calls that a range takes: no window too long, each of one spacing. `now` in Unix seconds, as all times. */
export function stretchesOf(from: number, to: number, interval: Interval, now: number): Stretch[] {
  const { fidelity, keptFor, older } = GRAINS[interval];
  // The border lies on a day, so that no candle is made of points of both spacings.
  const border = keptFor === Infinity ? -Infinity : Math.ceil((now - keptFor) / DAY) * DAY;
  return [
    ...windows(from, Math.min(to, border)).map((window) => ({ ...window, fidelity: older })),
    ...windows(Math.max(from, border), to).map((window) => ({ ...window, fidelity })),
  ];
}

function windows(from: number, to: number): { from: number; to: number }[] {
  const count = Math.max(0, Math.ceil((to - from) / WINDOW));
  return Array.from({ length: count }, (_, i) => {
    const start = from + i * WINDOW;
    return { from: start, to: Math.min(to, start + WINDOW) };
  });
}

/** Sampled prices of a token (polymarket.md 5). */
export class PriceHistory {
  constructor(private readonly client: PolymarketClient) {}

  /** All points of the stretches; `at` is the time of the oldest answer. */
  async read(tokenId: string, stretches: readonly Stretch[]): Promise<Answer<WirePricePoint[]>> {
    const answers: Answer<WirePricePoint[]>[] = [];
    for (let start = 0; start < stretches.length; start += CALLS_AT_ONCE) {
      const group = stretches.slice(start, start + CALLS_AT_ONCE);
      answers.push(...(await Promise.all(group.map((stretch) => this.#ask(tokenId, stretch)))));
    }
    const at = answers.reduce((oldest, answer) => (answer.at < oldest ? answer.at : oldest), new Date());
    return { value: answers.flatMap(({ value }) => value), at };
  }

  /** All that is kept of a settled market, half a day apart. */
  async readSettled(tokenId: string): Promise<Answer<WirePricePoint[]>> {
    const query = [['market', tokenId] as const, ['interval', 'max'] as const];
    return await this.#history([...query, ['fidelity', String(SETTLED_FIDELITY)] as const]);
  }

  async #ask(tokenId: string, { from, to, fidelity }: Stretch): Promise<Answer<WirePricePoint[]>> {
    return await this.#history([
      ['market', tokenId],
      // The exchange speaks of points *after* this second; what lies before `from` is dropped with the candles.
      ['startTs', String(from - 1)],
      ['endTs', String(to)],
      ['fidelity', String(fidelity)],
    ]);
  }

  async #history(query: (readonly [name: string, value: string])[]): Promise<Answer<WirePricePoint[]>> {
    const { value, at } = await this.client.read({ host: 'clob', path: '/prices-history', query }, wirePriceHistory);
    return { value: value.history, at };
  }
}
