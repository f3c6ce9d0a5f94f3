import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ExchangeId, Market } from '../../api/client.js';
import { type MarketFilter, type MarketPages, useMarketSearch } from '../../api/markets.js';
import { ForeignText } from '../foreign-text.js';
import { exchangeName, listed, plainTitle } from '../names.js';
import type { Column } from '../table/columns.js';
import { Table } from '../table/table.js';
import { Button, Card, FailureNotice, Loaded, ui } from '../ui.js';

/** The outcome whose prices are shown. */
function firstOf({ outcomes }: Market): Market['outcomes'][number] | undefined {
  return outcomes[0];
}

const COLUMNS: readonly Column<Market>[] = [
  {
    id: 'market',
    value: ({ title }) => plainTitle(title),
    drawn: { head: 'Market', width: 280, narrow: 'name', cell: (market) => <MarketName market={market} /> },
  },
  {
    id: 'exchange',
    value: ({ exchange }) => exchangeName(exchange),
    drawn: { head: 'Exchange', width: 90, narrow: 6 },
  },
  { id: 'outcome', value: (market) => firstOf(market)?.label ?? 'none yet', drawn: { head: 'Prices of', width: 90 } },
  price('bid', 'Bid', (market) => firstOf(market)?.bid ?? null),
  price('ask', 'Ask', (market) => firstOf(market)?.ask ?? null),
  price('last', 'Last', (market) => firstOf(market)?.last_price ?? null),
  { id: 'status', value: ({ status }) => status, drawn: { head: 'Status', width: 70 } },
  { id: 'close_time', value: (market) => market.close_time, drawn: { head: 'Closes', kind: 'time', width: 110 } },
];

function price(id: string, head: string, value: (market: Market) => string | null): Column<Market> {
  return { id, value, drawn: { head, kind: 'number', width: 70, narrow: 4 } };
}

function MarketName({ market }: { readonly market: Market }): ReactNode {
  return (
    <>
      <Link to="/markets/$exchange/$id" params={{ exchange: market.exchange, id: market.id }}>
        <ForeignText text={plainTitle(market.title)} />
      </Link>
      {market.subtitle === null ? null : (
        <div className={ui.hint}>
          <ForeignText text={market.subtitle} />
        </div>
      )}
    </>
  );
}

type Pages = NonNullable<MarketPages['data']>['pages'];

/**
 * Of each page one market of each exchange in turn, so that no exchange hides the other; once, though a market may move from one
 * page of its exchange to the next.
 */
function inTurn(pages: Pages): Market[] {
  const all = pages.flatMap((page) => {
    const longest = Math.max(0, ...page.map(({ markets }) => markets.length));
    return Array.from({ length: longest }, (_, index) => page.map(({ markets }) => markets[index])).flat();
  });
  const found = all.filter((market) => market !== undefined);
  return [...new Map(found.map((market) => [`${market.exchange} ${market.id}`, market])).values()];
}

function Failed({ pages, onRetry }: { readonly pages: Pages; readonly onRetry: () => void }): ReactNode {
  return (pages.at(-1) ?? [])
    .filter(({ error }) => error !== null)
    .map(({ exchange, error }) => (
      <section key={exchange} className={ui.stack} aria-label={`${exchangeName(exchange)} failed`}>
        <p>
          <strong>{exchangeName(exchange)} is missing from this list.</strong>
        </p>
        <FailureNotice error={error} onRetry={onRetry} />
      </section>
    ));
}

function Found({ markets, isOver }: { readonly markets: readonly Market[]; readonly isOver: boolean }): ReactNode {
  if (markets.length === 0) {
    return (
      <p>
        {isOver
          ? 'No market fits. Try other words, another status, or leave fields empty.'
          : 'No market on these pages yet: load more.'}
      </p>
    );
  }
  return <Table label="Markets" columns={COLUMNS} rows={markets} keyOf={({ exchange, id }) => `${exchange} ${id}`} />;
}

interface MarketListProps {
  readonly filter: MarketFilter;
}

/** One list over the exchanges that the filter can ask. */
export function MarketList({ filter }: MarketListProps): ReactNode {
  const query = useMarketSearch(filter);
  const asked: readonly ExchangeId[] = filter.exchanges;
  return (
    <Card
      title="Markets found"
      aside={
        <Button isSmall onClick={() => void query.refetch()} disabled={query.isFetching}>
          {query.isFetching ? 'Reading…' : 'Refresh'}
        </Button>
      }
    >
      <p className={ui.hint}>
        At {listed(asked.map(exchangeName))}, in the order of each. Prices are of one outcome: open a market for the
        others.
      </p>
      <Loaded query={query} height={600}>
        {({ pages }) => (
          <>
            <Failed
              pages={pages}
              onRetry={() => void (query.hasNextPage && pages.length > 1 ? query.fetchNextPage() : query.refetch())}
            />
            <Found markets={inTurn(pages)} isOver={!query.hasNextPage} />
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
