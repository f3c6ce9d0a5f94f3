import type { ReactNode } from 'react';
import type { WarningWords } from '../../../../src/exchanges/presentation.contract.js';
import type { CredentialStatus } from '../../api/credentials.js';
import type { Exchange } from '../../installation.js';
import { ui } from '../ui.js';

export type Warning = CredentialStatus['warnings'][number];

/** Nothing fails yet, or at all. */
const MILD = new Set<Warning>(['can_transfer', 'attestation_expiring', 'session_key_expiring']);

/** What a warning means and what to do, in the words of the exchange; session keys are the service's own. */
export function warningWords(warning: Warning, { name, site, credentials }: Exchange): WarningWords {
  if (warning === 'session_key_expiring') {
    return {
      means: 'The session key has ended, or does within 14 days; then plain orders are refused.',
      todo: `Renew it under “${name} session key”.`,
    };
  }
  const unsaid = { means: `${name} warns: ${warning.replaceAll('_', ' ')}.`, todo: `Look at ${site}.` };
  return credentials.warnings[warning] ?? unsaid;
}

interface WarningsProps {
  readonly exchange: Exchange;
  readonly warnings: readonly Warning[];
}

/** What the owner of credentials should know, in words. */
export function Warnings({ exchange, warnings }: WarningsProps): ReactNode {
  if (warnings.length === 0) return null;
  return (
    <ul className={ui.stack} aria-label="Warnings">
      {warnings.map((warning) => {
        const { means, todo } = warningWords(warning, exchange);
        return (
          <li key={warning} className={ui.notice} data-kind={MILD.has(warning) ? 'note' : 'bad'}>
            <strong>{means}</strong>
            <span>{todo}</span>
          </li>
        );
      })}
    </ul>
  );
}
