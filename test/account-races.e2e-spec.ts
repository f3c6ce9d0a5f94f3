import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Response } from 'supertest';
import request from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { googleSettings, REDIRECT_URI, startGoogle, type TestGoogle, VERIFIER } from './support/google.js';
import { type Instance, startInstance } from './support/instance.js';
import { tokenIn, waitForMails } from './support/mail.js';
import {
  codeOf,
  get,
  logIn,
  OTHER_PASSWORD,
  PASSWORD,
  patch,
  post,
  refresh,
  remove,
  type SignedIn,
  signedIn,
  signUp,
} from './support/calls.js';
import { sql } from './support/rows.js';
import { anEmail, WALLET } from './support/users.js';
import { usersAdmin } from './support/users-admin.js';

describe('a session that ends while a request of it is under way', () => {
  let google: TestGoogle;
  let app: TestApp;
  let other: Instance;

  beforeAll(async () => {
    google = await startGoogle(REDIRECT_URI);
    const settings = {
      ACCESS_MODE: 'whitelist',
      ...googleSettings(google),
    };
    app = await startTestApp(settings);
    other = await startInstance(app, settings);
    // What is done for the first time takes long, and whoever waits for a lock gives up after 3 s.
    const first = await aSquatter();
    await Promise.all([store(first), post(other, '/account/api-keys', {}, first.token)]);
    await takeOver(first);
  });

  afterAll(async () => {
    await other.close();
    await app.close();
    await google.close();
  });

  /** Signed up without a proof of the address: whitelist mode lets him in at once. */
  async function aSquatter(): Promise<SignedIn> {
    const email = anEmail();
    await sql(app, 'INSERT INTO whitelist_emails (email) VALUES ($1)', [email]);
    return signedIn(await signUp(app, email));
  }

  function store({ token }: SignedIn, to: { url: string } = other): request.Test {
    return request(to.url).put('/account/credentials/polymarket').set('Authorization', `Bearer ${token}`).send(WALLET);
  }

  async function takeOver({ email }: SignedIn): Promise<Response> {
    const bound = { verifier: VERIFIER, redirectUri: REDIRECT_URI };
    const code = await google.code(email, { email, email_verified: true }, bound);
    return post(app, '/auth/google/callback', { code, code_verifier: VERIFIER, redirect_uri: REDIRECT_URI });
  }

  async function resetToken(email: string): Promise<string> {
    await post(app, '/auth/forgot-password', { email });
    const mails = await waitForMails(app, email, 2);
    return tokenIn(
      mails.find(({ text }) => text.includes('/reset-password#')),
      'reset-password',
    );
  }

  /** Lets every change come as far as its event, and no further, until `release`. */
  async function holdEvents(): Promise<{ waiting: (count: number) => Promise<boolean>; release: () => Promise<void> }> {
    const client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('LOCK TABLE security_events IN SHARE MODE');
    return {
      waiting: async (count) => {
        const { rowCount } = await client.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return (rowCount ?? 0) >= count;
      },
      release: async () => {
        await client.query('COMMIT');
        await client.end();
      },
    };
  }

  /** Begins the end of a session, lets a write of that session start before it is committed, and gives both answers. */
  async function race(ending: () => PromiseLike<unknown>, write: () => PromiseLike<Response>): Promise<Response> {
    const events = await holdEvents();
    const answered: boolean[] = [];
    const ended = Promise.resolve(ending());
    while (!(await events.waiting(1))) await delay(2);
    const written = Promise.resolve(write()).finally(() => answered.push(true));
    while (answered.length === 0 && !(await events.waiting(2))) await delay(2);
    await events.release();
    await ended;
    return written;
  }

  function expectRefused(answer: Response): void {
    expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthorized']);
  }

  const ENDS: Readonly<Record<string, (squatter: SignedIn) => Promise<() => PromiseLike<unknown>>>> = {
    'S-12 a take-over': (squatter) => Promise.resolve(() => takeOver(squatter)),
    'S-24 a reset': async ({ email }) => {
      const token = await resetToken(email);
      return () => post(app, '/auth/reset-password', { token, new_password: OTHER_PASSWORD });
    },
    'S-21 a reused refresh token': async (squatter) => {
      await refresh(app, squatter.refresh);
      await sql(app, `UPDATE refresh_rotations SET rotated_at = rotated_at - interval '11 seconds'`);
      return () => refresh(app, squatter.refresh);
    },
    'S-17 a log-out': ({ token }) => Promise.resolve(() => post(app, '/auth/logout', undefined, token)),
    'S-17 the end of all other sessions': async ({ email }) => {
      const { token } = signedIn(await logIn(app, email));
      return () => remove(app, '/account/sessions', token);
    },
    'S-17 a change of the password elsewhere': async ({ email }) => {
      const { token } = signedIn(await logIn(app, email));
      const body = { current_password: PASSWORD, new_password: OTHER_PASSWORD };
      return () => post(app, '/account/password', body, token);
    },
    'S-17 an account switched off': async ({ id }) => {
      const admin = usersAdmin(app);
      const user = await admin.find(id);
      return () => (user === null ? Promise.reject(new Error('nobody')) : admin.disable(user));
    },
    'a deleted account': async ({ id }) => {
      const admin = usersAdmin(app);
      const user = await admin.find(id);
      return () => (user === null ? Promise.reject(new Error('nobody')) : admin.remove(user));
    },
  };

  it.each(Object.entries(ENDS))('%s lets no API key through that was asked for before', async (_, prepare) => {
    const squatter = await aSquatter();
    const ending = await prepare(squatter);
    expectRefused(await race(ending, () => post(other, '/account/api-keys', {}, squatter.token)));
    expect(await sql(app, 'SELECT 1 FROM api_keys WHERE user_id = $1', [squatter.id])).toEqual([]);
  });

  const WRITES: Readonly<Record<string, (squatter: SignedIn) => request.Test>> = {
    'stored credentials': (squatter) => store(squatter),
    'removed credentials': ({ token }) => remove(other, '/account/credentials/polymarket', token),
    'a changed profile': ({ token }) => patch(other, '/account/profile', token, { display_name: 'Mallory' }),
    'a changed password': ({ token }) =>
      post(other, '/account/password', { current_password: PASSWORD, new_password: OTHER_PASSWORD }, token),
    'a deleted account': ({ token }) => remove(other, '/account', token, { password: PASSWORD }),
    'an ended session': ({ token }) => remove(other, '/account/sessions/ses_x', token),
    'the end of all others': ({ token }) => remove(other, '/account/sessions', token),
    'a revoked API key': ({ token }) => remove(other, '/account/api-keys/svc_sk_live_abcd', token),
  };

  it.each(Object.entries(WRITES))('S-12 a take-over lets through no %s that was asked for before', async (_, write) => {
    const squatter = await aSquatter();
    expectRefused(
      await race(
        () => takeOver(squatter),
        () => write(squatter),
      ),
    );
    expect(await sql(app, 'SELECT 1 FROM exchange_credentials WHERE user_id = $1', [squatter.id])).toEqual([]);
    const [user] = await sql<{ name: string; password_hash: string | null }>(
      app,
      'SELECT name, password_hash FROM users WHERE id = $1',
      [squatter.id],
    );
    expect(user).toEqual({ name: squatter.email.split('@')[0], password_hash: null });
  });

  it.each(Object.entries(WRITES))('S-17 a log-out lets through no %s that was asked for before', async (_, write) => {
    const squatter = await aSquatter();
    expectRefused(
      await race(
        () => post(app, '/auth/logout', undefined, squatter.token),
        () => write(squatter),
      ),
    );
  });

  it('S-12, R-7 whenever they meet, nothing that a squatter wrote outlives the take-over', async () => {
    const keys: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      const squatter = await aSquatter();
      const taking = takeOver(squatter);
      await delay((round % 10) * 3);
      const [owner, key, stored, changed] = await Promise.all([
        taking,
        post(round % 2 === 0 ? app : other, '/account/api-keys', {}, squatter.token),
        store(squatter, round % 2 === 0 ? other : app),
        patch(other, '/account/profile', squatter.token, { display_name: 'Mallory' }),
      ]);
      expect(owner.status).toBe(200);
      for (const { status } of [key, stored, changed]) expect([200, 201, 401]).toContain(status);
      if (key.status === 201) keys.push((key.body as { key: string }).key);
      const live = 'SELECT 1 FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL';
      expect(await sql(app, live, [squatter.id])).toEqual([]);
      expect(await sql(app, 'SELECT 1 FROM exchange_credentials WHERE user_id = $1', [squatter.id])).toEqual([]);
    }
    const uses = await Promise.all(keys.map((key) => get(app, '/me', key)));
    expect(uses.filter(({ status }) => status !== 401)).toEqual([]);
    expect(keys.length).toBeLessThan(20);
  });

  it('changes of one account at once wait for each other and never crosswise', async () => {
    for (let round = 0; round < 5; round += 1) {
      const squatter = await aSquatter();
      const token = await resetToken(squatter.email);
      const second = signedIn(await logIn(other, squatter.email));
      const answers = await Promise.all([
        takeOver(squatter),
        post(other, '/auth/reset-password', { token, new_password: OTHER_PASSWORD }),
        remove(other, '/account', second.token, { password: PASSWORD }),
        ...[app, other].map((to) => patch(to, '/account/profile', squatter.token, { display_name: 'A' })),
        ...[app, other].map((to) => remove(to, '/account/sessions', second.token)),
        post(other, '/auth/logout', undefined, squatter.token),
        logIn(app, squatter.email),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    }
  });
});
