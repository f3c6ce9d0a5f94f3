import { isLoopback } from '../platform/config/loopback.js';
import type { Settings } from '../platform/config/settings.js';
import type { ExchangeClass } from './exchange.js';
import { EXCHANGES } from './exchange.registry.js';
import type { Mode } from './unified.words.js';

/** Base addresses that the settings of an exchange name; orders go to the first. */
export function addressesOf(exchange: ExchangeClass, settings: Settings): string[] {
  return Object.values(settings.extension(exchange.settings)).map(String);
}

/** The mode of some addresses. */
export function modeOf(addresses: readonly string[]): Mode {
  const isOwn = (address: string): boolean => {
    const { protocol, hostname } = new URL(address);
    return protocol === 'http:' && isLoopback(hostname);
  };
  return addresses.every(isOwn) ? 'sandbox' : 'live';
}

/** The mode of the installation: of all addresses of all exchanges. */
export function installationMode(settings: Settings): Mode {
  return modeOf(EXCHANGES.flatMap((exchange) => addressesOf(exchange, settings)));
}
