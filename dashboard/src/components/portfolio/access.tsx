import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { Exchange } from '../../api/portfolio.js';
import { type ApiKey, useApiKey, useCredentials } from '../../api/queries.js';
import { installation } from '../../installation.js';
import { useKnownKey } from '../../session/hooks.js';
import type { KnownKey } from '../../session/keyring.js';
import { PasteKey } from '../paste-key.js';
import { Card, Loaded, ui } from '../ui.js';

/** What an account is read with. */
export interface Access {
  readonly known: KnownKey;
  /** Those with stored credentials. */
  readonly exchanges: readonly Exchange[];
}

export function mayTrade({ scopes }: ApiKey): boolean {
  return scopes.some((scope) => scope !== 'read');
}

/** Where it changes, what shows their lists begins anew. */
export function listOf(exchanges: readonly Exchange[]): string {
  return exchanges.map(({ id }) => id).join(' ');
}

function NoKey(): ReactNode {
  return (
    <Card title="You have no API key yet">
      <p>
        Positions, orders and fills are read as your programs read them: with your API key.{' '}
        <Link to="/api-key">Create a key that may trade</Link>, then come back.
      </p>
    </Card>
  );
}

function ReadsOnly({ apiKey }: { readonly apiKey: ApiKey }): ReactNode {
  return (
    <Card title="Your key may not trade">
      <p>
        <code>{apiKey.prefix}…</code> “{apiKey.name}” has the scope <strong>read</strong>: markets, prices and trades of
        everybody. The service answers it 403 to your balance, positions, orders and fills, and lets it cancel nothing.
        So nothing of your account can be shown here, and whoever has that key sees nothing of it either.
      </p>
      <p>
        To use this page, <Link to="/api-key">revoke it and create a key with the scope trade</Link>. Programs that use
        the old key stop at that moment. Open orders stay open at the exchanges.
      </p>
    </Card>
  );
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

/** Shows its content once there is a key that may trade, this tab knows it, and an exchange can be asked. */
export function WithAccess({ children }: { readonly children: (access: Access) => ReactNode }): ReactNode {
  const apiKey = useApiKey();
  const credentials = useCredentials();
  const known = useKnownKey();
  const both = {
    data: apiKey.data === undefined ? undefined : credentials.data && { apiKey: apiKey.data, stored: credentials.data },
    error: apiKey.error ?? credentials.error,
    refetch: () => Promise.all([apiKey.refetch(), credentials.refetch()]),
  };
  return (
    <Loaded query={both} height={420}>
      {(data) => {
        if (data.apiKey === null) return <NoKey />;
        if (!mayTrade(data.apiKey)) return <ReadsOnly apiKey={data.apiKey} />;
        const exchanges = installation.exchanges.filter(({ id }) => data.stored[id]?.configured === true);
        if (exchanges.length === 0) return <NoCredentials />;
        if (known === null) return <PasteKey apiKey={data.apiKey} what="positions and orders" />;
        const missing = installation.exchanges.filter((exchange) => !exchanges.includes(exchange));
        return (
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
            <Fragment key={listOf(exchanges)}>{children({ known, exchanges })}</Fragment>
          </>
        );
      }}
    </Loaded>
  );
}
