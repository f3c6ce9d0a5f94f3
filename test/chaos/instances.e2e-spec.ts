import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect } from '@jest/globals';
import request from 'supertest';
import { get, logIn, post, refresh, refreshOf, remove, signUp } from '../support/calls.js';
import { Hammer } from '../support/load.js';
import { rounds } from '../support/long.js';
import { mailsTo, waitForMails } from '../support/mail.js';
import { itBehindNginx } from '../support/nginx.js';
import { Deployment } from '../support/processes.js';
import { anApiKey, anEmail, aUser } from '../support/users.js';

const AUTH_LIMIT = 30;
const API_LIMIT = 24;
/** Connections that ask again and again, together so many times a second; who is late makes it good. */
const HAMMERS = 32;
const PER_SECOND = 2_000;
/** By so much the last answer may be late, where the machine has nothing else to do: all of them were carried then. */
const LATE_MS = rounds(60_000, 250);
const LIMIT_MS = 300_000;

describe('two instances on one database and one Redis, behind nginx', () => {
  let started: Promise<Deployment> | undefined;

  const theDeployment = (): Promise<Deployment> => (started ??= Deployment.start());

  afterAll(async () => {
    await (await started)?.close();
  });

  async function revokeUnderFire(): Promise<void> {
    const deployment = await theDeployment();
    for (let round = 0; round < rounds(2, 20); round += 1) {
      const user = await aUser(deployment);
      const key = await anApiKey(deployment, user);
      const text = `GET /me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      const seen: { startedAt: number; status: number }[] = [];
      const beganAt = performance.now();
      let endsAt = Infinity;
      const hammer = async (_one: unknown, index: number): Promise<void> => {
        const one = new Hammer(deployment.second.url, text);
        for (let next = beganAt + (index * 1_000) / PER_SECOND; next < endsAt; next += (HAMMERS * 1_000) / PER_SECOND) {
          await delay(Math.max(0, next - performance.now()));
          const startedAt = performance.now();
          seen.push({ startedAt, status: await one.strike() });
        }
        one.close();
      };
      const running = Array.from({ length: HAMMERS }, hammer);
      await delay(400);
      const deleted = await remove(deployment.first, `/account/api-keys/${key.slice(0, 16)}`, user.token);
      const deletedAt = performance.now();
      await delay(700);
      endsAt = performance.now();
      await Promise.all(running);
      const lateMs = performance.now() - endsAt;
      const perSecond = (seen.length * 1_000) / (endsAt - beganAt);
      process.stdout.write(`${JSON.stringify({ asked: seen.length, perSecond, lateMs })}\n`);
      expect(deleted.status).toBe(200);
      const later = seen.filter(({ startedAt }) => startedAt > deletedAt).map(({ status }) => status);
      expect(seen.filter(({ status }) => status === 200).length).toBeGreaterThan(HAMMERS);
      expect([...new Set(later)]).toEqual([401]);
      expect(perSecond).toBeGreaterThan(PER_SECOND * 0.99);
      expect(lateMs).toBeLessThan(LATE_MS);
    }
  }

  itBehindNginx(
    'S-30 a key that is revoked at one instance is refused by the other, for every request begun after the answer',
    revokeUnderFire,
    LIMIT_MS,
  );

  async function endSessions(): Promise<void> {
    const deployment = await theDeployment();
    const user = await aUser(deployment);
    expect((await get(deployment.second, '/account/profile', user.token)).status).toBe(200);
    const cookie = `refresh_token=${user.refresh}`;
    const out = await post(deployment.first, '/auth/logout', undefined, user.token).set('Cookie', cookie);
    expect(out.status).toBe(200);
    expect((await get(deployment.second, '/account/profile', user.token)).status).toBe(401);
    expect((await refresh(deployment.second, user.refresh)).status).toBe(401);
  }

  itBehindNginx('S-17 a log-out at one instance ends the session at the other', endSessions, LIMIT_MS);

  async function refreshAtOnce(): Promise<void> {
    const deployment = await theDeployment();
    const user = await aUser(deployment);
    let token = user.refresh;
    for (let round = 0; round < rounds(5, 50); round += 1) {
      const at = [deployment.first, deployment.second, deployment, deployment];
      const answers = await Promise.all(at.map((one) => refresh(one, token)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const successors = new Set(answers.map(refreshOf));
      expect(successors.size).toBe(1);
      [token = ''] = successors;
    }
  }

  itBehindNginx('S-22 one refresh token at both instances at once has one successor', refreshAtOnce, LIMIT_MS);

  async function placeOnce(): Promise<void> {
    const deployment = await theDeployment();
    const { key } = await deployment.aTrader();
    const order = { market_id: 'KXHIGHNY-TODAY-B55.5', outcome: 'yes', side: 'buy', price: '0.02', size: '1' };
    for (let round = 0; round < rounds(5, 50); round += 1) {
      const sentBefore = deployment.sentOrders().length;
      const idempotencyKey = randomUUID();
      const place = ({ url }: { url: string }): request.Test =>
        request(url)
          .post('/kalshi/orders')
          .set({ Authorization: `Bearer ${key}`, 'Idempotency-Key': idempotencyKey })
          .send(order);
      const at = [deployment.first, deployment.second, deployment, deployment];
      const answers = await Promise.all(at.map(place));
      const repeated = await Promise.all([place(deployment.first), place(deployment.second)]);
      // While the first one runs, a second one is told so; none is told of another order.
      for (const { status } of answers) expect([200, 201, 409]).toContain(status);
      const ids = [...answers, ...repeated]
        .filter(({ status }) => status < 300)
        .map(({ body }) => (body as { id: string }).id);
      expect(new Set(ids).size).toBe(1);
      expect(repeated.map(({ status }) => status < 300)).toEqual([true, true]);
      expect(deployment.sentOrders()).toHaveLength(sentBefore + 1);
    }
  }

  itBehindNginx('R-14 one Idempotency-Key at both instances at once is one order', placeOnce, LIMIT_MS);

  async function mailOnce(): Promise<void> {
    const deployment = await theDeployment();
    const emails = Array.from({ length: rounds(20, 200) }, () => anEmail());
    const at = [deployment.first, deployment.second];
    const answers = await Promise.all(emails.map((email, index) => signUp(at[index % 2] ?? deployment, email)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    for (const email of emails) await waitForMails(deployment, email, 1);
    // A second copy would be sent by the instance that looks next.
    await delay(1_500);
    for (const email of emails) expect(await mailsTo(deployment, email)).toHaveLength(1);
  }

  itBehindNginx('each mail leaves once, whichever instance sends it', mailOnce, LIMIT_MS);

  /** The calls of a user and those of the user's key are counted apart, each over both instances; other users have their own. */
  async function shareLimitsOfUsers(deployment: Deployment): Promise<void> {
    const [user, another] = [await aUser(deployment), await aUser(deployment)];
    const [key, anotherKey] = [await anApiKey(deployment, user), await anApiKey(deployment, another)];
    const at = [deployment, deployment.first, deployment.second];
    const ask = async (path: string, token: string, times: number): Promise<number[]> => {
      const statuses: number[] = [];
      for (let index = 0; index < times; index += 1) {
        statuses.push((await get(at[index % 3] ?? deployment, path, token)).status);
      }
      return statuses;
    };
    const within = (count: number): number[] => Array.from({ length: count }, () => 200);
    expect(await ask('/me', key, API_LIMIT + 6)).toEqual([...within(API_LIMIT), 429, 429, 429, 429, 429, 429]);
    // One call of the session made the key.
    const ofSession = await ask('/account/profile', user.token, API_LIMIT + 2);
    expect(ofSession).toEqual([...within(API_LIMIT - 1), 429, 429, 429]);
    expect(await ask('/me', anotherKey, 3)).toEqual(within(3));
  }

  async function shareLimits(): Promise<void> {
    const deployment = await Deployment.start({
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_AUTH: `${AUTH_LIMIT}/10m`,
      RATE_LIMIT_API: `${API_LIMIT}/10m`,
    });
    try {
      const statuses: number[] = [];
      for (let index = 0; index < AUTH_LIMIT + 6; index += 1) {
        const answer = await logIn(deployment, anEmail()).set('X-Forwarded-For', '203.0.113.77');
        statuses.push(answer.status);
      }
      expect(statuses.slice(0, AUTH_LIMIT)).toEqual(Array.from({ length: AUTH_LIMIT }, () => 401));
      expect(statuses.slice(AUTH_LIMIT)).toEqual([429, 429, 429, 429, 429, 429]);
      const other = await logIn(deployment, anEmail()).set('X-Forwarded-For', '198.51.100.1');
      expect(other.status).toBe(401);
      await shareLimitsOfUsers(deployment);
    } finally {
      await deployment.close();
    }
  }

  itBehindNginx(
    'S-26 a client network and a user have one count over both instances, the network by the address that nginx tells',
    shareLimits,
    LIMIT_MS,
  );
});
