import type { ReactNode } from 'react';
import { type MarketPlace, useMarket } from '../../api/markets.js';
import { useOrderFills } from '../../api/order-fills.js';
import type { Exchange, Fill } from '../../api/portfolio.js';
import { Amount, placesOf } from '../amount.js';
import { ForeignText } from '../foreign-text.js';
import { OtherWay } from '../other-way.js';
import { Time } from '../time.js';
import { Button, Card, Loaded, ui } from '../ui.js';

const COLUMNS = ['price', 'size', 'fee'] as const;

interface FillTableProps {
  readonly fills: readonly Fill[];
  /** Of them all. */
  readonly market: MarketPlace;
}

function FillTable({ fills, market: place }: FillTableProps): ReactNode {
  const market = useMarket(place);
  const places = Object.fromEntries(COLUMNS.map((name) => [name, placesOf(fills.map((fill) => fill[name]))]));
  return (
    <div className={ui.scroll} tabIndex={0} role="region" aria-label="Fills of this order, a table">
      <table className={ui.table}>
        <thead>
          <tr>
            <th scope="col">Fill</th>
            {['Price', 'Size', 'Fee'].map((head) => (
              <th key={head} scope="col" className={ui.number}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {fills.map((fill) => (
            <tr key={fill.id}>
              <td>
                {fill.side === 'buy' ? 'Buy' : 'Sell'}{' '}
                <ForeignText form="quoted" text={fill.outcome.label ?? fill.outcome.id} />
                <OtherWay stated={fill} market={market.data} />
                <div className={ui.hint}>
                  <Time iso={fill.timestamp} withMs />, {fill.role}, {fill.status}
                </div>
              </td>
              {COLUMNS.map((name) => (
                <td key={name} className={ui.number}>
                  <Amount value={fill[name]} places={places[name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface OrderFillsProps {
  readonly exchange: Exchange;
  /** Of the order. */
  readonly id: string;
}

/** What an order has traded, newest first, as its exchange has it. */
export function OrderFills({ exchange, id }: OrderFillsProps): ReactNode {
  const fills = useOrderFills(exchange.id, id);
  return (
    <Card
      title="Fills of this order"
      aside={
        <Button isSmall disabled={fills.isFetching} onClick={() => void fills.refetch()}>
          {fills.isFetching ? 'Asking…' : 'Ask again'}
        </Button>
      }
    >
      <Loaded query={fills} height={120}>
        {({ data, next_cursor: next }) =>
          data[0] === undefined ? (
            <p>{exchange.name} shows no fill of this order.</p>
          ) : (
            <>
              <FillTable fills={data} market={{ exchange: exchange.id, id: data[0].market_id }} />
              {next === null ? null : <p className={ui.hint}>These are the newest {data.length}; there are more.</p>}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
