import { Logger } from '@nestjs/common';
import type { CredentialFacts, KeyFacts } from '../exchanges/credentials.contract.js';
import type { Exchange } from '../exchanges/exchange.js';
import type { Trading } from '../exchanges/trading.contract.js';
import type { CredentialWarning } from '../exchanges/unified.words.js';
import { AppError } from '../platform/errors/app-error.js';
import { within } from '../platform/time/within.js';
import { withCallContext, withReadLimit } from '../platform/upstream/call-context.js';
import { parseFacts } from './credential-facts.js';
import type { CredentialSets } from './credential-sets.repository.js';
import type { SessionKeyRow } from './session-keys.repository.js';

/** A session key as its owner sees it; `expired` also where the exchange refuses it (contract.md 5.9). */
export interface SessionKeyStatus {
  readonly address: string;
  readonly state: 'pending' | 'active' | 'expired';
  readonly validUntil: Date | null;
}

/** What the exchange said of credentials, and what their owner should know of them now (contract.md 4). */
export interface CredentialReview {
  /** Null where the exchange has no such keys, or has not said. */
  readonly key: KeyFacts | null;
  /** The active one, else the pending one. */
  readonly sessionKey: SessionKeyStatus | null;
  /** One that waits beside an active one. */
  readonly pendingSessionKey: SessionKeyStatus | null;
  readonly warnings: readonly CredentialWarning[];
}

/** How long storing or verifying waits for what the exchange says of the credentials, in ms. */
const FACTS_LIMIT_MS = 2_000;

/** From when on the end of a session key is worth a warning, in ms. */
const ENDS_SOON_MS = 14 * 86_400_000;

const logger = new Logger('CredentialFacts');

/** What the exchange said last of the credentials that sign calls: an active session key, else what `PUT` stored. */
export function factsOf({ active, stored }: Pick<CredentialSets, 'active' | 'stored'>): CredentialFacts | null {
  return parseFacts(active?.facts) ?? parseFacts(stored?.facts);
}

function statusOf({ address, state, validUntil, refusedAt }: SessionKeyRow, now: Date): SessionKeyStatus {
  const isOver = state === 'active' && (refusedAt !== null || (validUntil !== null && validUntil <= now));
  return { address, state: isOver ? 'expired' : state, validUntil };
}

export function reviewOf(exchange: Exchange, sets: CredentialSets, now = new Date()): CredentialReview {
  const { active, pending } = sets;
  const facts = factsOf(sets);
  const [first, second] = [active, pending].flatMap((row) => (row === null ? [] : [statusOf(row, now)]));
  return {
    key: facts?.key ?? null,
    sessionKey: first ?? null,
    pendingSessionKey: second ?? null,
    warnings: [
      ...(facts === null ? [] : exchange.warningsOf(facts, now)),
      ...(first !== undefined && endsSoon(first, now) ? (['session_key_expiring'] as const) : []),
    ],
  };
}

function endsSoon({ state, validUntil }: SessionKeyStatus, now: Date): boolean {
  if (state === 'expired') return true;
  return validUntil !== null && validUntil.getTime() - now.getTime() <= ENDS_SOON_MS;
}

/**
 * Reads what the exchange says of credentials, within 2 s; null where the read fails, which refuses nothing. The calls count for
 * the owner, so that bad credentials of one user open no breaker for others.
 */
export async function readFacts(userId: string, trading: Trading): Promise<CredentialFacts | null> {
  const read = withCallContext({ caller: userId, fresh: false }, () =>
    withReadLimit(FACTS_LIMIT_MS, () => trading.readFacts()),
  );
  try {
    return parseFacts(await within(FACTS_LIMIT_MS, read, () => null));
  } catch (error) {
    if (!(error instanceof AppError)) logger.error({ err: error, message: 'facts of credentials are not read' });
    return null;
  }
}
