import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { CredentialSetsRepository } from '../src/credentials/credential-sets.repository.js';
import { CredentialVault } from '../src/credentials/credential-vault.js';
import { codeOf, detailsOf, post, remove } from './support/calls.js';
import { startTestStand, storeCredentials, type TestStand } from './support/sandbox.js';
import {
  activateKey,
  activeKey,
  addressIn,
  aWallet,
  authorise,
  createKey,
  CREDENTIALS,
  putCredentials,
  removeKey,
  SESSION_KEY,
  SessionKeyCalls,
  statusOf,
} from './support/session-keys.js';
import { aUser, type TestUser, WALLET } from './support/users.js';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DAY_MS = 86_400_000;
const NEVER_MS = 100_000;
const NOTHING = { configured: false, key: null, session_key: null, warnings: [] };

const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

describe('session keys (contract.md 5.9)', () => {
  let stand: TestStand;
  let calls: SessionKeyCalls;
  /** Who waits for a key that nobody has authorised. */
  let waiting: { readonly user: TestUser; readonly wallet: string; readonly address: string };
  let refused: Promise<Response>;
  let refusedAfterMs = 0;

  beforeAll(async () => {
    stand = await startTestStand();
    calls = new SessionKeyCalls(stand);
    const [user, wallet] = [await aUser(stand.app), aWallet()];
    const startedAt = performance.now();
    waiting = { user, wallet, address: addressIn(await createKey(stand.app, user, wallet)) };
    refused = activateKey(stand.app, user).then((answer) => {
      refusedAfterMs = performance.now() - startedAt;
      return answer;
    });
  });

  afterAll(() => stand.close());

  it('S-58 makes a key that waits, and says how to authorise it', async () => {
    const [user, wallet] = [await aUser(stand.app), aWallet()];
    const created = await createKey(stand.app, user, wallet);
    const address = addressIn(created);
    expect([created.status, created.body]).toEqual([
      201,
      {
        exchange: 'polymarket',
        session_key: {
          address: expect.stringMatching(ADDRESS),
          wallet_address: wallet,
          state: 'pending',
          valid_until: null,
          created_at: expect.stringMatching(ISO),
        },
        authorization: {
          wallet_address: wallet,
          session_address: address,
          chain_id: 137,
          scopes: ['CLOB'],
          command: expect.stringContaining(address),
        },
      },
    ]);
    expect(await statusOf(stand.app, user)).toEqual({
      ...NOTHING,
      session_key: { address, state: 'pending', valid_until: null },
    });
    const second = addressIn(await createKey(stand.app, user, wallet));
    expect(second).not.toBe(address);
    expect(await statusOf(stand.app, user)).toMatchObject({ session_key: { address: second, state: 'pending' } });
  });

  it('takes it into use once the exchange knows it; then credentials are complete, and a plain order goes', async () => {
    const [user, wallet] = [await aUser(stand.app), aWallet()];
    const created = await createKey(stand.app, user, wallet);
    const address = addressIn(created);
    authorise(stand, { wallet, address, usableAfterMs: 1_500 });
    const end = inDays(30);
    const activated = await activateKey(stand.app, user, { valid_until: end });
    const { session_key } = created.body as { session_key: object };
    expect([activated.status, activated.body]).toEqual([
      200,
      { exchange: 'polymarket', session_key: { ...session_key, state: 'active', valid_until: end } },
    ]);
    expect(await statusOf(stand.app, user)).toEqual({
      ...NOTHING,
      configured: true,
      wallet_address: wallet,
      session_key: { address, state: 'active', valid_until: end },
    });
    const order = await calls.plainOrder(user);
    expect([order.status, order.body]).toEqual([200, expect.objectContaining({ status: 'open' })]);
    expect((await activateKey(stand.app, user)).status).toBe(404);
    expect(await calls.namesOf(user)).toEqual(['session_key_created', 'session_key_activated', 'order_created']);
  });

  it('the end that the exchange names counts for more than one that is stated', async () => {
    const [user, { wallet, fields }] = [await aUser(stand.app), calls.anOwner()];
    await storeCredentials(stand.app, user, 'polymarket', fields);
    await activeKey(stand, user, { wallet, body: { valid_until: inDays(3) } });
    const { session_key } = (await statusOf(stand.app, user)) as { session_key: { valid_until: string } };
    const days = (Date.parse(session_key.valid_until) - Date.now()) / DAY_MS;
    expect(days).toBeGreaterThan(179);
  });

  it('takes the end that the OpenAPI document has for an example, for half a year to come', async () => {
    const { text } = await request(stand.app.url).get('/docs/openapi.json');
    const document = JSON.parse(text) as {
      components: { schemas: Record<string, { properties: { valid_until: { example: string } } }> };
    };
    const body = { valid_until: document.components.schemas.SessionKeyActivationDto?.properties.valid_until.example };
    const [user, { wallet, fields }] = [await aUser(stand.app), calls.anOwner()];
    await storeCredentials(stand.app, user, 'polymarket', fields);
    await activeKey(stand, user, { wallet, body });
    expect(await statusOf(stand.app, user)).toMatchObject({ session_key: { state: 'active' } });
    expect(Date.parse(String(body.valid_until)) - Date.now()).toBeGreaterThan(180 * DAY_MS);
  });

  it.each([
    ['past', { valid_until: inDays(-1) }],
    ['too far ahead', { valid_until: inDays(201) }],
    ['not a time', { valid_until: 'next year' }],
    ['no text', { valid_until: 1_900_000_000 }],
    ['null', { valid_until: null }],
    ['a day that is not in the calendar', { valid_until: '2027-02-30T00:00:00Z' }],
  ])('refuses an end that is %s with 400 on the field, and the key goes on waiting', async (_, body) => {
    const user = await aUser(stand.app);
    await createKey(stand.app, user, aWallet());
    const answer = await activateKey(stand.app, user, body);
    expect([answer.status, detailsOf(answer).fields]).toEqual([
      400,
      [expect.objectContaining({ field: 'valid_until' })],
    ]);
    expect(await statusOf(stand.app, user)).toMatchObject({ session_key: { state: 'pending' } });
  });

  it.each([undefined, '', '0x12', WALLET.wallet_address.slice(2), 5, null])(
    'refuses %j as a wallet with 400 on the field',
    async (wallet) => {
      const user = await aUser(stand.app);
      const answer = await post(stand.app, SESSION_KEY, { wallet_address: wallet }, user.token);
      expect([answer.status, detailsOf(answer).fields]).toEqual([
        400,
        [expect.objectContaining({ field: 'wallet_address' })],
      ]);
    },
  );

  it('is 404 for an exchange without session keys, whatever the body, and without a pending key', async () => {
    const { token } = await aUser(stand.app);
    for (const exchange of ['kalshi', 'nowhere']) {
      const path = `/account/credentials/${exchange}/session-key`;
      const answers = [
        await post(stand.app, path, { wallet_address: 5, x: 1 }, token),
        await post(stand.app, `${path}/activate`, { valid_until: 5 }, token),
        await remove(stand.app, `${path}?x=1`, token),
      ];
      expect(answers.map(codeOf)).toEqual(['not_found', 'not_found', 'not_found']);
    }
    expect(codeOf(await post(stand.app, `${SESSION_KEY}/activate`, {}, token))).toBe('not_found');
  });

  it('forgets the active and the waiting key, never what PUT stored; a second time there is nothing', async () => {
    const [user, { wallet, fields }] = [await aUser(stand.app), calls.anOwner()];
    await storeCredentials(stand.app, user, 'polymarket', fields);
    await activeKey(stand, user, { wallet });
    await createKey(stand.app, user, wallet);
    const answers = [await removeKey(stand.app, user), await removeKey(stand.app, user)];
    expect(answers.map(({ status, body }) => [status, body as object])).toEqual([
      [200, { exchange: 'polymarket', removed: true }],
      [200, { exchange: 'polymarket', removed: false }],
    ]);
    expect(await statusOf(stand.app, user)).toEqual({
      ...NOTHING,
      configured: true,
      wallet_address: wallet,
    });
    expect((await calls.ask(user, '/polymarket/balance')).status).toBe(200);
    expect((await calls.namesOf(user)).filter((name) => name === 'session_key_removed')).toHaveLength(2);
  });

  it('shows a key that waits beside the active one, which signs until then', async () => {
    const [user, wallet] = [await aUser(stand.app), aWallet()];
    const first = await activeKey(stand, user, { wallet });
    const second = addressIn(await createKey(stand.app, user, wallet));
    expect(await statusOf(stand.app, user)).toMatchObject({
      session_key: { address: first, state: 'active' },
      pending_session_key: { address: second, state: 'pending', valid_until: null },
    });
    expect((await calls.plainOrder(user)).status).toBe(200);
    authorise(stand, { wallet, address: second });
    expect((await activateKey(stand.app, user)).status).toBe(200);
    const status = await statusOf(stand.app, user);
    expect(status).toMatchObject({ session_key: { address: second, state: 'active' } });
    expect(status).not.toHaveProperty('pending_session_key');
  });

  it('DELETE of the credentials removes all of it', async () => {
    const [user, { wallet, fields }] = [await aUser(stand.app), calls.anOwner()];
    await storeCredentials(stand.app, user, 'polymarket', fields);
    await activeKey(stand, user, { wallet });
    await createKey(stand.app, user, wallet);
    const removed = await remove(stand.app, CREDENTIALS, user.token);
    expect(removed.body).toEqual({ exchange: 'polymarket', configured: false });
    expect(await statusOf(stand.app, user)).toEqual(NOTHING);
    expect(await stand.app.query('SELECT 1 FROM session_keys WHERE user_id = $1', [user.id])).toEqual([]);
  });

  describe('PUT with a session key', () => {
    it('derives its API credentials, replaces all that was there, and is active at once', async () => {
      const [user, { wallet, fields }] = [await aUser(stand.app), calls.anOwner()];
      await storeCredentials(stand.app, user, 'polymarket', fields);
      await activeKey(stand, user, { wallet });
      await createKey(stand.app, user, wallet);
      const { address, session_key } = calls.anOwnKey(wallet);
      const stored = await putCredentials(stand.app, user, { wallet_address: wallet, session_key }, '?verify=true');
      const review = { key: null, session_key: { address, state: 'active', valid_until: null }, warnings: [] };
      expect([stored.status, stored.body]).toEqual([
        200,
        {
          exchange: 'polymarket',
          configured: true,
          updated_at: expect.stringMatching(ISO),
          wallet_address: wallet,
          ...review,
        },
      ]);
      expect(await statusOf(stand.app, user)).toEqual({ configured: true, wallet_address: wallet, ...review });
      expect((await calls.plainOrder(user)).status).toBe(200);
      expect((await calls.namesOf(user)).slice(-3)).toEqual([
        'credentials_stored',
        'session_key_activated',
        'order_created',
      ]);
      await removeKey(stand.app, user);
      expect(await statusOf(stand.app, user)).toEqual(NOTHING);
    });

    it('with its API credentials stores them too: they stay when the key is forgotten', async () => {
      const [user, wallet] = [await aUser(stand.app), aWallet()];
      const { address, session_key } = calls.anOwnKey(wallet);
      await putCredentials(stand.app, user, { wallet_address: wallet, session_key });
      const fields = await apiFieldsOf(user);
      const stored = await putCredentials(stand.app, user, { wallet_address: wallet, session_key, ...fields });
      expect([stored.status, stored.body]).toEqual([200, expect.objectContaining({ wallet_address: wallet })]);
      expect(stored.body).toMatchObject({ session_key: { address, state: 'active' } });
      await removeKey(stand.app, user);
      expect(await statusOf(stand.app, user)).toEqual({ ...NOTHING, configured: true, wallet_address: wallet });
      expect((await calls.ask(user, '/polymarket/balance')).status).toBe(200);
      const plain = await calls.plainOrder(user);
      expect([plain.status, detailsOf(plain).reason]).toEqual([409, 'session_key_required']);
    });

    /** The API credentials that the sandbox has of the user's active key, as they are stored. */
    const apiFieldsOf = async (user: TestUser): Promise<object> => {
      const { active } = await stand.app.get(CredentialSetsRepository).find(user.id, 'polymarket');
      if (active === null) throw new Error('no active key');
      const opened = stand.app.get(CredentialVault).open(active, ['api_key', 'secret', 'passphrase']);
      return Object.fromEntries(Object.entries(opened).map(([name, secret]) => [name, secret.reveal()]));
    };

    it('S-58 refuses a contradiction with 400 on the field, and changes nothing', async () => {
      const [user, wallet] = [await aUser(stand.app), aWallet()];
      const { address, session_key } = calls.anOwnKey(wallet);
      const other = aWallet();
      const { api_key, secret, passphrase } = WALLET;
      const three = { api_key, secret, passphrase };
      const good = { wallet_address: wallet, session_key };
      const cases: [object, string[]][] = [
        [{ ...good, signer_address: other }, ['signer_address']],
        [{ ...good, signature_type: 0 }, ['signature_type']],
        [{ ...good, signature_type: 1, ...three }, ['signature_type']],
        [{ wallet_address: address, session_key }, ['session_key']],
        [{ wallet_address: address.toLowerCase(), session_key }, ['session_key']],
        [{ session_key }, ['wallet_address']],
        [{ ...good, session_key: session_key.slice(2) }, ['session_key']],
        [{ ...good, session_key: `0x${'0'.repeat(64)}` }, ['session_key']],
        [{ ...good, session_key: `0x${'f'.repeat(64)}` }, ['session_key']],
        [{ ...good, session_key: null }, ['session_key']],
        [{ ...good, api_key: three.api_key }, ['secret', 'passphrase']],
        [{ ...good, secret: three.secret, passphrase: three.passphrase }, ['api_key']],
        [{ wallet_address: wallet }, ['api_key', 'secret', 'passphrase']],
      ];
      for (const [body, fields] of cases) {
        const answer = await putCredentials(stand.app, user, body);
        const named = (detailsOf(answer).fields as { field: string }[]).map(({ field }) => field);
        expect([answer.status, named.sort()]).toEqual([400, fields.sort()]);
        expect(answer.text).not.toContain(session_key.slice(2));
      }
      expect(await statusOf(stand.app, user)).toEqual(NOTHING);
      expect(
        (await putCredentials(stand.app, user, { ...good, signer_address: address, signature_type: 3 })).status,
      ).toBe(200);
    });

    it('S-58 refuses the key of the owner of the wallet, whose address is another one', async () => {
      const user = await aUser(stand.app);
      const { address, owner_private_key } = stand.sandbox.addresses.polymarket.deposit_wallet;
      const body = { wallet_address: address, session_key: owner_private_key };
      const answer = await putCredentials(stand.app, user, body);
      expect([answer.status, detailsOf(answer).fields]).toEqual([
        400,
        [expect.objectContaining({ field: 'session_key' })],
      ]);
      expect(answer.text).not.toContain(owner_private_key.slice(2));
      expect(await statusOf(stand.app, user)).toEqual(NOTHING);
    });

    it('with ?verify=true stores nothing that the exchange refuses', async () => {
      const [user, wallet] = [await aUser(stand.app), aWallet()];
      const { session_key } = calls.anOwnKey(wallet);
      const { api_key, secret, passphrase } = WALLET;
      const three = { api_key, secret, passphrase };
      const answer = await putCredentials(
        stand.app,
        user,
        { wallet_address: wallet, session_key, ...three },
        '?verify=true',
      );
      expect([answer.status, codeOf(answer)]).toEqual([409, 'credentials_rejected']);
      expect(await statusOf(stand.app, user)).toEqual(NOTHING);
    });

    it('without one leaves session keys alone', async () => {
      const [user, { wallet, fields }] = [await aUser(stand.app), calls.anOwner()];
      const address = await activeKey(stand, user, { wallet });
      const waiting = addressIn(await createKey(stand.app, user, wallet));
      const stored = await putCredentials(stand.app, user, fields);
      expect(stored.body).toMatchObject({
        wallet_address: wallet,
        session_key: { address, state: 'active' },
        pending_session_key: { address: waiting },
      });
    });
  });

  describe('what is there, and what can be called', () => {
    it('nothing stored at all is 409 without a reason', async () => {
      const user = await aUser(stand.app);
      for (const answer of [await calls.plainOrder(user), await calls.ask(user, '/polymarket/balance')]) {
        expect([answer.status, codeOf(answer), detailsOf(answer)]).toEqual([409, 'credentials_not_configured', {}]);
      }
      const verified = await post(stand.app, `${CREDENTIALS}/verify`, {}, user.token);
      expect([verified.status, detailsOf(verified)]).toEqual([409, {}]);
    });

    it('a waiting key alone lets nothing be called; an order that it would sign says so', async () => {
      const user = await aUser(stand.app);
      await createKey(stand.app, user, aWallet());
      const order = await calls.plainOrder(user);
      expect([order.status, codeOf(order), detailsOf(order)]).toEqual([
        409,
        'credentials_not_configured',
        { reason: 'session_key_required' },
      ]);
      const verified = await post(stand.app, `${CREDENTIALS}/verify`, {}, user.token);
      for (const answer of [await calls.ask(user, '/polymarket/balance'), verified]) {
        expect([answer.status, codeOf(answer), detailsOf(answer)]).toEqual([409, 'credentials_not_configured', {}]);
      }
    });

    it('the four fields alone sign no plain order', async () => {
      const [user, { fields }] = [await aUser(stand.app), calls.anOwner()];
      await storeCredentials(stand.app, user, 'polymarket', fields);
      const order = await calls.plainOrder(user);
      expect([order.status, detailsOf(order)]).toEqual([409, { reason: 'session_key_required' }]);
      expect((await calls.ask(user, '/polymarket/balance')).status).toBe(200);
    });

    it('verify says which contracts the wallet has yet to approve for the session key', async () => {
      const [user, wallet] = [await aUser(stand.app), aWallet()];
      await activeKey(stand, user, { wallet });
      const fine = await post(stand.app, `${CREDENTIALS}/verify`, {}, user.token);
      expect([fine.status, fine.body]).toEqual([200, expect.objectContaining({ verified: true, warnings: [] })]);
      expect(fine.body).not.toHaveProperty('missing_allowances');
      stand.sandbox.polymarket.setStanding(wallet, { exchangeV3: false });
      const answer = await post(stand.app, `${CREDENTIALS}/verify`, {}, user.token);
      expect([answer.status, answer.body]).toEqual([
        200,
        expect.objectContaining({
          session_key: expect.objectContaining({ state: 'active' }),
          missing_allowances: [expect.stringMatching(ADDRESS)],
          warnings: ['allowance_missing'],
        }),
      ]);
      expect(await statusOf(stand.app, user)).toMatchObject({ warnings: ['allowance_missing'] });
    });

    it('a key that ends within 14 days, or has, is a warning; one that has ended is expired', async () => {
      const [user, wallet] = [await aUser(stand.app), aWallet()];
      await activeKey(stand, user, { wallet, body: { valid_until: inDays(15) } });
      expect(await statusOf(stand.app, user)).toMatchObject({ warnings: [], session_key: { state: 'active' } });
      const moveTo = (days: number): Promise<unknown> =>
        stand.app.query(
          `UPDATE session_keys SET valid_until = now() + $2 * interval '1 day', reminded_days = 2 WHERE user_id = $1`,
          [user.id, days],
        );
      await moveTo(13);
      const soon = { warnings: ['session_key_expiring'], session_key: { state: 'active' } };
      expect(await statusOf(stand.app, user)).toMatchObject(soon);
      await moveTo(-1);
      const over = { warnings: ['session_key_expiring'], configured: true, session_key: { state: 'expired' } };
      expect(await statusOf(stand.app, user)).toMatchObject(over);
      const order = await calls.plainOrder(user);
      expect([order.status, codeOf(order), detailsOf(order).reason]).toEqual([
        409,
        'credentials_rejected',
        'session_key_expired',
      ]);
      expect((await calls.ask(user, '/polymarket/balance')).status).toBe(200);
    });

    it('a key that is revoked after the first 65 s is expired from the first refused order on, until one is taken', async () => {
      const [user, wallet] = [await aUser(stand.app), aWallet()];
      const address = await activeKey(stand, user, { wallet });
      stand.sandbox.polymarket.revokeSession(wallet, address);
      const settling = await calls.plainOrder(user);
      expect([settling.status, detailsOf(settling).reason]).toEqual([503, 'session_key_settling']);
      expect(await statusOf(stand.app, user)).toMatchObject({ session_key: { state: 'active' } });
      const old = `UPDATE session_keys SET activated_at = now() - interval '2 minutes' WHERE user_id = $1`;
      await stand.app.query(old, [user.id]);
      const refusal = await calls.plainOrder(user);
      expect([refusal.status, detailsOf(refusal).reason]).toEqual([409, 'session_key_expired']);
      expect(await statusOf(stand.app, user)).toMatchObject({
        configured: true,
        session_key: { address, state: 'expired' },
        warnings: ['session_key_expiring'],
      });
      authorise(stand, { wallet, address });
      expect((await calls.plainOrder(user)).status).toBe(200);
      expect(await statusOf(stand.app, user)).toMatchObject({ session_key: { state: 'active' }, warnings: [] });
    });
  });

  it('S-37 a private half that does not open stops the order, and calls nobody', async () => {
    const [user, wallet] = [await aUser(stand.app), aWallet()];
    await activeKey(stand, user, { wallet });
    await stand.app.query(
      `UPDATE session_keys SET fields = fields || jsonb_build_object('session_key', fields ->> 'secret') WHERE user_id = $1`,
      [user.id],
    );
    const isOrder = ({ path }: { path: string }): boolean => path === '/order';
    const before = stand.sandbox.log.list('polymarket').filter(isOrder).length;
    const order = await calls.plainOrder(user);
    expect([order.status, codeOf(order)]).toEqual([500, 'internal_error']);
    expect(stand.sandbox.log.list('polymarket').filter(isOrder)).toHaveLength(before);
    const events = `SELECT 1 FROM security_events WHERE user_id = $1 AND type = 'decrypt_failed'`;
    expect(await stand.app.query(events, [user.id])).toHaveLength(1);
    expect(await statusOf(stand.app, user)).toMatchObject({ session_key: { state: 'active' } });
  });

  it.each(['address', 'wallet_address'])(
    'S-36, S-37 a key whose %s was changed in the database signs for nobody and is not taken into use',
    async (column) => {
      const [user, wallet, other] = [await aUser(stand.app), aWallet(), aWallet()];
      const address = await activeKey(stand, user, { wallet });
      authorise(stand, { wallet: other, address });
      authorise(stand, { wallet, address: other });
      await createKey(stand.app, user, wallet);
      await stand.app.query(`UPDATE session_keys SET ${column} = $2 WHERE user_id = $1`, [user.id, other]);
      const before = stand.sandbox.log.list('polymarket').length;
      const answers = [
        await calls.plainOrder(user),
        await calls.ask(user, '/polymarket/balance'),
        await activateKey(stand.app, user),
      ];
      expect(answers.map((answer) => [answer.status, codeOf(answer)])).toEqual(Array(3).fill([500, 'internal_error']));
      const heard = stand.sandbox.log.list('polymarket').slice(before);
      expect(heard.filter((call) => [address, other].some((key) => JSON.stringify(call).includes(key)))).toEqual([]);
    },
  );

  it(
    'says after 65 s at most that the exchange does not know the key, which goes on waiting and is taken once authorised',
    async () => {
      const answer = await refused;
      expect([answer.status, codeOf(answer)]).toEqual([409, 'credentials_rejected']);
      expect(detailsOf(answer).reason).toBe('session_key_not_authorized');
      expect(refusedAfterMs).toBeGreaterThan(55_000);
      expect(refusedAfterMs).toBeLessThan(75_000);
      const { user, address } = waiting;
      expect(await statusOf(stand.app, user)).toMatchObject({ session_key: { address, state: 'pending' } });
      authorise(stand, waiting);
      const activated = await activateKey(stand.app, user);
      expect([activated.status, activated.body]).toMatchObject([200, { session_key: { address, state: 'active' } }]);
      expect((await calls.plainOrder(user)).status).toBe(200);
    },
    NEVER_MS,
  );
});
