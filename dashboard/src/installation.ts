import type { Installation, InstalledExchange } from '../../src/dashboard/installation.js';
import type { ExchangeId } from './api/client.js';

interface KnownInstallation extends Installation {
  /** The service names those of its API alone. */
  readonly exchanges: readonly (InstalledExchange & { readonly id: ExchangeId })[];
}

/** What the service says of itself in the page. */
function read(): KnownInstallation {
  const block = document.getElementById('installation')?.textContent ?? '';
  return JSON.parse(block) as KnownInstallation;
}

export const installation = read();
