import { CatchBoundary } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react';
import { Skeleton, ui } from '../ui.js';
import css from './chart.module.css';
import type { Drawing } from './drawing.js';

const Chart = lazy(() => import('./chart.js'));

/** The picture is one way to see the figures: without it the page goes on. */
function Undrawn(): ReactNode {
  return <p>The chart cannot be drawn here. The figures are below; load the page again for another try.</p>;
}

function nearest(stops: readonly number[], slot: number): number {
  return stops.reduce((best, stop) => (Math.abs(stop - slot) < Math.abs(best - slot) ? stop : best), stops[0] ?? 0);
}

interface ChartFigureProps {
  readonly drawing: Drawing;
  /** Says what is drawn to whoever does not see it. */
  readonly label: string;
  /** Of the picture, in pixels. */
  readonly height: number;
  /** What is pointed at by keyboard, such as "Candle". */
  readonly unit: string;
  /** What a slot holds, to the last digit. */
  readonly textsOf: (slot: number) => readonly string[];
}

/** A chart, and in words what it holds where one points: by pointer, by touch or by the slider's keys; else the newest. */
export function ChartFigure({ drawing, label, height, unit, textsOf }: ChartFigureProps): ReactNode {
  const [pointed, setPointed] = useState<number | null>(null);
  const [isByKey, setByKey] = useState(false);
  const stops = drawing.stops ?? [...drawing.at.keys()];
  const onPoint = useCallback((slot: number | null) => {
    setByKey(false);
    setPointed(slot);
  }, []);
  const slot = pointed === null ? (stops.at(-1) ?? 0) : nearest(stops, pointed);
  const texts = textsOf(slot);
  return (
    <figure className={css.figure}>
      <p className={css.readout} data-readout>
        {texts.map((text) => (
          <span key={text}>{text}</span>
        ))}
      </p>
      <CatchBoundary getResetKey={() => label} errorComponent={Undrawn}>
        <Suspense fallback={<Skeleton height={height} />}>
          <Chart drawing={drawing} label={label} height={height} chosen={isByKey ? slot : null} onPoint={onPoint} />
        </Suspense>
      </CatchBoundary>
      <input
        type="range"
        className={css.slider}
        aria-label={unit}
        aria-valuetext={texts.join(', ')}
        min={0}
        max={Math.max(0, stops.length - 1)}
        value={stops.indexOf(slot)}
        onChange={({ target }) => {
          setByKey(true);
          setPointed(stops[target.valueAsNumber] ?? null);
        }}
      />
      <figcaption className={ui.hint}>
        Chart by{' '}
        <a href="https://www.tradingview.com/" target="_blank" rel="noopener noreferrer">
          TradingView Lightweight Charts™
        </a>
        , © TradingView, Inc.
      </figcaption>
    </figure>
  );
}
