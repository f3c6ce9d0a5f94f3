import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Market } from '../../api/client.js';
import { Amount } from '../amount.js';
import { ForeignText, plainText } from '../foreign-text.js';
import { exchangeName, plainTitle } from '../names.js';
import { Quote, volumeUnit } from '../search/quote.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Time } from '../time.js';
import { ui } from '../ui.js';
import css from './markets.module.css';

function Name({ market }: { readonly market: Market }): ReactNode {
  return (
    <>
      <Link to="/markets/$exchange/$id" params={{ exchange: market.exchange, id: market.id }}>
        <ForeignText text={plainTitle(market.title)} />
      </Link>
      {market.subtitle === null ? null : (
        <div className={`${ui.hint} ${css.subtitle ?? ''}`}>
          <ForeignText text={market.subtitle} />
        </div>
      )}
      <div className={`${ui.hint} ${css.narrowOnly ?? ''}`}>
        {exchangeName(market.exchange)}
        {market.close_time === null ? null : (
          <>
            , closes <Time iso={market.close_time} />
          </>
        )}
      </div>
    </>
  );
}

/** Of an outcome in a cell, in signs. */
const LABEL = 24;

function quoteOf(index: number): Column<Market> {
  return {
    id: `outcome_${index}`,
    drawn: {
      head: 'Bid / ask',
      width: 130,
      narrow: 6,
      cell: ({ outcomes }) => {
        const outcome = outcomes[index];
        if (outcome === undefined) return <span title="Not stated">–</span>;
        return (
          <>
            <div className={ui.hint}>
              <bdi>{plainText(outcome.label, LABEL)}</bdi>
            </div>
            <Quote outcome={outcome} />
          </>
        );
      },
    },
  };
}

/** None is sorted by its head: the service sorts all that there are, and not the rows that were read. */
const COLUMNS: readonly Column<Market>[] = [
  { id: 'market', drawn: { head: 'Market', width: 300, narrow: 'name', cell: (market) => <Name market={market} /> } },
  { id: 'exchange', drawn: { head: 'Exchange', width: 90, cell: ({ exchange }) => exchangeName(exchange) } },
  quoteOf(0),
  quoteOf(1),
  {
    id: 'volume_24h',
    drawn: {
      head: 'Volume, 24 h',
      width: 130,
      narrow: 6,
      cell: (market) => (
        <>
          <div className={ui.hint}>{volumeUnit(market)}</div>
          <Amount value={market.volume_24h} places={0} />
        </>
      ),
    },
  },
  { id: 'close_time', value: ({ close_time: at }) => at, drawn: { head: 'Closes', kind: 'time', width: 130 } },
];

interface MarketTableProps {
  readonly markets: readonly Market[];
  /** Which they are, where a page has several tables of them. */
  readonly label?: string;
}

/** Markets in the order of the service. */
export function MarketTable({ markets, label = 'Markets' }: MarketTableProps): ReactNode {
  return <Table label={label} columns={COLUMNS} rows={markets} keyOf={({ exchange, id }) => `${exchange} ${id}`} />;
}

/** A market may move from one page to the next. */
export function onceEach(markets: readonly Market[]): readonly Market[] {
  return [...new Map(markets.map((market) => [`${market.exchange} ${market.id}`, market])).values()];
}
