import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import { aBot, BOTS } from './bots.js';
import { get, logIn, OTHER_PASSWORD, patch, post, refresh, remove, signedIn, signUp } from './calls.js';
import { REDIRECT_URI, VERIFIER } from './google.js';
import { tokenIn, waitForMails } from './mail.js';
import { anApiKey, anEmail, aUser } from './users.js';

import { type ErrorWorld, BOOK, ORDERS, type Met, BOUND, order } from './error-world.js';

/** How the errors of accounts, keys and requests are met (errors.md), by code and reason. */
export function accountScenarios({
  stand,
  app,
  github,
  strict,
  expired,
  aTraderOf,
  by,
  send,
  place,
  byGoogle,
  byGitHub,
  aGitHubCode,
  verified,
  approved,
  allowConnections,
  google,
}: ErrorWorld): Readonly<Record<string, () => Met>> {
  return {
    bad_request: async () => [await place({ price: 'x' }), () => place()],
    invalid_token: async () => {
      const { email } = await aUser(app);
      const reset = async (token: string): Promise<Response> =>
        post(app, '/auth/reset-password', { token, new_password: OTHER_PASSWORD });
      const met = await reset('a'.repeat(43));
      return [
        met,
        async () => {
          await post(app, '/auth/forgot-password', { email });
          const mails = await waitForMails(app, email, 2);
          return reset(tokenIn(mails.at(-1), 'reset-password'));
        },
      ];
    },
    'oauth_failed code_rejected': async () => {
      const body = { code: 'nope', code_verifier: VERIFIER, redirect_uri: REDIRECT_URI };
      return [await post(app, '/auth/google/callback', body), () => byGoogle('rejected', verified(anEmail()))];
    },
    'oauth_failed email_unverified': async () => {
      const email = anEmail();
      const met = await byGoogle('unverified', { email, email_verified: false });
      return [met, () => byGoogle('unverified', verified(email))];
    },
    'oauth_failed account_disabled': async () => {
      const claims = verified(anEmail());
      const { id } = signedIn(await byGoogle('disabled', claims));
      await app.query('UPDATE users SET disabled_at = now() WHERE id = $1', [id]);
      const met = await byGoogle('disabled', claims);
      return [
        met,
        async () => {
          await app.query('UPDATE users SET disabled_at = NULL WHERE id = $1', [id]);
          return byGoogle('disabled', claims);
        },
      ];
    },
    'oauth_failed identity_taken': async () => {
      const [owner, other] = [await aUser(app), await aUser(app)];
      const client = new pg.Client({ connectionString: app.database.url });
      await client.connect();
      await client.query('BEGIN');
      const link = `INSERT INTO user_identities (provider, subject, user_id) VALUES ('google', 'taken', $1)`;
      await client.query(link, [owner.id]);
      const meeting = byGoogle('taken', verified(other.email));
      // It has looked for the identity by now, and waits for who is about to link it to another account.
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await app.query(waiting)).length === 0) await delay(20);
      await client.query('COMMIT');
      await client.end();
      return [await meeting, () => byGoogle('taken', verified(other.email))];
    },
    redirect_uri_not_allowed: async () => {
      const body = { code: 'any', code_verifier: VERIFIER, redirect_uri: 'https://evil.example/' };
      return [await post(app, '/auth/google/callback', body), () => byGoogle('redirect', verified(anEmail()))];
    },
    'unauthorized missing': async () => [await request(app.url).get(BOOK), () => send('get', BOOK)],
    'unauthorized invalid': async () => [
      await by(`${stand.trader.key.slice(0, -1)}${stand.trader.key.endsWith('a') ? 'b' : 'a'}`, 'get', BOOK),
      () => send('get', BOOK),
    ],
    'unauthorized token_expired': async () => {
      await delay(Math.max(0, expired.at - performance.now()));
      const met = await get(strict, '/account/profile', expired.token);
      return [met, async () => get(strict, '/account/profile', signedIn(await refresh(strict, expired.refresh)).token)];
    },
    'unauthorized key_revoked': async () => {
      const user = await aUser(app);
      const key = await anApiKey(app, user, ['read']);
      await remove(app, `/account/api-keys/${key.slice(0, 16)}`, user.token);
      return [await by(key, 'get', '/me'), async () => by(await anApiKey(app, user, ['read']), 'get', '/me')];
    },
    'unauthorized key_expired': async () => {
      const user = await aUser(app);
      const { id, key } = await aBot(app, user);
      const { key: newer } = (await post(app, `${BOTS}/${id}/rotate`, { overlap_seconds: 1 }, user.token)).body as {
        key: string;
      };
      await delay(1_050);
      return [await by(key, 'get', '/me'), () => by(newer, 'get', '/me')];
    },
    'forbidden address_not_allowed': async () => {
      const user = await aUser(app);
      const { id, key } = await aBot(app, user, { allowed_networks: ['203.0.113.0/24'] });
      return [
        await by(key, 'get', '/me'),
        async () => {
          await patch(app, `${BOTS}/${id}`, user.token, { allowed_networks: null });
          return by(key, 'get', '/me');
        },
      ];
    },
    'forbidden bot_key_required': async () => [
      await by(stand.trader.key, 'get', '/bot'),
      async () => by((await aBot(app, stand.trader.user)).key, 'get', '/bot'),
    ],
    bot_expired: async () => {
      const user = await aUser(app);
      const { id } = await aBot(app, user);
      await app.query(`UPDATE bots SET expires_at = now() WHERE id = $1`, [id]);
      const resume = (): request.Test => post(app, `${BOTS}/${id}/resume`, undefined, user.token);
      return [
        await resume(),
        async () => {
          await patch(app, `${BOTS}/${id}`, user.token, { expires_at: null });
          return resume();
        },
      ];
    },
    bot_limit_reached: async () => {
      const user = await aUser(app);
      const { id } = await aBot(app, user);
      for (let count = 1; count < 50; count += 1) await aBot(app, user);
      const create = (): request.Test => post(app, BOTS, { name: 'one more' }, user.token);
      return [
        await create(),
        async () => {
          await remove(app, `${BOTS}/${id}`, user.token);
          return create();
        },
      ];
    },
    bot_name_taken: async () => {
      const user = await aUser(app);
      await aBot(app, user, { name: 'maker' });
      const create = (name: string): request.Test => post(app, BOTS, { name }, user.token);
      return [await create('Maker'), () => create('taker')];
    },
    'unauthorized wrong_token_type': async () => [
      await by(stand.trader.key, 'get', '/account/profile'),
      () => by(stand.trader.user.token, 'get', '/account/profile'),
    ],
    invalid_credentials: async () => {
      const { email } = await aUser(app);
      return [await logIn(app, email, OTHER_PASSWORD), async () => logIn(app, email)];
    },
    forbidden: async () => {
      const user = await aUser(app);
      const key = await anApiKey(app, user, ['read']);
      return [await by(key, 'get', '/kalshi/balance'), () => send('get', '/kalshi/balance')];
    },
    'forbidden another_account': async () => {
      const owner = await aUser(app);
      const email = anEmail();
      await signUp(app, email);
      const [mail] = await waitForMails(app, email, 1);
      const verify = async (change: object = {}): Promise<Response> =>
        post(app, '/auth/verify-email', { token: tokenIn(mail, 'verify-email'), ...change }, owner.token);
      return [await verify(), () => verify({ replace_session: true })];
    },
    'forbidden api_key_required': async () => {
      const { user, key } = await aTraderOf();
      return [await by(user.token, 'post', ORDERS, order()), () => by(key, 'post', ORDERS, order())];
    },
    'forbidden confirmation_required': async () => {
      const user = await aUser(app);
      await app.query(`UPDATE sessions SET created_at = now() - interval '31 minutes' WHERE user_id = $1`, [user.id]);
      const create = async (): Promise<Response> => post(app, '/account/api-keys', { scopes: ['trade'] }, user.token);
      return [
        await create(),
        async () => {
          await post(app, '/account/confirm', { password: user.password }, user.token);
          return create();
        },
      ];
    },
    'oauth_failed other_account': async () => {
      const { token } = signedIn(await byGoogle('confirming', verified(anEmail())));
      const confirm = async (subject: string): Promise<Response> => {
        const code = await google.code(subject, verified(anEmail()), BOUND);
        const body = { provider: 'google', code, code_verifier: VERIFIER, redirect_uri: REDIRECT_URI };
        return post(app, '/account/confirm', body, token);
      };
      return [await confirm('somebody-else'), () => confirm('confirming')];
    },
    email_not_verified: async () => {
      const email = anEmail();
      await signUp(app, email);
      const met = await logIn(app, email);
      return [
        met,
        async () => {
          const mails = await waitForMails(app, email, 1);
          return post(app, '/auth/verify-email', { token: tokenIn(mails.at(-1), 'verify-email') });
        },
      ];
    },
    signup_not_allowed: async () => {
      const email = anEmail();
      const met = await signUp(strict, email);
      return [
        met,
        async () => {
          await strict.query('INSERT INTO whitelist_emails (email) VALUES ($1)', [email]);
          return signUp(strict, email);
        },
      ];
    },
    not_found: async () => [
      await send('get', '/kalshi/markets/KXNONE-1'),
      async () => {
        const { data } = (await send('get', '/kalshi/markets')).body as { data: { id: string }[] };
        return send('get', `/kalshi/markets/${data[0]?.id ?? ''}`);
      },
    ],
    provider_not_configured: async () => {
      const body = { code: 'any', code_verifier: VERIFIER, redirect_uri: REDIRECT_URI };
      return [
        await post(strict, '/auth/google/callback', body),
        async () => request(strict.url).get('/auth/providers'),
      ];
    },
    method_not_allowed: async () => {
      const met = await by(stand.trader.key, 'put', ORDERS);
      expect(met.headers.allow).toContain('GET');
      return [met, () => send('get', ORDERS)];
    },
    api_key_exists: async () => {
      const user = await aUser(app);
      const key = await anApiKey(app, user, ['read']);
      const create = async (): Promise<Response> => post(app, '/account/api-keys', {}, user.token);
      return [
        await create(),
        async () => {
          await remove(app, `/account/api-keys/${key.slice(0, 16)}`, user.token);
          return create();
        },
      ];
    },
    payload_too_large: async () => [await place({ note: 'x'.repeat(70_000) }), () => place()],
    unsupported_media_type: async () => [
      await request(app.url).post(ORDERS).auth(stand.trader.key, { type: 'bearer' }).type('text/plain').send('{}'),
      () => place(),
    ],
    weak_password: async () => {
      const email = anEmail();
      return [await signUp(app, email, { password: 'short' }), async () => signUp(app, email)];
    },
    rate_limited: async () => {
      const user = signedIn(await signUp(strict, await approved()));
      const call = async (): Promise<Response> => get(strict, '/account/profile', user.token);
      let met = await call();
      for (let i = 0; i < 4 && met.status === 200; i++) met = await call();
      return [
        met,
        async () => {
          await delay(Number(met.headers['retry-after']) * 1_000);
          return get(strict, '/account/profile', signedIn(await refresh(strict, user.refresh)).token);
        },
      ];
    },
    internal_error: async () => {
      const { user, key } = await aTraderOf();
      const broken = `UPDATE exchange_credentials SET fields = jsonb_set(fields, '{access_key}', fields -> 'private_key') WHERE user_id = $1`;
      await app.query(broken, [user.id]);
      return [await by(key, 'get', '/kalshi/balance')];
    },
    oauth_provider_error: async () => {
      github.failNext('/login/oauth/access_token', 'status_500');
      return [await byGitHub(aGitHubCode()), () => byGitHub(aGitHubCode())];
    },
    oauth_provider_timeout: async () => {
      github.failNext('/login/oauth/access_token', 'hang');
      return [await byGitHub(aGitHubCode()), () => byGitHub(aGitHubCode())];
    },
    service_unavailable: async () => {
      const user = signedIn(await signUp(strict, await approved()));
      await allowConnections(false);
      const met = await get(strict, '/account/profile', user.token);
      await allowConnections(true);
      return [
        met,
        async () => {
          await delay(Number(met.headers['retry-after']) * 1_000);
          return get(strict, '/account/profile', signedIn(await refresh(strict, user.refresh)).token);
        },
      ];
    },
  };
}
