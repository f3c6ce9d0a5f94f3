import { Injectable } from '@nestjs/common';
import { EXCHANGES } from '../exchanges/exchange.registry.js';
import { addressesOf, installationMode, modeOf } from '../exchanges/exchange-mode.js';
import { isLoopback } from '../platform/config/loopback.js';
import { Settings } from '../platform/config/settings.js';
import type { ExchangeHost, Installation } from './installation.js';

function isOwnMachine(address: string): boolean {
  return isLoopback(new URL(address).hostname);
}

/** Says what this installation is, from its settings (S-57). */
@Injectable()
export class InstallationService {
  readonly #installation: Installation;
  readonly #hosts: readonly ExchangeHost[];

  constructor(settings: Settings) {
    const installed = EXCHANGES.map((exchange) => ({ exchange, addresses: addressesOf(exchange, settings) }));
    this.#installation = {
      mode: installationMode(settings),
      exchanges: installed.map(({ exchange: { id, docs, presentation }, addresses }) => {
        return { id, name: docs.name, mode: modeOf(addresses), ...presentation };
      }),
      sign_up: settings.accessMode,
      catalogue_refresh_s: settings.catalogueRefreshMs / 1_000,
      public_url: settings.publicUrl,
      oauth_redirect_uris: settings.oauthRedirectUris,
    };
    this.#hosts = installed.map(({ exchange: { id }, addresses: [orders = ''] }) => {
      return { exchange: id, host: isOwnMachine(orders) ? null : new URL(orders).host };
    });
  }

  describe(): Installation {
    return this.#installation;
  }

  /** Where orders go, for people who are signed in. */
  hosts(): readonly ExchangeHost[] {
    return this.#hosts;
  }
}
