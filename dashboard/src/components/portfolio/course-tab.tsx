import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type EquityPoint, useEquity, useMidnight } from '../../api/account.js';
import { Segmented } from '../markets/segmented.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Card, Loaded, ui } from '../ui.js';
import { amountColumn, Result } from './cells.js';
import { Course, courseOf, GAPS } from './course.js';
import { Hourly } from './hourly.js';
import { SPANS } from './search.js';
import { SPAN_LABELS, spanStart } from './spans.js';

const route = getRouteApi('/inside/portfolio');

const PICTURE_HEIGHT = 220;

type Row = EquityPoint['totals'][number] & Pick<EquityPoint, 'at'>;

const COLUMNS: readonly Column<Row>[] = [
  { id: 'at', value: ({ at }) => at, drawn: { head: 'At', kind: 'time', width: 150, narrow: 'name' } },
  { id: 'currency', value: ({ currency }) => currency, drawn: { head: 'Currency', width: 70, narrow: 3 } },
  amountColumn('equity', ({ equity }) => equity, { head: 'Equity', narrow: 5 }),
  amountColumn('realised', (row) => row.realized_pnl, {
    head: 'Realised',
    narrow: 4,
    cell: (row, places) => <Result value={row.realized_pnl} places={places} />,
  }),
  amountColumn('open', (row) => row.unrealized_pnl, {
    head: 'Open',
    narrow: 4,
    cell: (row, places) => <Result value={row.unrealized_pnl} places={places} />,
  }),
];

function rowsOf(points: readonly EquityPoint[]): Row[] {
  return [...points].reverse().flatMap(({ at, totals }) => totals.map((total) => ({ ...total, at })));
}

function Drawn({ points }: { readonly points: readonly EquityPoint[] }): ReactNode {
  const currencies = [...new Set(points.flatMap(({ totals }) => totals.map(({ currency }) => currency)))];
  if (points.length === 0) return <p className={ui.soft}>Nothing was recorded in this time.</p>;
  return (
    <>
      {currencies.map((currency) => (
        <section key={currency} className={ui.stack} aria-label={`Equity in ${currency}`}>
          <h3>{currency}</h3>
          <Course currency={currency} points={courseOf(points, currency)} height={PICTURE_HEIGHT} />
        </section>
      ))}
      <p className={ui.hint}>{GAPS} Deposits and withdrawals are in it.</p>
      <details>
        <summary>The same as a table</summary>
        <Table
          label="Equity, newest first"
          columns={COLUMNS}
          rows={rowsOf(points)}
          keyOf={({ at, currency }) => `${at} ${currency}`}
        />
      </details>
    </>
  );
}

/** What all was worth over time, and the switch for its hourly record. */
export function CourseTab(): ReactNode {
  const { span = 'month' } = route.useSearch();
  const navigate = route.useNavigate();
  const midnight = useMidnight();
  const equity = useEquity(new Date(spanStart(span, midnight)).toISOString());
  return (
    <Card
      title="Equity over time"
      aside={
        <Segmented
          label="How far back"
          options={SPANS.map((value) => ({ value, label: SPAN_LABELS[value] }))}
          value={span}
          onChange={(chosen) => {
            void navigate({ search: (view) => ({ ...view, span: chosen }), replace: true });
          }}
        />
      }
    >
      <Loaded query={equity} height={420}>
        {({ data, hourly }) => (
          <>
            <Drawn points={data} />
            <Hourly isOn={hourly} />
          </>
        )}
      </Loaded>
    </Card>
  );
}
