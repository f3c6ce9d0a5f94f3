import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DAY_MS, type EquityPoint, useEquity, useMidnight, useSetHourly } from '../../api/account.js';
import { Segmented } from '../markets/segmented.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Button, Card, FailureNotice, Loaded, ui } from '../ui.js';
import { amountColumn, Result } from './cells.js';
import { Course } from './course.js';
import { courseOf } from './equity.js';
import { SPANS, type Span } from './search.js';

const route = getRouteApi('/inside/portfolio');

const PICTURE_HEIGHT = 220;
const LABELS: Readonly<Record<Span, string>> = { day: 'Day', week: 'Week', month: 'Month', all: 'All' };
/** In days before today; the service keeps points for 400. */
const DAYS: Readonly<Record<Span, number>> = { day: 1, week: 7, month: 30, all: 400 };

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

/** Whether the service looks each hour by itself. */
function Hourly({ isOn }: { readonly isOn: boolean }): ReactNode {
  const set = useSetHourly();
  return (
    <>
      <div className={ui.row}>
        <Button
          aria-pressed={isOn}
          disabled={set.isPending}
          onClick={() => {
            set.mutate(!isOn);
          }}
        >
          {isOn ? 'Stop the hourly record' : 'Record it each hour'}
        </Button>
        <span role="status">{isOn ? 'The hourly record is on.' : 'The hourly record is off.'}</span>
      </div>
      {set.error === null ? null : <FailureNotice error={set.error} />}
      <p className={ui.hint}>
        Without it a point is left when you open the overview, or your main key reads the portfolio: at most one in 15
        minutes. With it the service reads your accounts each hour with the stored credentials, also while you are away,
        by your own limit of requests at the exchanges. Points are kept for 400 days.
      </p>
    </>
  );
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
      <p className={ui.hint}>
        Dashed: nothing was recorded for more than two hours. A gap: it was not known. Deposits and withdrawals are in
        it.
      </p>
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
  const equity = useEquity(new Date(midnight - DAYS[span] * DAY_MS).toISOString());
  return (
    <Card
      title="Equity over time"
      aside={
        <Segmented
          label="How far back"
          options={SPANS.map((value) => ({ value, label: LABELS[value] }))}
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
