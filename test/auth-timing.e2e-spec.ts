import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from './support/app.js';
import { logIn, OTHER_PASSWORD, post, signUp } from './support/calls.js';
import { rounds } from './support/long.js';
import { measureAgain } from './support/measured.js';
import { anEmail, aUser } from './support/users.js';

measureAgain();

const PAIRS = rounds(60, 150);
/** A busy machine gets more of them: what leaks stays uneven, and what does not evens out. */
const MORE_PAIRS = 30;
const MOST_PAIRS = 450;
const WARM_UP = 10;
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

interface Samples {
  readonly known: number[];
  readonly unknown: number[];
}

/** The two figures of S-5. */
function figuresOf({ known, unknown }: Samples): { ratio: number; area: number } {
  return { ratio: median(known) / median(unknown), area: areaUnderCurve(known, unknown) };
}

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

  /** Interleaved pairs, in an order that no rhythm of the machine can follow; so many of them at once. */
  async function measure(call: (email: string) => PromiseLike<unknown>, atOnce: number): Promise<Samples> {
    const { email } = await aUser(app);
    const samples: Samples = { known: [], unknown: [] };
    const pair = async (): Promise<void> => {
      const stranger = anEmail();
      const isKnownFirst = Math.random() < 0.5;
      const first = await timed(() => call(isKnownFirst ? email : stranger));
      const second = await timed(() => call(isKnownFirst ? stranger : email));
      samples.known.push(isKnownFirst ? first : second);
      samples.unknown.push(isKnownFirst ? second : first);
    };
    const pairs = async (count: number): Promise<void> => {
      const goal = samples.known.length + count;
      const lane = async (): Promise<void> => {
        while (samples.known.length < goal) await pair();
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
    };
    await pairs(WARM_UP);
    samples.known.length = 0;
    samples.unknown.length = 0;
    await pairs(PAIRS);
    while (!isEven(figuresOf(samples)) && samples.known.length < MOST_PAIRS) await pairs(MORE_PAIRS);
    return samples;
  }

  it.each<[string, number, (email: string) => PromiseLike<unknown>]>([
    ['S-5 a log-in with a wrong password', 1, (email) => logIn(app, email, OTHER_PASSWORD)],
    // It hashes nothing: calls at once do not wait for each other.
    ['S-6 asking for a reset', 4, (email) => post(app, '/auth/forgot-password', { email })],
    ['S-6 a sign-up', 1, (email) => signUp(app, email)],
  ])('%s takes as long for a known address as for an unknown one', async (_, atOnce, call) => {
    const figures = figuresOf(await measure(call, atOnce));
    expect({ even: isEven(figures), ...figures }).toMatchObject({ even: true });
  });

  it('S-6 no answer about an address leaves before its time, however little there is to do', async () => {
    const { email } = await aUser(app);
    const askForReset = (address: string) => timed(() => post(app, '/auth/forgot-password', { email: address }));
    for (const address of [email, anEmail()]) {
      expect(await askForReset(address)).toBeGreaterThanOrEqual(FLOOR_MS - TIMER_SLACK_MS);
    }
  });
});
