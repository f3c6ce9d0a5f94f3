import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useMemo } from 'react';
import { useAccount } from '../../api/account.js';
import { ownLines, useStream } from '../../api/live.js';
import { useMarkets } from '../../api/markets.js';
import { type Exchange, useLists } from '../../api/portfolio.js';
import { Known } from '../amount.js';
import { Age } from '../live.js';
import { Table } from '../table/table.js';
import { Card, Skeleton, ui } from '../ui.js';
import { useCancelQuestion } from './cancel.js';
import { keyOf, marketsIn, useBotNames } from './cells.js';
import { RefreshButton, Troubles, Waiting } from './list-card.js';
import { newestFirst, orderColumns } from './order-columns.js';

const SHOWN = 5;
/** What of an order is shown here. */
const COLUMNS = new Set(['market', 'side', 'price', 'remaining_size', 'created_at', 'bot_id', 'act']);

/** What all open orders hold back, by currency, as of when the money was read. */
function Reserved(): ReactNode {
  const { data } = useAccount();
  if (data === undefined) return 'not known';
  return (
    <>
      {data.totals.map(({ currency, reserved }, at) => (
        <Fragment key={currency}>
          {at === 0 ? '' : ', '}
          {reserved === null ? `${currency} not known` : <Known value={reserved} unit={currency} />}
        </Fragment>
      ))}{' '}
      (<Age at={Date.parse(data.as_of)} />)
    </>
  );
}

/** The newest open orders of all exchanges, each with its way out. */
export function OpenOrders({ exchanges }: { readonly exchanges: readonly Exchange[] }): ReactNode {
  const lists = useLists('orders', exchanges);
  useStream(ownLines(exchanges, 'orders'));
  const markets = useMarkets(
    useMemo(() => marketsIn(lists), [lists]),
    Infinity,
  );
  const orders = useMemo(() => newestFirst(lists), [lists]);
  const [ask, dialog] = useCancelQuestion(orders);
  const bots = useBotNames();
  const columns = useMemo(
    () => orderColumns(markets, ask, bots).filter(({ id }) => COLUMNS.has(id)),
    [markets, ask, bots],
  );
  const newest = useMemo(() => orders.slice(0, SHOWN), [orders]);
  const isWaiting = lists.some(({ rows, error }) => rows === undefined && error === null);
  const isRead = lists.every(({ rows }) => rows !== undefined);
  const more = lists.some(({ hasMore }) => hasMore) ? ' or more' : '';
  return (
    <Card title="Open orders" aside={<RefreshButton lists={lists} channel="orders" />}>
      <Troubles lists={lists} />
      <Waiting lists={lists} />
      {orders.length === 0 ? null : <Table label="Open orders" columns={columns} rows={newest} keyOf={keyOf} />}
      {isWaiting ? <Skeleton height={120} /> : null}
      {orders.length === 0 && isRead ? <p className={ui.soft}>No order of yours is open.</p> : null}
      <p className={ui.hint}>
        {orders.length > SHOWN ? `The newest ${SHOWN} of ${orders.length}${more}. ` : ''}
        {orders.length === 0 ? null : (
          <>
            In them: <Reserved />.{' '}
          </>
        )}
        <Link to="/portfolio" search={{ list: 'orders' }}>
          All open orders
        </Link>
      </p>
      {dialog}
    </Card>
  );
}
