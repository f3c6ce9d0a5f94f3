import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from './support/app.js';
import { anEmail, aPerson, logIn, OTHER_PASSWORD, post, signUp } from './support/people.js';

const PAIRS = 150;
const WARM_UP = 20;
const ROUNDS = 3;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** How often a sample of one kind is larger than one of the other: 0.5 where they cannot be told apart. */
function areaUnderCurve(known: readonly number[], unknown: readonly number[]): number {
  const wins = known.flatMap((a) => unknown.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)));
  return wins.reduce((sum: number, win) => sum + win, 0) / wins.length;
}

/** The bounds of S-5. What leaks is outside of them each time; a busy machine now and then. */
function isEven({ ratio, area }: { ratio: number; area: number }): boolean {
  return ratio > 0.9 && ratio < 1.1 && area > 0.4 && area < 0.6;
}

async function timed(call: () => PromiseLike<unknown>): Promise<number> {
  const before = performance.now();
  await call();
  return performance.now() - before;
}

describe('what time tells', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ BCRYPT_COST: '8' });
  });

  afterAll(() => app.close());

  /** Interleaved pairs, in turning order. */
  async function measure(call: (email: string) => PromiseLike<unknown>): Promise<{ ratio: number; area: number }> {
    const { email } = await aPerson(app);
    const known: number[] = [];
    const unknown: number[] = [];
    for (let index = -WARM_UP; index < PAIRS; index += 1) {
      const stranger = anEmail();
      const first = index % 2 === 0 ? email : stranger;
      const second = index % 2 === 0 ? stranger : email;
      const times = [await timed(() => call(first)), await timed(() => call(second))] as const;
      if (index < 0) continue;
      known.push(index % 2 === 0 ? times[0] : times[1]);
      unknown.push(index % 2 === 0 ? times[1] : times[0]);
    }
    return { ratio: median(known) / median(unknown), area: areaUnderCurve(known, unknown) };
  }

  it.each<[string, (email: string) => PromiseLike<unknown>]>([
    ['S-5 a log-in with a wrong password', (email) => logIn(app, email, OTHER_PASSWORD)],
    ['S-6 asking for a reset', (email) => post(app, '/auth/forgot-password', { email })],
    ['S-6 a sign-up', (email) => signUp(app, email)],
  ])(
    '%s takes as long for a known address as for an unknown one',
    async (_, call) => {
      const rounds: { ratio: number; area: number }[] = [];
      while (rounds.length < ROUNDS && !rounds.some(isEven)) rounds.push(await measure(call));
      expect({ even: rounds.some(isEven), rounds }).toMatchObject({ even: true });
    },
    120_000,
  );
});
