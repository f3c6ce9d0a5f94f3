import { type ReactNode, useMemo } from 'react';
import { marketKey, type Markets } from '../../api/markets.js';
import type { Position } from '../../api/portfolio.js';
import { RULE, useHoldings, type Worth, worthOf } from '../../api/worth.js';
import { exchangeName, listed } from '../names.js';
import { Amount } from '../amount.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Card, Notice, ui } from '../ui.js';
import { amountColumn, marketColumns, outcomeLabel, Result } from './cells.js';
import { useFitting, type ViewProps } from './filters.js';
import { ListCard, NotLiveQuotes, useIsBeginning } from './list-card.js';
import css from './portfolio.module.css';
import { ExposureTable, PositionTotals } from './sums.js';

function Status({ position }: { readonly position: Position }): ReactNode {
  if (position.status === 'open') return <span className={css.badge}>Open</span>;
  if (position.status === 'settled') return <span className={css.badge}>Settled</span>;
  if (position.market_value === '0') return <span className={css.badge}>Lost, pays nothing</span>;
  return (
    <span className={css.badge} data-kind="good">
      Redeemable
    </span>
  );
}

/** As the API states it or, where it states nothing, as it is figured out here. */
export function positionColumns(markets: Markets, units: readonly string[]): Column<Position>[] {
  const worth = (position: Position): Worth =>
    worthOf(position, markets.get(marketKey(position.exchange, position.market_id)));
  const isOne = units.length === 1;
  const unit = isOne ? units[0] : undefined;
  return [
    { id: 'exchange', value: ({ exchange }) => exchange },
    ...marketColumns<Position>(markets, ({ currency }) => ({ withOutcome: true, unit: isOne ? '' : currency })),
    amountColumn('value', (row) => worth(row).value, { head: 'Value', unit, narrow: 6, narrowOrder: 1 }),
    amountColumn('result', (row) => worth(row).result, {
      head: 'Result',
      unit,
      narrow: 6,
      narrowOrder: 1,
      cell: (row, places) => <Result value={worth(row).result} places={places} />,
    }),
    {
      id: 'outcome',
      value: (row) => outcomeLabel(row, markets),
      drawn: { head: 'Outcome', width: 76 },
    },
    {
      id: 'status',
      value: ({ status }) => status,
      drawn: { head: 'Status', width: 100, cell: (position) => <Status position={position} /> },
    },
    amountColumn('size', ({ size }) => size, { head: 'Size', narrow: 5 }),
    amountColumn('average_price', (row) => row.average_price, { head: 'Average', narrow: 6 }),
    amountColumn('cost_basis', (row) => row.cost_basis, { head: 'Cost', unit }),
    amountColumn('mark', (row) => worth(row).mark, {
      head: 'Mark',
      cell: (row, places) => (
        <Amount value={worth(row).mark} places={places} unit={worth(row).isByBid ? '(bid)' : undefined} />
      ),
    }),
    amountColumn('fees_paid', (row) => row.fees_paid, { head: 'Fees', unit }),
    amountColumn('realized_pnl', (row) => row.realized_pnl, {
      head: 'Realised',
      unit,
      cell: (row, places) => <Result value={row.realized_pnl} places={places} />,
    }),
    { id: 'currency', value: ({ currency }) => currency },
  ];
}

function isRedeemable({ status, market_value: value }: Position): boolean {
  return status === 'redeemable' && value !== '0';
}

export function positionKey({ exchange, outcome }: Position, index: number): string {
  return `${exchange} ${outcome.id} ${index}`;
}

/** What the columns say. */
const POSITION_NOTES =
  'Result: what the position is worth now, less what it cost. Realised: won or lost by what is already sold. A mark with “(bid)” is the best bid of its market now, as the exchange states no mark: a sale of one share would pay it, before fees.';

/** What is held, what it cost and what it is worth. */
export function Positions({ exchanges, filter, ordering, onShowAll }: ViewProps): ReactNode {
  const { lists, holdings, partial, markets, quotes } = useHoldings(exchanges);
  const all = useMemo(() => holdings.map(({ position }) => position), [holdings]);
  const units = useMemo(() => [...new Set(all.map(({ currency }) => currency))], [all]);
  const columns = useMemo(() => positionColumns(markets, units), [markets, units]);
  const shown = useFitting(all, filter, markets);
  const shownHoldings = useMemo(() => {
    const rows = new Set(shown);
    return holdings.filter(({ position }) => rows.has(position));
  }, [holdings, shown]);
  const redeemable = all.filter(isRedeemable);
  const isBeginning = useIsBeginning(lists);
  return (
    <>
      <ListCard
        title="Positions"
        lists={lists}
        of={['position', 'positions']}
        columns={columns}
        shown={shown}
        onShowAll={onShowAll}
        empty="You hold nothing at the exchanges that were read. A position begins with the first fill of an order."
        tools={
          <>
            <NotLiveQuotes lines={quotes} />
            {redeemable.length === 0 ? null : (
              <Notice kind="good">
                <strong>
                  {redeemable.length === 1
                    ? '1 position is redeemable.'
                    : `${redeemable.length} positions are redeemable.`}
                </strong>
                <span>
                  The market is decided for you, and the money waits. Redeem it at{' '}
                  {listed(redeemable.map(({ exchange }) => exchangeName(exchange)))} itself: this service cannot do that
                  for you.
                </span>
              </Notice>
            )}
          </>
        }
        notes={POSITION_NOTES}
      >
        <PositionTotals holdings={shownHoldings} partial={partial} />
        <Table label="Positions" columns={columns} rows={shown} keyOf={positionKey} {...ordering} />
      </ListCard>
      {holdings.length === 0 || isBeginning ? null : (
        <Card title="Exposure by event">
          <ExposureTable holdings={holdings} partial={partial} markets={markets} />
          <p className={ui.hint}>{RULE}</p>
        </Card>
      )}
    </>
  );
}
