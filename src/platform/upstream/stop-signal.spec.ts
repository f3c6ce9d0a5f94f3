import { describe, expect, it } from '@jest/globals';
import { anyOf, onAbort, StopSignal } from './stop-signal.js';

const KINDS = {
  StopSignal: () => {
    const signal = new StopSignal();
    return {
      signal,
      abort: () => {
        signal.abort();
      },
    };
  },
  AbortSignal: () => {
    const controller = new AbortController();
    return {
      signal: controller.signal,
      abort: () => {
        controller.abort();
      },
    };
  },
};

describe.each(Object.entries(KINDS))('a %s (R-16)', (_, make) => {
  it('calls each listener once, at once, but none that was removed', () => {
    const { signal, abort } = make();
    const called: string[] = [];
    const forget = ['a', 'b', 'c'].map((name) => onAbort(signal, () => called.push(name)));
    forget[1]?.();
    expect([signal.aborted, called]).toEqual([false, []]);
    abort();
    abort();
    expect([signal.aborted, called]).toEqual([true, ['a', 'c']]);
  });

  it('calls all others where a listener removes itself or the next', () => {
    const { signal, abort } = make();
    const called: string[] = [];
    const forgetFirst = onAbort(signal, () => {
      called.push('a');
      forgetFirst();
      forgetSecond();
    });
    const forgetSecond = onAbort(signal, () => called.push('b'));
    onAbort(signal, () => called.push('c'));
    abort();
    expect(called).toEqual(['a', 'c']);
  });

  it('calls no listener that comes after it has aborted', () => {
    const { signal, abort } = make();
    abort();
    let isCalled = false;
    onAbort(signal, () => {
      isCalled = true;
    });
    abort();
    expect(isCalled).toBe(false);
  });

  it('ends what depends on it and on others, also where it has aborted before', () => {
    const { signal, abort } = make();
    const other = new AbortController().signal;
    const either = anyOf(other, signal);
    expect(either.aborted).toBe(false);
    abort();
    expect([either.aborted, anyOf(signal, other).aborted]).toEqual([true, true]);
  });
});
