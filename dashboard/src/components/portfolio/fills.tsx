import type { ReactNode } from 'react';
import { type Fill, useLists, useMarkets } from '../../api/portfolio.js';
import { Table } from '../table.js';
import { Button, Time, ui } from '../ui.js';
import { Amount, MarketCell, type Markets, marketTitle, outcomeLabel } from './cells.js';
import { csvOf, saveCsv } from './csv.js';
import { fits, type ViewProps } from './filters.js';
import { ListCard } from './list-card.js';
import { marketsIn } from './orders.js';
import css from './portfolio.module.css';

const HEADS = [
  ['Market'],
  ['Fill'],
  ['Role'],
  ['Status'],
  ['Time'],
  ['Price', true],
  ['Size', true],
  ['Fee', true],
] as const;

const STATUS: Readonly<Record<Fill['status'], string>> = {
  pending: 'Pending',
  confirmed: 'Confirmed',
  failed: 'Failed',
};

const COLUMNS = [
  ...['exchange', 'timestamp', 'market_id', 'market', 'outcome_id', 'outcome', 'side', 'price', 'size', 'fee', 'role'],
  ...['status', 'order_id', 'fill_id', 'transaction_hash'],
];

/** Every field as the API gave it: a decimal string stays what it is. */
function csvRow(fill: Fill, markets: Markets): (string | null)[] {
  const { exchange, timestamp, market_id, outcome, side, price, size, fee, role, status } = fill;
  const names = [market_id, marketTitle(fill, markets), outcome.id, outcomeLabel(fill, markets)];
  const rest = [role, status, fill.order_id, fill.id, fill.transaction_hash];
  return [exchange, timestamp, ...names, side, price, size, fee, ...rest];
}

function Download({ fills, markets, hasMore }: DownloadProps): ReactNode {
  if (fills.length === 0) return null;
  return (
    <div className={ui.row}>
      <Button
        isSmall
        onClick={() => {
          saveCsv('fills.csv', csvOf([COLUMNS, ...fills.map((fill) => csvRow(fill, markets))]));
        }}
      >
        Download as CSV
      </Button>
      <span className={ui.hint}>
        Holds the {fills.length === 1 ? '1 fill' : `${fills.length} fills`} shown below, with times in UTC.
        {hasMore ? ' There are older ones: for these too, press Load all first.' : ''}
      </span>
    </div>
  );
}

interface DownloadProps {
  readonly fills: readonly Fill[];
  readonly markets: Markets;
  readonly hasMore: boolean;
}

function FillTable({ fills, markets }: Omit<DownloadProps, 'hasMore'>): ReactNode {
  return (
    <Table label="Fills" heads={HEADS} className={css.rows}>
      {fills.map((fill) => (
        <tr key={`${fill.exchange} ${fill.id}`}>
          <MarketCell row={fill} markets={markets} />
          <td>
            {fill.side === 'buy' ? 'Buy' : 'Sell'} {outcomeLabel(fill, markets)}
          </td>
          <td>{fill.role === 'maker' ? 'Maker' : 'Taker'}</td>
          <td>{STATUS[fill.status]}</td>
          <td>
            <Time iso={fill.timestamp} />
          </td>
          <Amount value={fill.price} />
          <Amount value={fill.size} />
          <Amount value={fill.fee} />
        </tr>
      ))}
    </Table>
  );
}

/** What was traded, newest first, and the same as a file. */
export function Fills({ access, filter, onShowAll }: ViewProps): ReactNode {
  const lists = useLists('fills', access.exchanges, { known: access.known, isLive: true });
  const markets = useMarkets(marketsIn(lists), access.known, Infinity);
  const shown = lists
    .flatMap(({ rows = [] }) => rows)
    .filter((row) => fits(row, filter, markets))
    .sort((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp));
  return (
    <ListCard
      title="Fills"
      lists={lists}
      shown={shown.length}
      onShowAll={onShowAll}
      withAll
      empty="Nothing of yours has traded at the exchanges that were read."
      tools={<Download fills={shown} markets={markets} hasMore={lists.some(({ hasMore }) => hasMore)} />}
    >
      <FillTable fills={shown} markets={markets} />
    </ListCard>
  );
}
