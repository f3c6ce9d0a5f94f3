import type { CredentialFacts } from '../credentials.contract.js';
import type { CredentialWarning } from '../unified.words.js';

/** An attestation that ends sooner than this, in ms, is about to (contract.md 4). */
const SOON_MS = 14 * 86_400_000;

/**
 * What the owner of a key should know (contract.md 4, kalshi.md 2.2). Nothing follows from what is not known: neither scopes nor
 * the attestation are shown to a bound key.
 */
export function warningsOf({ key }: CredentialFacts, now: Date): CredentialWarning[] {
  if (key === null) return [];
  const isHidden = key.scopes === null && key.isBound === true;
  const warnings: Readonly<Partial<Record<CredentialWarning, boolean>>> = {
    ...(key.scopes && ofScopes(key.scopes, key.isBound === true)),
    ...(isHidden ? {} : attestation(key.attestationExpiresAt, now)),
  };
  return (Object.keys(warnings) as CredentialWarning[]).filter((warning) => warnings[warning] === true);
}

function ofScopes(scopes: readonly string[], isBound: boolean): Readonly<Partial<Record<CredentialWarning, boolean>>> {
  const has = (...wanted: readonly string[]): boolean => wanted.some((scope) => scopes.includes(scope));
  return {
    can_transfer: has('write', 'write::transfer') && !isBound,
    cannot_trade: !has('write', 'write::trade'),
    cannot_read: !has('read'),
  };
}

function attestation(expiresAt: string | null, now: Date): Readonly<Partial<Record<CredentialWarning, boolean>>> {
  const leftMs = expiresAt === null ? 0 : Date.parse(expiresAt) - now.getTime();
  return { attestation_missing: leftMs <= 0, attestation_expiring: leftMs > 0 && leftMs <= SOON_MS };
}
