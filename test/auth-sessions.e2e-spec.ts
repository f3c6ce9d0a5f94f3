import { setTimeout as delay } from 'node:timers/promises';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request from 'supertest';
import { type TestApp, startTestApp } from './support/app.js';
import { type Instance, startInstance } from './support/instance.js';
import {
  codeOf,
  cookieOf,
  detailsOf,
  get,
  logIn,
  post,
  refresh,
  refreshOf,
  remove,
  signedIn,
} from './support/calls.js';
import { createTestDatabase } from './support/database.js';
import { dump, sql } from './support/rows.js';
import { aUser } from './support/users.js';

const CLEARED = 'refresh_token=; Max-Age=0; Path=/auth; HttpOnly; Secure; SameSite=Strict';

async function statusOf(app: Pick<TestApp, 'url'>, token: string): Promise<number> {
  return (await get(app, '/account/profile', token)).status;
}

/** As if so many seconds had gone by since the last rotation. */
async function ageRotations(app: TestApp, seconds: number): Promise<void> {
  await sql(app, `UPDATE refresh_rotations SET rotated_at = rotated_at - make_interval(secs => $1)`, [seconds]);
}

/** Waits until so many statements of others wait for a lock. */
async function waitForLocks(app: TestApp, count: number): Promise<void> {
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await sql(app, waiting)).length < count) await delay(5);
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

describe('sessions', () => {
  let app: TestApp;
  let other: Instance;

  beforeAll(async () => {
    app = await startTestApp();
    other = await startInstance(app);
  });

  afterAll(async () => {
    await other.close();
    await app.close();
  });

  describe('refresh', () => {
    it('specification.md 4.8 answers access_token and user for the cookie, and rotates it', async () => {
      const person = await aUser(app);
      const answer = await refresh(app, person.refresh);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ access_token: expect.any(String), user: { id: person.id } });
      expect(refreshOf(answer)).toMatch(/^[\w-]{43}$/);
      expect(refreshOf(answer)).not.toBe(person.refresh);
      expect(await statusOf(app, signedIn(answer).token)).toBe(200);
    });

    it('S-22 gives 20 parallel calls over two instances one and the same successor, 20 rounds long', async () => {
      const person = await aUser(app);
      let { refresh: token } = person;
      const spent: string[] = [];
      for (let round = 0; round < 20; round += 1) {
        const calls = Array.from({ length: 20 }, (_, index) => refresh(index % 2 === 0 ? app : other, token));
        const answers = await Promise.all(calls);
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
        const cookies = new Set(answers.map(refreshOf));
        expect(cookies.size).toBe(1);
        spent.push(token);
        [token = ''] = cookies;
      }
      const rotations = `SELECT 1 FROM refresh_rotations r JOIN sessions s ON s.id = r.session_id WHERE s.user_id = $1`;
      expect(await sql(app, rotations, [person.id])).toHaveLength(20);
      await ageRotations(app, 11);
      const replays = await Promise.all([other, app].map((to) => refresh(to, spent.at(-1) ?? '')));
      expect(replays.map(({ status }) => status)).toEqual([401, 401]);
      expect((await refresh(other, token)).status).toBe(401);
    });

    it('S-22 a crash between commit and answer loses nothing: the retry gets the one successor', async () => {
      const person = await aUser(app);
      const doomed = await startInstance(app);
      const rotations = `SELECT 1 FROM refresh_rotations r JOIN sessions s ON s.id = r.session_id WHERE s.user_id = $1`;
      const row = new pg.Client(app.database.url);
      await row.connect();
      await row.query('BEGIN');
      await row.query('SELECT 1 FROM sessions WHERE user_id = $1 FOR UPDATE', [person.id]);
      const lost = refresh(doomed, person.refresh).then(
        () => 'answered',
        () => 'lost',
      );
      // The rotation waits for its row; the database completes it while the service can read nothing.
      await waitForLocks(app, 1);
      doomed.freeze();
      await row.query('COMMIT');
      await row.end();
      while ((await sql(app, rotations, [person.id])).length === 0) await delay(10);
      await doomed.kill();
      expect(await lost).toBe('lost');
      const retries = await Promise.all([app, other, app].map((to) => refresh(to, person.refresh)));
      expect(retries.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(retries.map(refreshOf)).size).toBe(1);
      expect(await sql(app, rotations, [person.id])).toHaveLength(1);
      const [next = ''] = retries.map(refreshOf);
      expect((await refresh(other, next)).status).toBe(200);
    });

    it('S-22 a retry after an answer that never came gets the same token', async () => {
      const person = await aUser(app);
      const first = await refresh(app, person.refresh);
      await ageRotations(app, 9);
      expect(refreshOf(await refresh(other, person.refresh))).toBe(refreshOf(first));
    });

    it('S-21 a token used again after the grace window ends the session and its access tokens', async () => {
      const person = await aUser(app);
      const next = await refresh(app, person.refresh);
      await ageRotations(app, 11);
      const replay = await refresh(app, person.refresh);
      expect([replay.status, codeOf(replay), cookieOf(replay)]).toEqual([401, 'unauthorized', CLEARED]);
      expect((await refresh(app, refreshOf(next))).status).toBe(401);
      expect(await statusOf(other, signedIn(next).token)).toBe(401);
      const events = await sql(app, `SELECT 1 FROM security_events WHERE user_id = $1 AND type = 'refresh_reuse'`, [
        person.id,
      ]);
      expect(events).toHaveLength(1);
    });

    it('S-22 an older ancestor is reuse at once', async () => {
      const person = await aUser(app);
      const second = refreshOf(await refresh(app, person.refresh));
      const third = refreshOf(await refresh(app, second));
      expect((await refresh(app, person.refresh)).status).toBe(401);
      expect((await refresh(app, third)).status).toBe(401);
    });

    it('S-21 keeps no refresh token in the database, and no successor longer than the window', async () => {
      const person = await aUser(app);
      const next = refreshOf(await refresh(app, person.refresh));
      const text = await dump(app);
      expect(text).not.toContain(person.refresh);
      expect(text).not.toContain(next);
    });

    it('S-19 refuses two cookies in both orders and touches nothing', async () => {
      const mine = await aUser(app);
      const theirs = await aUser(app);
      for (const pair of [
        [mine.refresh, theirs.refresh],
        [theirs.refresh, mine.refresh],
      ]) {
        const answer = await refresh(app, ...pair);
        expect([answer.status, cookieOf(answer)]).toEqual([401, '']);
        const cookies = pair.map((token) => `refresh_token=${token}`).join('; ');
        const out = await post(app, '/auth/logout', undefined, mine.token).set('Cookie', cookies);
        expect([out.status, cookieOf(out)]).toEqual([401, '']);
      }
      expect(await statusOf(app, mine.token)).toBe(200);
      expect((await refresh(app, mine.refresh)).status).toBe(200);
      expect((await refresh(app, theirs.refresh)).status).toBe(200);
    });

    it('S-19 refuses a second cookie under any spelling of the name, and reads quotes and codes as cookies have them', async () => {
      const mine = await aUser(app);
      const own = `refresh_token=${mine.refresh}`;
      const send = (cookie: string): request.Test => request(app.url).post('/auth/refresh').set('Cookie', cookie);
      for (const planted of ['refresh_token =x', ' refresh_token\t=x', 'refresh_token', 'refresh_token=']) {
        for (const cookie of [`${own}; ${planted}`, `${planted};${own}`]) {
          expect((await send(cookie)).status).toBe(401);
        }
      }
      expect((await send('refresh_token=j:{"a":1}')).status).toBe(401);
      expect((await send(`x=1; refresh_token="${mine.refresh}"; %72efresh_token=x`)).status).toBe(200);
    });

    it('S-53 reads a header full of cookies at once', async () => {
      const startedAt = performance.now();
      const cookies = `refresh_token=x; ${'a=%41;'.repeat(2_000)}`;
      expect((await request(app.url).post('/auth/refresh').set('Cookie', cookies)).status).toBe(401);
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    });

    it('a missing or made-up cookie is 401', async () => {
      const missing = await request(app.url).post('/auth/refresh');
      expect([missing.status, detailsOf(missing)]).toEqual([401, { reason: 'missing' }]);
      expect((await refresh(app, 'x'.repeat(43))).status).toBe(401);
    });

    it.each(['null', 'https://evil.example', 'http://localhost.evil.example', 'http://localhost:1'])(
      'S-20 refuses the origin %s with 403, and nothing is rotated',
      async (origin) => {
        const person = await aUser(app);
        const answer = await refresh(app, person.refresh).set('Origin', origin);
        expect([answer.status, codeOf(answer)]).toEqual([403, 'forbidden']);
        const out = await post(app, '/auth/logout', undefined, person.token).set('Origin', origin);
        expect(out.status).toBe(403);
        expect((await refresh(app, person.refresh).set('Origin', app.settings.publicUrl)).status).toBe(200);
      },
    );

    it('S-20 refuses a log-out that another site asks for, and nobody is signed out', async () => {
      const person = await aUser(app);
      const out = post(app, '/auth/logout', undefined, person.token).set('Cookie', `refresh_token=${person.refresh}`);
      const answer = await out.set('Sec-Fetch-Site', 'cross-site');
      expect([answer.status, codeOf(answer), cookieOf(answer)]).toEqual([403, 'forbidden', '']);
      expect(await statusOf(app, person.token)).toBe(200);
    });

    it('S-20 refuses cross-site calls and bodies that are not JSON', async () => {
      const person = await aUser(app);
      expect((await refresh(app, person.refresh).set('Sec-Fetch-Site', 'cross-site')).status).toBe(403);
      const text = request(app.url).post('/auth/login').set('Content-Type', 'text/plain');
      expect((await text.send('{"email":"a@b.c","password":"x"}')).status).toBe(415);
    });
  });

  describe('log-out and devices', () => {
    it('S-19, S-23, specification.md 4.9 ends the session of the access token and clears the cookie', async () => {
      const person = await aUser(app);
      const answer = await post(app, '/auth/logout', undefined, person.token).set(
        'Cookie',
        `refresh_token=${person.refresh}`,
      );
      expect([answer.status, answer.body, cookieOf(answer)]).toEqual([200, { message: expect.any(String) }, CLEARED]);
      expect(await statusOf(other, person.token)).toBe(401);
      expect((await refresh(other, person.refresh)).status).toBe(401);
    });

    it('S-23 a log-in starts a new family, whatever cookie comes with it', async () => {
      const first = await aUser(app);
      const second = signedIn(await logIn(app, first.email).set('Cookie', `refresh_token=${first.refresh}`));
      const { sessions } = (await get(app, '/account/sessions', second.token)).body as { sessions: object[] };
      expect(sessions).toHaveLength(2);
      const next = signedIn(await refresh(app, first.refresh));
      await sql(app, `UPDATE refresh_rotations SET rotated_at = rotated_at - interval '11 seconds'`);
      expect((await refresh(app, first.refresh)).status).toBe(401);
      expect(await statusOf(app, next.token)).toBe(401);
      expect(await statusOf(app, second.token)).toBe(200);
      expect((await refresh(app, second.refresh)).status).toBe(200);
    });

    it('S-23 a log-out without the cookie is 200 too, and one with a foreign cookie leaves its owner signed in', async () => {
      const mine = await aUser(app);
      const theirs = await aUser(app);
      const answer = await post(app, '/auth/logout', undefined, mine.token).set(
        'Cookie',
        `refresh_token=${theirs.refresh}`,
      );
      expect(answer.status).toBe(200);
      expect(await statusOf(app, mine.token)).toBe(401);
      expect(await statusOf(app, theirs.token)).toBe(200);
      const again = signedIn(await logIn(app, mine.email));
      expect((await post(app, '/auth/logout', undefined, again.token)).status).toBe(200);
    });

    it('contract.md 4 lists the sessions that may be used, and marks the current one', async () => {
      const first = await aUser(app);
      const second = signedIn(await logIn(app, first.email).set('User-Agent', 'phone/1.0'));
      const { sessions } = (await get(app, '/account/sessions', second.token)).body as { sessions: object[] };
      expect(sessions).toHaveLength(2);
      expect(sessions[0]).toEqual({
        id: expect.stringMatching(/^ses_/),
        created_at: expect.any(String),
        last_used_at: expect.any(String),
        expires_at: expect.any(String),
        ip: expect.stringContaining('127.0.0.1'),
        user_agent: 'phone/1.0',
        current: true,
      });
      expect(sessions[1]).toMatchObject({ current: false });
      await sql(app, `UPDATE sessions SET user_agent = '' WHERE user_id = $1`, [first.id]);
      const unknown = await get(app, '/account/sessions', second.token);
      expect(unknown.body).toMatchObject({ sessions: [{ user_agent: null }, { user_agent: null }] });
    });

    it('S-17, S-32 ends one session at once on every instance, and another user cannot', async () => {
      const first = await aUser(app);
      const second = signedIn(await logIn(app, first.email));
      const { sessions } = (await get(app, '/account/sessions', second.token)).body as {
        sessions: { id: string; current: boolean }[];
      };
      const id = sessions.find(({ current }) => !current)?.id ?? '';
      const stranger = await aUser(app);
      const refused = await remove(app, `/account/sessions/${id}`, stranger.token);
      expect([refused.status, codeOf(refused)]).toEqual([404, 'not_found']);
      const answer = await remove(app, `/account/sessions/${id}`, second.token);
      expect([answer.status, answer.body]).toEqual([200, { message: expect.any(String), id }]);
      expect(await statusOf(other, first.token)).toBe(401);
      expect(await statusOf(other, second.token)).toBe(200);
      expect((await remove(app, `/account/sessions/${id}`, second.token)).status).toBe(404);
    });

    it('contract.md 4 ends all sessions but the current one', async () => {
      const first = await aUser(app);
      const second = signedIn(await logIn(app, first.email));
      expect((await remove(app, '/account/sessions', second.token)).status).toBe(200);
      expect(await statusOf(app, first.token)).toBe(401);
      expect((await refresh(app, first.refresh)).status).toBe(401);
      expect(await statusOf(app, second.token)).toBe(200);
    });

    it('S-17 a disabled user is shut out at once, and cannot log in or refresh', async () => {
      const person = await aUser(app);
      await sql(app, 'UPDATE users SET disabled_at = now() WHERE id = $1', [person.id]);
      expect(await statusOf(app, person.token)).toBe(401);
      expect((await refresh(app, person.refresh)).status).toBe(401);
      expect(codeOf(await logIn(app, person.email))).toBe('invalid_credentials');
    });
  });

  describe('access tokens', () => {
    it('S-16, R-17 refuses every form but ours', async () => {
      const person = await aUser(app);
      const [head = '', body = '', signature = ''] = person.token.split('.');
      const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as Record<string, unknown>;
      const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
      const secret = app.settings.jwtSecrets[0]?.reveal() ?? '';
      const sign = (h: object, c: object, hash = 'sha256'): string =>
        `${part(h)}.${part(c)}.${createHmac(hash, secret)
          .update(`${part(h)}.${part(c)}`)
          .digest('base64url')}`;
      const without = (name: string) => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
      const stranger = await aUser(app);
      const secondsFromNow = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;
      const refused = [
        `${part({ ...header, alg: 'none' })}.${body}.`,
        `${part({ ...header, alg: 'None' })}.${body}.${signature}`,
        sign({ ...header, alg: 'HS512' }, claims, 'sha512'),
        sign({ ...header, typ: 'JWT' }, claims),
        sign({ ...header, kid: 'other' }, claims),
        sign({ alg: 'HS256', typ: 'at+jwt' }, claims),
        sign({ ...header, jku: 'https://x.y' }, claims),
        sign({ ...header, crit: [] }, claims),
        ...['exp', 'iat', 'sub', 'sid', 'jti', 'iss', 'aud'].map((name) => sign(header, without(name))),
        sign(header, { ...claims, exp: String(secondsFromNow(900)) }),
        sign(header, { ...claims, iat: secondsFromNow(60) }),
        sign(header, { ...claims, iss: 'x' }),
        sign(header, { ...claims, aud: 'x' }),
        sign(header, { ...claims, sub: stranger.id }),
        sign(header, { ...claims, sub: `${person.id}\0` }),
        sign(header, { ...claims, sid: 'ses_\0' }),
        `${head}.${body}.`,
        `${head}.${body}.${stranger.token.split('.')[2] ?? ''}`,
      ];
      expect(await statusOf(app, sign(header, claims))).toBe(200);
      for (const token of refused) {
        const answer = await get(app, '/account/profile', token);
        expect([answer.status, codeOf(answer), answer.headers['www-authenticate']]).toEqual([
          401,
          'unauthorized',
          'Bearer',
        ]);
      }
      const stale = await get(app, '/account/profile', sign(header, { ...claims, exp: secondsFromNow(-6) }));
      expect(detailsOf(stale)).toEqual({ reason: 'token_expired' });
      // A moment before the request: a busy machine has taken seconds for those above.
      expect(await statusOf(app, sign(header, { ...claims, exp: secondsFromNow(-2) }))).toBe(200);
    });

    it('S-16 refuses a token with any one bit of it changed', async () => {
      const { token } = await aUser(app);
      const places = [...token.matchAll(/[^.]/g)].map(({ index }) => index).filter((index) => index % 7 === 0);
      for (const index of [...places, token.length - 1]) {
        const letter = token[index] === 'A' ? 'B' : 'A';
        expect(await statusOf(app, token.slice(0, index) + letter + token.slice(index + 1))).toBe(401);
      }
    });
  });
});

describe('settings of sessions', () => {
  it('S-16, contract.md 2 verifies with every secret of the list and signs with the first', async () => {
    const database = await createTestDatabase();
    const [old, fresh] = ['o'.repeat(40), 'n'.repeat(40)];
    const before = await startTestApp({ JWT_SECRET: old }, database);
    const person = await aUser(before);
    await before.close();
    const during = await startTestApp({ JWT_SECRET: `${fresh},${old}` }, database);
    expect(await statusOf(during, person.token)).toBe(200);
    const renewed = signedIn(await logIn(during, person.email));
    await during.close();
    const after = await startTestApp({ JWT_SECRET: fresh }, database);
    expect(await statusOf(after, renewed.token)).toBe(200);
    expect(await statusOf(after, person.token)).toBe(401);
    await after.close();
    await database.drop();
  });

  it('S-21 a session ends REFRESH_TOKEN_TTL after sign-in, however often it was refreshed', async () => {
    const app = await startTestApp({ REFRESH_TOKEN_TTL: '2s' });
    const person = await aUser(app);
    const next = await refresh(app, person.refresh);
    expect(cookieOf(next)).toMatch(/Max-Age=[12];/);
    await delay(2_100);
    const late = await refresh(app, refreshOf(next));
    expect([late.status, detailsOf(late)]).toEqual([401, { reason: 'token_expired' }]);
    expect(cookieOf(late)).toContain('refresh_token=; Max-Age=0');
    expect(await statusOf(app, signedIn(next).token)).toBe(401);
    await app.close();
  });
});
