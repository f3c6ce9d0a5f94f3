import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { Market } from '../../api/client.js';
import { ownLines, useStream } from '../../api/live.js';
import { marketKey, type Markets } from '../../api/markets.js';
import { type Exchange, type ExchangeList, useLists } from '../../api/portfolio.js';
import { useCredentials } from '../../api/queries.js';
import { RULE } from '../../api/worth.js';
import { useCancelQuestion } from '../portfolio/cancel.js';
import { keyOf } from '../portfolio/cells.js';
import { fillColumns, latestFirst } from '../portfolio/fills.js';
import { More, NotLiveLists, RefreshButton, Troubles, Waiting } from '../portfolio/list-card.js';
import { newestFirst, orderColumns } from '../portfolio/order-columns.js';
import { positionColumns, positionKey } from '../portfolio/positions.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Card, Loaded, Skeleton, ui } from '../ui.js';

/** Without the market, which the page is of: a narrow row begins with the column `name`. */
function withoutMarket<T>(columns: readonly Column<T>[], name: string): Column<T>[] {
  return columns
    .filter(({ id }) => id !== 'market')
    .map((column) =>
      column.id !== name || column.drawn === undefined
        ? column
        : { ...column, drawn: { ...column.drawn, narrow: 'name' } },
    );
}

interface OwnListProps<T extends object> {
  readonly title: string;
  readonly lists: readonly ExchangeList<T>[];
  /** Of the stream that moves it; left out where none does. */
  readonly channel?: 'orders' | 'fills';
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly rowKey: (row: T, index: number) => string;
  /** Said where all was read, and nothing is there. */
  readonly empty: string;
  readonly notes?: string;
}

/** One list of this market. */
function OwnList<T extends object>(props: OwnListProps<T>): ReactNode {
  const { title, lists, channel, columns, rows, rowKey, empty, notes } = props;
  const isWaiting = lists.some((list) => list.rows === undefined && list.error === null);
  const isWhole = lists.every((list) => list.rows !== undefined && !list.hasMore);
  return (
    <Card title={title} aside={<RefreshButton lists={lists} channel={channel} />}>
      <NotLiveLists lists={lists} channel={channel} />
      <Troubles lists={lists} />
      <Waiting lists={lists} />
      {isWaiting ? <Skeleton height={60} /> : null}
      {rows.length === 0 ? null : <Table label={title} columns={columns} rows={rows} keyOf={rowKey} />}
      {rows.length === 0 && isWhole ? <p className={ui.soft}>{empty}</p> : null}
      {rows.length === 0 || notes === undefined ? null : <p className={ui.hint}>{notes}</p>}
      <More lists={lists} />
    </Card>
  );
}

interface OwnProps {
  readonly exchange: Exchange;
  readonly market: Market;
}

interface ListProps extends OwnProps {
  readonly exchanges: readonly Exchange[];
  readonly markets: Markets;
}

function OwnPosition({ exchanges, market, markets }: ListProps): ReactNode {
  const lists = useLists('positions', exchanges, { market_id: market.id });
  const rows = useMemo(() => lists.flatMap(({ rows: some = [] }) => some), [lists]);
  const columns = useMemo(() => {
    // In the currency of the rows: where it is not one, no head claims it.
    const units = [...new Set([market.currency, ...rows.map(({ currency }) => currency)])];
    return withoutMarket(positionColumns(markets, units), 'outcome');
  }, [markets, market.currency, rows]);
  return (
    <OwnList
      title="Your position here"
      lists={lists}
      columns={columns}
      rows={rows}
      rowKey={positionKey}
      empty="You hold nothing of this market."
      notes={RULE}
    />
  );
}

function OwnOrders({ exchanges, market, markets }: ListProps): ReactNode {
  const lists = useLists('orders', exchanges, { market_id: market.id });
  const rows = useMemo(() => newestFirst(lists), [lists]);
  const [ask, dialog] = useCancelQuestion(rows);
  const columns = useMemo(() => withoutMarket(orderColumns(markets, ask), 'side'), [markets, ask]);
  return (
    <>
      <OwnList
        title="Your open orders here"
        lists={lists}
        channel="orders"
        columns={columns}
        rows={rows}
        rowKey={keyOf}
        empty="No order of yours is open in this market."
      />
      {dialog}
    </>
  );
}

function OwnFills({ exchanges, market, markets }: ListProps): ReactNode {
  const lists = useLists('fills', exchanges, { market_id: market.id });
  const rows = useMemo(() => latestFirst(lists), [lists]);
  const columns = useMemo(() => withoutMarket(fillColumns(markets), 'side'), [markets]);
  return (
    <OwnList
      title="Your fills here"
      lists={lists}
      channel="fills"
      columns={columns}
      rows={rows}
      rowKey={keyOf}
      empty="Nothing of yours has traded in this market."
    />
  );
}

function Lists({ exchange, market }: OwnProps): ReactNode {
  const exchanges = useMemo(() => [exchange], [exchange]);
  const markets = useMemo(() => new Map([[marketKey(exchange.id, market.id), market]]), [exchange.id, market]);
  useStream(ownLines(exchanges, 'orders', 'fills'));
  const props = { exchange, market, exchanges, markets };
  return (
    <>
      <OwnPosition {...props} />
      <OwnOrders {...props} />
      <OwnFills {...props} />
    </>
  );
}

/** That the service can ask for nothing of the reader's there, and what mends it. */
export function NoCredentials({ exchange, what }: { readonly exchange: Exchange; readonly what: string }): ReactNode {
  return (
    <p>
      No credentials of yours are stored for {exchange.name}, so {what}.{' '}
      <Link to="/credentials" hash={exchange.id}>
        Store them
      </Link>
    </p>
  );
}

/** What the reader holds, has open and has traded in this market. */
export function Own({ exchange, market }: OwnProps): ReactNode {
  const credentials = useCredentials();
  return (
    <Loaded query={credentials} height={420}>
      {(stored) =>
        stored[exchange.id]?.configured === true ? (
          <Lists exchange={exchange} market={market} />
        ) : (
          <Card title="Yours here">
            <NoCredentials exchange={exchange} what="your position, orders and fills here cannot be shown" />
          </Card>
        )
      }
    </Loaded>
  );
}
