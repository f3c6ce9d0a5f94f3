import { describe, expect, it } from '@jest/globals';
import {
  type Candle,
  drawingOf,
  type Fill,
  type OwnFill,
  ownFillOf,
  slotsOf,
  textsOf,
} from '../../dashboard/src/components/markets/slots.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const START = Date.parse('2026-05-04T00:00:00Z') / 1_000;

function candleAt(seconds: number, change: Partial<Candle> = {}): Candle {
  const start = new Date((START + seconds) * 1_000).toISOString();
  const prices = { open: '0.4', high: '0.45', low: '0.39', close: '0.44', volume: '7' };
  return { start, ...prices, source: 'trades', trade_count: 2, samples: null, ...change };
}

function fillAt(seconds: number, text = `at ${seconds}`): OwnFill {
  return { at: START + seconds, price: '0.4', isUp: true, text };
}

/** When each slot begins, in hours from the start, whether it has a candle, and the fills in it. */
function shapeOf(candles: readonly Candle[], fills: readonly OwnFill[], step = HOUR): unknown[] {
  return slotsOf(candles, fills, step).map(({ at, candle, fills: own }) => [
    (at - START) / HOUR,
    candle !== undefined,
    ...own.map(({ at: second }) => second - START),
  ]);
}

describe('the slots of a chart', () => {
  it('are none of nothing', () => {
    expect(slotsOf([], [], HOUR)).toEqual([]);
  });

  it('have an interval without a candle in its place', () => {
    const shape = [
      [0, true],
      [1, false],
      [2, false],
      [3, true],
    ];
    expect(shapeOf([candleAt(0), candleAt(3 * HOUR)], [])).toEqual(shape);
    expect(shapeOf([candleAt(3 * HOUR), candleAt(0)], [])).toEqual(shape);
  });

  it('begin with their first moment and end before that of the next', () => {
    const candles = [candleAt(0), candleAt(HOUR), candleAt(2 * HOUR)];
    expect(shapeOf(candles, [fillAt(HOUR), fillAt(HOUR - 0.5), fillAt(2 * HOUR - 0.5), fillAt(0)])).toEqual([
      [0, true, 0, HOUR - 0.5],
      [1, true, HOUR, 2 * HOUR - 0.5],
      [2, true],
    ]);
  });

  it('reach to fills before the first candle and after the last', () => {
    const candles = [candleAt(3 * HOUR)];
    const around = [fillAt(5 * HOUR), fillAt(HOUR + 1), fillAt(HOUR)];
    expect(shapeOf(candles, around)).toEqual([
      [1, false, HOUR, HOUR + 1],
      [2, false],
      [3, true],
      [4, false],
      [5, false, 5 * HOUR],
    ]);
    // The last one is not over yet.
    expect(shapeOf(candles, [fillAt(4 * HOUR - 1)])).toEqual([[3, true, 4 * HOUR - 1]]);
    expect(shapeOf(candles, [fillAt(3 * HOUR - 1)])).toEqual([
      [2, false, 3 * HOUR - 1],
      [3, true],
    ]);
  });

  it('are made of fills alone where there is no candle', () => {
    expect(shapeOf([], [fillAt(2 * HOUR), fillAt(60)])).toEqual([
      [0, false, 60],
      [1, false],
      [2, false, 2 * HOUR],
    ]);
  });

  it('follow days of the exchange that are an hour shorter or longer', () => {
    const short = [candleAt(0), candleAt(DAY - HOUR), candleAt(2 * DAY - HOUR)];
    expect(shapeOf(short, [fillAt(DAY - HOUR)], DAY)).toEqual([
      [0, true],
      [23, true, DAY - HOUR],
      [47, true],
    ]);
    const long = [candleAt(0), candleAt(DAY + HOUR)];
    expect(shapeOf(long, [fillAt(DAY), fillAt(DAY + HOUR)], DAY)).toEqual([
      [0, true, DAY],
      [25, true, DAY + HOUR],
    ]);
  });

  it('hold each fill once, however many there are', () => {
    const fills = Array.from({ length: 1_000 }, (_, index) => fillAt(index * 37));
    const slots = slotsOf([candleAt(HOUR), candleAt(9 * HOUR)], fills, HOUR);
    expect(slots.flatMap(({ fills: own }) => own)).toEqual(fills);
    expect(drawingOf(slots, null).marks).toHaveLength(1_000);
    expect(slotsOf([candleAt(0)], [fillAt(1e9)], 60)).toHaveLength(10_000);
  });
});

const OUTCOMES = [
  { index: 0, label: 'Yes' },
  { index: 1, label: 'No' },
];

describe('an own fill', () => {
  const fillOf = (index: number | null, side: 'buy' | 'sell'): Fill => {
    const at = new Date(START * 1_000).toISOString();
    return { outcome: { index }, side, price: '0.31', size: '2.5', timestamp: at };
  };

  it('is up where it was for the outcome, at its price there', () => {
    expect(ownFillOf(fillOf(0, 'buy'), OUTCOMES, 0)).toEqual({
      at: START,
      price: '0.31',
      isUp: true,
      text: 'Bought 2.5 at 0.31',
    });
    expect(ownFillOf(fillOf(0, 'sell'), OUTCOMES, 0)).toMatchObject({ isUp: false, text: 'Sold 2.5 at 0.31' });
    expect(ownFillOf(fillOf(1, 'buy'), OUTCOMES, 0)).toMatchObject({
      price: '0.69',
      isUp: false,
      text: 'Bought 2.5 of No at 0.31, which is 0.69 here',
    });
    expect(ownFillOf(fillOf(1, 'sell'), OUTCOMES, 0)).toMatchObject({ price: '0.69', isUp: true });
    expect(ownFillOf(fillOf(0, 'buy'), OUTCOMES, 1)).toMatchObject({ price: '0.69', isUp: false });
  });

  it('is none where its outcome is not known, or is one of several others', () => {
    expect(ownFillOf(fillOf(null, 'buy'), OUTCOMES, 0)).toBeNull();
    expect(ownFillOf(fillOf(2, 'buy'), OUTCOMES, 0)).toBeNull();
    expect(ownFillOf(fillOf(1, 'buy'), [...OUTCOMES, { index: 2, label: 'Maybe' }], 0)).toBeNull();
  });
});

describe('what is drawn of a slot', () => {
  it('is a candle where all prices are known, a dot where one is, else nothing', () => {
    const one = { open: null, high: null, low: null, source: 'price_points', samples: 1 } as const;
    const none = { open: null, high: null, low: null, close: null, volume: null };
    const candles = [candleAt(0), candleAt(HOUR, one), candleAt(2 * HOUR, none), candleAt(4 * HOUR)];
    const slots = slotsOf(candles, [fillAt(3 * HOUR)], HOUR);
    const drawing = drawingOf(slots, '0.4375');
    expect(drawing.candles?.map(({ slot }) => slot)).toEqual([0, 4]);
    expect(drawing.dots).toEqual([{ slot: 1, value: 0.44 }]);
    expect(drawing.volumes?.map(({ slot }) => slot)).toEqual([0, 1, 4]);
    expect(drawing.marks).toEqual([{ slot: 3, value: 0.4, isUp: true }]);
    expect([drawing.level, drawing.places]).toEqual([0.4375, 4]);
    expect(slots.map((slot) => textsOf(slot).slice(1))).toEqual([
      ['open 0.4', 'high 0.45', 'low 0.39', 'close 0.44', 'volume 7', '2 trades'],
      ['close 0.44', 'volume 7', '1 sample'],
      ['no price'],
      ['no price', `at ${3 * HOUR}`],
      ['open 0.4', 'high 0.45', 'low 0.39', 'close 0.44', 'volume 7', '2 trades'],
    ]);
  });
});
