import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type ExchangeEvent, type MarketFilter, useKalshiEvents } from '../../api/markets.js';
import type { KnownKey } from '../../session/keyring.js';
import { plainTitle } from '../names.js';
import { Table } from '../table.js';
import { Button, Card, Loaded, ui } from '../ui.js';
import css from './markets.module.css';

const HEADS = [['Event'], ['Category'], ['Series']] as const;

function EventRow({ event }: { readonly event: ExchangeEvent }): ReactNode {
  const { series_id: series } = event;
  return (
    <tr>
      <th scope="row">
        <Link to="/markets" search={{ exchange: 'kalshi', event: event.id }}>
          {plainTitle(event.title)}
        </Link>
        <p className={ui.hint}>{event.id}</p>
      </th>
      <td>{event.category ?? 'not stated'}</td>
      <td>
        {series === null ? (
          'none'
        ) : (
          <Link to="/markets" search={{ exchange: 'kalshi', series }}>
            {series}
          </Link>
        )}
      </td>
    </tr>
  );
}

/** An event may move from one page to the next. */
function onceEach(events: readonly ExchangeEvent[]): ExchangeEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}

interface KalshiEventsProps {
  readonly known: KnownKey;
  readonly filter: Pick<MarketFilter, 'status' | 'series'>;
}

/** The way to a market of Kalshi for whoever knows no ticker: its events, and the series that they are of. */
export function KalshiEvents({ known, filter }: KalshiEventsProps): ReactNode {
  const query = useKalshiEvents(known, filter);
  return (
    <Card title="Kalshi events">
      <p className={ui.soft}>
        Kalshi finds no words. Its markets stand in events, and those in series: choose one to see its markets.
      </p>
      <Loaded query={query} height={400}>
        {({ pages }) => (
          <Table label="Events of Kalshi" heads={HEADS} className={css.rows}>
            {onceEach(pages.flatMap(({ data }) => data)).map((event) => (
              <EventRow key={event.id} event={event} />
            ))}
          </Table>
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
