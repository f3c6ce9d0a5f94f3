import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useLists, useMarkets } from '../../api/portfolio.js';
import type { ApiKey } from '../../api/queries.js';
import type { Schemas } from '../../api/client.js';
import { installation } from '../../installation.js';
import { useKnownKey } from '../../session/hooks.js';
import { Card, Skeleton, ui } from '../ui.js';
import { type Access, listOf, mayTrade } from './access.js';
import { RefreshButton, Troubles } from './list-card.js';
import { marketsIn, newestFirst, OrderTable } from './orders.js';

const SHOWN = 5;

function Newest({ access }: { readonly access: Access }): ReactNode {
  const lists = useLists('orders', access.exchanges, { known: access.known, isLive: false });
  const markets = useMarkets(marketsIn(lists), access.known, Infinity);
  const orders = newestFirst(lists);
  const isWaiting = lists.some(({ rows, error }) => rows === undefined && error === null);
  const isRead = lists.every(({ rows }) => rows !== undefined);
  const more = lists.some(({ hasMore }) => hasMore) ? ' or more' : '';
  return (
    <Card title="Open orders" aside={<RefreshButton lists={lists} />}>
      <Troubles lists={lists} />
      {orders.length === 0 ? null : <OrderTable orders={orders.slice(0, SHOWN)} markets={markets} />}
      {isWaiting ? <Skeleton height={120} /> : null}
      {orders.length === 0 && isRead ? <p className={ui.soft}>No order of yours is open.</p> : null}
      <p>
        {orders.length > SHOWN ? `The newest ${SHOWN} of ${orders.length}${more}. ` : ''}
        <Link to="/portfolio">Cancel orders, see positions and fills</Link>
      </p>
    </Card>
  );
}

interface OpenOrdersProps {
  readonly apiKey: ApiKey;
  readonly credentials: Schemas['CredentialListDto']['exchanges'];
}

/** Open orders of all exchanges, once this tab knows a key that may read them. */
export function OpenOrders({ apiKey, credentials }: OpenOrdersProps): ReactNode {
  const known = useKnownKey();
  const exchanges = installation.exchanges.filter(({ id }) => credentials[id]?.configured === true);
  if (known === null || exchanges.length === 0 || !mayTrade(apiKey)) return null;
  return <Newest key={listOf(exchanges)} access={{ known, exchanges }} />;
}
