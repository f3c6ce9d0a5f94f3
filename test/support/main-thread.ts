import type { Browser, Page } from 'playwright-core';

/** A record of Chromium's trace, as far as it is told here: times in microseconds. */
interface Traced {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string };
  /** Of a task: what its thread computed in it, without the time in which others had the processor. */
  readonly tdur?: number;
}

/** The threads that run the scripts of pages. */
const MAIN_THREAD = 'CrRendererMain';
/** What a thread does without a pause. */
const TASK = 'RunTask';
const TASKS = 'disabled-by-default-devtools.timeline';

/**
 * The longest task of the page's main thread meanwhile, in milliseconds of processor time: on a machine that others use too, a task
 * takes longer by the clock, and computes the same.
 */
export async function longestTaskMs(browser: Browser, page: Page, work: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: [TASKS] });
  let trace: string;
  try {
    await work();
  } finally {
    trace = (await browser.stopTracing()).toString();
  }
  const { traceEvents } = JSON.parse(trace) as { traceEvents: Traced[] };
  const place = ({ pid, tid }: Traced): string => `${pid} ${tid}`;
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === MAIN_THREAD);
  const main = new Set(threads.map(place));
  const tasks = traceEvents.filter((event) => event.name === TASK && main.has(place(event)));
  const times = tasks.flatMap(({ tdur }) => (tdur === undefined ? [] : [tdur]));
  if (times.length === 0) throw new Error('Chromium told of no task');
  return Math.max(...times) / 1_000;
}
