import {
  CandlestickSeries,
  CrosshairMode,
  createChartEx,
  createSeriesMarkers,
  defaultHorzScaleBehavior,
  HistogramSeries,
  type DeepPartial,
  LineSeries,
  TickMarkType,
  type Time,
  type TimeChartOptions,
  type UTCTimestamp,
} from 'lightweight-charts';
import { type ReactNode, useEffect, useRef } from 'react';
import css from './chart.module.css';
import { type Drawing, MANY_SLOTS, whenText } from './drawing.js';

const [MINUTE, MS] = [60, 1_000];
/** Of the height, for the volumes at the bottom. */
const VOLUME_SHARE = 0.18;

function formatOf(options: Intl.DateTimeFormatOptions): (time: Time) => string {
  const format = new Intl.DateTimeFormat(undefined, options);
  return (time) => format.format(Number(time) * MS);
}

const CLOCK = formatOf({ hour: 'numeric', minute: '2-digit' });
const TICKS: Readonly<Partial<Record<TickMarkType, (time: Time) => string>>> = {
  [TickMarkType.Year]: formatOf({ year: 'numeric' }),
  [TickMarkType.Month]: formatOf({ month: 'short' }),
  [TickMarkType.DayOfMonth]: formatOf({ month: 'short', day: 'numeric' }),
};

const UtcTime = defaultHorzScaleBehavior();
type Points = Parameters<InstanceType<typeof UtcTime>['fillWeightsForPoints']>[0];

/** The library counts days, months and years in UTC: here they begin where those of the reader do. */
class LocalTime extends UtcTime {
  override fillWeightsForPoints(points: Points, start: number): void {
    const local = points.map((point) => {
      const second = Number(point.originalTime);
      const shifted = second - new Date(second * MS).getTimezoneOffset() * MINUTE;
      return { ...point, time: this.convertHorzItemToInternal(shifted as UTCTimestamp) };
    });
    super.fillWeightsForPoints(local, start);
    for (const [index, { timeWeight }] of local.entries()) {
      const point = points[index];
      if (point !== undefined) point.timeWeight = timeWeight;
    }
  }
}

/** What all charts have, whatever the theme. */
function optionsIn(host: HTMLElement): DeepPartial<TimeChartOptions> {
  return {
    autoSize: true,
    // By the language of dates here: the library would take the browser's, which in the POSIX locale is no language tag.
    localization: {
      locale: new Intl.DateTimeFormat().resolvedOptions().locale,
      timeFormatter: (time: Time) => whenText(Number(time)),
    },
    // Its logo needs a style element and markup, which the policy of the page refuses: the figure names its makers.
    layout: { attributionLogo: false, fontFamily: getComputedStyle(host).fontFamily, fontSize: 11 },
    crosshair: { mode: CrosshairMode.Magnet },
    // A page that is scrolled must not stop here, and nothing may go on moving by itself.
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
    kineticScroll: { touch: false, mouse: false },
    rightPriceScale: { borderVisible: false },
    timeScale: {
      borderVisible: false,
      timeVisible: true,
      minBarSpacing: 0.001,
      fixLeftEdge: true,
      fixRightEdge: true,
      tickMarkFormatter: (time: Time, type: TickMarkType) => (TICKS[type] ?? CLOCK)(time),
    },
  };
}

/** A chart in a host, empty. */
function beginIn(host: HTMLElement) {
  const chart = createChartEx<Time, LocalTime>(host, new LocalTime(), optionsIn(host));
  const quiet = { priceLineVisible: false, lastValueVisible: false } as const;
  const dotted = { ...quiet, lineVisible: false, crosshairMarkerVisible: false } as const;
  const volumes = chart.addSeries(HistogramSeries, { ...quiet, priceScaleId: '', priceFormat: { type: 'volume' } });
  volumes.priceScale().applyOptions({ scaleMargins: { top: 1 - VOLUME_SHARE, bottom: 0 } });
  const candles = chart.addSeries(CandlestickSeries, { ...quiet, upColor: 'transparent' });
  const line = chart.addSeries(LineSeries, { ...quiet, lineWidth: 2 });
  const dots = chart.addSeries(LineSeries, { ...dotted, pointMarkersVisible: true });
  const marked = chart.addSeries(LineSeries, dotted);
  const marks = createSeriesMarkers<Time>(marked, []);
  chart.timeScale().subscribeSizeChange(() => {
    chart.timeScale().fitContent();
  });
  return { host, chart, volumes, candles, line, dots, marked, marks };
}

type Parts = ReturnType<typeof beginIn>;

function colourOf(host: HTMLElement, name: 'rose' | 'fell' | 'line' | 'text' | 'accent' | 'card'): string {
  return getComputedStyle(host).getPropertyValue(`--chart-${name}`);
}

/** The colours of the theme as it is now. */
function colour({ host, chart, volumes, candles, line, dots }: Parts): void {
  const [rose, fell, text] = [colourOf(host, 'rose'), colourOf(host, 'fell'), colourOf(host, 'text')];
  const grid = { color: colourOf(host, 'line') };
  const pointer = { color: text, labelBackgroundColor: colourOf(host, 'accent') };
  chart.applyOptions({
    layout: { background: { color: 'transparent' }, textColor: text },
    grid: { vertLines: grid, horzLines: grid },
    crosshair: { vertLine: pointer, horzLine: pointer },
  });
  volumes.applyOptions({ color: grid.color });
  candles.applyOptions({
    downColor: fell,
    borderUpColor: rose,
    borderDownColor: fell,
    wickUpColor: rose,
    wickDownColor: fell,
  });
  const accent = colourOf(host, 'accent');
  line.applyOptions({ color: accent, crosshairMarkerBackgroundColor: accent });
  dots.applyOptions({ color: accent });
}

/** Arrows up and down, in the colours of what rose and what fell: told apart without them. */
function drawMarks({ host, marked, marks }: Parts, { at, marks: own = [] }: Drawing): void {
  const timed = own.map((mark) => ({ ...mark, time: timeOf(at, mark.slot) }));
  // One of each slot is enough for an axis that has room for them.
  marked.setData([...new Map(timed.map(({ time, value }) => [time, { time, value }])).values()]);
  marks.setMarkers(
    timed.map(({ time, value, isUp }) => ({
      time,
      price: value,
      position: isUp ? 'atPriceBottom' : 'atPriceTop',
      shape: isUp ? 'arrowUp' : 'arrowDown',
      color: colourOf(host, isUp ? 'rose' : 'fell'),
    })),
  );
}

function timeOf(at: readonly number[], slot: number): UTCTimestamp {
  return (at[slot] ?? 0) as UTCTimestamp;
}

/** On what has something to draw: a line of an empty series is not drawn. */
function drawLevel({ host, candles, dots }: Parts, { candles: own = [], level = null }: Drawing): void {
  for (const series of [candles, dots]) for (const line of series.priceLines()) series.removePriceLine(line);
  if (level === null) return;
  const color = colourOf(host, 'text');
  const label = { axisLabelColor: color, axisLabelTextColor: colourOf(host, 'card') };
  (own.length > 0 ? candles : dots).createPriceLine({ price: level, lineWidth: 1, color, ...label });
}

function draw(parts: Parts, drawing: Drawing): void {
  const { at, candles = [], line = [], dots, volumes = [], places } = drawing;
  const timed = <T extends { readonly slot: number }>(all: readonly T[]) =>
    all.map((one) => ({ ...one, time: timeOf(at, one.slot) }));
  const format = new Intl.NumberFormat(undefined, { minimumFractionDigits: places, maximumFractionDigits: places });
  const amounts = {
    type: 'custom',
    minMove: 10 ** -places,
    formatter: (value: number) => format.format(value),
  } as const;
  for (const series of [parts.candles, parts.line, parts.dots, parts.marked])
    series.applyOptions({ priceFormat: amounts });
  const bottom = volumes.length > 0 ? VOLUME_SHARE + 0.06 : 0.1;
  parts.dots.priceScale().applyOptions({ scaleMargins: { top: 0.1, bottom } });
  parts.dots.applyOptions({ pointMarkersRadius: at.length > MANY_SLOTS ? 1.5 : 3 });
  parts.chart.timeScale().applyOptions({ ignoreWhitespaceIndices: drawing.stops !== undefined });
  const values = new Map(dots.map(({ slot, value }) => [slot, value]));
  // Each slot has its place, also where nothing is drawn.
  parts.dots.setData(
    at.map((second, slot) => {
      const time = second as UTCTimestamp;
      const value = values.get(slot);
      return value === undefined ? { time } : { time, value };
    }),
  );
  parts.candles.setData(timed(candles));
  parts.line.setData(timed(line).map(({ isLast, ...dot }) => (isLast ? { ...dot, color: 'transparent' } : dot)));
  parts.volumes.setData(timed(volumes));
  drawMarks(parts, drawing);
  drawLevel(parts, drawing);
}

/** The first and the last slot: while they stay, so does what was chosen of them. */
function spanOf({ at }: Drawing): string {
  return `${String(at[0])} ${String(at.at(-1))}`;
}

/** Calls back where the theme may have changed; returns how to stop. */
function onTheme(change: () => void): () => void {
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', change);
  const theme = new MutationObserver(change);
  theme.observe(document.documentElement, { attributes: true });
  return () => {
    theme.disconnect();
    scheme.removeEventListener('change', change);
  };
}

interface ChartProps {
  readonly drawing: Drawing;
  /** Says what is drawn to whoever does not see it. */
  readonly label: string;
  /** In pixels. */
  readonly height: number;
  /** The slot that is chosen by other means than pointing. */
  readonly chosen: number | null;
  /** Told the slot that is pointed at, and null where none is any more. */
  readonly onPoint: (slot: number | null) => void;
}

/** Draws with the library, which is loaded only where a chart is shown. */
export default function Chart({ drawing, label, height, chosen, onPoint }: ChartProps): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const begun = useRef<Parts>(null);
  const shown = useRef(drawing);
  useEffect(() => {
    if (frame.current === null) return undefined;
    const parts = beginIn(frame.current);
    begun.current = parts;
    colour(parts);
    const stop = onTheme(() => {
      colour(parts);
      drawMarks(parts, shown.current);
      drawLevel(parts, shown.current);
    });
    return () => {
      stop();
      parts.chart.remove();
    };
  }, []);
  useEffect(() => {
    const isMoved = spanOf(shown.current) !== spanOf(drawing);
    shown.current = drawing;
    if (begun.current === null) return;
    draw(begun.current, drawing);
    if (isMoved) begun.current.chart.timeScale().fitContent();
  }, [drawing]);
  useEffect(() => {
    const chart = begun.current?.chart;
    const pointed: Parameters<Parts['chart']['subscribeCrosshairMove']>[0] = ({ logical, sourceEvent }) => {
      // Without an event it is our own doing.
      if (logical !== undefined && sourceEvent === undefined) return;
      onPoint(logical === undefined ? null : Math.round(logical));
    };
    chart?.subscribeCrosshairMove(pointed);
    return () => {
      chart?.unsubscribeCrosshairMove(pointed);
    };
  }, [onPoint]);
  useEffect(() => {
    if (begun.current === null || chosen === null) return;
    const { chart, dots } = begun.current;
    chart.setCrosshairPosition(valueAt(drawing, chosen), timeOf(drawing.at, chosen), dots);
  }, [chosen, drawing]);
  return <div ref={frame} className={css.chart} style={{ height }} role="img" aria-label={label} />;
}

/** Where the crosshair stands in a slot. */
function valueAt({ candles = [], line = [], dots, level }: Drawing, slot: number): number {
  const isHere = (one: { readonly slot: number }): boolean => one.slot === slot;
  const dot = dots.find(isHere) ?? line.find(isHere);
  return candles.find(isHere)?.close ?? dot?.value ?? level ?? 0;
}
