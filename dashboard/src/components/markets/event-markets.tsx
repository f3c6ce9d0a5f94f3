import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type EventFilter, useEventMarkets } from '../../api/markets.js';
import { ForeignText } from '../foreign-text.js';
import { exchangeName } from '../names.js';
import { Select } from '../select.js';
import { Button, Card, Loaded } from '../ui.js';
import { MarketTable, onceEach } from './market-table.js';
import css from './markets.module.css';
import { searchOf } from './search.js';

/** The markets of one event, as its exchange lists them now. */
export function EventMarkets({ filter }: { readonly filter: EventFilter }): ReactNode {
  const navigate = useNavigate();
  const query = useEventMarkets(filter);
  return (
    <Card
      title="Markets of an event"
      aside={
        <Button isSmall onClick={() => void query.refetch()} disabled={query.isFetching}>
          {query.isFetching ? 'Reading…' : 'Refresh'}
        </Button>
      }
    >
      <p>
        Event <ForeignText form="quoted" text={filter.event} /> at {exchangeName(filter.exchange)}
      </p>
      <div className={css.filters} role="search" aria-label="What is listed">
        <Select
          label="Status"
          value={filter.status}
          options={[
            ['open', 'Open'],
            ['closed', 'Closed'],
            ['settled', 'Settled'],
          ]}
          onChange={({ target }) => {
            void navigate({ to: '/markets', search: searchOf({ ...filter, status: target.value }), replace: true });
          }}
        />
      </div>
      <Loaded query={query} height={600}>
        {({ pages }) => {
          const markets = onceEach(pages.flatMap(({ data }) => data));
          return markets.length === 0 ? <p>No market of it has this status.</p> : <MarketTable markets={markets} />;
        }}
      </Loaded>
      {query.hasNextPage ? (
        <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetching}>
          {query.isFetchingNextPage ? 'Loading…' : 'Load more'}
        </Button>
      ) : null}
    </Card>
  );
}
