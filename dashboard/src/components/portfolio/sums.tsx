import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { type Exposure, exposuresOf, type Sums, sumsByCurrency, useEventNames } from '../../api/exposure.js';
import type { Markets } from '../../api/markets.js';
import type { Holding } from '../../api/worth.js';
import { Amount } from '../amount.js';
import { ForeignText } from '../foreign-text.js';
import { exchangeName } from '../names.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { ui } from '../ui.js';
import { amountColumn, marketTitle, Result } from './cells.js';
import css from './portfolio.module.css';

function positions(count: number): string {
  return count === 1 ? '1 position' : `${count} positions`;
}

/** How many there are, whether there may be more, and of how many nobody knows the value. */
function partOf({ holdings, isPart, value: { unknown } }: Sums): string {
  const count = positions(holdings.length);
  const known = unknown === 0 ? count : `${unknown} of ${count} of unknown value`;
  if (isPart) return `partial: of what is loaded, ${known}`;
  return unknown === 0 ? known : `partial: ${known}`;
}

type SumName = 'value' | 'result' | 'cost' | 'fees' | 'realised';

/** A sum, with a sign where it is not the whole. */
function sumColumn<T extends Sums>(id: SumName, drawn: Parameters<typeof amountColumn>[2]): Column<T> {
  const hasSign = id === 'result' || id === 'realised';
  return amountColumn<T>(id, (row) => row[id].value, {
    ...drawn,
    cell: (row, places) => {
      const { value, unknown } = row[id];
      const more = value !== null && (unknown > 0 || row.isPart) ? ' + ?' : '';
      return (
        <>
          {hasSign ? <Result value={value} places={places} /> : <Amount value={value} places={places} />}
          {more}
        </>
      );
    },
  });
}

function sumColumns<T extends Sums>(unit: string | undefined): Column<T>[] {
  return [
    sumColumn<T>('value', { head: 'Value', unit, narrow: 6 }),
    sumColumn<T>('result', { head: 'Result', unit, narrow: 6 }),
    sumColumn<T>('cost', { head: 'Cost', unit, narrow: 6 }),
  ];
}

const TOTAL_COLUMNS: readonly Column<Sums>[] = [
  {
    id: 'currency',
    value: ({ currency }) => currency,
    drawn: {
      head: 'Together',
      width: 230,
      narrow: 'name',
      cell: (sums) => (
        <div className={css.market}>
          <strong>{sums.currency}</strong>
          <span className={ui.hint}>{partOf(sums)}</span>
        </div>
      ),
    },
  },
  ...sumColumns<Sums>(undefined),
  sumColumn<Sums>('fees', { head: 'Fees' }),
  sumColumn<Sums>('realised', { head: 'Realised' }),
];

interface HeldProps {
  readonly holdings: readonly Holding[];
  /** The currencies of which not all is loaded. */
  readonly partial: ReadonlySet<string>;
}

/** Positions together, a row a currency. */
export function PositionTotals({ holdings, partial }: HeldProps): ReactNode {
  const rows = useMemo(() => sumsByCurrency(holdings, partial), [holdings, partial]);
  return <Table label="Positions together" columns={TOTAL_COLUMNS} rows={rows} keyOf={({ currency }) => currency} />;
}

type NamedExposure = Exposure & { readonly name: string; readonly unit: string };

interface EventLinkProps {
  readonly row: NamedExposure;
  /** Of its markets, each once. */
  readonly markets: readonly string[];
}

/** Leads to its positions. */
function ToPositions({ row: { exchange, event, name }, markets: [market = ''] }: EventLinkProps): ReactNode {
  return (
    <Link to="/portfolio" search={{ list: 'positions', exchange, market: event ?? market }}>
      <ForeignText text={name} />
    </Link>
  );
}

/** Leads to the one market, or to all of the event. */
function ToMarkets({ row: { exchange, event, name }, markets: [market = '', ...others] }: EventLinkProps): ReactNode {
  const text = <ForeignText text={name} />;
  if (event !== null && others.length > 0) {
    return (
      <Link to="/markets" search={{ exchange, event }}>
        {text}
      </Link>
    );
  }
  return (
    <Link to="/markets/$exchange/$id" params={{ exchange, id: market }}>
      {text}
    </Link>
  );
}

interface EventCellProps {
  readonly row: NamedExposure;
  readonly EventLink: (props: EventLinkProps) => ReactNode;
}

function EventCell({ row, EventLink }: EventCellProps): ReactNode {
  const { exchange, unit, holdings } = row;
  const markets = [...new Set(holdings.map(({ position }) => position.market_id))];
  const parts = [exchangeName(exchange), unit, markets.length > 1 ? `${markets.length} markets` : '', partOf(row)];
  return (
    <div className={css.market}>
      <EventLink row={row} markets={markets} />
      <span className={ui.hint}>{parts.filter((part) => part !== '').join(', ')}</span>
    </div>
  );
}

function exposureColumns(unit: string | undefined, EventLink: EventCellProps['EventLink']): Column<NamedExposure>[] {
  return [
    {
      id: 'event',
      value: ({ name }) => name,
      drawn: {
        head: 'Event',
        width: 230,
        narrow: 'name',
        cell: (row) => <EventCell row={row} EventLink={EventLink} />,
      },
    },
    ...sumColumns<NamedExposure>(unit),
  ];
}

interface ExposureTableProps extends HeldProps {
  readonly markets: Markets;
  /** Of each currency the greatest, which lead to their positions; where it is left out all, which lead to their markets. */
  readonly most?: number;
}

/** What depends on one event, over all exchanges: the greatest value first. */
export function ExposureTable({ holdings, partial, markets, most = Infinity }: ExposureTableProps): ReactNode {
  const all = useMemo(() => exposuresOf(holdings, partial), [holdings, partial]);
  const shown = useMemo(
    () =>
      [...new Set(all.map(({ currency }) => currency))].flatMap((unit) =>
        all.filter(({ currency }) => currency === unit).slice(0, most),
      ),
    [all, most],
  );
  const names = useEventNames(shown);
  const [unit, ...others] = new Set(all.map(({ currency }) => currency));
  const isOne = others.length === 0;
  const EventLink = most === Infinity ? ToMarkets : ToPositions;
  const columns = useMemo(() => exposureColumns(isOne ? unit : undefined, EventLink), [isOne, unit, EventLink]);
  const rows = shown.map((exposure, at): NamedExposure => {
    const first = exposure.holdings[0]?.position;
    const title = first === undefined ? '' : marketTitle(first, markets);
    const isOneMarket = exposure.holdings.every(({ position }) => position.market_id === first?.market_id);
    const name = names[at] ?? (isOneMarket ? title : (exposure.event ?? title));
    return { ...exposure, name, unit: isOne ? '' : exposure.currency };
  });
  if (rows.length === 0) return <p className={ui.soft}>No position of yours is open.</p>;
  return (
    <>
      <Table
        label="Exposure by event"
        columns={columns}
        rows={rows}
        keyOf={({ exchange, event, name }) => `${exchange} ${event ?? name}`}
      />
      {shown.length < all.length ? (
        <p className={ui.hint}>
          {shown.length} of {all.length} events, those of the greatest value.
        </p>
      ) : null}
    </>
  );
}
