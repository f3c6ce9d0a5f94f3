import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageTitle } from '../components/frame.js';
import { EventMarkets } from '../components/markets/event-markets.js';
import { FoundMarkets } from '../components/markets/found-markets.js';

const route = getRouteApi('/inside/markets');

export function Markets(): ReactNode {
  const search = route.useSearch();
  const { exchange, event, status = 'open' } = search;
  const isEvent = exchange !== undefined && event !== undefined;
  return (
    <>
      <PageTitle>Markets</PageTitle>
      {isEvent ? (
        <>
          <p>
            <Link to="/markets">All markets</Link>
          </p>
          <EventMarkets filter={{ exchange, event, status }} />
        </>
      ) : (
        <FoundMarkets search={search} />
      )}
    </>
  );
}
