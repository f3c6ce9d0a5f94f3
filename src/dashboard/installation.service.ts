import { Injectable } from '@nestjs/common';
import { EXCHANGES } from '../exchanges/exchange.registry.js';
import { Settings } from '../platform/config/settings.js';
import type { Installation, InstalledExchange } from './installation.js';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function isOwnMachine(address: string): boolean {
  return LOOPBACK.test(new URL(address).hostname);
}

function nameOf(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1);
}

/** Says what this installation is, from its settings. */
@Injectable()
export class InstallationService {
  readonly #installation: Installation;

  constructor(settings: Settings) {
    const exchanges = EXCHANGES.map((exchange): InstalledExchange => {
      const addresses = Object.values(settings.extension(exchange.settings)).map(String);
      const mode = addresses.every(isOwnMachine) ? 'sandbox' : 'live';
      return { id: exchange.id, name: nameOf(exchange.id), mode, addresses };
    });
    this.#installation = {
      mode: exchanges.every(({ mode }) => mode === 'sandbox') ? 'sandbox' : 'live',
      exchanges,
      sign_up: settings.accessMode,
      public_url: settings.publicUrl,
      oauth_redirect_uris: settings.oauthRedirectUris,
    };
  }

  describe(): Installation {
    return this.#installation;
  }
}
