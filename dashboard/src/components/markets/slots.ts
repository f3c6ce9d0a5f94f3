import { complement, placesOf } from '../../../../src/exchanges/decimal.js';
import { type Drawing, MANY_SLOTS, type Ohlc, whenText } from '../chart/drawing.js';

/** As the API states it: null is not known. */
export interface Candle {
  readonly start: string;
  readonly open: string | null;
  readonly high: string | null;
  readonly low: string | null;
  readonly close: string | null;
  readonly volume: string | null;
  readonly source: string;
  readonly samples: number | null;
  readonly trade_count: number | null;
}

/** A fill of the account, as the API states it. */
export interface Fill {
  readonly outcome: { readonly index: number | null };
  readonly side: 'buy' | 'sell';
  readonly price: string;
  readonly size: string;
  readonly timestamp: string;
}

/** An own fill as one outcome sees it. */
export interface OwnFill {
  readonly at: number;
  /** Of this outcome, in its currency. */
  readonly price: string;
  /** Whether it was for this outcome: bought, or the other one sold. */
  readonly isUp: boolean;
  readonly text: string;
}

/** One interval, what its candle is, and what was traded in it. */
export interface Slot {
  /** In seconds. */
  readonly at: number;
  readonly candle: Candle | undefined;
  readonly fills: readonly OwnFill[];
}

const SIDES = { buy: 'Bought', sell: 'Sold' } as const;

interface Outcome {
  readonly index: number;
  readonly label: string;
}

/**
 * The fill at the price of this outcome; null where it is not known which one it was of. To buy one of two outcomes is to sell the other at
 * 1 less the price, and an exchange may state every sale so.
 */
export function ownFillOf(
  { outcome, side, price, size, timestamp }: Fill,
  outcomes: readonly Outcome[],
  index: number,
): OwnFill | null {
  const at = Date.parse(timestamp) / 1_000;
  const traded = `${SIDES[side]} ${size}`;
  if (outcome.index === index) return { at, price, isUp: side === 'buy', text: `${traded} at ${price}` };
  const other = outcomes.find((one) => one.index === outcome.index);
  if (other === undefined || outcomes.length !== 2) return null;
  const here = complement(price);
  return {
    at,
    price: here,
    isUp: side === 'sell',
    text: `${traded} of ${other.label} at ${price}, which is ${here} here`,
  };
}

/** More are not made, whatever the times are. */
const MOST_SLOTS = 10_000;

/** Each interval of `step` seconds from the first candle or fill to the last, oldest first: where nothing is, so that gaps are seen. */
export function slotsOf(candles: readonly Candle[], fills: readonly OwnFill[], step: number): Slot[] {
  if (candles.length + fills.length === 0) return [];
  const found = new Map(candles.map((candle) => [Date.parse(candle.start) / 1_000, candle]));
  const starts = [...found.keys()].sort((a, b) => a - b);
  const [begin = Math.min(...fills.map(({ at }) => Math.floor(at / step) * step))] = starts;
  const oldest = Math.min(begin, ...fills.map(({ at }) => at));
  const newest = Math.max(begin, ...fills.map(({ at }) => at));
  const at: number[] = [];
  const fill = (from: number, before: number): void => {
    for (let next = from; next <= before && at.length < MOST_SLOTS; next += step) at.push(next);
  };
  fill(begin - Math.ceil((begin - oldest) / step) * step, begin - step);
  for (const start of starts) {
    // Days of the exchange may have 23 or 25 hours.
    fill((at.at(-1) ?? start) + step, start - step);
    at.push(start);
  }
  fill((at.at(-1) ?? begin - step) + step, newest);
  const inOrder = [...fills].sort((a, b) => a.at - b.at);
  let told = inOrder.findIndex((one) => one.at >= (at[0] ?? 0));
  return at.map((second, index) => {
    const end = at[index + 1] ?? Infinity;
    const from = told === -1 ? inOrder.length : told;
    for (told = from; (inOrder[told]?.at ?? Infinity) < end;) told += 1;
    return { at: second, candle: found.get(second), fills: inOrder.slice(from, told) };
  });
}

export function madeOf({ source, samples, trade_count: trades }: Candle): string {
  if (source === 'price_points') return samples === 1 ? '1 sample' : `${samples ?? 'some'} samples`;
  return trades === null ? 'trades' : `${trades} trades`;
}

const PRICES = ['open', 'high', 'low', 'close', 'volume'] as const;

/** What a slot holds, as the API states it. */
export function textsOf({ at, candle, fills }: Slot): string[] {
  const prices =
    candle === undefined ? [] : PRICES.flatMap((name) => (candle[name] === null ? [] : [`${name} ${candle[name]}`]));
  const said = candle?.close == null ? ['no price', ...prices] : [...prices, madeOf(candle)];
  return [whenText(at), ...said, ...fills.map(({ text }) => text)];
}

function placesIn(prices: readonly (string | null)[]): number {
  return Math.max(0, ...prices.map((price) => placesOf(price ?? '0')));
}

/**
 * A candle where all four prices are known, a dot where there is but one, and nothing where there is none. Where candles are a pixel wide,
 * those of one price are dots too: nobody would see them.
 */
export function drawingOf(slots: readonly Slot[], level: string | null): Drawing {
  const candles: Ohlc[] = [];
  const dots: { slot: number; value: number }[] = [];
  for (const [slot, { candle }] of slots.entries()) {
    if (candle?.close == null) continue;
    const { open, high, low, close } = candle;
    const isWhole = open !== null && high !== null && low !== null && (slots.length <= MANY_SLOTS || high !== low);
    if (isWhole) candles.push({ slot, open: Number(open), high: Number(high), low: Number(low), close: Number(close) });
    else dots.push({ slot, value: Number(close) });
  }
  return {
    at: slots.map(({ at }) => at),
    candles,
    dots,
    volumes: slots.flatMap(({ candle }, slot) =>
      candle?.volume == null ? [] : [{ slot, value: Number(candle.volume) }],
    ),
    marks: slots.flatMap(({ fills }, slot) => fills.map(({ price, isUp }) => ({ slot, value: Number(price), isUp }))),
    level: level === null ? null : Number(level),
    places: placesIn([level, ...slots.map(({ candle }) => candle?.close ?? null)]),
  };
}
