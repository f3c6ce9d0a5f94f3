import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { CredentialSetsRepository } from '../src/credentials/credential-sets.repository.js';
import { KeyRowsRepository } from '../src/commands/keys/key-rows.repository.js';
import { Transactions } from '../src/platform/database/transactions.js';
import { CredentialVault } from '../src/credentials/credential-vault.js';
import { CredentialsService } from '../src/credentials/credentials.service.js';
import { newKeyPair } from '../src/exchanges/polymarket/session-keys/private-key.js';
import { codeOf, post, remove } from './support/calls.js';
import { startInstance } from './support/instance.js';
import { startTestStand, storeCredentials, type TestStand } from './support/sandbox.js';
import { exchangeAddresses } from '../sandbox/demo/environment.js';
import {
  activateKey,
  addressIn,
  authorise,
  createKey,
  CREDENTIALS,
  putCredentials,
  removeKey,
  statusOf,
} from './support/session-keys.js';
import { anApiKey, aUser, type TestUser } from './support/users.js';

const NOTHING = { configured: false, key: null, session_key: null, warnings: [] };

/** What comes between the beginning of an activation and the moment when the exchange knows the key. */
interface Meanwhile {
  readonly user: TestUser;
  readonly wallet: string;
  /** The four fields of the owner. */
  readonly fields: object;
  /** The address of the key that is being activated. */
  readonly address: string;
}

describe('an activation that waits for the exchange (contract.md 5.9)', () => {
  let stand: TestStand;

  beforeAll(async () => {
    stand = await startTestStand();
  });

  afterAll(() => stand.close());

  const begun = async (): Promise<Meanwhile & { activation: Promise<Response> }> => {
    const user = await aUser(stand.app);
    const { wallet_address, api_key, secret, passphrase, signer_address, signature_type } =
      stand.sandbox.polymarket.addAccount({ signatureType: 3 });
    const fields = { wallet_address, api_key, secret, passphrase, signer_address, signature_type };
    const address = addressIn(await createKey(stand.app, user, wallet_address));
    const asked = (): number =>
      stand.sandbox.log.list('polymarket').filter(({ path }) => path.startsWith('/auth')).length;
    const before = asked();
    const activation = activateKey(stand.app, user).then((answer) => answer);
    while (asked() === before) await delay(10);
    return { user, wallet: wallet_address, fields, address, activation };
  };

  /** Lets something happen meanwhile, then lets the exchange know the key; returns what the activation is answered. */
  const during = async <T>(
    what: (meanwhile: Meanwhile) => Promise<T>,
  ): Promise<Meanwhile & { answer: Response; result: T }> => {
    const { activation, ...meanwhile } = await begun();
    const result = await what(meanwhile);
    authorise(stand, meanwhile);
    return { ...meanwhile, answer: await activation, result };
  };

  const anOwnKey = (wallet: string): { address: string; session_key: string } => {
    const { address, privateKey } = newKeyPair();
    authorise(stand, { wallet, address });
    return { address, session_key: privateKey.reveal() };
  };

  it('is not found where the key was forgotten meanwhile', async () => {
    const { user, answer } = await during(async ({ user: owner }) => removeKey(stand.app, owner));
    expect(codeOf(answer)).toBe('not_found');
    expect(await statusOf(stand.app, user)).toEqual(NOTHING);
  });

  it('is not found where the credentials were removed meanwhile, stored or not', async () => {
    const { user, answer } = await during(async ({ user: owner, fields }) => {
      await storeCredentials(stand.app, owner, 'polymarket', fields);
      return remove(stand.app, CREDENTIALS, owner.token);
    });
    expect(codeOf(answer)).toBe('not_found');
    expect(await statusOf(stand.app, user)).toEqual(NOTHING);
  });

  it('is not found where a newer key waits, which it does not take into use', async () => {
    const { user, answer, result } = await during(async ({ user: owner, wallet }) => {
      const newer = addressIn(await createKey(stand.app, owner, wallet));
      authorise(stand, { wallet, address: newer });
      return newer;
    });
    expect(codeOf(answer)).toBe('not_found');
    expect(await statusOf(stand.app, user)).toMatchObject({
      configured: false,
      session_key: { address: result, state: 'pending' },
    });
  });

  it('is not found where a key was stored meanwhile, which signs', async () => {
    const { user, answer, result } = await during(async ({ user: owner, wallet }) => {
      const { address, session_key } = anOwnKey(wallet);
      expect((await putCredentials(stand.app, owner, { wallet_address: wallet, session_key })).status).toBe(200);
      return address;
    });
    expect(codeOf(answer)).toBe('not_found');
    const status = await statusOf(stand.app, user);
    expect(status).toMatchObject({ session_key: { address: result, state: 'active' } });
    expect(status).not.toHaveProperty('pending_session_key');
  });

  it('goes on beside credentials that are stored meanwhile', async () => {
    const { user, answer, address, wallet } = await during(async ({ user: owner, fields }) =>
      storeCredentials(stand.app, owner, 'polymarket', fields),
    );
    expect(answer.status).toBe(200);
    expect(await statusOf(stand.app, user)).toMatchObject({
      configured: true,
      wallet_address: wallet,
      session_key: { address, state: 'active' },
    });
    await removeKey(stand.app, user);
    expect(await statusOf(stand.app, user)).toMatchObject({ configured: true, session_key: null });
  });

  it('S-17 stores nothing once the session has ended', async () => {
    const { user, answer, address } = await during(async ({ user: owner }) =>
      post(stand.app, '/auth/logout', {}, owner.token),
    );
    expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthorized']);
    const rows = await stand.app.query('SELECT state, address FROM session_keys WHERE user_id = $1', [user.id]);
    expect(rows).toEqual([{ state: 'pending', address }]);
  });

  it('S-17 stores nothing for an account that is gone', async () => {
    const { user, answer } = await during(async ({ user: owner }) => {
      const removed = await remove(stand.app, '/account', owner.token, { password: owner.password });
      expect(removed.status).toBe(200);
    });
    expect(answer.status).toBe(401);
    expect(await stand.app.query('SELECT 1 FROM session_keys WHERE user_id = $1', [user.id])).toEqual([]);
  });

  it('S-12 is not found where the account was stripped meanwhile, which removes every key', async () => {
    const { user, answer } = await during(async ({ user: owner, fields, wallet }) => {
      const { session_key } = anOwnKey(wallet);
      await putCredentials(stand.app, owner, { wallet_address: wallet, session_key });
      await storeCredentials(stand.app, owner, 'polymarket', fields);
      await createKey(stand.app, owner, wallet);
      await stand.app.get(CredentialsService).removeAll(owner.id);
    });
    expect(codeOf(answer)).toBe('not_found');
    expect(await statusOf(stand.app, user)).toEqual(NOTHING);
    const events = `SELECT type FROM security_events WHERE user_id = $1 AND type LIKE '%removed' ORDER BY type`;
    expect((await stand.app.query(events, [user.id])).map(({ type }) => type)).toEqual([
      'credentials_removed',
      'session_key_removed',
      'session_key_removed',
    ]);
  });

  it('the same call twice activates once', async () => {
    const calls: Promise<Response>[] = [];
    const { user, answer, address } = await during(async ({ user: owner }) => {
      calls.push(activateKey(stand.app, owner).then((second) => second));
      await delay(100);
    });
    const [second] = await Promise.all(calls);
    expect([answer.status, second?.status].sort()).toEqual([200, 404]);
    expect(await statusOf(stand.app, user)).toMatchObject({ session_key: { address, state: 'active' } });
    const events = `SELECT 1 FROM security_events WHERE user_id = $1 AND type = 'session_key_activated'`;
    expect(await stand.app.query(events, [user.id])).toHaveLength(1);
  });

  it('R-10 holds no transaction and no connection while it waits', async () => {
    const { answer, result } = await during(async () => {
      await delay(300);
      return stand.app.query(
        `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`,
      );
    });
    expect(answer.status).toBe(200);
    expect(result).toEqual([]);
  });

  it('S-38 goes on where its row is sealed anew meanwhile', async () => {
    const { answer } = await during(async ({ user }) => {
      const { pending } = await stand.app.get(CredentialSetsRepository).find(user.id, 'polymarket');
      if (pending === null) throw new Error('no key waits');
      const rows = new KeyRowsRepository(stand.app.get(Transactions));
      await rows.reseal('session_keys', stand.app.get(CredentialVault).reseal(pending));
    });
    expect(answer.status).toBe(200);
  });

  it('R-4 ends at once where the service is stopped, and the key waits on', async () => {
    const user = await aUser(stand.app);
    const instance = await startInstance(stand.app, exchangeAddresses(stand.sandbox.addresses));
    const address = addressIn(await createKey(instance, user, newKeyPair().address));
    const activation = activateKey(instance, user).then((answer) => answer);
    await delay(1_000);
    const startedAt = performance.now();
    const [answer] = await Promise.all([activation, instance.close()]);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect([answer.status, codeOf(answer)]).toEqual([503, 'service_unavailable']);
    expect(await statusOf(stand.app, user)).toMatchObject({ session_key: { address, state: 'pending' } });
  });

  it('S-18 takes no API key', async () => {
    const { user, wallet, address, activation } = await begun();
    const token = await anApiKey(stand.app, user, ['admin']);
    const answers = [
      await createKey(stand.app, { token }, wallet),
      await activateKey(stand.app, { token }),
      await removeKey(stand.app, { token }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await statusOf(stand.app, user)).toMatchObject({ session_key: { address, state: 'pending' } });
    authorise(stand, { wallet, address });
    expect((await activation).status).toBe(200);
  });
});
