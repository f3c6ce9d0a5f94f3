import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageTitle } from '../components/frame.js';
import { Events } from '../components/markets/events.js';
import { FilterForm } from '../components/markets/filter-form.js';
import { MarketList } from '../components/markets/market-list.js';
import { browsedIn, canAsk, NONE_CAN, whyLeftOut } from '../components/markets/search-rules.js';
import { Notice } from '../components/ui.js';
import { installation } from '../installation.js';

const route = getRouteApi('/inside/markets');

export function Markets(): ReactNode {
  const search = route.useSearch();
  const { words = '', series = '', event = '', status = 'open' } = search;
  const asked = installation.exchanges.filter((exchange) => canAsk(exchange, search));
  const leftOut = whyLeftOut(search, asked);
  return (
    <>
      <PageTitle>Markets</PageTitle>
      <FilterForm key={JSON.stringify(search)} search={search} />
      {leftOut === null ? null : <Notice>{leftOut}</Notice>}
      {asked.length === 0 ? (
        <Notice>{NONE_CAN}</Notice>
      ) : (
        <MarketList filter={{ exchanges: asked.map(({ id }) => id), status, words, series, event }} />
      )}
      {browsedIn(search).map((exchange) => (
        <Events key={exchange.id} exchange={exchange} filter={{ status, series }} />
      ))}
    </>
  );
}
