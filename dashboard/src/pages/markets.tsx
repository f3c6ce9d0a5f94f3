import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ExchangeId } from '../api/client.js';
import type { MarketFilter } from '../api/markets.js';
import { PageTitle } from '../components/frame.js';
import { FilterForm } from '../components/markets/filter-form.js';
import { KalshiEvents } from '../components/markets/kalshi-events.js';
import { MarketList } from '../components/markets/market-list.js';
import { type MarketSearch } from '../components/markets/search.js';
import { Notice } from '../components/ui.js';
import { installation } from '../installation.js';

const route = getRouteApi('/inside/markets');

/** Whether an exchange can be asked with these filters: words are Polymarket's to find, series Kalshi's; an event's id says not whose it is. */
function canAsk(exchange: ExchangeId, { exchange: chosen, words, series, event }: MarketSearch): boolean {
  if (chosen !== undefined && chosen !== exchange) return false;
  if (exchange === 'kalshi') return words === undefined;
  return series === undefined && (event === undefined || (chosen === exchange && words === undefined));
}

function filterOf(search: MarketSearch): MarketFilter {
  const { words = '', series = '', event = '', status = 'open' } = search;
  const exchanges = installation.exchanges.map(({ id }) => id).filter((id) => canAsk(id, search));
  return { exchanges, status, words, series, event };
}

/** Why an exchange is not in the list. */
function Left({ search }: { readonly search: MarketSearch }): ReactNode {
  if (search.exchange !== undefined) return null;
  if (search.words !== undefined) {
    return <Notice>Kalshi finds no words, so this list is Polymarket’s alone. Look below for events of Kalshi.</Notice>;
  }
  if (search.series === undefined && search.event === undefined) return null;
  return (
    <Notice>
      Series and events are looked for at Kalshi where no exchange is chosen, so this list is Kalshi’s alone.
    </Notice>
  );
}

export function Markets(): ReactNode {
  const search = route.useSearch();
  const filter = filterOf(search);
  return (
    <>
      <PageTitle>Markets</PageTitle>
      <FilterForm key={JSON.stringify(search)} search={search} />
      <Left search={search} />
      {filter.exchanges.length === 0 ? (
        <Notice>
          No exchange can do all of this: words are found at Polymarket alone, without an event, and series at Kalshi
          alone. Clear one.
        </Notice>
      ) : (
        <MarketList filter={filter} />
      )}
      {search.exchange === 'polymarket' ? null : (
        <KalshiEvents filter={{ status: filter.status, series: filter.series }} />
      )}
    </>
  );
}
