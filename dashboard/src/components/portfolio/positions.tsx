import type { ReactNode } from 'react';
import { multiply, subtract } from '../../../../src/exchanges/decimal.js';
import type { Market } from '../../api/client.js';
import { marketKey, type Position, REFRESH_MS, useLists, useMarkets } from '../../api/portfolio.js';
import { exchangeName } from '../names.js';
import { Table } from '../table.js';
import { Notice } from '../ui.js';
import { Amount, MarketCell, type Markets, outcomeLabel, Result } from './cells.js';
import { fits, type ViewProps } from './filters.js';
import { ListCard } from './list-card.js';
import css from './portfolio.module.css';

/** What a position is worth now. */
interface Worth {
  readonly mark: string | null;
  readonly value: string | null;
  readonly result: string | null;
  /** Whether it is figured out here, from the best bid. */
  readonly isByBid: boolean;
}

/** As the exchange states it; where it states nothing, at what the best bid would pay. Exact. */
function worthOf(position: Position, market: Market | undefined): Worth {
  const { current_price: mark, market_value: value, unrealized_pnl: result, cost_basis: cost, size } = position;
  if (mark !== null || value !== null) return { mark, value, result, isByBid: false };
  const bid = market?.outcomes.find(({ id }) => id === position.outcome.id)?.bid ?? null;
  if (bid === null) return { mark, value, result, isByBid: false };
  const paid = multiply(bid, size);
  return { mark: bid, value: paid, result: cost === null ? null : subtract(paid, cost), isByBid: true };
}

function Status({ position }: { readonly position: Position }): ReactNode {
  if (position.status === 'open') return <span className={css.badge}>Open</span>;
  if (position.status === 'settled') return <span className={css.badge}>Settled</span>;
  if (position.market_value === '0') return <span className={css.badge}>Lost, pays nothing</span>;
  return (
    <span className={css.badge} data-kind="good">
      Redeemable
    </span>
  );
}

const HEADS = [
  ['Market'],
  ['Outcome'],
  ['Status'],
  ['Size', true],
  ['Average', true],
  ['Cost', true],
  ['Mark', true],
  ['Value', true],
  ['Result', true],
  ['Fees', true],
  ['Realised', true],
] as const;

function PositionRow({ position, markets }: { readonly position: Position; readonly markets: Markets }): ReactNode {
  const { currency } = position;
  const worth = worthOf(position, markets.get(marketKey(position.exchange, position.market_id)));
  return (
    <tr>
      <MarketCell row={position} markets={markets} />
      <td>{outcomeLabel(position, markets)}</td>
      <td>
        <Status position={position} />
      </td>
      <Amount value={position.size} />
      <Amount value={position.average_price} />
      <Amount value={position.cost_basis} unit={currency} />
      <Amount value={worth.mark} unit={worth.isByBid ? '(bid)' : ''} />
      <Amount value={worth.value} unit={currency} />
      <Result value={worth.result} unit={currency} />
      <Amount value={position.fees_paid} unit={currency} />
      <Result value={position.realized_pnl} unit={currency} />
    </tr>
  );
}

function isRedeemable({ status, market_value: value }: Position): boolean {
  return status === 'redeemable' && value !== '0';
}

const NOTES =
  'Result: what the position is worth now, less what it cost. Realised: won or lost by what is already sold. A mark with “(bid)” is the best bid of its market now, as the exchange states no mark: a sale of one share would pay it, before fees.';

/** What is held, what it cost and what it is worth. */
export function Positions({ access, filter, onShowAll }: ViewProps): ReactNode {
  const lists = useLists('positions', access.exchanges, { known: access.known, isLive: true });
  const wanted = lists.map(({ exchange, rows = [] }) => ({
    exchange,
    ids: rows
      .filter(({ title, current_price }) => title === null || current_price === null)
      .map((row) => row.market_id),
  }));
  const markets = useMarkets(wanted, access.known, REFRESH_MS);
  const all = lists.flatMap(({ rows = [] }) => rows);
  const shown = all.filter((row) => fits(row, filter, markets));
  const redeemable = all.filter(isRedeemable);
  return (
    <ListCard
      title="Positions"
      lists={lists}
      shown={shown.length}
      onShowAll={onShowAll}
      empty="You hold nothing at the exchanges that were read. A position begins with the first fill of an order."
      tools={
        redeemable.length === 0 ? null : (
          <Notice kind="good">
            <strong>
              {redeemable.length === 1 ? '1 position is redeemable.' : `${redeemable.length} positions are redeemable.`}
            </strong>
            <span>
              The market is decided for you, and the money waits. Redeem it at{' '}
              {[...new Set(redeemable.map(({ exchange }) => exchangeName(exchange)))].join(' and ')} itself: this
              service cannot do that for you.
            </span>
          </Notice>
        )
      }
      notes={NOTES}
    >
      <Table label="Positions" heads={HEADS} className={css.rows}>
        {shown.map((row, index) => (
          <PositionRow key={`${row.exchange} ${row.outcome.id} ${index}`} position={row} markets={markets} />
        ))}
      </Table>
    </ListCard>
  );
}
