import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { aBot, outcome } from './support/bots.js';
import { startTestApp, type TestApp } from './support/app.js';
import { EXCHANGES } from './support/exchanges.js';
import { googleSettings, REDIRECT_URI, startGoogle, type TestGoogle, VERIFIER } from './support/google.js';
import { tokenIn, waitForMail, waitForMails } from './support/mail.js';
import {
  codeOf,
  get,
  logIn,
  OTHER_PASSWORD,
  patch,
  post,
  refresh,
  type SignedIn,
  signedIn,
  signUp,
} from './support/calls.js';
import { sql } from './support/rows.js';
import { anEmail, WALLET } from './support/users.js';

const KALSHI = {
  access_key: '5f8f2d3c-0c1e-4f0e-9f67-3a5b8f2d1c0e',
  private_key: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
};

interface Squatter extends SignedIn {
  readonly key: string;
  readonly prefix: string;
  readonly bot: { readonly id: string; readonly key: string };
  /** The Google account that the squatter had joined to the account. */
  readonly subject: string;
}

describe('an account that somebody filled without a proof of its address', () => {
  let google: TestGoogle;
  let app: TestApp;

  beforeAll(async () => {
    google = await startGoogle(REDIRECT_URI);
    app = await startTestApp({
      ACCESS_MODE: 'whitelist',
      ...googleSettings(google),
    });
  });

  afterAll(async () => {
    await app.close();
    await google.close();
  });

  async function byGoogle(subject: string, claims: { email: string; email_verified: boolean }): Promise<Response> {
    const people = { ...claims, name: 'Ada Lovelace', picture: 'https://example.com/ada.png' };
    const code = await google.code(subject, people, { verifier: VERIFIER, redirectUri: REDIRECT_URI });
    return post(app, '/auth/google/callback', { code, code_verifier: VERIFIER, redirect_uri: REDIRECT_URI });
  }

  async function aSquatter(): Promise<Squatter> {
    const email = anEmail();
    await sql(app, 'INSERT INTO whitelist_emails (email) VALUES ($1)', [email]);
    const squatter = signedIn(await signUp(app, email, { name: 'Mallory' }).set('User-Agent', 'squatter'));
    const { token, id } = squatter;
    await patch(app, '/account/profile', token, { avatar_url: 'https://evil.example/mallory.png' }).expect(200);
    const created = await post(app, '/account/api-keys', {}, token).expect(201);
    for (const [exchange, body] of Object.entries({ polymarket: WALLET, kalshi: KALSHI })) {
      const put = request(app.url).put(`/account/credentials/${exchange}`).auth(token, { type: 'bearer' });
      await put.send(body).expect(200);
    }
    const subject = `squatter-${email}`;
    await sql(app, `INSERT INTO user_identities (provider, subject, user_id) VALUES ('google', $1, $2)`, [subject, id]);
    const bot = await aBot(app, squatter);
    return { ...squatter, ...(created.body as { key: string; prefix: string }), bot, subject };
  }

  async function takeOver({ email }: Squatter): Promise<SignedIn> {
    return signedIn(await byGoogle(`owner-${email}`, { email, email_verified: true }));
  }

  async function reset({ email }: Squatter): Promise<SignedIn> {
    await post(app, '/auth/forgot-password', { email });
    const token = tokenIn(await waitForMail(app, email, '/reset-password#'), 'reset-password');
    await post(app, '/auth/reset-password', { token, new_password: OTHER_PASSWORD }).expect(200);
    return signedIn(await logIn(app, email, OTHER_PASSWORD));
  }

  it.each([
    {
      rule: 'S-12 a take-over',
      claim: takeOver,
      left: { name: 'Ada Lovelace', avatar_url: 'https://example.com/ada.png', providers: ['google'] },
      notice: 'Your account was made safe',
    },
    {
      rule: 'S-24 a reset',
      claim: reset,
      left: { name: expect.stringMatching(/^person-/), avatar_url: null, providers: ['email'] },
      notice: 'Your password was changed',
    },
  ])('$rule leaves nothing of it, and tells of it in the activity and one mail', async ({ claim, left, notice }) => {
    const squatter = await aSquatter();
    const owner = await claim(squatter);
    expect(owner.id).toBe(squatter.id);
    expect((await get(app, '/account/profile', owner.token)).body).toMatchObject({ ...left, email_verified: true });
    expect((await get(app, '/account/credentials', owner.token)).body).toEqual({
      exchanges: Object.fromEntries(
        EXCHANGES.map((id) => [id, { configured: false, key: null, session_key: null, warnings: [] }]),
      ),
    });
    expect((await get(app, '/account/api-keys', owner.token)).body).toEqual({ keys: [] });
    expect((await get(app, '/me', squatter.key)).status).toBe(401);
    expect(outcome(await get(app, '/me', squatter.bot.key))).toEqual([401, 'unauthorized', 'key_revoked']);
    expect(await sql(app, 'SELECT halt_reason, halted_by FROM bots WHERE id = $1', [squatter.bot.id])).toEqual([
      { halt_reason: 'owner', halted_by: 'service' },
    ]);
    expect((await get(app, '/account/profile', squatter.token)).status).toBe(401);
    expect((await refresh(app, squatter.refresh)).status).toBe(401);
    expect((await logIn(app, squatter.email)).status).toBe(401);
    const again = await byGoogle(squatter.subject, { email: squatter.email, email_verified: false });
    expect([again.status, codeOf(again)]).toEqual([403, 'oauth_failed']);
    const devices = await sql(app, `SELECT 1 FROM known_devices WHERE user_id = $1 AND device = 'squatter'`, [
      owner.id,
    ]);
    expect(devices).toEqual([]);

    const { data } = (await get(app, '/account/activity', owner.token)).body as { data: Record<string, unknown>[] };
    expect(data.filter(({ type }) => type === 'api_key_revoked')).toMatchObject([{ key_prefix: squatter.prefix }]);
    const removed = data.filter(({ type }) => type === 'credentials_removed').map(({ exchange }) => exchange);
    expect(removed.sort()).toEqual(['kalshi', 'polymarket']);
    while ((await sql(app, 'SELECT 1 FROM mail_outbox WHERE done_at IS NULL')).length > 0);
    const subjects = (await waitForMails(app, squatter.email, 1)).map(({ subject }) => subject);
    expect(subjects).toContain(notice);
    for (const told of ['An API key was revoked', 'Exchange credentials were removed']) {
      expect(subjects).not.toContain(told);
    }
  });

  it('S-41 what is stripped and what is told of it are written together or not at all', async () => {
    const squatter = await aSquatter();
    await sql(
      app,
      `ALTER TABLE security_events ADD CONSTRAINT refused CHECK (type <> 'account_taken_over' OR user_id IS NULL) NOT VALID`,
    );
    expect((await byGoogle('owner-of-none', { email: squatter.email, email_verified: true })).status).toBe(500);
    await sql(app, 'ALTER TABLE security_events DROP CONSTRAINT refused');
    expect((await get(app, '/me', squatter.key)).status).toBe(200);
    const { data } = (await get(app, '/account/activity', squatter.token)).body as { data: { type: string }[] };
    const types = data.map(({ type }) => type);
    expect(types).not.toContain('api_key_revoked');
    expect(types).not.toContain('credentials_removed');
  });
});
