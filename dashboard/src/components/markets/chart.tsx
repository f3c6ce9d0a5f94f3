import { type ReactNode, useEffect, useRef } from 'react';
import './locale.js';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Candle } from '../../api/markets.js';
import css from './markets.module.css';

const HEIGHT = 240;
const WIDEST_PX = 12;
const SECONDS = { '1m': 60, '1h': 3_600, '1d': 86_400 };
/** More intervals than are drawn; 100 are asked for. */
const MOST_SLOTS = 1_000;

function secondsOf(iso: string): number {
  return Date.parse(iso) / 1_000;
}

/** Time on the canvas: each interval from the first candle to the last. */
interface Timeline {
  /** Length of an interval in seconds. */
  readonly step: number;
  /** Begin of each, in seconds. */
  readonly at: number[];
  /** Undefined where there is none, so that gaps are seen. */
  readonly slots: readonly (Candle | undefined)[];
}

function timelineOf(candles: readonly Candle[]): Timeline {
  const [first] = candles;
  const last = candles.at(-1);
  if (first === undefined || last === undefined) return { step: 1, at: [], slots: [] };
  const step = SECONDS[first.interval];
  const found = new Map(candles.map((candle) => [secondsOf(candle.start), candle]));
  const begin = secondsOf(first.start);
  const count = Math.min(Math.round((secondsOf(last.start) - begin) / step) + 1, MOST_SLOTS);
  const at = Array.from({ length: count }, (_, index) => begin + index * step);
  return { step, at, slots: at.map((second) => found.get(second)) };
}

type ColourName = 'rose' | 'fell' | 'line' | 'text';

function colourOf(host: HTMLElement, name: ColourName): string {
  return getComputedStyle(host).getPropertyValue(`--chart-${name}`);
}

interface Body {
  readonly x: number;
  readonly width: number;
}

/** Hollow where it rose, filled where it fell; a single known price is a dot. Prices are numbers here alone, as places. */
function paint(plot: UPlot, host: HTMLElement, candle: Candle, { x, width }: Body): void {
  const { ctx } = plot;
  const y = (price: string): number => plot.valToPos(Number(price), 'y', true);
  const { open, high, low, close } = candle;
  if (close === null) return;
  if (open === null || high === null || low === null) {
    ctx.fillStyle = colourOf(host, 'text');
    ctx.beginPath();
    ctx.arc(x, y(close), Math.max(2, width / 3), 0, 2 * Math.PI);
    ctx.fill();
    return;
  }
  const hasFallen = Number(close) < Number(open);
  ctx.strokeStyle = colourOf(host, hasFallen ? 'fell' : 'rose');
  ctx.fillStyle = ctx.strokeStyle;
  ctx.lineWidth = devicePixelRatio;
  const [top, bottom] = [Math.min(y(open), y(close)), Math.max(y(open), y(close))];
  ctx.beginPath();
  ctx.moveTo(x, y(high));
  ctx.lineTo(x, top);
  ctx.moveTo(x, bottom);
  ctx.lineTo(x, y(low));
  ctx.stroke();
  const body = [x - width / 2, top, width, Math.max(bottom - top, 1)] as const;
  if (hasFallen) ctx.fillRect(...body);
  else ctx.strokeRect(...body);
}

function paintAll(plot: UPlot, host: HTMLElement, { at, slots }: Timeline): void {
  const width = Math.min((plot.bbox.width / Math.max(slots.length, 1)) * 0.6, WIDEST_PX * devicePixelRatio);
  for (const [index, second] of at.entries()) {
    const candle = slots[index];
    if (candle !== undefined) paint(plot, host, candle, { x: plot.valToPos(second, 'x', true), width });
  }
}

function optionsFor(host: HTMLElement, timeline: Timeline): UPlot.Options {
  const line = { stroke: () => colourOf(host, 'line'), width: 1 };
  const axis = { stroke: () => colourOf(host, 'text'), grid: line, ticks: line };
  const unseen = { paths: () => null, points: { show: false } };
  const half = timeline.step / 2;
  return {
    width: host.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    // Half an interval more at each end, for the whole width of the first and the last.
    scales: { x: { range: (_, from, to) => [from - half, to + half] } },
    axes: [axis, { ...axis, size: 56 }],
    series: [{}, unseen, unseen, unseen],
    hooks: {
      draw: [
        (plot) => {
          paintAll(plot, host, timeline);
        },
      ],
    },
  };
}

interface ChartProps {
  readonly candles: readonly Candle[];
  /** Says what is drawn to whoever does not see it. */
  readonly label: string;
}

/** Draws candles; loaded with its library only where a market is shown. */
export default function Chart({ candles, label }: ChartProps): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const host = frame.current;
    if (host === null) return undefined;
    const timeline = timelineOf(candles);
    const column = (name: 'low' | 'high' | 'close'): (number | null)[] =>
      timeline.slots.map((candle) => (candle?.[name] == null ? null : Number(candle[name])));
    const data: UPlot.AlignedData = [timeline.at, column('low'), column('high'), column('close')];
    const plot = new UPlot(optionsFor(host, timeline), data, host);
    const sized = new ResizeObserver(() => {
      plot.setSize({ width: host.clientWidth, height: HEIGHT });
    });
    sized.observe(host);
    const repaint = (): void => {
      plot.redraw(false);
    };
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', repaint);
    const theme = new MutationObserver(repaint);
    theme.observe(document.documentElement, { attributes: true });
    return () => {
      sized.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', repaint);
      plot.destroy();
    };
  }, [candles]);
  return <div ref={frame} className={css.chart} role="img" aria-label={label} />;
}
