import { Injectable } from '@nestjs/common';
import { unauthorized } from '../../access/bearer.js';
import { exchangeNotAllowed } from '../../access/bot-exchange.guard.js';
import { type ApiKeyPrincipal, grantsScope, type Principal, type Scope } from '../../access/principal.js';
import { type ApiKeyFacts, keyRefusal, LiveKeysService } from '../../api-keys/live-keys.service.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import { AppError } from '../../platform/errors/app-error.js';
import { UsersService } from '../../users/users.service.js';

/** What one line of a stream takes. */
export interface Need {
  readonly exchangeId: string;
  readonly scope: Scope;
  /** The version of the stored credentials that the line hangs on; null for public data. */
  readonly credentialsVersion: string | null;
}

/** Who reads a stream, from where, and what of it. */
export interface StreamCaller {
  readonly principal: Principal;
  /** SHA-256 of the key in hex, or the id of the session: one of these has a number of streams. */
  readonly name: string;
  readonly address: string;
  readonly needs: readonly Need[];
}

/** What a reading of the database says of a caller. */
export interface Verdict {
  /** Why the stream must end; null where it may go on. */
  readonly refusal: AppError | null;
  /** Until when it may go on by this reading, by `performance.now()`. */
  readonly until: number;
  /** Whether its user has stored credentials for any exchange. */
  readonly hasCredentials: boolean;
}

/** Returns 403 `forbidden` where a key lacks the scope, or a bot may not use the exchange; null where it may (contract.md 3, 5.11). */
export function refusalOfNeed(
  { scopes, bot }: Pick<ApiKeyPrincipal, 'scopes' | 'bot'>,
  { scope, exchangeId }: Need,
): AppError | null {
  if (!grantsScope(scopes, scope)) {
    const details = { required_scope: scope };
    return new AppError('forbidden', `This API key lacks the ${scope} scope. Create one that has it.`, { details });
  }
  const isElsewhere = bot?.exchanges?.includes(exchangeId) === false;
  return isElsewhere && scope === 'read' ? exchangeNotAllowed() : null;
}

/** Ends what hangs on credentials that were stored anew meanwhile. */
export function credentialsChanged(): AppError {
  const message = 'The exchange credentials were changed. Open the stream again.';
  return new AppError('service_unavailable', message, { details: { reason: 'credentials_changed' } });
}

/** Looks up whether those who read streams still may: all of an instance at once, past every cache (S-60). */
@Injectable()
export class StreamGrants {
  constructor(
    private readonly keys: LiveKeysService,
    private readonly users: UsersService,
    private readonly credentials: CredentialsService,
  ) {}

  /** How long a stream may go on by one reading, in milliseconds. */
  get relianceMs(): number {
    return this.keys.relianceMs;
  }

  /** Says to all instances that this one has streams; throws `service_unavailable` where the database does not know it then. */
  async announce(): Promise<void> {
    await this.keys.announce();
    if (this.keys.trustedUntil > performance.now()) return;
    throw new AppError('service_unavailable', 'The service cannot reach its database. Try again shortly.');
  }

  /** Returns the verdicts in the order of the callers; throws where the database cannot be read. */
  async look(callers: readonly StreamCaller[]): Promise<readonly Verdict[]> {
    const before = performance.now();
    const namesOf = (kind: Principal['kind']): string[] => [
      ...new Set(callers.filter(({ principal }) => principal.kind === kind).map(({ name }) => name)),
    ];
    const [keyNames, sessionIds] = [namesOf('api-key'), namesOf('session')];
    const userIds = [...new Set(callers.map(({ principal }) => principal.userId))];
    const [keys, sessions, rows] = await Promise.all([
      keyNames.length === 0 ? new Map<string, ApiKeyFacts>() : this.keys.find(keyNames),
      sessionIds.length === 0 ? new Set<string>() : this.users.findLiveSessions(sessionIds),
      this.credentials.versionsOf(userIds),
    ]);
    const versions = new Map(rows.map(({ userId, exchange, version }) => [`${userId} ${exchange}`, version]));
    const owners = new Set(rows.map(({ userId }) => userId));
    const until = Math.min(before + this.relianceMs, this.keys.trustedUntil);
    return callers.map((caller) => {
      const facts = keys.get(caller.name) ?? null;
      const own = caller.principal.kind === 'session' ? ofSession(sessions.has(caller.name)) : ofKey(facts, caller);
      const refusal = own ?? ofCredentials(caller, versions);
      return {
        refusal,
        until: Math.min(until, facts?.endsAt ?? Infinity),
        hasCredentials: owners.has(caller.principal.userId),
      };
    });
  }
}

function ofSession(lives: boolean): AppError | null {
  return lives ? null : unauthorized('invalid');
}

function ofKey(facts: ApiKeyFacts | null, { address, needs }: StreamCaller): AppError | null {
  const refusal = keyRefusal(facts, address);
  if (facts === null || refusal !== null) return refusal;
  return needs.map((need) => refusalOfNeed(facts, need)).find((found) => found !== null) ?? null;
}

function ofCredentials({ principal, needs }: StreamCaller, versions: ReadonlyMap<string, string>): AppError | null {
  for (const { exchangeId, credentialsVersion } of needs) {
    if (credentialsVersion === null) continue;
    const version = versions.get(`${principal.userId} ${exchangeId}`);
    if (version === credentialsVersion) continue;
    if (version === undefined) {
      return new AppError('credentials_not_configured', `The credentials of ${exchangeId} were removed.`);
    }
    return credentialsChanged();
  }
  return null;
}
