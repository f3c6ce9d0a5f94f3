import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type request from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { codeOf, logIn, OTHER_PASSWORD, post } from './support/calls.js';
import { tokenIn, waitForMail } from './support/mail.js';
import { measureAgain } from './support/measured.js';
import { sql } from './support/rows.js';
import { anEmail, aUser } from './support/users.js';

const HOME = '198.51.100.7';
const LIMIT_MS = 2_000;
const NETWORKS = 20;
/** Of each network: below the limit of 30 a minute. */
const CALLS = 25;
/** Several times as many as can be hashed. */
const APART_MS = 25;
/** So many come before the owner does. */
const AHEAD = 60;
/** A busy machine takes longer for a hash, whoever waits: an owner waits for two others at most. */
const HASHES = 6;

/** What these tests read of a line of the log. */
interface Line {
  readonly level: string;
  readonly message?: string;
  readonly count?: number;
}

measureAgain();

function from(ip: string, call: request.Test): request.Test {
  return call.set('X-Forwarded-For', ip);
}

describe('S-4 crowds of networks at the hashes', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ RATE_LIMIT_ENABLED: 'true', TRUST_PROXY: '1', BCRYPT_COST: '11' });
  });

  afterAll(() => app.close());

  /** Log-ins of all networks in turn until it ends, for made-up addresses and the owner's, each network within its limits. */
  class Crowd {
    readonly #answers: Promise<string>[] = [];
    readonly #timer: NodeJS.Timeout;

    constructor(email: string, ipOf: (network: number) => string) {
      this.#timer = setInterval(() => {
        const index = this.sent;
        if (index >= NETWORKS * CALLS) return;
        const call = from(ipOf(index % NETWORKS), logIn(app, index % 3 === 0 ? email : anEmail(), OTHER_PASSWORD));
        this.#answers.push(call.then((answer) => `${answer.status} ${codeOf(answer)}`));
      }, APART_MS);
    }

    get sent(): number {
      return this.#answers.length;
    }

    async end(): Promise<Set<string>> {
      clearInterval(this.#timer);
      return new Set(await Promise.all(this.#answers));
    }
  }

  async function timed(call: request.Test): Promise<[status: number, tookMs: number]> {
    const startedAt = performance.now();
    const { status } = await call;
    return [status, performance.now() - startedAt];
  }

  it.each([
    ['20 networks of one /56', (index: number) => `2001:db8:0:${index.toString(16)}::1`],
    ['20 networks of as many /48', (index: number) => `2001:db8:${(index + 1).toString(16)}::1`],
    ['20 addresses of one /24', (index: number) => `203.0.113.${index}`],
  ])(
    'S-4 %s leave the owner her log-in, her reset and her mail',
    async (_name, ipOf) => {
      const { email } = await aUser(app);
      const [, aloneMs] = await timed(from(HOME, logIn(app, email)).expect(200));
      const expectInTime = async (call: request.Test): Promise<void> => {
        const [status, tookMs] = await timed(call);
        expect([status, Math.min(tookMs, Math.max(LIMIT_MS, HASHES * aloneMs))]).toEqual([200, tookMs]);
      };
      await sql(app, `UPDATE known_devices SET last_login_at = now() - interval '60 days'`);
      const crowd = new Crowd(email, ipOf);
      while (crowd.sent < AHEAD) await delay(APART_MS);
      await expectInTime(from(HOME, logIn(app, email)));
      await from('192.0.2.1', post(app, '/auth/forgot-password', { email })).expect(200);
      const reset = await waitForMail(app, email, '/reset-password#');
      const fresh = { token: tokenIn(reset, 'reset-password'), new_password: 'nine quiet rivers of glass' };
      await expectInTime(from('192.0.2.1', post(app, '/auth/reset-password', fresh)));
      await expectInTime(from('192.0.2.1', logIn(app, email, fresh.new_password)));
      expect([...(await crowd.end())]).toEqual(
        expect.arrayContaining(['401 invalid_credentials', '503 service_unavailable']),
      );
    },
    60_000,
  );

  it('S-4 writes one line a second of what is turned away, and none is an error', async () => {
    await delay(1_100);
    const lines = app.logLines.map((line) => JSON.parse(line) as Line);
    const refusals = lines.filter(({ message = '' }) => message.startsWith('Too many sign-ins at once'));
    const total = refusals.reduce((sum, { count = 0 }) => sum + count, 0);
    expect(total).toBeGreaterThan(100);
    expect(refusals.length).toBeLessThan(total / 10);
    expect(lines.filter(({ level }) => ['error', 'fatal'].includes(level))).toEqual([]);
  });
});
