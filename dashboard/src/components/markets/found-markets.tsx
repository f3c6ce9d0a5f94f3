import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type FoundPage, useFound } from '../../api/found.js';
import { installation } from '../../installation.js';
import { ForeignText } from '../foreign-text.js';
import { AgesOf, NO_CATALOGUE } from '../search/ages.js';
import { Select } from '../select.js';
import { Button, buttonClass, Card, Loaded, Notice, ui } from '../ui.js';
import { MarketTable, onceEach } from './market-table.js';
import css from './markets.module.css';
import { type MarketSearch, searchOf } from './search.js';

/** In hours. */
const CLOSES = { day: 24, week: 168, month: 720 } as const;

const BEST = ['relevance', 'Best first'] as const;
const SORTED = [
  ['volume_24h', 'Most traded in 24 h'],
  ['closes_at', 'Closing soonest'],
  ['newest', 'Newest'],
] as const;

interface FiltersProps {
  readonly search: MarketSearch;
}

/** What narrows and sorts; it goes into the address, so that a list can be kept and gone back to. */
function Filters({ search }: FiltersProps): ReactNode {
  const navigate = useNavigate();
  const change = (changed: Record<string, string>): void => {
    void navigate({ to: '/markets', search: searchOf({ ...search, ...changed }), replace: true });
  };
  const sorts = search.search === undefined ? SORTED : ([BEST, ...SORTED] as const);
  return (
    <div className={css.filters} role="search" aria-label="What is listed">
      <Select
        label="Exchange"
        value={search.exchange ?? ''}
        options={[['', 'All'], ...installation.exchanges.map(({ id, name }) => [id, name] as const)]}
        onChange={({ target }) => {
          change({ exchange: target.value });
        }}
      />
      <Select
        label="Closes"
        value={search.closes ?? ''}
        options={[
          ['', 'At any time'],
          ['day', 'Within 24 h'],
          ['week', 'Within 7 days'],
          ['month', 'Within 30 days'],
        ]}
        onChange={({ target }) => {
          change({ closes: target.value });
        }}
      />
      <Select
        label="Sort"
        value={search.sort ?? sorts[0][0]}
        options={sorts}
        onChange={({ target }) => {
          change({ sort: target.value });
        }}
      />
    </div>
  );
}

function Words({ search }: { readonly search: MarketSearch }): ReactNode {
  const { search: words, ...others } = search;
  if (words === undefined) {
    return <p className={ui.hint}>All open markets. To find some by words press / or the search above.</p>;
  }
  return (
    <div className={ui.row}>
      <span>
        Open markets with <ForeignText form="quoted" text={words} />
      </span>
      <Link to="/markets" search={others} className={buttonClass('plain', 'small')}>
        Clear the words
      </Link>
    </div>
  );
}

function Found({ pages, isOver }: { readonly pages: readonly FoundPage[]; readonly isOver: boolean }): ReactNode {
  const markets = onceEach(pages.flatMap(({ data }) => data));
  if (markets.length > 0) return <MarketTable markets={markets} />;
  if (!isOver) return <p>No market on these pages yet: load more.</p>;
  return (
    <p>
      <strong>Nothing found.</strong> Titles, ids, categories and tags of the open markets were searched. Try fewer
      words, or any exchange and time.
    </p>
  );
}

/** Open markets of all exchanges, by words or all. */
export function FoundMarkets({ search }: { readonly search: MarketSearch }): ReactNode {
  return installation.catalogue_refresh_s > 0 ? <FoundCard search={search} /> : <Notice>{NO_CATALOGUE}</Notice>;
}

function FoundCard({ search }: { readonly search: MarketSearch }): ReactNode {
  const { search: words = '', exchange, closes, sort } = search;
  const query = useFound({ search: words, exchange, hours: closes && CLOSES[closes], sort });
  const last = query.data?.pages.at(-1);
  return (
    <Card
      title="Markets found"
      aside={
        <Button isSmall onClick={() => void query.refetch()} disabled={query.isFetching}>
          {query.isFetching ? 'Reading…' : 'Refresh'}
        </Button>
      }
    >
      <Words search={search} />
      <Filters search={search} />
      <Loaded query={query} height={600}>
        {({ pages }) => (
          <>
            <Found pages={pages} isOver={!query.hasNextPage} />
            {last === undefined ? null : <AgesOf ages={last.as_of} />}
          </>
        )}
      </Loaded>
      {query.hasNextPage ? (
        <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetching}>
          {query.isFetchingNextPage ? 'Loading…' : 'Load more'}
        </Button>
      ) : null}
    </Card>
  );
}
