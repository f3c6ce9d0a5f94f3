/** One exchange as this installation knows it. */
export interface InstalledExchange {
  readonly id: string;
  /** Its name for people. */
  readonly name: string;
  /** `sandbox` where all its addresses are of this machine: no real exchange is there. */
  readonly mode: 'sandbox' | 'live';
  /** Base addresses that the service calls; orders go to the first. */
  readonly addresses: readonly string[];
}

/** What the dashboard must know of this installation; stands in its page for everybody, so that nothing here may be secret. */
export interface Installation {
  /** `sandbox` where every exchange is one. */
  readonly mode: 'sandbox' | 'live';
  readonly exchanges: readonly InstalledExchange[];
  readonly sign_up: 'open' | 'whitelist';
  readonly public_url: string;
  /** Where sign-in providers may send people back to. */
  readonly oauth_redirect_uris: readonly string[];
}
