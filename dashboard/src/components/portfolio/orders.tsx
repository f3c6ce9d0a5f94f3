import type { ReactNode } from 'react';
import { type ExchangeList, type Order, useLists, useMarkets } from '../../api/portfolio.js';
import { Table } from '../table.js';
import { Time } from '../ui.js';
import { CancelOrder, CancelTools } from './cancel.js';
import { Amount, MarketCell, type Markets, outcomeLabel } from './cells.js';
import { fits, type ViewProps } from './filters.js';
import { ListCard } from './list-card.js';
import css from './portfolio.module.css';

const STATUS: Readonly<Record<Order['status'], string>> = {
  open: 'Open',
  partially_filled: 'Partly filled',
  filled: 'Filled',
  cancelled: 'Cancelled',
  expired: 'Expired',
  rejected: 'Rejected',
  pending: 'Pending',
};

const HEADS = [
  ['Market'],
  ['Order'],
  ['Status'],
  ['Placed'],
  ['Price', true],
  ['Size', true],
  ['Filled', true],
  ['Left', true],
] as const;

/** Newest first; those without a time last. */
export function newestFirst(lists: readonly ExchangeList<Order>[]): Order[] {
  const all = lists.flatMap(({ rows = [] }) => rows);
  return all.sort((a, b) => Date.parse(b.created_at ?? '1970') - Date.parse(a.created_at ?? '1970'));
}

interface RowsProps {
  readonly orders: readonly Order[];
  readonly markets: Markets;
  /** What stands at the end of each row. */
  readonly act?: (order: Order) => ReactNode;
}

/** Orders as a table. */
export function OrderTable({ orders, markets, act }: RowsProps): ReactNode {
  return (
    <Table label="Open orders" heads={act === undefined ? HEADS : [...HEADS, ['Action', true]]} className={css.rows}>
      {orders.map((order) => (
        <tr key={`${order.exchange} ${order.id}`}>
          <MarketCell row={order} markets={markets} />
          <td>
            {order.side === 'buy' ? 'Buy' : 'Sell'} {outcomeLabel(order, markets)}
          </td>
          <td>{STATUS[order.status]}</td>
          <td>{order.created_at === null ? '–' : <Time iso={order.created_at} />}</td>
          <Amount value={order.price} />
          <Amount value={order.size} />
          <Amount value={order.filled_size} />
          <Amount value={order.remaining_size} />
          {act === undefined ? null : <td className={css.act}>{act(order)}</td>}
        </tr>
      ))}
    </Table>
  );
}

/** Ids of the markets of rows, of each exchange. */
export function marketsIn(
  lists: readonly ExchangeList<{ readonly market_id: string }>[],
): Parameters<typeof useMarkets>[0] {
  return lists.map(({ exchange, rows = [] }) => ({ exchange, ids: rows.map(({ market_id: id }) => id) }));
}

/** What rests in the books, and how to take it out. */
export function Orders({ access, filter, onShowAll }: ViewProps): ReactNode {
  const lists = useLists('orders', access.exchanges, { known: access.known, isLive: true });
  const markets = useMarkets(marketsIn(lists), access.known, Infinity);
  const all = newestFirst(lists);
  const shown = all.filter((row) => fits(row, filter, markets));
  const hasNone = all.length === 0 && lists.every(({ rows, error }) => rows !== undefined && error === null);
  return (
    <ListCard
      title="Open orders"
      lists={lists}
      shown={shown.length}
      onShowAll={onShowAll}
      empty="No order of yours is open at the exchanges that were read. Orders that have filled are under Fills."
      tools={hasNone ? null : <CancelTools access={access} orders={all} markets={markets} chosen={filter.exchange} />}
    >
      <OrderTable
        orders={shown}
        markets={markets}
        act={(order) => <CancelOrder access={access} order={order} markets={markets} />}
      />
    </ListCard>
  );
}
