import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type ExchangeEvent, type MarketFilter, useKalshiEvents } from '../../api/markets.js';
import { ForeignText } from '../foreign-text.js';
import { plainTitle } from '../names.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Button, Card, Loaded, ui } from '../ui.js';

const COLUMNS: readonly Column<ExchangeEvent>[] = [
  {
    id: 'event',
    value: ({ title }) => plainTitle(title),
    drawn: {
      head: 'Event',
      width: 260,
      narrow: 'name',
      cell: ({ id, title }) => (
        <>
          <Link to="/markets" search={{ exchange: 'kalshi', event: id }}>
            <ForeignText text={plainTitle(title)} />
          </Link>
          <div className={ui.hint}>
            <ForeignText text={id} />
          </div>
        </>
      ),
    },
  },
  {
    id: 'category',
    value: ({ category }) => category ?? 'not stated',
    drawn: { head: 'Category', width: 120, narrow: 1 },
  },
  {
    id: 'series',
    value: ({ series_id: series }) => series ?? 'none',
    drawn: {
      head: 'Series',
      width: 140,
      narrow: 1,
      cell: ({ series_id: series }) =>
        series === null ? (
          'none'
        ) : (
          <Link to="/markets" search={{ exchange: 'kalshi', series }}>
            {series}
          </Link>
        ),
    },
  },
];

/** An event may move from one page to the next. */
function onceEach(events: readonly ExchangeEvent[]): ExchangeEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}

interface KalshiEventsProps {
  readonly filter: Pick<MarketFilter, 'status' | 'series'>;
}

/** The way to a market of Kalshi for whoever knows no ticker: its events, and the series that they are of. */
export function KalshiEvents({ filter }: KalshiEventsProps): ReactNode {
  const query = useKalshiEvents(filter);
  return (
    <Card title="Kalshi events">
      <p className={ui.soft}>
        Kalshi finds no words. Its markets stand in events, and those in series: choose one to see its markets.
      </p>
      <Loaded query={query} height={400}>
        {({ pages }) => (
          <Table
            label="Events of Kalshi"
            columns={COLUMNS}
            rows={onceEach(pages.flatMap(({ data }) => data))}
            keyOf={({ id }) => id}
          />
        )}
      </Loaded>
      {query.hasNextPage ? (
        <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetching}>
          {query.isFetchingNextPage ? 'Loading…' : 'Load more events'}
        </Button>
      ) : null}
    </Card>
  );
}
