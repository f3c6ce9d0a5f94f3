import { generateKeyPairSync, sign } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Settings } from '../src/platform/config/settings.js';
import { AppError } from '../src/platform/errors/app-error.js';
import { networksAround } from '../src/platform/limits/client-network.js';
import { type RequestContext, withRequest } from '../src/platform/logging/current-request.js';
import { TraceContext } from '../src/platform/logging/trace-context.js';
import { PasswordHasher } from '../src/platform/crypto/password-hasher.js';

const WAITING = 100;

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

function aRequest(ip: string): RequestContext {
  const ids = { id: 'req_1', trace: new TraceContext({}) };
  return { ...ids, ip, userAgent: '', networks: () => networksAround(ip), hasGone: () => false };
}

function aHasher(cost: number): PasswordHasher {
  const environment = {
    NODE_ENV: 'test',
    DATABASE_URL: 'postgresql://a@localhost/a',
    BCRYPT_COST: String(cost),
    JWT_SECRET: 'test-jwt-secret-0123456789abcdefghijklmnop',
    ENCRYPTION_KEYS: `t1:${Buffer.alloc(32, 7).toString('base64')}`,
    PASSWORD_PEPPER: 'test-pepper-0123456789abcdefghijklmnopqrst',
  };
  return new PasswordHasher(Settings.read(environment, {}));
}

describe('PasswordHasher (S-2, S-4)', () => {
  it('S-4, R-10 refuses whoever would be more than the 100th to wait, with 503 and Retry-After, and goes on after', async () => {
    const hasher = aHasher(4);
    const results = await Promise.allSettled(Array.from({ length: 200 }, () => hasher.hash('a password')));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    const accepted = results.length - refused.length;
    expect(accepted).toBeGreaterThanOrEqual(WAITING);
    expect(accepted).toBeLessThanOrEqual(WAITING + 3);
    for (const error of refused) {
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 1 });
    }
    expect(await hasher.verify('a password', await hasher.hash('a password'))).toBe(true);
  });

  it('S-4 keeps nothing of the requests that it refused, while others wait', async () => {
    const hasher = aHasher(9);
    let settled = 0;
    const requests = Array.from({ length: 3_000 }, (_, index) => {
      const request = aRequest(`2001:db8:1:${index.toString(16)}::1`);
      withRequest(request, () => {
        // Whoever keeps the promise keeps what it was made in.
        void hasher
          .hash('a password', { share: 'sign_up' })
          .catch(() => null)
          .finally(() => (settled += 1));
      });
      return new WeakRef(request);
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    collectGarbage();
    const { running, waiting } = hasher.load;
    expect(waiting.sign_up).toBeGreaterThan(0);
    const kept = requests.filter((request) => request.deref() !== undefined).length;
    expect(kept).toBeLessThanOrEqual(running + waiting.sign_up + 10);
    while (settled < requests.length) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(hasher.load.running).toBe(0);
  }, 30_000);

  it('S-4 leaves the event loop and a thread of the pool to others, however many hashes wait', async () => {
    const hasher = aHasher(9);
    let finished = 0;
    const hashes = Array.from({ length: WAITING }, async () => {
      await hasher.hash('a password');
      finished += 1;
    });
    await new Promise((resolve) => setImmediate(resolve));
    await stat('.');
    expect(finished).toBeLessThan(WAITING / 2);
    await Promise.all(hashes);
    expect(finished).toBe(WAITING);
  });

  it('S-4 never lets signatures wait for hashes', async () => {
    const hasher = aHasher(10);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    let finished = 0;
    const hashes = Array.from({ length: 30 }, async () => {
      await hasher.hash('a password');
      finished += 1;
    });
    await new Promise((resolve) => setImmediate(resolve));
    const signatures = 20;
    for (let i = 0; i < signatures; i++) await promisify(sign)('sha256', Buffer.from('an order'), privateKey);
    // Where hashes had all threads, each signature would wait for the end of one at least.
    expect(finished).toBeLessThan(signatures / 2);
    await Promise.all(hashes);
  }, 60_000);

  it('S-5 does the same work where there is no stored form, and refuses', async () => {
    const hasher = aHasher(10);
    const stored = await hasher.hash('a password');
    const cpuOf = async (form: string | null): Promise<number> => {
      const before = process.cpuUsage();
      expect(await hasher.verify('another password', form)).toBe(false);
      // Both: Linux divides the time of a process between them by samples.
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    let [known, unknown] = [Infinity, Infinity];
    for (let round = 0; round < 5; round += 1) {
      known = Math.min(known, await cpuOf(stored));
      unknown = Math.min(unknown, await cpuOf(null));
    }
    expect(unknown).toBeGreaterThan(known / 2);
    expect(unknown).toBeLessThan(known * 2);
  });

  it('S-2 never lets one text pass for another', async () => {
    const hasher = aHasher(4);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ unit: 'binary' }), async (a, b) => {
        const stored = await hasher.hash(a);
        expect(await hasher.verify(a, stored)).toBe(true);
        expect(await hasher.verify(b, stored)).toBe(a === b);
        expect(await hasher.verify(`${a}x`, stored)).toBe(false);
      }),
      { numRuns: 50 },
    );
  }, 60_000);
});
