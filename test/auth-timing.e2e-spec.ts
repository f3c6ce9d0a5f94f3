import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from './support/app.js';
import { anEmail, aPerson, logIn, OTHER_PASSWORD, post, signUp } from './support/people.js';

const PAIRS = 150;
const WARM_UP = 20;
const ROUNDS = 3;
const FLOOR_MS = 50;
/** A timer may fire a little before its time by the other clock. */
const TIMER_SLACK_MS = 2;

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
    // A hash takes longer than the floor, so that a missing one shows.
    app = await startTestApp({ BCRYPT_COST: '10' });
  });

  afterAll(() => app.close());

  /** Interleaved pairs, in an order that no rhythm of the machine can follow. */
  async function measure(call: (email: string) => PromiseLike<unknown>): Promise<{ ratio: number; area: number }> {
    const { email } = await aPerson(app);
    const known: number[] = [];
    const unknown: number[] = [];
    for (let index = -WARM_UP; index < PAIRS; index += 1) {
      const stranger = anEmail();
      const isKnownFirst = Math.random() < 0.5;
      const first = await timed(() => call(isKnownFirst ? email : stranger));
      const second = await timed(() => call(isKnownFirst ? stranger : email));
      if (index < 0) continue;
      known.push(isKnownFirst ? first : second);
      unknown.push(isKnownFirst ? second : first);
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

  it('S-6 no answer about an address leaves before its time, however little there is to do', async () => {
    const { email } = await aPerson(app);
    const askForReset = (address: string) => timed(() => post(app, '/auth/forgot-password', { email: address }));
    for (const address of [email, anEmail()]) {
      expect(await askForReset(address)).toBeGreaterThanOrEqual(FLOOR_MS - TIMER_SLACK_MS);
    }
  });
});
