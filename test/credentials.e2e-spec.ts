import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startTestApp } from './support/app.js';
import { EXCHANGES } from './support/exchanges.js';
import { startTestStand, storeCredentials, type TestStand } from './support/sandbox.js';
import { anApiKey, aUser, WALLET } from './support/users.js';

const bearer = { type: 'bearer' } as const;
const FIRST_KEY = `t1:${Buffer.alloc(32, 7).toString('base64')}`;

/** Where nothing is stored, and of credentials that no exchange knows. */
const UNSAID = { key: null, session_key: null, warnings: [] };
const NONE_CONFIGURED = Object.fromEntries(EXCHANGES.map((id) => [id, { configured: false, ...UNSAID }]));

function pem(options: { modulusLength: number }): string {
  return generateKeyPairSync('rsa', options).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

describe('exchange credentials (specification.md 2.4, 4.13)', () => {
  let stand: TestStand;
  const rsa = pem({ modulusLength: 2048 });
  const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const kalshi = { access_key: 'a952bcbe-ec3b-4b5b-b8f9-11dae589608c', private_key: rsa };
  const polymarket = WALLET;

  beforeAll(async () => {
    stand = await startTestStand();
  });

  afterAll(() => stand.close());

  const url = (): string => stand.app.url;
  const statusOf = async (token: string): Promise<unknown> =>
    (await request(url()).get('/account/credentials').auth(token, bearer)).body as unknown;

  it('says for each exchange whether they are configured, without values', async () => {
    const user = await aUser(stand.app);
    expect(await statusOf(user.token)).toEqual({
      exchanges: NONE_CONFIGURED,
    });
    await storeCredentials(stand.app, user, 'kalshi', kalshi);
    await storeCredentials(stand.app, user, 'polymarket', polymarket);
    expect(await statusOf(user.token)).toEqual({
      exchanges: {
        ...NONE_CONFIGURED,
        kalshi: { configured: true, ...UNSAID },
        polymarket: { configured: true, wallet_address: polymarket.wallet_address, ...UNSAID },
      },
    });
  });

  it('answers a PUT with exchange, configured and updated_at, and never a secret', async () => {
    const user = await aUser(stand.app);
    const stored = await request(url())
      .put('/account/credentials/polymarket')
      .auth(user.token, bearer)
      .send(polymarket);
    expect(stored.status).toBe(200);
    expect(stored.body).toEqual({
      exchange: 'polymarket',
      configured: true,
      updated_at: expect.stringMatching(/\.\d{3}Z$/),
      wallet_address: polymarket.wallet_address,
      ...UNSAID,
    });
    const other = await request(url())
      .put('/account/credentials/kalshi')
      .auth(user.token, bearer)
      .send({ ...kalshi, private_key: ed25519 });
    expect(other.body).toEqual({ exchange: 'kalshi', configured: true, updated_at: expect.any(String), ...UNSAID });
  });

  it('overwrites what was stored before', async () => {
    const user = await aUser(stand.app);
    await storeCredentials(stand.app, user, 'polymarket', polymarket);
    const wallet_address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
    await storeCredentials(stand.app, user, 'polymarket', { ...polymarket, wallet_address });
    expect(await statusOf(user.token)).toMatchObject({ exchanges: { polymarket: { wallet_address } } });
    const rows = await stand.app.query(`SELECT 1 FROM exchange_credentials WHERE user_id = $1`, [user.id]);
    expect(rows).toHaveLength(1);
  });

  it('removes them, also when nothing was stored', async () => {
    const user = await aUser(stand.app);
    await storeCredentials(stand.app, user, 'kalshi', kalshi);
    for (let round = 0; round < 2; round += 1) {
      const removed = await request(url()).delete('/account/credentials/kalshi').auth(user.token, bearer);
      expect(removed.status).toBe(200);
      expect(removed.body).toEqual({ exchange: 'kalshi', configured: false });
    }
    expect(await statusOf(user.token)).toMatchObject({ exchanges: { kalshi: { configured: false } } });
  });

  it.each([
    ['kalshi', 'private_key', { ...kalshi, private_key: 'not a key' }],
    ['kalshi', 'private_key', { ...kalshi, private_key: pem({ modulusLength: 1024 }) }],
    ['kalshi', 'private_key', { access_key: kalshi.access_key }],
    ['kalshi', 'access_key', { ...kalshi, access_key: 5 }],
    ['kalshi', 'api_key', { ...kalshi, api_key: 'x' }],
    ['polymarket', 'secret', { ...polymarket, secret: 'not base64!' }],
    ['polymarket', 'wallet_address', { ...polymarket, wallet_address: '0x123' }],
    ['polymarket', 'signature_type', { ...polymarket, signature_type: 4 }],
    ['polymarket', 'signature_type', { ...polymarket, signature_type: '1' }],
    ['polymarket', 'signature_type', { ...polymarket, signer_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }],
    ['polymarket', 'passphrase', { ...polymarket, passphrase: undefined }],
  ])('S-54 refuses %s credentials with a bad %s with 400 and changes nothing', async (exchange, field, body) => {
    const user = await aUser(stand.app);
    const stored = await request(url()).put(`/account/credentials/${exchange}`).auth(user.token, bearer).send(body);
    expect(stored.status).toBe(400);
    expect(stored.body).toMatchObject({
      error: { code: 'bad_request', details: { fields: expect.arrayContaining([expect.objectContaining({ field })]) } },
    });
    expect(await statusOf(user.token)).toEqual({
      exchanges: NONE_CONFIGURED,
    });
  });

  it('accepts a PKCS#1 key with escaped line breaks', async () => {
    const user = await aUser(stand.app);
    const pkcs1 = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs1',
      format: 'pem',
    });
    const escaped = pkcs1.toString().replaceAll('\n', '\\n');
    await storeCredentials(stand.app, user, 'kalshi', { ...kalshi, private_key: escaped });
    expect(await statusOf(user.token)).toMatchObject({ exchanges: { kalshi: { configured: true } } });
  });

  it('answers an unknown exchange with 404, whatever the body', async () => {
    const user = await aUser(stand.app);
    const stored = await request(url()).put('/account/credentials/predictit').auth(user.token, bearer).send({ x: 1 });
    expect(stored.status).toBe(404);
    expect(stored.body).toMatchObject({ error: { code: 'not_found' } });
  });

  it('S-18 takes no API key', async () => {
    const user = await aUser(stand.app);
    const key = await anApiKey(stand.app, user, ['admin']);
    const answer = await request(url()).get('/account/credentials').auth(key, bearer);
    expect(answer.status).toBe(401);
    expect(answer.body).toMatchObject({ error: { details: { reason: 'wrong_token_type' } } });
  });

  it('?verify=true stores what the exchange accepts, and refuses with 409 credentials_rejected what it does not', async () => {
    const user = await aUser(stand.app);
    const { access_key, private_key } = stand.sandbox.addresses.kalshi;
    const refused = await request(url())
      .put('/account/credentials/kalshi?verify=true')
      .auth(user.token, bearer)
      .send({ access_key, private_key: rsa });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ error: { code: 'credentials_rejected' } });
    expect(await statusOf(user.token)).toMatchObject({ exchanges: { kalshi: { configured: false } } });
    const stored = await request(url())
      .put('/account/credentials/kalshi?verify=true')
      .auth(user.token, bearer)
      .send({ access_key, private_key });
    expect(stored.status).toBe(200);
  });

  describe('at rest (S-36, S-37)', () => {
    const fieldsOf = async (userId: string, exchange: string): Promise<Record<string, string>> => {
      const [row] = await stand.app.query(
        `SELECT fields FROM exchange_credentials WHERE user_id = $1 AND exchange = $2`,
        [userId, exchange],
      );
      return row?.fields as Record<string, string>;
    };

    it('S-36 holds every field sealed, and the key id beside it', async () => {
      const user = await aUser(stand.app);
      await storeCredentials(stand.app, user, 'polymarket', polymarket);
      const [row] = await stand.app.query(
        `SELECT t::text AS row, key_id FROM exchange_credentials t WHERE user_id = $1`,
        [user.id],
      );
      expect(row?.key_id).toBe('t1');
      for (const value of Object.values(polymarket)) {
        expect(row?.row).not.toContain(value);
        expect(row?.row).not.toContain(Buffer.from(value).toString('base64url').slice(0, -2));
      }
    });

    it('S-36, S-37 a ciphertext moved from another user is 500 internal_error, the exchange is not called', async () => {
      const [owner, thief] = [await aUser(stand.app), await aUser(stand.app)];
      await storeCredentials(stand.app, owner, 'kalshi', kalshi);
      await storeCredentials(stand.app, thief, 'kalshi', kalshi);
      const stolen = JSON.stringify(await fieldsOf(owner.id, 'kalshi'));
      await stand.app.query(`UPDATE exchange_credentials SET fields = $1 WHERE user_id = $2`, [stolen, thief.id]);
      const key = await anApiKey(stand.app, thief);
      const before = stand.sandbox.log.list('kalshi').length;
      const balance = await request(url()).get('/kalshi/balance').auth(key, bearer);
      expect(balance.status).toBe(500);
      expect(balance.body).toMatchObject({
        error: { code: 'internal_error', request_id: expect.stringMatching(/^req_/) },
      });
      expect(stand.sandbox.log.list('kalshi')).toHaveLength(before);
      expect(await statusOf(thief.token)).toMatchObject({ exchanges: { kalshi: { configured: true } } });
    });

    it('S-36 holds a private key in a form that imports fast too, and opens a row without it', async () => {
      const user = await aUser(stand.app);
      const { access_key, private_key } = stand.sandbox.addresses.kalshi;
      await storeCredentials(stand.app, user, 'kalshi', { access_key, private_key });
      const key = await anApiKey(stand.app, user);
      const balance = async (): Promise<number> =>
        (await request(url()).get('/kalshi/balance').auth(key, bearer)).status;
      expect(Object.keys(await fieldsOf(user.id, 'kalshi'))).toEqual(['access_key', 'private_key', 'signing_key']);
      expect(await balance()).toBe(200);
      const change = (sql: string): Promise<unknown> =>
        stand.app.query(`UPDATE exchange_credentials SET fields = ${sql} WHERE user_id = $1`, [user.id]);
      await change(`jsonb_set(fields, '{signing_key}', fields -> 'private_key')`);
      expect(await balance()).toBe(500);
      await change(`fields - 'signing_key'`);
      expect(await balance()).toBe(200);
    });

    it('S-36 an older ciphertext put into the newer row does not open', async () => {
      const user = await aUser(stand.app);
      await storeCredentials(stand.app, user, 'kalshi', kalshi);
      const older = JSON.stringify(await fieldsOf(user.id, 'kalshi'));
      await request(url()).delete('/account/credentials/kalshi').auth(user.token, bearer);
      await storeCredentials(stand.app, user, 'kalshi', kalshi);
      await stand.app.query(`UPDATE exchange_credentials SET fields = $1 WHERE user_id = $2`, [older, user.id]);
      const key = await anApiKey(stand.app, user);
      expect((await request(url()).get('/kalshi/balance').auth(key, bearer)).status).toBe(500);
    });
  });

  it('POST /account/credentials/{exchange}/verify tries what is stored', async () => {
    const user = await aUser(stand.app);
    const path = '/account/credentials/kalshi/verify';
    expect((await request(url()).post(path).auth(user.token, bearer)).status).toBe(409);
    const { access_key, private_key } = stand.sandbox.addresses.kalshi;
    await storeCredentials(stand.app, user, 'kalshi', { access_key, private_key });
    const verified = await request(url()).post(path).auth(user.token, bearer);
    expect(verified.status).toBe(200);
    expect(verified.body).toEqual({
      exchange: 'kalshi',
      verified: true,
      checked_at: expect.any(String),
      clock_skew_ms: expect.any(Number),
      key: { scopes: ['read', 'write'], subaccount: null, attestation_expires_at: expect.any(String) },
      session_key: null,
      warnings: ['can_transfer'],
    });
    await storeCredentials(stand.app, user, 'kalshi', kalshi);
    const refused = await request(url()).post(path).auth(user.token, bearer);
    expect([refused.status, (refused.body as { error: { code: string } }).error.code]).toEqual([
      409,
      'credentials_rejected',
    ]);
  });

  it('S-41 keeps storing and removing in the owner’s activity', async () => {
    const user = await aUser(stand.app);
    await storeCredentials(stand.app, user, 'kalshi', kalshi);
    await request(url()).delete('/account/credentials/kalshi').auth(user.token, bearer);
    await request(url()).delete('/account/credentials/kalshi').auth(user.token, bearer);
    const activity = await request(url()).get('/account/activity').auth(user.token, bearer);
    const { data } = activity.body as { data: { type: string; exchange: string | null }[] };
    expect(data.filter(({ exchange }) => exchange === 'kalshi').map(({ type }) => type)).toEqual([
      'credentials_removed',
      'credentials_stored',
    ]);
  });

  it('S-38 the service does not start without a key that stored credentials need, and names it', async () => {
    const user = await aUser(stand.app);
    await storeCredentials(stand.app, user, 'kalshi', kalshi);
    const other = `t2:${Buffer.alloc(32, 9).toString('base64')}`;
    await expect(startTestApp({ ENCRYPTION_KEYS: other }, stand.app.database)).rejects.toThrow(/ENCRYPTION_KEYS.*t1/);
    const both = await startTestApp({ ENCRYPTION_KEYS: `${other},${FIRST_KEY}` }, stand.app.database);
    await both.close();
  });
});
