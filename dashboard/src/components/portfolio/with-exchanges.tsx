import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { Exchange } from '../../api/portfolio.js';
import { useCredentials } from '../../api/queries.js';
import { installation } from '../../installation.js';
import { Card, Loaded, ui } from '../ui.js';

type Stored = NonNullable<ReturnType<typeof useCredentials>['data']>;

/** Those with stored credentials; the same list as long as they are the same. */
export function useStoredExchanges(stored: Stored | undefined): readonly Exchange[] {
  return useMemo(() => installation.exchanges.filter(({ id }) => stored?.[id]?.configured === true), [stored]);
}

function NoCredentials(): ReactNode {
  return (
    <Card title="No exchange is set up yet">
      <p>
        The service has no credentials of yours for any exchange, so it can ask nobody.{' '}
        <Link to="/credentials">Store those of one exchange</Link>, then come back.
      </p>
    </Card>
  );
}

/** Shows its content once an exchange can be asked. */
export function WithExchanges({
  children,
}: {
  readonly children: (exchanges: readonly Exchange[]) => ReactNode;
}): ReactNode {
  const credentials = useCredentials();
  const exchanges = useStoredExchanges(credentials.data);
  const missing = installation.exchanges.filter((exchange) => !exchanges.includes(exchange));
  return (
    <Loaded query={credentials} height={420}>
      {() =>
        exchanges.length === 0 ? (
          <NoCredentials />
        ) : (
          <>
            {missing.map(({ id, name }) => (
              <p key={id} className={ui.hint}>
                No credentials are stored for {name}, so nothing of {name} is shown.{' '}
                <Link to="/credentials" hash={id}>
                  Store them
                </Link>
                .
              </p>
            ))}
            {children(exchanges)}
          </>
        )
      }
    </Loaded>
  );
}
