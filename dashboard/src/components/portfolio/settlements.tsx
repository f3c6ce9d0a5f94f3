import { type ReactNode, useMemo } from 'react';
import { type Markets, useMarkets } from '../../api/markets.js';
import { type Settlement, useLists } from '../../api/portfolio.js';
import { installation } from '../../installation.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { amountColumn, marketColumns, marketsIn, outcomeLabel, Result } from './cells.js';
import { CsvFiles } from './csv-files.js';
import { spanOf, useFitting, type ViewProps } from './filters.js';
import { ListCard } from './list-card.js';

function currencyOf(id: string): string {
  return installation.exchanges.find((exchange) => exchange.id === id)?.currency ?? '';
}

function columnsOf(markets: Markets, units: readonly string[]): Column<Settlement>[] {
  const unit = units.length === 1 ? units[0] : undefined;
  return [
    { id: 'exchange', value: ({ exchange }) => exchange },
    ...marketColumns<Settlement>(markets, ({ exchange }) => ({
      withOutcome: true,
      unit: unit === undefined ? currencyOf(exchange) : '',
    })),
    amountColumn('payout', ({ payout }) => payout, { head: 'Payout', unit, narrow: 6, narrowOrder: 1 }),
    amountColumn('realized_pnl', (row) => row.realized_pnl, {
      head: 'Realised',
      unit,
      narrow: 6,
      narrowOrder: 1,
      cell: (row, places) => <Result value={row.realized_pnl} places={places} />,
    }),
    { id: 'outcome', value: (row) => outcomeLabel(row, markets), drawn: { head: 'Outcome', width: 76 } },
    amountColumn('size', ({ size }) => size, { head: 'Size', narrow: 5 }),
    amountColumn('cost', ({ cost }) => cost, { head: 'Cost', unit }),
    amountColumn('fees', ({ fees }) => fees, { head: 'Fees', unit }),
    {
      id: 'settled_at',
      value: (row) => row.settled_at,
      drawn: { head: 'Paid out', kind: 'time', width: 96, narrow: 6 },
    },
    { id: 'currency', value: ({ exchange }) => currencyOf(exchange) },
  ];
}

function keyOf({ exchange, market_id: market, outcome, settled_at: at }: Settlement, index: number): string {
  return `${exchange} ${market} ${outcome?.id ?? ''} ${at} ${index}`;
}

/** Whether nobody said yet what its market is called. */
function isUnnamed({ title }: Settlement): boolean {
  return title === null;
}

const NOTES =
  'Realised: the payout less the cost, before fees. Fees are all of the market, which its fills carry too: count them once. What was sold before the end is in the fills.';

/** What became of positions whose market has ended, newest first, and the same as files. */
export function Settlements({ exchanges, filter, ordering, onShowAll }: ViewProps): ReactNode {
  const span = spanOf(filter);
  const lists = useLists('settlements', exchanges, span);
  const markets = useMarkets(
    useMemo(() => marketsIn(lists, isUnnamed), [lists]),
    Infinity,
  );
  const all = useMemo(
    () => lists.flatMap(({ rows = [] }) => rows).sort((a, b) => Date.parse(b.settled_at) - Date.parse(a.settled_at)),
    [lists],
  );
  const units = useMemo(() => [...new Set(all.map(({ exchange }) => currencyOf(exchange)))], [all]);
  const columns = useMemo(() => columnsOf(markets, units), [markets, units]);
  const shown = useFitting(all, filter, markets);
  return (
    <ListCard
      title="Settlements"
      of={['settlement', 'settlements']}
      lists={lists}
      columns={columns}
      shown={shown}
      onShowAll={onShowAll}
      span={span}
      empty="No position of yours was paid out yet. At an exchange where you redeem by yourself, it is one from then on."
      tools={<CsvFiles exchanges={exchanges} list="settlements" span={span} />}
      notes={NOTES}
    >
      <Table label="Settlements" columns={columns} rows={shown} keyOf={keyOf} {...ordering} />
    </ListCard>
  );
}
