import { isLoopback } from '../platform/config/loopback.js';
import type { Settings } from '../platform/config/settings.js';
import type { ExchangeClass } from './exchange.js';
import { EXCHANGES } from './exchange.registry.js';
import type { Mode } from './unified.words.js';

/** Addresses that the settings of an exchange name, those that end in `_URL`; orders go to the first. */
export function addressesOf(exchange: ExchangeClass, settings: Settings): string[] {
  return Object.entries(settings.extension(exchange.settings)).flatMap(([name, value]) =>
    name.endsWith('_URL') ? [String(value)] : [],
  );
}

/** The mode of some addresses. */
export function modeOf(addresses: readonly string[]): Mode {
  const isOwn = (address: string): boolean => {
    const { protocol, hostname } = new URL(address);
    return (protocol === 'http:' || protocol === 'ws:') && isLoopback(hostname);
  };
  return addresses.every(isOwn) ? 'sandbox' : 'live';
}

/** The mode of the installation: of all addresses of all exchanges. */
export function installationMode(settings: Settings): Mode {
  return modeOf(EXCHANGES.flatMap((exchange) => addressesOf(exchange, settings)));
}
