import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useCredentials } from '../api/queries.js';
import css from '../components/credentials/credentials.module.css';
import { ExchangeCard } from '../components/credentials/exchange-card.js';
import { SessionKeyCard } from '../components/credentials/session-key.js';
import { PageTitle } from '../components/frame.js';
import { Loaded, ui } from '../components/ui.js';
import { installation, sessionKeyExchanges } from '../installation.js';

interface PlaceProps {
  readonly id: string;
  readonly children: ReactNode;
}

/** Where a link with this fragment leads, once it is there. */
function Place({ id, children }: PlaceProps): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const isMeant = useLocation({ select: ({ hash }) => hash === id });
  useEffect(() => {
    if (!isMeant) return;
    place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView();
  }, [isMeant]);
  return (
    <div ref={place} id={id} tabIndex={-1} className={css.anchor}>
      {children}
    </div>
  );
}

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
