import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { ExchangeId } from '../../api/client.js';
import { type ExchangeEvent, type MarketFilter, useEvents } from '../../api/markets.js';
import type { Exchange } from '../../installation.js';
import { ForeignText } from '../foreign-text.js';
import { plainTitle } from '../names.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Button, Card, Loaded, ui } from '../ui.js';

function columnsOf(exchange: ExchangeId): readonly Column<ExchangeEvent>[] {
  return [
    {
      id: 'event',
      value: ({ title }) => plainTitle(title),
      drawn: {
        head: 'Event',
        width: 260,
        narrow: 'name',
        cell: ({ id, title }) => (
          <>
            <Link to="/markets" search={{ exchange, event: id }}>
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
            <Link to="/markets" search={{ exchange, series }}>
              {series}
            </Link>
          ),
      },
    },
  ];
}

/** An event may move from one page to the next. */
function onceEach(events: readonly ExchangeEvent[]): ExchangeEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}

interface EventsProps {
  readonly exchange: Exchange;
  readonly filter: Pick<MarketFilter, 'status' | 'series'>;
}

/** The way to a market at an exchange that finds no words: its events, and the series that they are of. */
export function Events({ exchange: { id, name, search }, filter }: EventsProps): ReactNode {
  const query = useEvents(id, filter);
  const columns = useMemo(() => columnsOf(id), [id]);
  return (
    <Card title={`${name} events`}>
      <p className={ui.soft}>
        {name} finds no words. Its markets stand in events{search.series === null ? '' : ', and those in series'}:
        choose one to see its markets.
      </p>
      <Loaded query={query} height={400}>
        {({ pages }) => (
          <Table
            label={`Events of ${name}`}
            columns={columns}
            rows={onceEach(pages.flatMap(({ data }) => data))}
            keyOf={({ id: event }) => event}
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
