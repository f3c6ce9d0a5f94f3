import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ExchangeId, Market } from '../../api/client.js';
import { type MarketFilter, type MarketPages, useMarketSearch } from '../../api/markets.js';
import type { KnownKey } from '../../session/keyring.js';
import { exchangeName, plainTitle } from '../names.js';
import { Table } from '../table.js';
import { Button, Card, FailureNotice, Loaded, Time, ui } from '../ui.js';
import css from './markets.module.css';

function Prices({ of: outcome }: { readonly of: Market['outcomes'][number] | undefined }): ReactNode {
  return (
    <>
      <td>{outcome?.label ?? 'none yet'}</td>
      <td className={ui.number}>{outcome?.bid ?? '–'}</td>
      <td className={ui.number}>{outcome?.ask ?? '–'}</td>
      <td className={ui.number}>{outcome?.last_price ?? '–'}</td>
    </>
  );
}

function MarketRow({ market }: { readonly market: Market }): ReactNode {
  return (
    <tr>
      <th scope="row">
        <Link to="/markets/$exchange/$id" params={{ exchange: market.exchange, id: market.id }}>
          {plainTitle(market.title)}
        </Link>
        {market.subtitle === null ? null : <p className={ui.hint}>{market.subtitle}</p>}
      </th>
      <td>{exchangeName(market.exchange)}</td>
      <td>{market.status}</td>
      <Prices of={market.outcomes[0]} />
      <td>{market.close_time === null ? 'not stated' : <Time iso={market.close_time} />}</td>
    </tr>
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

const HEADS = [
  ['Market'],
  ['Exchange'],
  ['Status'],
  ['Prices of'],
  ['Bid', true],
  ['Ask', true],
  ['Last', true],
  ['Closes'],
] as const;

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
  return (
    <Table label="Markets" heads={HEADS} className={css.rows}>
      {markets.map((market) => (
        <MarketRow key={`${market.exchange} ${market.id}`} market={market} />
      ))}
    </Table>
  );
}

interface MarketListProps {
  readonly known: KnownKey;
  readonly filter: MarketFilter;
}

/** One list over the exchanges that the filter can ask. */
export function MarketList({ known, filter }: MarketListProps): ReactNode {
  const query = useMarketSearch(known, filter);
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
        At {asked.map(exchangeName).join(' and ')}, in the order of each. Prices are of one outcome: open a market for
        the others.
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
