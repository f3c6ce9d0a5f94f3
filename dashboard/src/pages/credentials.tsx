import type { ReactNode } from 'react';
import { useCredentials } from '../api/queries.js';
import { ExchangeCard } from '../components/credentials/exchange-card.js';
import { SessionKeyCard } from '../components/credentials/session-key.js';
import { PageTitle } from '../components/frame.js';
import { Place } from '../components/place.js';
import { Loaded, ui } from '../components/ui.js';
import { installation, sessionKeyExchanges } from '../installation.js';

/** Exchange credentials and session keys. */
export function CredentialsPage(): ReactNode {
  const credentials = useCredentials();
  return (
    <>
      <PageTitle>Exchanges</PageTitle>
      <p className={ui.soft}>
        With your credentials the service acts for you at an exchange. They are stored encrypted, opened for one request
        at a time, and never shown again, not even to you.
      </p>
      <Loaded query={credentials} height={600}>
        {(stored) => (
          <>
            {installation.exchanges.map((exchange) => (
              <Place key={exchange.id} id={exchange.id}>
                <ExchangeCard exchange={exchange} status={stored[exchange.id]} />
              </Place>
            ))}
            <Place id="session-key">
              {sessionKeyExchanges.map((exchange) => (
                <SessionKeyCard key={exchange.id} exchange={exchange} status={stored[exchange.id]} />
              ))}
            </Place>
          </>
        )}
      </Loaded>
    </>
  );
}
