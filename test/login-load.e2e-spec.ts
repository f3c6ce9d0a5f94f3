import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { exchangeAddresses } from '../sandbox/demo/environment.js';
import { type Instance, startInstance } from './support/instance.js';
import { codeOf, logIn } from './support/calls.js';
import { measureAgain } from './support/measured.js';
import { startTestStand, type TestStand } from './support/sandbox.js';
import { anApiKey, anEmail, aUser } from './support/users.js';

const LOG_INS = 200;
const WAITING = 100;
const PARALLEL = Math.max(1, Math.min(availableParallelism(), 4) - 1);
/** So that their statements do not wait for a connection: what comes all at once may find the pool full, not the queue. */
const APART_MS = 10;
/** All have come long before the queue is empty. */
const COST = '10';

interface Read {
  readonly answer: Response;
  readonly endedAt: number;
  readonly tookMs: number;
}

measureAgain();

describe('S-4 more log-ins than can be checked', () => {
  let stand: TestStand;
  /** In a process of its own, so that the test's own work is not measured. */
  let service: Instance;
  let key: string;

  beforeAll(async () => {
    stand = await startTestStand();
    key = await anApiKey(stand.app, await aUser(stand.app), ['read']);
    service = await startInstance(stand.app, {
      BCRYPT_COST: COST,
      ...exchangeAddresses(stand.sandbox.addresses),
      MARKET_DATA_CACHE_TTL: '0',
    });
  });

  afterAll(async () => {
    await service.close();
    await stand.close();
  });

  const readMarkets = (): request.Test =>
    request(service.url).get('/kalshi/markets').query({ limit: 5 }).auth(key, { type: 'bearer' });

  async function timed(call: () => PromiseLike<Response>): Promise<Read> {
    const startedAt = performance.now();
    const answer = await call();
    const endedAt = performance.now();
    return { answer, endedAt, tookMs: endedAt - startedAt };
  }

  it('turns away what would be more than the 100th to wait, and serves market data meanwhile', async () => {
    await readMarkets();
    let isOver = false;
    const reads: Read[] = [];
    const reader = async (): Promise<void> => {
      while (!isOver) reads.push(await timed(readMarkets));
    };
    const startedAt = performance.now();
    const reading = reader();
    const ended = await Promise.all(
      Array.from({ length: LOG_INS }, async (_, index) => {
        await delay(index * APART_MS);
        return timed(() => logIn(service, anEmail()));
      }),
    );
    const wholeMs = performance.now() - startedAt;
    isOver = true;
    await reading;

    const refused = ended.filter(({ answer }) => answer.status !== 401);
    const faces = refused.map(({ answer }) => [answer.status, codeOf(answer), answer.headers['retry-after']].join(' '));
    expect([...new Set(faces)]).toEqual(['503 service_unavailable 1']);
    expect(LOG_INS - refused.length).toBeGreaterThanOrEqual(WAITING + PARALLEL);
    // While the queue empties, when all have come: who waited for the hashes would wait for most of that time.
    const fullAt = Math.max(...refused.map(({ endedAt }) => endedAt));
    const meanwhile = reads.filter(({ endedAt, tookMs }) => endedAt - tookMs > fullAt);
    expect(meanwhile.length).toBeGreaterThan(20);
    expect([...new Set(reads.map(({ answer }) => answer.status))]).toEqual([200]);
    expect(Math.max(...meanwhile.map(({ tookMs }) => tookMs))).toBeLessThan(wholeMs / 4);
    expect((await logIn(service, anEmail())).status).toBe(401);
  });
});
