import { type ReactNode, useMemo } from 'react';
import { ownLines, useStream } from '../../api/live.js';
import type { Bot } from '../../api/bots.js';
import { type Markets, useMarkets } from '../../api/markets.js';
import { type ExchangeList, type Fill, useLists } from '../../api/portfolio.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { amountColumn, botColumn, dealColumns, keyOf, marketColumns, marketsIn, useBotNames } from './cells.js';
import { CsvFiles } from './csv-files.js';
import { spanOf, useFitting, type ViewProps } from './filters.js';
import { ListCard } from './list-card.js';

const STATUS: Readonly<Record<Fill['status'], string>> = {
  pending: 'Pending',
  confirmed: 'Confirmed',
  failed: 'Failed',
};
const ROLES = { maker: 'Maker', taker: 'Taker' } as const;

/** Every field as the API gave it: a decimal string stays what it is. */
export function fillColumns(markets: Markets, bots: readonly Bot[] = []): Column<Fill>[] {
  return [
    { id: 'exchange', value: ({ exchange }) => exchange },
    {
      id: 'timestamp',
      value: ({ timestamp }) => timestamp,
      drawn: { head: 'Time', kind: 'time', width: 96, narrow: 4 },
    },
    ...marketColumns<Fill>(markets),
    ...dealColumns<Fill>(markets, 'Fill', ({ order_id: id }) => id),
    amountColumn('price', ({ price }) => price, { head: 'Price', narrow: 3 }),
    amountColumn('size', ({ size }) => size, { head: 'Size', narrow: 3 }),
    amountColumn('fee', ({ fee }) => fee, { head: 'Fee' }),
    {
      id: 'role',
      value: ({ role }) => role,
      drawn: { head: 'Role', width: 60, cell: ({ role }) => ROLES[role] },
    },
    {
      id: 'status',
      value: ({ status }) => status,
      drawn: { head: 'Status', width: 80, cell: ({ status }) => STATUS[status] },
    },
    botColumn(bots),
    { id: 'order_id', value: ({ order_id: id }) => id },
    { id: 'fill_id', value: ({ id }) => id },
    { id: 'transaction_hash', value: ({ transaction_hash: hash }) => hash },
  ];
}

/** Newest first. */
export function latestFirst(lists: readonly ExchangeList<Fill>[]): Fill[] {
  const all = lists.flatMap(({ rows = [] }) => rows);
  return all.sort((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp));
}

/** What was traded, newest first, and the same as a file. */
export function Fills({ exchanges, filter, ordering, onShowAll }: ViewProps): ReactNode {
  const span = spanOf(filter);
  const lists = useLists('fills', exchanges, span);
  useStream(ownLines(exchanges, 'orders', 'fills'));
  const markets = useMarkets(
    useMemo(() => marketsIn(lists), [lists]),
    Infinity,
  );
  const bots = useBotNames();
  const columns = useMemo(() => fillColumns(markets, bots), [markets, bots]);
  const all = useMemo(() => latestFirst(lists), [lists]);
  const shown = useFitting(all, filter, markets);
  return (
    <ListCard
      title="Fills"
      of={['fill', 'fills']}
      lists={lists}
      channel="fills"
      columns={columns}
      shown={shown}
      onShowAll={onShowAll}
      span={span}
      tools={<CsvFiles exchanges={exchanges} list="fills" span={span} />}
      empty="Nothing of yours has traded at the exchanges that were read."
    >
      <Table label="Fills" columns={columns} rows={shown} keyOf={keyOf} {...ordering} />
    </ListCard>
  );
}
