import { existsSync, readFileSync } from 'node:fs';
import { createContext, Script } from 'node:vm';

/** No input may hold the event loop longer (S-53). */
export const LONGEST_MS = 50;
const LENGTH = 100_000;
/** Beyond this a measurement is cut off, on the clock: on a busy machine far less of it is processor time. */
const CUT_OFF_MS = 2_000;
/** Another process may have the other half of a core for many of them. */
const TRIES = 20;
const HOLD_TRIES = 5;

/** Pieces that make expressions with two ways through a text go back and forth. */
const PIECES = [
  'a', 'A_', 'A_A1_', 'Zz9', '0', '1.', '-', '_', ' ', '\t', '\n', '\r', '\r\n', '!', '.', ',', '/', ':', ';', '=', '@', '\\', '"',
  '%41', '[', ']', '(', '<', '\u00e4', '\u200b', '\ud83d\ude00', '\ud800', '[…] ', '[…]', 'eyJ', 'eyJa.', '-eyJ', '0x', '0xab', '://a:', 'a:',
  'a://b:', 'a.', 'a@', '@a', '-----BEGIN ', '-----BEGIN A-----', '-----END ', '-----BEGIN -----END ', 'svc_sk_', 'svc_sk_live_', 'Bearer ', '?code=',
  'refresh_token=', 'orderbook ', 'order book', 'market is ', ',no-cache', ' ,', '::ffff:', '\\n', '\\r', '2026-01-01T00:00:00.', '+00',
]; // prettier-ignore
const FRAMES = [
  ['', ''],
  ['', '!'],
  ['x', '\u0000'],
  [' ', 'x@'],
] as const;

/** Hostile texts of 100 kB: each piece over and over, between what does not fit. */
export function hostileTexts(pieces: readonly string[] = PIECES, length = LENGTH): string[] {
  return pieces.flatMap((piece) => {
    const body = piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
    return FRAMES.map(([start, end]) => `${start}${body}${end}`);
  });
}

/** The words that an expression itself spells out, which are what leads farthest into it. */
export function wordsOf({ source }: RegExp): string[] {
  const plain = source.replace(/\\[dDwWsSbBpP](?:\{[^}]*\})?|\{[\d,]+\}|\(\?[:=!<]*/g, '|').replace(/\\(.)/g, '$1');
  const words = plain.split(/[()|*+?[\]^$]+/).filter((word) => word !== '' && word.length <= 60);
  const pairs = words.slice(1).map((word, index) => `${words[index] ?? ''}${word}`);
  return [...new Set([...words, ...pairs])];
}

/** Ms since then, on the clock or of this process's own processor time: what other processes take does not count. */
function startWatch(): () => number {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(before);
    return Math.min(performance.now() - startedAt, (user + system) / 1_000);
  };
}

const THREAD_TIMES = '/proc/thread-self/schedstat';
const HAS_THREAD_TIMES = existsSync(THREAD_TIMES);

/** Ms of this thread's processor time where the system counts it (Linux), so that other threads and processes do not count; else of the clock. */
function threadMs(): number {
  if (!HAS_THREAD_TIMES) return performance.now();
  return Number(readFileSync(THREAD_TIMES, 'utf8').split(' ', 1)[0]) / 1e6;
}

/** What a work answered, how long it took by the clock, and how long it held the event loop at most (`threadMs`): both in ms. */
export async function heldBy<T>(work: () => Promise<T>): Promise<{ answer: T; tookMs: number; heldMs: number }> {
  const startedAt = performance.now();
  let [heldMs, before] = [0, threadMs()];
  const turn = (): void => {
    const now = threadMs();
    [heldMs, before] = [Math.max(heldMs, now - before), now];
  };
  const turns = setInterval(turn, 1);
  try {
    const answer = await work();
    turn();
    return { answer, tookMs: performance.now() - startedAt, heldMs };
  } finally {
    clearInterval(turns);
  }
}

/** How long the loop was held at most while something ran, in ms; the least of some tries: garbage is collected now and then. */
export async function longestHoldMs(work: () => Promise<unknown>): Promise<number> {
  let shortest = Infinity;
  for (let attempt = 0; attempt < HOLD_TRIES && shortest > LONGEST_MS; attempt++) {
    shortest = Math.min(shortest, (await heldBy(work)).heldMs);
  }
  return shortest;
}

/** The shortest of several times in ms, so that another process on the machine does not count. */
export async function shortestMsOf(work: () => Promise<unknown>): Promise<number> {
  let shortest = Infinity;
  for (let attempt = 0; attempt < TRIES && shortest > LONGEST_MS; attempt++) {
    const watch = startWatch();
    await work();
    shortest = Math.min(shortest, watch());
  }
  return shortest;
}

/** As shortestMsOf, for work that holds the event loop from its beginning to its end. */
export function shortestMs(work: () => void): number {
  let shortest = Infinity;
  for (let attempt = 0; attempt < TRIES && shortest > LONGEST_MS; attempt++) {
    const watch = startWatch();
    work();
    shortest = Math.min(shortest, watch());
  }
  return shortest;
}

const bench: { expression: RegExp; texts: readonly string[] } = { expression: /x/, texts: [] };
const BENCH = createContext(bench);
const SEARCH = new Script('for (const text of texts) text.replace(expression, "")');
/** Looked through together: each such run costs more than a text does. */
const AT_ONCE = 12;

/** Looks through texts, finding all that there is, for at most the cut-off. */
function search(expression: RegExp, texts: readonly string[]): void {
  const flags = [...new Set(`${expression.flags}g`)].join('');
  Object.assign(bench, { expression: new RegExp(expression.source, flags), texts });
  try {
    SEARCH.runInContext(BENCH, { timeout: CUT_OFF_MS });
  } catch {
    // Cut off: the time tells.
  }
}

/** The first text that an expression takes longer than LONGEST_MS to look through; undefined where there is none. */
export function slowTextOf(expression: RegExp, texts: readonly string[]): string | undefined {
  const isSlow = (some: readonly string[]): boolean =>
    shortestMs(() => {
      search(expression, some);
    }) > LONGEST_MS;
  for (let at = 0; at < texts.length; at += AT_ONCE) {
    const some = texts.slice(at, at + AT_ONCE);
    const slow = isSlow(some) ? some.find((text) => isSlow([text])) : undefined;
    if (slow !== undefined) return slow;
  }
  return undefined;
}
