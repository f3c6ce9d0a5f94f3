import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { currentCallContext, outsideCallContext } from '../platform/upstream/call-context.js';
import type { AnySignal } from '../platform/upstream/stop-signal.js';
import { type Asker, FinishedAnswers } from './finished-answers.js';

const later = (): number => performance.now() + 60_000;

function asker(caller: string, change: Partial<Asker> = {}): Asker {
  return { caller, fresh: false, signal: new AbortController().signal, ...change };
}

/** An answer that is made when a test says so; reads that end then are noted before. */
class Making {
  readonly callers: string[] = [];
  signal: AnySignal | undefined;
  finish: (value: unknown) => void = () => undefined;
  fail: (error: Error) => void = () => undefined;

  constructor(private readonly ends: readonly number[] = []) {}

  readonly make = (): Promise<unknown> => {
    const { callers, signal, life } = currentCallContext() ?? {};
    for (const end of this.ends) life?.endBy(end);
    this.signal = signal;
    for (const name of callers ?? []) this.callers.push(String(name));
    callers?.onJoin((name) => this.callers.push(String(name)));
    return new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
  };
}

describe('FinishedAnswers (contract.md 2, 5.10)', () => {
  let answers: FinishedAnswers;

  beforeEach(() => {
    answers = new FinishedAnswers();
  });

  const text = async (answer: ReturnType<FinishedAnswers['ask']>): Promise<string> => (await answer).body.toString();
  const make =
    (value: unknown, ...ends: number[]) =>
    (): Promise<unknown> => {
      for (const end of ends) currentCallContext()?.life?.endBy(end);
      return Promise.resolve(value);
    };

  it('makes one answer for all who wait, whose reads are made in the name of each (R-27)', async () => {
    const making = new Making([later()]);
    const all = ['ann', 'ben', 'ben', 'cat'].map((name) => answers.ask('/a', asker(name), making.make));
    making.finish({ price: '0.42' });
    expect(new Set(await Promise.all(all)).size).toBe(1);
    expect(answers.get('/a')?.body.toString()).toBe('{"price":"0.42"}');
    expect(making.callers).toEqual(['ann', 'ben', 'cat']);
    expect(answers.get('/a?')).toBeUndefined();
  });

  it('keeps it until the first of its reads ends, and not where one may not be used again', async () => {
    await answers.ask('/a', asker('ann'), make(1, later(), performance.now() + 50));
    expect(answers.get('/a')).toBeDefined();
    await delay(70);
    expect(answers.get('/a')).toBeUndefined();
    await answers.ask('/b', asker('ann'), make(1, later(), 0));
    await answers.ask('/c', asker('ann'), make(1));
    await answers.ask('/d', asker('ann'), () => {
      outsideCallContext(() => undefined);
      return make(1, later())();
    });
    expect(['/b', '/c', '/d'].map((target) => answers.get(target))).toEqual([undefined, undefined, undefined]);
  });

  it('keeps no error, and gives it to all who wait', async () => {
    const making = new Making([later()]);
    const both = [answers.ask('/a', asker('ann'), making.make), answers.ask('/a', asker('ben'), making.make)];
    const error = new Error('broken');
    making.fail(error);
    expect(await Promise.allSettled(both)).toEqual([1, 2].map(() => ({ status: 'rejected', reason: error })));
    expect(await text(answers.ask('/a', asker('ann'), make(2, later())))).toBe('2');
  });

  it('is not joined once a part of it has come to its end', async () => {
    const [first, second] = [new Making([performance.now() + 30]), new Making([later()])];
    const old = answers.ask('/a', asker('ann'), first.make);
    await delay(50);
    const young = answers.ask('/a', asker('ben'), second.make);
    second.finish(2);
    first.finish(1);
    expect(await Promise.all([text(old), text(young)])).toEqual(['1', '2']);
    expect(answers.get('/a')?.body.toString()).toBe('2');
  });

  it('is made apart for who wants it fresh, and what began earlier does not replace what is newer', async () => {
    const [slow, fresh] = [new Making([later()]), new Making([later() + 1_000])];
    const early = answers.ask('/a', asker('ann'), slow.make);
    const renewed = answers.ask('/a', asker('ben', { fresh: true }), fresh.make);
    fresh.finish(2);
    expect(await text(renewed)).toBe('2');
    slow.finish(1);
    expect(await text(early)).toBe('1');
    expect(answers.get('/a')?.body.toString()).toBe('2');
  });

  it('may be joined while it is made fresh, by those who do not want it fresh', async () => {
    const making = new Making([later()]);
    const renewed = answers.ask('/a', asker('ann', { fresh: true }), making.make);
    const other = answers.ask('/a', asker('ben'), make(2, later()));
    making.finish(1);
    expect(await Promise.all([text(renewed), text(other)])).toEqual(['1', '1']);
    expect(making.callers).toEqual(['ann', 'ben']);
  });

  it('is replaced by a fresh one that may be used as long, no longer', async () => {
    const end = later();
    await answers.ask('/a', asker('ann'), make(1, end));
    await answers.ask('/a', asker('ben', { fresh: true }), make(2, end));
    expect(answers.get('/a')?.body.toString()).toBe('2');
  });

  it('ends with its last asker, not before (R-16)', async () => {
    const making = new Making();
    const [one, two] = [new AbortController(), new AbortController()];
    const waits = [one, two].map(({ signal }) => answers.ask('/a', asker('ann', { signal }), making.make));
    one.abort();
    await expect(waits[0]).rejects.toMatchObject({ failure: 'aborted' });
    expect(making.signal?.aborted).toBe(false);
    two.abort();
    await expect(waits[1]).rejects.toMatchObject({ failure: 'aborted' });
    expect(making.signal?.aborted).toBe(true);
    expect(await text(answers.ask('/a', asker('ben'), make(2, later())))).toBe('2');
  });

  it('keeps at most 1,000 answers and 16 MiB', async () => {
    for (let i = 0; i < 1_001; i++) await answers.ask(`/${i}`, asker('ann'), make(i, later()));
    expect([answers.get('/0'), answers.get('/1')?.body.toString()]).toEqual([undefined, '1']);
    const large = 'x'.repeat(9 * 1024 * 1024);
    for (const target of ['/large', '/larger']) await answers.ask(target, asker('ann'), make(large, later()));
    expect([answers.get('/1'), answers.get('/large')]).toEqual([undefined, undefined]);
    expect(answers.get('/larger')).toBeDefined();
  });
});
