import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { exchangeAddresses } from '../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.js';
import { CredentialSetsRepository } from '../src/credentials/credential-sets.repository.js';
import { CredentialVault } from '../src/credentials/credential-vault.js';
import { withPrivateKeyBytes } from '../src/credentials/private-key-bytes.js';
import { addressOfKey } from '../src/exchanges/polymarket/ethereum.js';
import { newKeyPair } from '../src/exchanges/polymarket/session-keys/private-key.js';
import { Secret } from '../src/platform/secrets/secret.js';
import { startTestApp, type TestApp } from './support/app.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { EXCHANGES } from './support/exchanges.js';
import { exitOf, OwnProcesses, type Started } from './support/own-processes.js';
import { aTrader, storeCredentials } from './support/sandbox.js';
import { activeKey, createKey } from './support/session-keys.js';
import { aUser, type TestUser, WALLET } from './support/users.js';

const aKey = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const [K1, K2] = [aKey('k1'), aKey('k2')];
const STRANGERS = 600;
const WRITES_PER_SECOND = 50;

describe('keys at rest (S-36, S-38)', () => {
  let own: OwnProcesses;
  let database: TestDatabase;
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });

  afterAll(() => sandbox.close());

  beforeEach(async () => {
    own = await OwnProcesses.open();
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await own.close();
    await database.drop();
  });

  const start = (keys: string): Promise<TestApp> =>
    startTestApp({ ENCRYPTION_KEYS: keys, KALSHI_API_URL: sandbox.addresses.kalshi.api_url }, database);

  const command = (name: string, keys: string): Started =>
    own.run(`scripts/keys-${name}.js`, { DATABASE_URL: database.url, ENCRYPTION_KEYS: keys });

  const run = async (name: string, keys: string): Promise<{ code: number | null | string; text: string }> => {
    const started = command(name, keys);
    return { code: await exitOf(started), text: started.output() };
  };

  const refusal = (keys: string): Promise<string> =>
    start(keys).then(
      async (app) => {
        await app.close();
        return 'it started';
      },
      (error: unknown) => String(error),
    );

  /** Rows of people who do nothing meanwhile. */
  const strangers = async (app: TestApp, count: number): Promise<void> => {
    const name = (at: number): string => `usr_${String(at).padStart(26, '0')}`;
    await app.query(
      `INSERT INTO users (id, email, name) SELECT 'usr_' || lpad(n::text, 26, '0'), n || '@example.com', 'x'
         FROM generate_series(0, $1::integer - 1) AS n`,
      [count],
    );
    const secrets = { access_key: new Secret('a'), private_key: new Secret('b'.repeat(1_700)) };
    for (let at = 0; at < count; at += 20) {
      const some = Array.from({ length: Math.min(20, count - at) }, (_, index) => name(at + index));
      await Promise.all(some.map((id) => app.get(CredentialVault).store(id, 'kalshi', secrets)));
    }
  };

  const idsOf = async (app: TestApp): Promise<unknown[]> =>
    (await app.query('SELECT DISTINCT key_id FROM exchange_credentials ORDER BY 1')).map(({ key_id }) => key_id);

  /** Stores other credentials 50 times a second; ends with the wallet that was stored last. */
  const write = async (app: TestApp, user: TestUser, until: AbortSignal): Promise<{ last: string; count: number }> => {
    let [last, count] = ['', 0];
    while (!until.aborted) {
      const startedAt = performance.now();
      last = `0x${randomBytes(20).toString('hex')}`;
      await storeCredentials(app, user, 'polymarket', { ...WALLET, wallet_address: last });
      count += 1;
      await delay(Math.max(0, 1_000 / WRITES_PER_SECOND - (performance.now() - startedAt)));
    }
    return { last, count };
  };

  it('S-38 keys:rotate, killed midway during 50 writes a second, ends when run again; then nothing needs the old key', async () => {
    const before = await start(K1);
    await strangers(before, STRANGERS);
    const { user, key } = await aTrader({ app: before, sandbox, close: () => Promise.resolve() });
    await before.close();
    const app = await start(`${K2},${K1}`);
    const writer = await aUser(app, { email: 'writer@example.com' });
    const enough = new AbortController();
    const writing = write(app, writer, enough.signal);

    const first = command('rotate', `${K2},${K1}`);
    await own.until(() => /^[1-9]\d* of \d+ rows have the first key, k2$/m.test(first.output()), first);
    first.child.kill('SIGKILL');
    await first.exited;
    expect(await idsOf(app)).toEqual(['k1', 'k2']);

    const second = await run('rotate', `${K2},${K1}`);
    enough.abort();
    const { last, count } = await writing;
    expect(count).toBeGreaterThan(10);
    expect([second.code, second.text]).toEqual([
      0,
      expect.stringContaining(`${STRANGERS + 3} of ${STRANGERS + 3} rows`),
    ]);
    expect(await idsOf(app)).toEqual(['k2']);
    const stored = await request(app.url).get('/account/credentials').auth(writer.token, { type: 'bearer' });
    expect(stored.text.toLowerCase()).toContain(last);
    await app.close();

    const checked = await run('check', K2);
    expect([checked.code, checked.text]).toEqual([0, `k2\t${STRANGERS + 3} rows\n`]);
    const after = await start(K2);
    const order = await request(after.url)
      .post('/kalshi/orders')
      .auth(key, { type: 'bearer' })
      .send({ market_id: 'KXHIGHNY-TODAY-T58', outcome: 'yes', side: 'buy', price: '0.05', size: '1' });
    expect([order.status, order.body]).toEqual([200, expect.objectContaining({ status: 'open' })]);
    expect((await request(after.url).get('/account/profile').auth(user.token, { type: 'bearer' })).status).toBe(200);
    await after.close();
    expect((await run('rotate', K2)).code).toBe(0);
  });

  it('S-38 a write that has drawn its version before a rotation is not lost to it', async () => {
    const app = await start(K1);
    await strangers(app, 1);
    const vault = app.get(CredentialVault);
    const [{ version } = {}] = await app.query(`SELECT nextval('exchange_credentials_version')::text AS version`);
    expect((await run('rotate', `${K2},${K1}`)).code).toBe(0);
    const [row] = await app.query('SELECT row_version, key_id FROM exchange_credentials');
    expect(row?.key_id).toBe('k2');
    expect(Number(row?.row_version)).toBeLessThan(Number(version));
    await vault.store(`usr_${'0'.repeat(26)}`, 'kalshi', { access_key: new Secret('newer') });
    expect(await idsOf(app)).toEqual(['k1']);
    await app.close();
  });

  it('S-38 a wrong key under a known id stops the start and keys:rotate, naming the id and never the key', async () => {
    const app = await start(K1);
    await strangers(app, 1);
    await app.close();
    const wrong = aKey('k1');
    const secret = wrong.slice(3);
    for (const keys of [wrong, `${K2},${wrong}`]) {
      const refused = await refusal(keys);
      expect(refused).toMatch(/ENCRYPTION_KEYS.*\bk1\b/);
      expect(refused).not.toContain(secret);
      const [rotated, checked] = await Promise.all([run('rotate', keys), run('check', keys)]);
      expect([rotated.code, rotated.text]).toEqual([1, expect.stringMatching(/ENCRYPTION_KEYS.*\bk1\b/)]);
      expect([checked.code, checked.text]).toEqual([
        1,
        expect.stringMatching(/^k1\t1 rows\t1 do not open\tENCRYPTION_KEYS /),
      ]);
      expect(rotated.text + checked.text).not.toContain(secret);
    }
    expect(await refusal(`${K2},${K1}`)).toBe('it started');
    expect(await refusal(K1)).toBe('it started');
  });

  it('S-38 an id means a key from the first row on: another key beside it seals nothing, and stops the next start', async () => {
    const [right, wrong] = [await start(K1), await start(aKey('k1'))];
    await strangers(right, 1);
    const user = await aUser(wrong);
    await expect(storeCredentials(wrong, user, 'polymarket', WALLET)).rejects.toThrow('answered 500');
    expect(await wrong.query('SELECT key_id FROM exchange_credentials')).toEqual([{ key_id: 'k1' }]);
    await right.query('DELETE FROM exchange_credentials');
    await right.close();
    await wrong.close();
    expect(await refusal(aKey('k1'))).toMatch(/ENCRYPTION_KEYS.*\bk1\b/);
    expect(await refusal(K1)).toBe('it started');
  });

  it('S-38 rows from before check values were kept prove the key, one damaged row does not disprove it', async () => {
    const app = await start(K1);
    await strangers(app, 3);
    await app.query('TRUNCATE encryption_keys');
    await app.query(`UPDATE exchange_credentials SET row_version = -1 WHERE user_id LIKE '%0'`);
    await app.close();
    expect(await refusal(aKey('k1'))).toMatch(/ENCRYPTION_KEYS.*\bk1\b/);
    expect(await refusal(K1)).toBe('it started');
  });

  it('S-38 keys:check counts the rows of each key, and ends with 1 where one does not open; keys:rotate leaves that one', async () => {
    const old = await start(K1);
    await strangers(old, 3);
    const both = await start(`${K2},${K1}`);
    await aTrader({ app: both, sandbox, close: () => Promise.resolve() });
    expect(await run('check', `${K2},${K1}`)).toEqual({ code: 0, text: `k1\t3 rows\nk2\t${EXCHANGES.length} rows\n` });
    expect(await run('check', K2)).toEqual({
      code: 1,
      text: expect.stringMatching(/^k1\t3 rows\t3 do not open\tENCRYPTION_KEYS has no key of this id\n/),
    });
    const damaged = `usr_${'1'.padStart(26, '0')}`;
    await both.query('UPDATE exchange_credentials SET row_version = -1 WHERE user_id = $1', [damaged]);
    const checked = await run('check', `${K2},${K1}`);
    expect([checked.code, checked.text]).toEqual([
      1,
      `k1\t3 rows\t1 do not open\n\tdoes not open: ${damaged} kalshi\nk2\t${EXCHANGES.length} rows\n`,
    ]);
    const rotated = await run('rotate', `${K2},${K1}`);
    expect([rotated.code, rotated.text]).toEqual([1, expect.stringContaining('npm run keys:check')]);
    expect(
      await both.query('SELECT key_id, count(*)::integer AS n FROM exchange_credentials GROUP BY 1 ORDER BY 1'),
    ).toEqual([
      { key_id: 'k1', n: 1 },
      { key_id: 'k2', n: 4 },
    ]);
    await old.close();
    await both.close();
  });

  it('S-36, S-38 session keys are sealed anew too, and nothing sealed in one table opens in the other', async () => {
    const addresses = exchangeAddresses(sandbox.addresses);
    const serve = (keys: string): Promise<TestApp> => startTestApp({ ...addresses, ENCRYPTION_KEYS: keys }, database);
    const before = await serve(K1);
    const user = await aUser(before);
    const wallet = newKeyPair().address;
    await activeKey({ app: before, sandbox }, user, { wallet });
    await createKey(before, user, wallet);
    await storeCredentials(before, user, 'polymarket', WALLET);
    expect(await run('check', K1)).toEqual({ code: 0, text: 'k1\t3 rows\n' });
    expect(await refusal(K2)).toMatch(/ENCRYPTION_KEYS.*\bk1\b/);
    await before.close();

    expect((await run('rotate', `${K2},${K1}`)).code).toBe(0);
    expect(await run('check', K2)).toEqual({ code: 0, text: 'k2\t3 rows\n' });
    const after = await serve(K2);
    const sets = await after.get(CredentialSetsRepository).find(user.id, 'polymarket');
    const vault = after.get(CredentialVault);
    const [stored, active, pending] = [sets.stored, sets.active, sets.pending].flatMap((row) => row ?? []);
    if (stored === undefined || active === undefined || pending === undefined) throw new Error('a row is missing');
    for (const row of [stored, active, pending]) expect(vault.opens(row)).toBe(true);
    for (const [from, to] of [
      [stored, active],
      [active, stored],
      [pending, active],
      [active, pending],
    ] as const) {
      expect(vault.opens({ ...to, fields: from.fields })).toBe(false);
    }
    const opened = vault.openFor(active, 'session_key', (text) => withPrivateKeyBytes(text, addressOfKey));
    expect(opened).toBe(sets.active?.address);
    await after.close();
  });
});
