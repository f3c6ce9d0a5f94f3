/** A place of a chart: `slot` is an index of `Drawing.at`, `value` a price or an amount as a number. */
export interface Dot {
  readonly slot: number;
  readonly value: number;
}

export interface Ohlc {
  readonly slot: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

export interface LineDot extends Dot {
  /** Whether nothing is drawn from here to the next. */
  readonly isLast: boolean;
}

interface Mark extends Dot {
  readonly isUp: boolean;
}

/** Of more slots, each is about a pixel wide. */
export const MANY_SLOTS = 300;

/** What a chart draws. Amounts are numbers here alone, as places: what is read of them is made of the decimals. */
export interface Drawing {
  /** When each slot begins, in seconds: as far from each other, so that the way along the chart is time. */
  readonly at: readonly number[];
  /** The slots that can be pointed at, where not all can. */
  readonly stops?: readonly number[];
  readonly candles?: readonly Ohlc[];
  readonly line?: readonly LineDot[];
  readonly dots: readonly Dot[];
  readonly volumes?: readonly Dot[];
  readonly marks?: readonly Mark[];
  /** Drawn from side to side. */
  readonly level?: number | null;
  /** Of the amounts beside the chart, behind the point. */
  readonly places: number;
}

const WHEN = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** When a slot begins, or something happened, in the reader's zone. */
export function whenText(seconds: number): string {
  return WHEN.format(seconds * 1_000);
}
