import { type ReactNode, useDeferredValue, useMemo } from 'react';
import { ownLines, useStream } from '../../api/live.js';
import { useMarkets } from '../../api/markets.js';
import { useLists } from '../../api/portfolio.js';
import { Table } from '../table/table.js';
import { useCancelQuestion } from './cancel.js';
import { CancelTools } from './cancel-tools.js';
import { keyOf, marketsIn, useBotNames } from './cells.js';
import { useFitting, type ViewProps } from './filters.js';
import { ListCard } from './list-card.js';
import { newestFirst, orderColumns } from './order-columns.js';

/** What rests in the books, and how to take it out. */
export function Orders({ exchanges, filter, ordering, onShowAll }: ViewProps): ReactNode {
  const lists = useLists('orders', exchanges);
  useStream(ownLines(exchanges, 'orders', 'fills'));
  const markets = useMarkets(
    useMemo(() => marketsIn(lists), [lists]),
    Infinity,
  );
  const all = useMemo(() => newestFirst(lists), [lists]);
  const shown = useFitting(all, filter, markets);
  const [ask, dialog] = useCancelQuestion(all);
  const bots = useBotNames();
  const columns = useMemo(() => orderColumns(markets, ask, bots), [markets, ask, bots]);
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
        <Table label="Open orders" columns={columns} rows={shown} keyOf={keyOf} {...ordering} />
      </ListCard>
      {dialog}
    </>
  );
}
