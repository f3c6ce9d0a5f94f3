import { CatchBoundary, getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { type Candle, type Interval, type MarketPlace, useCandles } from '../../api/markets.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Card, Loaded, Skeleton, ui } from '../ui.js';
import { Segmented } from './segmented.js';

const route = getRouteApi('/inside/markets/$exchange/$id');
const Chart = lazy(() => import('./chart.js'));

const CHART_HEIGHT = 240;
const INTERVALS: readonly { readonly value: Interval; readonly label: string }[] = [
  { value: '1m', label: '1 minute' },
  { value: '1h', label: '1 hour' },
  { value: '1d', label: '1 day' },
];
function madeOf({ source, samples, trade_count: trades }: Candle): string {
  if (source === 'price_points') return samples === 1 ? '1 sample' : `${samples ?? 'some'} samples`;
  return trades === null ? 'trades' : `${trades} trades`;
}

function priceColumn(id: 'open' | 'high' | 'low' | 'close' | 'volume', head: string): Column<Candle> {
  return { id, value: (candle) => candle[id], drawn: { head, kind: 'number', width: 70, narrow: 1 } };
}

const COLUMNS: readonly Column<Candle>[] = [
  { id: 'start', value: ({ start }) => start, drawn: { head: 'From', kind: 'time', width: 110, narrow: 'name' } },
  priceColumn('open', 'Open'),
  priceColumn('high', 'High'),
  priceColumn('low', 'Low'),
  priceColumn('close', 'Close'),
  priceColumn('volume', 'Volume'),
  { id: 'made_of', value: madeOf, drawn: { head: 'Made of', width: 90 } },
];

/** What the chart cannot show by itself: where its prices are from, and what is missing. */
function Provenance({ candles }: { readonly candles: readonly Candle[] }): ReactNode {
  const isSampled = candles.some(({ source }) => source === 'price_points');
  return (
    <p className={ui.hint}>
      {isSampled
        ? 'Made of prices that the exchange samples from time to time, not of trades: highs and lows between two samples are lost. A dot is a single sample. A gap is an interval without a sample.'
        : 'Made of trades. A gap is an interval without a trade.'}{' '}
      Hollow rose, filled fell.
    </p>
  );
}

/** The picture is one way to see the figures: without it the page goes on. */
function Undrawn(): ReactNode {
  return <p>The chart cannot be drawn here. The table below has the figures; load the page again for another try.</p>;
}

function Drawn({ candles, outcome }: { readonly candles: readonly Candle[]; readonly outcome: string }): ReactNode {
  const priced = candles.filter(({ close }) => close !== null);
  const last = priced.at(-1);
  if (last === undefined) {
    return <p>There is no price in the last 100 of these intervals. Try a longer one.</p>;
  }
  const label = `Candles of ${outcome}: ${priced.length} with a price, the last closed at ${String(last.close)}. The table below has the figures.`;
  return (
    <>
      <CatchBoundary getResetKey={() => label} errorComponent={Undrawn}>
        <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
          <Chart candles={candles} label={label} />
        </Suspense>
      </CatchBoundary>
      <Provenance candles={candles} />
      <details>
        <summary>The same as a table</summary>
        <Table
          label="Candles, newest first"
          columns={COLUMNS}
          rows={[...candles].reverse()}
          keyOf={({ start }) => start}
        />
      </details>
    </>
  );
}

interface CandlesProps {
  readonly place: MarketPlace;
  readonly outcome: { readonly index: number; readonly label: string };
}

/** Prices of the last 100 intervals, as a chart and as a table. */
export function Candles({ place, outcome }: CandlesProps): ReactNode {
  const { interval = '1h' } = route.useSearch();
  const navigate = route.useNavigate();
  const candles = useCandles(place, { outcome: outcome.index, interval });
  return (
    <Card
      title={`Prices of ${outcome.label}`}
      aside={
        <Segmented
          label="Length of a candle"
          options={INTERVALS}
          value={interval}
          onChange={(chosen) => {
            void navigate({ search: (view) => ({ ...view, interval: chosen }), replace: true });
          }}
        />
      }
    >
      <Loaded query={candles} height={320}>
        {({ data }) => <Drawn candles={data} outcome={outcome.label} />}
      </Loaded>
    </Card>
  );
}
