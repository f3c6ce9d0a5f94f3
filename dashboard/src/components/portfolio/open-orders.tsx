import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { ownLines, useStream } from '../../api/live.js';
import { useMarkets } from '../../api/markets.js';
import { type Exchange, useLists } from '../../api/portfolio.js';
import { Table } from '../table/table.js';
import { Card, Skeleton, ui } from '../ui.js';
import { keyOf, marketsIn } from './cells.js';
import { NotLiveLists, RefreshButton, Troubles, Waiting } from './list-card.js';
import { newestFirst, orderColumns } from './orders.js';

const SHOWN = 5;

/** The newest open orders of all exchanges. */
export function OpenOrders({ exchanges }: { readonly exchanges: readonly Exchange[] }): ReactNode {
  const lists = useLists('orders', exchanges);
  useStream(ownLines(exchanges, 'orders'));
  const markets = useMarkets(
    useMemo(() => marketsIn(lists), [lists]),
    Infinity,
  );
  const columns = useMemo(() => orderColumns(markets), [markets]);
  const orders = useMemo(() => newestFirst(lists), [lists]);
  const newest = useMemo(() => orders.slice(0, SHOWN), [orders]);
  const isWaiting = lists.some(({ rows, error }) => rows === undefined && error === null);
  const isRead = lists.every(({ rows }) => rows !== undefined);
  const more = lists.some(({ hasMore }) => hasMore) ? ' or more' : '';
  return (
    <Card title="Open orders" aside={<RefreshButton lists={lists} channel="orders" />}>
      <NotLiveLists lists={lists} channel="orders" />
      <Troubles lists={lists} />
      <Waiting lists={lists} />
      {orders.length === 0 ? null : <Table label="Open orders" columns={columns} rows={newest} keyOf={keyOf} />}
      {isWaiting ? <Skeleton height={120} /> : null}
      {orders.length === 0 && isRead ? <p className={ui.soft}>No order of yours is open.</p> : null}
      <p>
        {orders.length > SHOWN ? `The newest ${SHOWN} of ${orders.length}${more}. ` : ''}
        <Link to="/portfolio">Cancel orders, see positions and fills</Link>
      </p>
    </Card>
  );
}
