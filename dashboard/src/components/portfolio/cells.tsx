import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { exchangeIn, written } from '../../address.js';
import { type Bot, useBots } from '../../api/bots.js';
import type { ExchangeId } from '../../api/client.js';
import { isPositive } from '../../../../src/exchanges/decimal.js';
import { marketKey, type MarketPlace, type Markets } from '../../api/markets.js';
import type { ExchangeList, Order } from '../../api/portfolio.js';
import { Amount } from '../amount.js';
import { ForeignText, plainText } from '../foreign-text.js';
import { exchangeName, plainTitle } from '../names.js';
import { OtherWay, type Stated } from '../other-way.js';
import type { Column, DrawnColumn } from '../table/columns.js';
import css from './portfolio.module.css';

/** Where a row stands: at which exchange, in which market. */
export interface Place {
  readonly exchange: string;
  readonly market_id: string;
  readonly title?: string | null;
  /** Null where the exchange does not say. */
  readonly outcome: { readonly id: string; readonly label: string | null } | null;
}

/** What a market is called, as far as anybody said. */
export function marketTitle({ exchange, market_id: id, title }: Omit<Place, 'outcome'>, markets: Markets): string {
  return plainTitle(markets.get(marketKey(exchange, id))?.title ?? title ?? id);
}

export function outcomeLabel({ exchange, market_id: id, outcome }: Place, markets: Markets): string {
  if (outcome === null) return 'not told';
  const known = markets.get(marketKey(exchange, id))?.outcomes.find((one) => one.id === outcome.id);
  return outcome.label ?? known?.label ?? outcome.id;
}

const SIDES = { buy: 'Buy', sell: 'Sell' } as const;

/** The order as a person would say it. */
export function orderText(order: Order, markets: Markets): string {
  return `${SIDES[order.side]} ${order.remaining_size} ${outcomeLabel(order, markets)} at ${order.price}`;
}

/** What tells a row of one exchange from all others. */
export function keyOf({ exchange, id }: { readonly exchange: string; readonly id: string }): string {
  return `${exchange} ${id}`;
}

/** The markets of those rows that need theirs. */
export function marketsIn<T extends { readonly market_id: string }>(
  lists: readonly ExchangeList<T>[],
  isNeeded: (row: T) => boolean = () => true,
): MarketPlace[] {
  return lists.flatMap(({ exchange, rows = [] }) =>
    rows.filter(isNeeded).map(({ market_id: id }) => ({ exchange: exchange.id, id })),
  );
}

interface MarketCellProps {
  readonly row: Place;
  readonly markets: Markets;
  /** Whether a narrow table has the outcome here, for want of a column. */
  readonly withOutcome?: boolean;
  /** Of the amounts of this row, where not all rows have the same. */
  readonly unit?: string;
}

/** Of a market: its exchange, and what tells it from its neighbours. */
function Where({ row, markets, withOutcome = false, unit = '' }: MarketCellProps): ReactNode {
  const subtitle = markets.get(marketKey(row.exchange, row.market_id))?.subtitle ?? '';
  const more = marketTitle(row, markets).includes(subtitle) ? '' : plainText(subtitle);
  const [outcome, ...parts] = [outcomeLabel(row, markets), exchangeName(row.exchange), unit, more];
  return (
    <>
      {withOutcome ? <strong className={css.outcome}>{plainText(outcome)}, </strong> : null}
      <bdi>{parts.filter((part) => part !== '').join(', ')}</bdi>
    </>
  );
}

/** The market of a row, with its id. */
function MarketCell(props: MarketCellProps): ReactNode {
  const { exchange, market_id: id } = props.row;
  const title = marketTitle(props.row, props.markets);
  return (
    <div className={css.market}>
      <Link to="/markets/$exchange/$id" params={{ exchange, id }}>
        <ForeignText text={title} />
      </Link>
      <span className={css.where}>
        <Where {...props} />
        {title === id ? null : <code title={id}> {id}</code>}
      </span>
    </div>
  );
}

/** Which market a row is of: its ids are in the file alone. */
export function marketColumns<T extends Place>(
  markets: Markets,
  more: (row: T) => Pick<MarketCellProps, 'withOutcome' | 'unit'> = () => ({}),
): Column<T>[] {
  return [
    { id: 'market_id', value: ({ market_id: id }) => id },
    {
      id: 'market',
      value: (row) => marketTitle(row, markets),
      drawn: {
        head: 'Market',
        width: 230,
        narrow: 'name',
        cell: (row) => <MarketCell row={row} markets={markets} {...more(row)} />,
      },
    },
    { id: 'outcome_id', value: ({ outcome }) => outcome?.id ?? null },
  ];
}

type Dealt = Place & Stated;

/** What is bought or sold, which leads to the order's life: in the file as side and outcome. */
export function dealColumns<T extends Dealt>(markets: Markets, head: string, orderOf: (row: T) => string): Column<T>[] {
  return [
    { id: 'outcome', value: (row) => outcomeLabel(row, markets) },
    {
      id: 'side',
      value: ({ side }) => side,
      drawn: {
        head,
        width: 84,
        narrow: 3,
        cell: (row) => (
          <>
            <Link
              to="/activity/orders/$id"
              params={{ id: orderOf(row) }}
              search={written<{ exchange: ExchangeId }>({ exchange: exchangeIn(row.exchange) })}
            >
              <ForeignText text={`${SIDES[row.side]} ${outcomeLabel(row, markets)}`} />
            </Link>
            <OtherWay stated={row} market={markets.get(marketKey(row.exchange, row.market_id))} />
          </>
        ),
      },
    },
  ];
}

/** A column of exact decimals. */
export function amountColumn<T>(
  id: string,
  value: (row: T) => string | null,
  drawn: Omit<DrawnColumn<T>['drawn'], 'kind' | 'width'>,
): Column<T> {
  return { id, value, drawn: { width: 76, kind: 'number', ...drawn } };
}

/** Won or lost: by its sign, and by its colour. */
export function Result({ value, places }: { readonly value: string | null; readonly places: number }): ReactNode {
  if (value === null) return <Amount value={null} />;
  const isUp = isPositive(value);
  const down = value.startsWith('-') ? 'down' : 'even';
  return (
    <span className={css.sum} data-sign={isUp ? 'up' : down}>
      {isUp ? '+' : ''}
      <Amount value={value} places={places} />
    </span>
  );
}

const NO_BOTS: readonly Bot[] = [];

/** The reader's bots; the same list as long as they are the same. */
export function useBotNames(): readonly Bot[] {
  return useBots().data ?? NO_BOTS;
}

/** Whose order it was, where a bot's; drawn for whoever has bots. */
export function botColumn<T extends { readonly bot_id: string | null }>(bots: readonly Bot[]): Column<T> {
  const names = new Map(bots.map(({ id, name }) => [id, name]));
  const nameOf = ({ bot_id: id }: T): ReactNode => (id === null ? '–' : <ForeignText text={names.get(id) ?? id} />);
  const column: Column<T> = { id: 'bot_id', value: ({ bot_id: id }) => id };
  return bots.length === 0 ? column : { ...column, drawn: { head: 'Bot', width: 84, cell: nameOf } };
}
