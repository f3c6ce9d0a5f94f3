import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isPositive } from '../../../../src/exchanges/decimal.js';
import type { Market } from '../../api/client.js';
import { marketKey, type Order } from '../../api/portfolio.js';
import { exchangeName, plainTitle } from '../names.js';
import { ui } from '../ui.js';
import css from './portfolio.module.css';

/** Where a row stands: at which exchange, in which market. */
export interface Place {
  readonly exchange: string;
  readonly market_id: string;
  readonly title?: string | null;
  readonly outcome: { readonly id: string; readonly label: string | null };
}

export type Markets = ReadonlyMap<string, Market>;

/** What a market is called, as far as anybody said. */
export function marketTitle({ exchange, market_id: id, title }: Omit<Place, 'outcome'>, markets: Markets): string {
  return plainTitle(markets.get(marketKey(exchange, id))?.title ?? title ?? id);
}

export function outcomeLabel({ exchange, market_id: id, outcome }: Place, markets: Markets): string {
  const known = markets.get(marketKey(exchange, id))?.outcomes.find((one) => one.id === outcome.id);
  return outcome.label ?? known?.label ?? outcome.id;
}

/** The order as a person would say it. */
export function orderText(order: Order, markets: Markets): string {
  const verb = order.side === 'buy' ? 'Buy' : 'Sell';
  return `${verb} ${order.remaining_size} ${outcomeLabel(order, markets)} at ${order.price}`;
}

/** The market of a row: its title, its exchange, what tells it from its neighbours, and its id. */
export function MarketCell({ row, markets }: { readonly row: Place; readonly markets: Markets }): ReactNode {
  const { exchange, market_id: id } = row;
  const subtitle = markets.get(marketKey(exchange, id))?.subtitle ?? null;
  const title = marketTitle(row, markets);
  return (
    <th scope="row">
      <div className={css.market}>
        <Link to="/markets/$exchange/$id" params={{ exchange, id }}>
          {title}
        </Link>
        <span>
          {exchangeName(exchange)}
          {subtitle === null || title.includes(subtitle) ? '' : `, ${subtitle}`}
        </span>
        {title === id ? null : <code title={id}>{id}</code>}
      </div>
    </th>
  );
}

/** A number as the API states it, at the end of its cell; a dash where nobody states it. */
export function Amount({ value, unit = '' }: { readonly value: string | null; readonly unit?: string }): ReactNode {
  return (
    <td className={ui.number}>
      {value === null ? <span title="Not stated">–</span> : `${value}${unit === '' ? '' : ` ${unit}`}`}
    </td>
  );
}

/** Won or lost: by its sign, and by its colour. */
export function Result({ value, unit }: { readonly value: string | null; readonly unit: string }): ReactNode {
  if (value === null) return <Amount value={null} />;
  const isUp = isPositive(value);
  const down = value.startsWith('-') ? 'down' : 'even';
  return (
    <td className={ui.number}>
      <span className={css.sum} data-sign={isUp ? 'up' : down}>
        {isUp ? '+' : ''}
        {value} {unit}
      </span>
    </td>
  );
}
