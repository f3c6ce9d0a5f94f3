import { ONE } from '../../units.js';
import { type EventSeed, type SeriesSeed } from '../seeds/seed.js';
import { type FeeRule } from './fee.js';

const GENERAL: FeeRule = { type: 'quadratic', multiplier: ONE };

/** What each market charges: the rule of its event, else of its series, else the general one. */
export class FeeSchedule {
  readonly #series = new Map<string, FeeRule>();
  readonly #events = new Map<string, FeeRule>();

  /** Of the trades of an event's markets from now on. */
  of(event: EventSeed): FeeRule {
    return this.ofEvent(event.ticker) ?? this.ofSeries(event.series);
  }

  ofSeries(series: SeriesSeed): FeeRule {
    return this.#series.get(series.ticker) ?? series.fee ?? GENERAL;
  }

  /** Undefined where the event follows its series. */
  ofEvent(ticker: string): FeeRule | undefined {
    return this.#events.get(ticker);
  }

  setSeries(ticker: string, rule: FeeRule): void {
    this.#series.set(ticker, rule);
  }

  /** `undefined` lets the event follow its series again. */
  setEvent(ticker: string, rule: FeeRule | undefined): void {
    if (rule === undefined) this.#events.delete(ticker);
    else this.#events.set(ticker, rule);
  }
}
