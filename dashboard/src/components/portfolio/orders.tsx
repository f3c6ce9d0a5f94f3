import { type ReactNode, useDeferredValue, useMemo } from 'react';
import { ownLines, useStream } from '../../api/live.js';
import { type Markets, useMarkets } from '../../api/markets.js';
import { type ExchangeList, type Order, useLists } from '../../api/portfolio.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { CancelOrder, type CancelQuestion, CancelTools, useCancelQuestion } from './cancel.js';
import { amountColumn, dealColumns, keyOf, marketColumns, marketsIn } from './cells.js';
import { useFitting, type ViewProps } from './filters.js';
import { ListCard } from './list-card.js';

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
export function orderColumns(markets: Markets, ask?: (question: CancelQuestion) => void): Column<Order>[] {
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
    { id: 'order_id', value: ({ id }) => id },
    ...(ask === undefined ? [] : [act]),
  ];
}

/** What rests in the books, and how to take it out. */
export function Orders({ exchanges, filter, onShowAll }: ViewProps): ReactNode {
  const lists = useLists('orders', exchanges);
  useStream(ownLines(exchanges, 'orders', 'fills'));
  const markets = useMarkets(
    useMemo(() => marketsIn(lists), [lists]),
    Infinity,
  );
  const all = useMemo(() => newestFirst(lists), [lists]);
  const shown = useFitting(all, filter, markets);
  const [ask, dialog] = useCancelQuestion(all);
  const columns = useMemo(() => orderColumns(markets, ask), [markets, ask]);
  const waiting = useMemo(
    () => lists.filter(({ rows }) => rows === undefined).map(({ exchange }) => exchange),
    [lists],
  );
  const hasNone = all.length === 0 && lists.every(({ rows, error }) => rows !== undefined && error === null);
  // In a task of their own, after the table: with many markets they are as much work.
  const tools = useDeferredValue(
    useMemo(() => ({ exchanges, orders: all, waiting, markets }), [exchanges, all, waiting, markets]),
  );
  return (
    <>
      <ListCard
        title="Open orders"
        of={['open order', 'open orders']}
        lists={lists}
        channel="orders"
        columns={columns}
        shown={shown}
        onShowAll={onShowAll}
        empty="No order of yours is open at the exchanges that were read. Orders that have filled are under Fills."
        tools={hasNone ? null : <CancelTools {...tools} chosen={filter.exchange} ask={ask} />}
      >
        <Table label="Open orders" columns={columns} rows={shown} keyOf={keyOf} />
      </ListCard>
      {dialog}
    </>
  );
}
