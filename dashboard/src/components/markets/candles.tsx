import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo } from 'react';
import { ownLines, useStream } from '../../api/live.js';
import {
  type Candle,
  type CandleChoice,
  candlesFrom,
  INTERVAL_SECONDS,
  type Interval,
  type MarketPlace,
  MOST_CANDLES,
  type Range,
  RANGES,
  useCandles,
  useMarket,
} from '../../api/markets.js';
import { type ExchangeList, type Fill, readOn, useLists } from '../../api/portfolio.js';
import { useCredentials } from '../../api/queries.js';
import { installation } from '../../installation.js';
import { ChartFigure } from '../chart/figure.js';
import { plainText } from '../foreign-text.js';
import { lacksSince } from '../market/bot-here.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Card, Loaded, ui } from '../ui.js';
import css from './markets.module.css';
import { Segmented } from './segmented.js';
import { drawingOf, madeOf, type OwnFill, ownFillOf, type Slot, slotsOf, textsOf } from './slots.js';

const route = getRouteApi('/inside/markets/$exchange/$id');

/** In pixels: of the picture, and of all before it is known. */
const [CHART_HEIGHT, HEIGHT] = [280, 460];
/** Of an outcome beside a fill, in signs. */
const LABEL = 60;
/** More own fills are not marked. */
const MOST_FILLS = 1_000;

const INTERVALS: readonly { readonly value: Interval; readonly label: string }[] = [
  { value: '1m', label: '1 minute' },
  { value: '1h', label: '1 hour' },
  { value: '1d', label: '1 day' },
];
const RANGE_LABELS: Readonly<Record<Range, string>> = { day: '1D', week: '1W', month: '1M', all: 'All' };

function priceColumn(id: 'open' | 'high' | 'low' | 'close' | 'volume', head: string): Column<Slot> {
  return { id, value: ({ candle }) => candle?.[id] ?? null, drawn: { head, kind: 'number', width: 70, narrow: 1 } };
}

const COLUMNS: readonly Column<Slot>[] = [
  {
    id: 'start',
    value: ({ at }) => new Date(at * 1_000).toISOString(),
    drawn: { head: 'From', kind: 'time', width: 110, narrow: 'name' },
  },
  priceColumn('open', 'Open'),
  priceColumn('high', 'High'),
  priceColumn('low', 'Low'),
  priceColumn('close', 'Close'),
  priceColumn('volume', 'Volume'),
  { id: 'made_of', value: ({ candle }) => (candle ? madeOf(candle) : null), drawn: { head: 'Made of', width: 90 } },
  {
    id: 'own',
    value: ({ fills }) => fills.map(({ text }) => text).join('; '),
    drawn: { head: 'Own fills', width: 110 },
  },
];

/** What the chart cannot show by itself: where its prices are from, and what is missing. */
function Provenance({ candles }: { readonly candles: readonly Candle[] }): ReactNode {
  const isSampled = candles.some(({ source }) => source === 'price_points');
  return (
    <p className={ui.hint}>
      {isSampled
        ? 'Made of prices that the exchange samples from time to time, not of trades: highs and lows between two samples are lost. A dot is a single sample. A gap is an interval without a sample.'
        : 'Made of trades. A gap is an interval without a trade; a dash or a dot is one of a single price.'}{' '}
      Hollow rose, filled fell. The line across is the last price.
    </p>
  );
}

interface DrawnProps {
  readonly slots: readonly Slot[];
  readonly candles: readonly Candle[];
  readonly outcome: string;
  readonly lastPrice: string | null;
}

function Drawn({ slots, candles, outcome, lastPrice }: DrawnProps): ReactNode {
  const drawing = useMemo(() => drawingOf(slots, lastPrice), [slots, lastPrice]);
  const priced = candles.filter(({ close }) => close !== null);
  const own = slots.reduce((count, { fills }) => count + fills.length, 0);
  const last = priced.at(-1);
  if (last === undefined && own === 0) return <p>There is no price in this time. Try a longer one.</p>;
  const closed = last === undefined ? '' : `, the last closed at ${String(last.close)}`;
  const marked = own === 0 ? '' : ` Own fills: ${own}.`;
  const label = `Candles of ${outcome}: ${priced.length} with a price${closed}.${marked} The table below has the figures.`;
  return (
    <>
      <ChartFigure
        drawing={drawing}
        label={label}
        height={CHART_HEIGHT}
        unit="Candle"
        textsOf={(slot) => (slots[slot] === undefined ? [] : textsOf(slots[slot]))}
      />
      <Provenance candles={candles} />
      {own === 0 ? null : (
        <p className={ui.hint}>
          Arrows are your fills: up for bought, down for sold. What you traded of the other outcome is drawn at 1 less
          its price, the other way round.
        </p>
      )}
      <details>
        <summary>The same as a table</summary>
        <Table
          label="Candles, newest first"
          columns={COLUMNS}
          rows={slots.filter(({ candle, fills }) => candle !== undefined || fills.length > 0).reverse()}
          keyOf={({ at }) => String(at)}
        />
      </details>
    </>
  );
}

interface CandlesProps {
  readonly place: MarketPlace;
  readonly outcome: { readonly index: number; readonly label: string };
}

interface Own {
  readonly fills: readonly OwnFill[];
  /** What is not marked. */
  readonly missing: readonly string[];
}

/** Reads on in the lists that the page shows, page by page, until they reach back to `start`. */
function useReadingBack(lists: readonly ExchangeList<Fill>[], start: number): void {
  useEffect(() => {
    for (const list of lists) readOn(list, lacksSince(list, start));
  }, [lists, start]);
}

/** Own fills in a market since `start` as one outcome sees them, as they come: those of the list that the page shows of them. */
function useOwnFills(place: MarketPlace, index: number, start: number): Own {
  const isStored = useCredentials().data?.[place.exchange]?.configured === true;
  const exchanges = useMemo(
    () => installation.exchanges.filter(({ id }) => isStored && id === place.exchange),
    [isStored, place.exchange],
  );
  useStream(ownLines(exchanges, 'fills'));
  const market = useMarket(place).data;
  const lists = useLists('fills', exchanges, { market_id: market?.id ?? place.id });
  useReadingBack(lists, start);
  return useMemo(() => {
    const outcomes = (market?.outcomes ?? []).map((one) => ({ ...one, label: plainText(one.label, LABEL) }));
    const read = lists.flatMap(({ rows = [] }) => rows);
    const shown = read.filter(({ status, timestamp }) => status !== 'failed' && Date.parse(timestamp) >= start);
    const own = shown.slice(0, MOST_FILLS);
    const fills = own.flatMap((fill) => ownFillOf(fill, outcomes, index) ?? []);
    const missing = lists.some(({ error }) => error !== null) ? ['Your fills could not be read.'] : [];
    if (shown.length > own.length || lists.some((list) => lacksSince(list, start)))
      missing.push(`Your newest ${own.length} fills are marked, and none before.`);
    if (fills.length < own.length) missing.push('Fills whose outcome the exchange does not state are not marked.');
    return { fills, missing };
  }, [market, lists, index, start]);
}

function Notes({ missing, isCut }: Pick<Own, 'missing'> & { readonly isCut: boolean }): ReactNode {
  const cut = isCut ? [`These are the last ${MOST_CANDLES} intervals: longer candles go further back.`] : [];
  const notes = [...cut, ...missing];
  return notes.length === 0 ? null : <p className={ui.hint}>{notes.join(' ')}</p>;
}

/** Prices of one outcome, as a chart and as a table, with own fills. */
export function Candles({ place, outcome }: CandlesProps): ReactNode {
  const { interval = '1h', range = 'week' } = route.useSearch();
  const navigate = route.useNavigate();
  const market = useMarket(place).data;
  const choice: CandleChoice = { outcome: outcome.index, interval, range, opened: market?.open_time ?? null };
  const candles = useCandles(place, choice);
  const data = candles.data?.data;
  const { start, isCut } = candlesFrom(choice, candles.dataUpdatedAt);
  // Nothing is drawn before there are candles, and none of them says from when on.
  const { fills, missing } = useOwnFills(place, outcome.index, data === undefined ? Infinity : start);
  const slots = useMemo(() => slotsOf(data ?? [], fills, INTERVAL_SECONDS[interval]), [data, fills, interval]);
  return (
    <Card
      title={`Prices of ${outcome.label}`}
      aside={
        <div className={css.choices}>
          <Segmented
            label="How far back"
            options={RANGES.map((value) => ({ value, label: RANGE_LABELS[value] }))}
            value={range}
            onChange={(chosen) => {
              void navigate({ search: (view) => ({ ...view, range: chosen }), replace: true });
            }}
          />
          <Segmented
            label="Length of a candle"
            options={INTERVALS}
            value={interval}
            onChange={(chosen) => {
              void navigate({ search: (view) => ({ ...view, interval: chosen }), replace: true });
            }}
          />
        </div>
      }
    >
      <Loaded query={candles} height={HEIGHT}>
        {(list) => (
          <>
            <Drawn
              slots={slots}
              candles={list.data}
              outcome={outcome.label}
              lastPrice={market?.outcomes.find(({ index }) => index === outcome.index)?.last_price ?? null}
            />
            <Notes missing={missing} isCut={isCut} />
          </>
        )}
      </Loaded>
    </Card>
  );
}
