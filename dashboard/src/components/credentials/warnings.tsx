import type { ReactNode } from 'react';
import type { CredentialStatus } from '../../api/credentials.js';
import type { Exchange } from '../../installation.js';
import { ui } from '../ui.js';

type Warning = CredentialStatus['warnings'][number];

/** Nothing fails yet, or at all. */
const MILD = new Set<Warning>(['can_transfer', 'attestation_expiring', 'session_key_expiring']);

interface Words {
  readonly means: string;
  readonly todo: string | ((exchange: Exchange) => string);
}

/** What each means, and what to do (contract.md 4). */
const WORDS: Readonly<Record<Warning, Words>> = {
  can_transfer: {
    means: 'This key can also move money between parts of your account.',
    todo: 'Unless your programs need that, make a key with the scopes read and write::trade alone, and replace this one.',
  },
  cannot_trade: {
    means: 'This key may not trade: the exchange will refuse your orders.',
    todo: 'Make a key that has the scope write::trade as well, and replace this one.',
  },
  cannot_read: {
    means: 'This key may not read: balance, positions and orders stay hidden.',
    todo: 'Make a key that has the scope read as well, and replace this one.',
  },
  attestation_missing: {
    means: 'Your location is not attested: no trading in Sports, Elections and Entertainment.',
    todo: 'Confirm your location in the app or on the site of the exchange, then verify here.',
  },
  attestation_expiring: {
    means:
      'The attestation of your location ends within 14 days; then no trading in Sports, Elections and Entertainment.',
    todo: 'Confirm your location again in the app or on the site of the exchange, then verify here.',
  },
  allowance_missing: {
    means: 'Your wallet has not approved all contracts of the exchange: orders may be refused.',
    todo: ({ site }) => `Approve them at ${site}, which asks for it at a first trade by hand, then verify here.`,
  },
  session_key_expiring: {
    means: 'The session key has ended, or does within 14 days; then plain orders are refused.',
    todo: ({ name }) => `Renew it under “${name} session key”.`,
  },
};

interface WarningsProps {
  readonly exchange: Exchange;
  readonly warnings: readonly Warning[];
}

function todoOf({ todo }: Words, exchange: Exchange): string {
  return typeof todo === 'string' ? todo : todo(exchange);
}

/** What the owner of credentials should know, in words. */
export function Warnings({ exchange, warnings }: WarningsProps): ReactNode {
  if (warnings.length === 0) return null;
  return (
    <ul className={ui.stack} aria-label="Warnings">
      {warnings.map((warning) => (
        <li key={warning} className={ui.notice} data-kind={MILD.has(warning) ? 'note' : 'bad'}>
          <strong>{WORDS[warning].means}</strong>
          <span>{todoOf(WORDS[warning], exchange)}</span>
        </li>
      ))}
    </ul>
  );
}
