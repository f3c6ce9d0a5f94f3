import type { ExchangePresentation } from '../exchanges/presentation.contract.js';
import type { Mode } from '../exchanges/unified.words.js';

/** One exchange as this installation knows it. */
export interface InstalledExchange extends ExchangePresentation {
  readonly id: string;
  /** Its name for people. */
  readonly name: string;
  /** `sandbox` only where all its addresses are plain http on this machine: whatever else may be real money is `live`. */
  readonly mode: Mode;
}

/** What the dashboard must know of this installation; stands in its page for everybody, so that nothing here may be secret. */
export interface Installation {
  /** `sandbox` where every exchange is one. */
  readonly mode: Mode;
  readonly exchanges: readonly InstalledExchange[];
  readonly sign_up: 'open' | 'whitelist';
  /** In how many seconds the open markets of an exchange are read anew; 0 where they are not, and `GET /markets` is `not_supported`. */
  readonly catalogue_refresh_s: number;
  readonly public_url: string;
  /** Where sign-in providers may send people back to. */
  readonly oauth_redirect_uris: readonly string[];
}

/** Where the orders of an exchange go. */
export interface ExchangeHost {
  readonly exchange: string;
  /** With the port, where it is not the usual one; null for an address of the service's own machine. */
  readonly host: string | null;
}
