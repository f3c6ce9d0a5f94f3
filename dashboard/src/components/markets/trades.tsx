import type { ReactNode } from 'react';
import { type MarketPlace, useTrades } from '../../api/markets.js';
import type { Line } from '../../streams/subscriptions.js';
import type { Column } from '../table/columns.js';
import { Freshness, NotLive } from '../live.js';
import { Table } from '../table/table.js';
import { Card, Loaded, ui } from '../ui.js';

type Trade = NonNullable<ReturnType<typeof useTrades>['data']>['data'][number];

const COLUMNS: readonly Column<Trade>[] = [
  { id: 'timestamp', value: ({ timestamp }) => timestamp, drawn: { head: 'Time', kind: 'time', width: 90, narrow: 4 } },
  {
    id: 'taker',
    value: ({ side, outcome }) => `${side === 'buy' ? 'Buy' : 'Sell'} ${outcome.label}`,
    drawn: { head: 'Taker', width: 80, narrow: 'name' },
  },
  { id: 'price', value: ({ price }) => price, drawn: { head: 'Price', kind: 'number', width: 60, narrow: 3 } },
  { id: 'size', value: ({ size }) => size, drawn: { head: 'Size', kind: 'number', width: 60, narrow: 3 } },
];

/** The exchange may give trades that agree in everything one id. */
function keyOf({ id }: Trade, index: number): string {
  return `${id} ${index}`;
}

interface TradesProps {
  readonly place: MarketPlace;
  /** What the exchange says of its trades; null for nothing. */
  readonly note: string | null;
}

/** The last trades of a market, of both outcomes. */
export function Trades({ place, note }: TradesProps): ReactNode {
  const trades = useTrades(place);
  const line: Line = { exchange: place.exchange, channel: 'trades', marketId: place.id };
  return (
    <Card title="Last trades">
      <NotLive lines={[line]} />
      <Loaded query={trades} height={420}>
        {({ data }) =>
          data.length === 0 ? (
            <p>Nobody has traded here yet.</p>
          ) : (
            <>
              <Table label="Last trades, newest first" columns={COLUMNS} rows={data} keyOf={keyOf} />
              <p className={ui.hint}>
                Of all outcomes, newest first
                <Freshness line={line} readAt={trades.dataUpdatedAt} />.{note === null ? '' : ` ${note}`}
              </p>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
