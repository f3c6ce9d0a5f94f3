import type { Bot } from '../../api/bots.js';
import type { Markets } from '../../api/markets.js';
import type { ExchangeList, Order } from '../../api/portfolio.js';
import type { Column } from '../table/columns.js';
import { CancelOrder, type CancelQuestion } from './cancel.js';
import { amountColumn, botColumn, dealColumns, marketColumns } from './cells.js';

const STATUS: Readonly<Record<Order['status'], string>> = {
  open: 'Open',
  partially_filled: 'Partly filled',
  filled: 'Filled',
  cancelled: 'Cancelled',
  expired: 'Expired',
  rejected: 'Rejected',
  pending: 'Pending',
};

/** Newest first; those without a time last. */
export function newestFirst(lists: readonly ExchangeList<Order>[]): Order[] {
  const all = lists.flatMap(({ rows = [] }) => rows);
  return all.sort((a, b) => Date.parse(b.created_at ?? '1970') - Date.parse(a.created_at ?? '1970'));
}

/** The columns of orders; with a way to cancel where somebody asks the question. */
export function orderColumns(
  markets: Markets,
  ask?: (question: CancelQuestion) => void,
  bots: readonly Bot[] = [],
): Column<Order>[] {
  const act: Column<Order> = {
    id: 'act',
    drawn: {
      head: 'Action',
      width: 84,
      narrow: 'act',
      cell: (order) => (ask === undefined ? null : <CancelOrder order={order} markets={markets} ask={ask} />),
    },
  };
  return [
    { id: 'exchange', value: ({ exchange }) => exchange },
    ...marketColumns<Order>(markets),
    ...dealColumns<Order>(markets, 'Order', ({ id }) => id),
    amountColumn('price', ({ price }) => price, { head: 'Price', narrow: 3 }),
    amountColumn('remaining_size', ({ remaining_size: left }) => left, { head: 'Left', narrow: 3 }),
    amountColumn('filled_size', ({ filled_size: filled }) => filled, { head: 'Filled', narrow: 3 }),
    amountColumn('size', ({ size }) => size, { head: 'Size' }),
    {
      id: 'status',
      value: ({ status }) => status,
      drawn: { head: 'Status', width: 84, cell: ({ status }) => STATUS[status] },
    },
    { id: 'created_at', value: (order) => order.created_at, drawn: { head: 'Placed', kind: 'time', width: 96 } },
    botColumn(bots),
    { id: 'order_id', value: ({ id }) => id },
    ...(ask === undefined ? [] : [act]),
  ];
}
