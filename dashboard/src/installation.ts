import type { Installation, InstalledExchange } from '../../src/dashboard/installation.js';
import type { ExchangeId, SessionKeyExchangeId } from './api/client.js';

/** An exchange behind this service, as the service describes it. */
export interface Exchange extends InstalledExchange {
  /** The service names those of its API alone. */
  readonly id: ExchangeId;
}

/** An exchange that has session keys. */
export interface SessionKeyExchange extends Exchange {
  readonly id: SessionKeyExchangeId;
  readonly session_keys: NonNullable<InstalledExchange['session_keys']>;
}

interface KnownInstallation extends Installation {
  readonly exchanges: readonly Exchange[];
}

/** What the service says of itself in the page. */
function read(): KnownInstallation {
  const block = document.getElementById('installation')?.textContent ?? '';
  return JSON.parse(block) as KnownInstallation;
}

export const installation = read();

export function hasSessionKeys(exchange: Exchange): exchange is SessionKeyExchange {
  return exchange.session_keys !== null;
}

export const sessionKeyExchanges = installation.exchanges.filter(hasSessionKeys);
