import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Exchange } from '../../api/portfolio.js';
import { RULE, useHoldings } from '../../api/worth.js';
import { Card, Skeleton, ui } from '../ui.js';
import { listed } from '../names.js';
import { NotLiveQuotes, RefreshButton, Waiting } from './list-card.js';
import { ExposureTable } from './sums.js';

/** Events of each currency on the overview. */
const SHOWN = 5;

/** The events that most depends on, over all exchanges. */
export function Exposures({ exchanges }: { readonly exchanges: readonly Exchange[] }): ReactNode {
  const { lists, holdings, partial, markets, quotes } = useHoldings(exchanges);
  const isRead = lists.some(({ rows }) => rows !== undefined);
  const isWaiting = lists.some(({ rows, error }) => rows === undefined && error === null);
  const failed = lists.filter(({ error }) => error !== null).map(({ exchange }) => exchange.name);
  const isPart = lists.some(({ hasMore }) => hasMore);
  return (
    <Card title="Exposure by event" aside={<RefreshButton lists={lists} />}>
      {failed.length === 0 ? null : (
        <p>
          <strong>{listed(failed)} could not be read:</strong> what is shown of it is missing, or out of date.
        </p>
      )}
      <NotLiveQuotes lines={quotes} />
      <Waiting lists={lists} />
      {isRead && !(isWaiting && holdings.length === 0) ? (
        <ExposureTable holdings={holdings} partial={partial} markets={markets} most={SHOWN} />
      ) : null}
      {isWaiting ? <Skeleton height={120} /> : null}
      {isPart ? <p className={ui.hint}>Of the first positions alone: there are more than were read.</p> : null}
      <p className={ui.hint}>
        {RULE} Values move with their markets.{' '}
        <Link to="/portfolio" search={{ list: 'positions' }}>
          All positions
        </Link>
      </p>
    </Card>
  );
}
