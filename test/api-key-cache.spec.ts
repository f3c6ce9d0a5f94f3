import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ApiKeyCache } from '../src/api-keys/api-key-cache.js';
import type { ApiKeyFacts } from '../src/api-keys/api-keys.repository.js';
import { Settings } from '../src/platform/config/settings.js';
import { fastestMs } from './support/measured.js';

const TTL_MS = 1_000;
const FACTS: ApiKeyFacts = {
  kind: 'api-key',
  bot: null,
  userId: 'usr_1',
  keyPrefix: 'svc_sk_live_abcd',
  scopes: ['read'],
  refusal: null,
  endsAt: Infinity,
  networks: null,
};

function aCache(ttlMs = TTL_MS): ApiKeyCache {
  const environment = {
    NODE_ENV: 'test',
    DATABASE_URL: 'postgresql://a@localhost/a',
    API_KEY_CACHE_TTL: `${ttlMs}ms`,
    JWT_SECRET: 'test-jwt-secret-0123456789abcdefghijklmnop',
    ENCRYPTION_KEYS: `t1:${Buffer.alloc(32, 7).toString('base64')}`,
    PASSWORD_PEPPER: 'test-pepper-0123456789abcdefghijklmnopqrst',
  };
  return new ApiKeyCache(Settings.read(environment, {}));
}

/** A database that answers after so long, and how often it was asked. */
function aRead(
  facts: ApiKeyFacts | null,
  tookMs = 0,
): { read: () => Promise<ApiKeyFacts | null>; asked: () => number } {
  let count = 0;
  return {
    read: async () => {
      count += 1;
      await delay(tookMs);
      return facts;
    },
    asked: () => count,
  };
}

describe('what is remembered of API keys (S-30, contract.md 6)', () => {
  it('S-30 counts the time from before the query, however long that took', async () => {
    const cache = aCache();
    const { read, asked } = aRead(FACTS, TTL_MS + 50);
    await cache.get('hash', read);
    await cache.get('hash', read);
    expect(asked()).toBe(2);
  });

  it('S-30 asks again when the time is over, however often the key was used meanwhile', async () => {
    const cache = aCache();
    const { read, asked } = aRead(FACTS);
    const startedAt = performance.now();
    while (performance.now() - startedAt <= TTL_MS) {
      await cache.get('hash', read);
      await delay(TTL_MS / 20);
    }
    await cache.get('hash', read);
    expect(asked()).toBeGreaterThan(1);
  });

  it.each([null, { ...FACTS, refusal: 'key_revoked' as const }])(
    'S-30 never remembers a refusal: %j',
    async (facts) => {
      const cache = aCache();
      const { read, asked } = aRead(facts);
      for (let use = 0; use < 3; use += 1) expect(await cache.get('hash', read)).toEqual(facts);
      expect(asked()).toBe(3);
    },
  );

  it('S-30 outlives what anybody has read before', async () => {
    const cache = aCache();
    const { read, asked } = aRead(FACTS);
    await cache.get('hash', read);
    await cache.waitForKeyCacheExpiry();
    await cache.get('hash', read);
    expect(asked()).toBe(2);
  });

  it('looks a key up once for all who wait, in one query', async () => {
    const cache = aCache();
    const { read, asked } = aRead(FACTS, 100);
    const waiting = Array.from({ length: 50 }, () => cache.get('hash', read));
    await delay(50);
    waiting.push(...Array.from({ length: 50 }, () => cache.get('hash', read)));
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([FACTS]));
    expect(asked()).toBe(1);
    await Promise.all([cache.get('other', read), cache.get('hash', read)]);
    expect(asked()).toBe(2);
  });

  it('S-30 waits for no look-up that began longer ago than the time: a DELETE may have answered since', async () => {
    const cache = aCache(200);
    const slow = aRead(FACTS, 600);
    const first = cache.get('hash', slow.read);
    await delay(250);
    const { read, asked } = aRead({ ...FACTS, refusal: 'key_revoked' as const });
    expect((await cache.get('hash', read))?.refusal).toBe('key_revoked');
    expect(asked()).toBe(1);
    await first;
    expect((await cache.get('hash', read))?.refusal).toBe('key_revoked');
  });

  describe('near the end of its time', () => {
    const LATE_MS = TTL_MS * 0.85;
    const NEW_FACTS: ApiKeyFacts = { ...FACTS, scopes: ['trade'] };

    async function aCacheNearEnd(): Promise<{ cache: ApiKeyCache; endsAt: number }> {
      const cache = aCache();
      const endsAt = performance.now() + TTL_MS;
      await cache.get('hash', aRead(FACTS).read);
      expect(cache.peek('hash')).toBe(FACTS);
      await delay(LATE_MS);
      return { cache, endsAt };
    }

    it('is looked up anew once, while all go on with what is known', async () => {
      const { cache } = await aCacheNearEnd();
      const { read, asked } = aRead(NEW_FACTS, 40);
      expect(cache.peek('hash')).toBeNull();
      expect(await cache.get('hash', read)).toBe(FACTS);
      expect(cache.peek('hash')).toBe(FACTS);
      expect(await Promise.all([cache.get('hash', read), cache.get('hash', read)])).toEqual([FACTS, FACTS]);
      await delay(60);
      expect(cache.peek('hash')).toBe(NEW_FACTS);
      expect(asked()).toBe(1);
    });

    it('S-30 is not trusted longer while it is looked up anew', async () => {
      const { cache, endsAt } = await aCacheNearEnd();
      await cache.get('hash', aRead(NEW_FACTS, 500).read);
      await delay(endsAt + 10 - performance.now());
      expect(cache.peek('hash')).toBeNull();
      expect(await cache.get('hash', aRead(FACTS).read)).toBe(NEW_FACTS);
    });

    it.each([null, { ...FACTS, refusal: 'key_revoked' as const }])(
      'S-30 is forgotten at once where it turns out to be %j',
      async (end) => {
        const { cache } = await aCacheNearEnd();
        const { read } = aRead(end);
        await cache.get('hash', read);
        await delay(20);
        expect(cache.peek('hash')).toBeNull();
        expect(await cache.get('hash', read)).toEqual(end);
      },
    );

    it('stays known until its end, no longer, where the database is away', async () => {
      const { cache, endsAt } = await aCacheNearEnd();
      const away = (): Promise<null> => Promise.reject(new Error('the database is away'));
      while (performance.now() < endsAt - 50) {
        expect(await cache.get('hash', away)).toBe(FACTS);
        await delay(20);
      }
      await delay(endsAt + 10 - performance.now());
      await expect(cache.get('hash', away)).rejects.toThrow('the database is away');
    });
  });

  it('S-30 shares and keeps nothing where the cache is off: a DELETE waits for nothing then', async () => {
    const cache = aCache(0);
    const { read, asked } = aRead(FACTS, 50);
    await Promise.all([cache.get('hash', read), cache.get('hash', read)]);
    expect(asked()).toBe(2);
    const waitMs = async (): Promise<number> => {
      const startedAt = performance.now();
      await cache.waitForKeyCacheExpiry();
      return performance.now() - startedAt;
    };
    expect(await fastestMs(20, waitMs)).toBeLessThan(20);
  });

  it('forgets the key that was looked up longest ago, of more than 10,000', async () => {
    const cache = aCache();
    const { read } = aRead(FACTS);
    await Promise.all(Array.from({ length: 10_000 }, (_, at) => cache.get(`hash ${at}`, read)));
    await delay(TTL_MS + 10);
    await cache.get('hash 1', read);
    await cache.get('one more', read);
    await cache.get('and another', read);
    expect(['hash 1', 'one more', 'and another'].map((hash) => cache.peek(hash))).toEqual([FACTS, FACTS, FACTS]);
  });

  it('tells a failed look-up to all who wait for it, and asks again for the next', async () => {
    const cache = aCache();
    const failing = async (): Promise<null> => {
      await delay(20);
      throw new Error('the database is away');
    };
    const answers = await Promise.allSettled([cache.get('hash', failing), cache.get('hash', failing)]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await cache.get('hash', aRead(FACTS).read)).toEqual(FACTS);
  });
});
