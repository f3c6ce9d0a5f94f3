export const SCOPES = ['read', 'trade', 'admin'] as const;

/** What an API key may do: `trade` implies `read`, `admin` is every API-key endpoint (contract.md 5, S-31). */
export type Scope = (typeof SCOPES)[number];

/** A signed-in person, by the access token of one session. */
export interface SessionPrincipal {
  readonly kind: 'session';
  readonly userId: string;
  readonly sessionId: string;
  /** Whether its person has proved who they are a short while ago (S-59). */
  readonly isConfirmed: boolean;
}

/** A program, by its API key. */
export interface ApiKeyPrincipal {
  readonly kind: 'api-key';
  readonly userId: string;
  readonly keyPrefix: string;
  readonly scopes: readonly Scope[];
}

export type Principal = SessionPrincipal | ApiKeyPrincipal;

const IMPLIED: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ['read'],
  trade: ['trade', 'read'],
  admin: ['admin', 'trade', 'read'],
};

/** Whether a key with these scopes may call a route that needs the given one (S-31). */
export function grantsScope(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.some((scope) => IMPLIED[scope].includes(needed));
}
