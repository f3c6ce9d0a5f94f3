import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IsString } from 'class-validator';
import request from 'supertest';
import type { SessionPrincipal } from '../src/access/principal.js';
import { KeyRowsRepository } from '../src/commands/keys/key-rows.repository.js';
import { Transactions } from '../src/platform/database/transactions.js';
import { CredentialVault } from '../src/credentials/credential-vault.js';
import { CredentialsRepository } from '../src/credentials/credentials.repository.js';
import { type CredentialStatus, CredentialsService } from '../src/credentials/credentials.service.js';
import type { CredentialFacts } from '../src/exchanges/credentials.contract.js';
import type { Exchange } from '../src/exchanges/exchange.js';
import { AppError } from '../src/platform/errors/app-error.js';
import { startTestApp, type TestApp } from './support/app.js';
import { aUser, type TestUser } from './support/users.js';

const FACTS: CredentialFacts = {
  key: {
    scopes: ['read', 'write::trade'],
    subaccount: '3',
    isBound: true,
    attestationExpiresAt: '2026-12-01T00:00:00.000Z',
  },
  missingAllowances: ['0xe3333700cA9d93003F00f0F71f8515005F6c00Aa'],
};
const OTHER: CredentialFacts = { ...FACTS, missingAllowances: [] };

class PlainCredentials {
  @IsString()
  access_key: string;
}

/** An exchange that says of credentials what a test tells it to, and keeps what it was told of them. */
class TalkingExchange {
  says: () => Promise<unknown> = () => Promise.resolve(FACTS);
  isRefusing = false;
  readonly told: unknown[] = [];
  readonly exchange = {
    id: 'talking',
    Credentials: PlainCredentials,
    shownCredentials: {},
    clockSkewMs: 5,
    warningsOf: ({ missingAllowances }: CredentialFacts) => (missingAllowances?.length ? ['allowance_missing'] : []),
    trading: (_: object, facts?: unknown) => {
      this.told.push(facts);
      return { verify: () => this.#verify(), readFacts: () => this.says() };
    },
  } as unknown as Exchange;

  #verify(): Promise<void> {
    if (!this.isRefusing) return Promise.resolve();
    return Promise.reject(new AppError('credentials_rejected', 'no'));
  }
}

describe('what an exchange says of stored credentials (contract.md 4)', () => {
  let app: TestApp;
  let service: CredentialsService;

  beforeAll(async () => {
    app = await startTestApp();
    service = app.get(CredentialsService);
  });

  afterAll(() => app.close());

  const callerOf = ({ id, token }: TestUser): SessionPrincipal => {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string };
    return { kind: 'session', userId: id, sessionId: claims.sid, isConfirmed: true };
  };

  const store = (user: TestUser, { exchange }: TalkingExchange, verify = false): Promise<object> =>
    service.replace(callerOf(user), exchange, { body: { access_key: 'not for others' }, verify });

  const statusOf = async (user: TestUser, { exchange }: TalkingExchange): Promise<CredentialStatus | undefined> =>
    (await service.list(user.id, [exchange]))[0];

  it.each([false, true])(
    'is kept when they are stored (verified first: %s) and told with every later call',
    async (verify) => {
      const [user, talking] = [await aUser(app), new TalkingExchange()];
      const said = { key: FACTS.key, warnings: ['allowance_missing'] };
      expect(await store(user, talking, verify)).toMatchObject(said);
      expect(await statusOf(user, talking)).toMatchObject({ configured: true, ...said });
      await service.trading(user.id, talking.exchange);
      expect(talking.told.at(-1)).toEqual(FACTS);
    },
  );

  it.each<[string, () => Promise<unknown>]>([
    ['refuses to', () => Promise.reject(new AppError('credentials_rejected', 'no'))],
    ['fails', () => Promise.reject(new TypeError('broken'))],
    ['says something else', () => Promise.resolve({ key: 'admin' })],
    [
      'names what the database cannot hold',
      () => Promise.resolve({ ...FACTS, key: { ...FACTS.key, scopes: ['a\0'] } }),
    ],
    ['names without end', () => Promise.resolve({ ...FACTS, key: { ...FACTS.key, scopes: ['x'.repeat(5_000)] } })],
  ])('is null where the exchange %s, and the credentials are stored', async (_, says) => {
    const [user, talking] = [await aUser(app), new TalkingExchange()];
    talking.says = says;
    expect(await store(user, talking)).toMatchObject({ key: null, warnings: [] });
    expect(await statusOf(user, talking)).toMatchObject({ configured: true, key: null, warnings: [] });
    await service.trading(user.id, talking.exchange);
    expect(talking.told.at(-1)).toBeNull();
  });

  it('R-10 is awaited for 2 s, outside of any transaction', async () => {
    const [user, talking] = [await aUser(app), new TalkingExchange()];
    talking.says = () => delay(60_000, FACTS, { ref: false });
    const startedAt = performance.now();
    const stored = store(user, talking);
    await delay(500);
    const open = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`;
    expect(await app.query(open)).toEqual([]);
    expect(await stored).toMatchObject({ key: null });
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });

  it('changes nothing where the exchange refuses the credentials themselves', async () => {
    const [user, talking] = [await aUser(app), new TalkingExchange()];
    talking.isRefusing = true;
    await expect(store(user, talking, true)).rejects.toMatchObject({ code: 'credentials_rejected' });
    expect(await statusOf(user, talking)).toMatchObject({ configured: false, key: null, warnings: [] });
  });

  it('is read anew by a verification; where that says nothing, what was said last stands', async () => {
    const [user, talking] = [await aUser(app), new TalkingExchange()];
    await store(user, talking);
    talking.says = () => Promise.reject(new AppError('exchange_timeout', 'late'));
    const silent = await service.verify(user.id, talking.exchange);
    expect(silent).toMatchObject({ clockSkewMs: 5, key: FACTS.key, warnings: ['allowance_missing'] });
    talking.says = () => Promise.resolve({ key: null, missingAllowances: null });
    expect(await service.verify(user.id, talking.exchange)).toMatchObject({
      key: FACTS.key,
      warnings: ['allowance_missing'],
    });
    await service.trading(user.id, talking.exchange);
    expect(talking.told.at(-1)).toEqual(FACTS);
    talking.says = () => Promise.resolve(OTHER);
    expect(await service.verify(user.id, talking.exchange)).toMatchObject({ key: FACTS.key, warnings: [] });
    expect(await statusOf(user, talking)).toMatchObject({ key: FACTS.key, warnings: [] });
  });

  it('is not said of credentials that were stored while a verification of others ran', async () => {
    const [user, talking] = [await aUser(app), new TalkingExchange()];
    await store(user, talking);
    talking.says = async () => {
      talking.says = () => Promise.resolve({ key: null, missingAllowances: null });
      await store(user, talking);
      return FACTS;
    };
    await service.verify(user.id, talking.exchange);
    expect(await statusOf(user, talking)).toMatchObject({ configured: true, key: null, warnings: [] });
  });

  it('S-38 stays where a row is sealed anew', async () => {
    const [user, talking] = [await aUser(app), new TalkingExchange()];
    await store(user, talking);
    const row = await app.get(CredentialsRepository).find(user.id, 'talking');
    if (row === null) throw new Error('nothing is stored');
    const rows = new KeyRowsRepository(app.get(Transactions));
    await rows.reseal('exchange_credentials', app.get(CredentialVault).reseal(row));
    expect(await statusOf(user, talking)).toMatchObject({ key: FACTS.key, warnings: ['allowance_missing'] });
  });

  it('stands in the answers of every exchange, null where nothing is stored', async () => {
    const user = await aUser(app);
    const answer = await request(app.url).get('/account/credentials').auth(user.token, { type: 'bearer' });
    const { exchanges } = answer.body as { exchanges: object };
    expect(Object.values(exchanges).length).toBeGreaterThan(1);
    for (const status of Object.values(exchanges)) {
      expect(status).toEqual({ configured: false, key: null, session_key: null, warnings: [] });
    }
  });
});
