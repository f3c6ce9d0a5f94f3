import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Breaker, type Outcome } from './breaker.js';
import type { Caller } from './callers.js';
import type { UpstreamError } from './upstream-client.js';

let nowMs = 0;
let breaker = new Breaker('exchange', () => nowMs);

function call(outcome: Outcome, times = 1, caller?: Caller): void {
  for (let i = 0; i < times; i++) breaker.enter(caller)(outcome);
}

function refusal(caller?: Caller): UpstreamError | null {
  return breaker.refusal(caller);
}

beforeAll(() => {
  Logger.overrideLogger(false);
});

afterAll(() => {
  Logger.overrideLogger(true);
});

beforeEach(() => {
  nowMs = 1_000_000;
  breaker = new Breaker('exchange', () => nowMs);
});

describe('Breaker (contract.md 5.5, R-11)', () => {
  it('opens at half of at least 20 calls, for 5 s, without a byte sent', () => {
    call('success', 10);
    call('failure', 9);
    expect(breaker.state).toBe('closed');
    call('failure');
    expect(breaker.state).toBe('open');
    expect(refusal()).toMatchObject({ failure: 'paused', sent: false, options: { retryAfterSeconds: 5 } });
    nowMs += 4_500;
    expect(refusal()?.options.retryAfterSeconds).toBe(1);
  });

  it('stays closed below 20 calls, however many fail', () => {
    call('failure', 19);
    expect(breaker.state).toBe('closed');
  });

  it('stays closed below half', () => {
    call('success', 51);
    call('failure', 49);
    expect(breaker.state).toBe('closed');
  });

  it('forgets calls older than 10 s', () => {
    call('failure', 19);
    nowMs += 10_000;
    call('failure', 19);
    expect(breaker.state).toBe('closed');
    call('failure');
    expect(breaker.state).toBe('open');
  });

  it('does not count calls that prove nothing', () => {
    call('ignored', 100);
    call('failure', 19);
    expect(breaker.state).toBe('closed');
  });

  it('lets one trial call go after 5 s, and closes when it succeeds', () => {
    call('failure', 20);
    nowMs += 5_000;
    expect(breaker.state).toBe('half_open');
    const record = breaker.enter(undefined);
    expect(refusal()).toMatchObject({ failure: 'paused', options: { retryAfterSeconds: 1 } });
    record('success');
    expect(breaker.state).toBe('closed');
    call('failure', 19);
    expect(breaker.state).toBe('closed');
  });

  it('opens for 5 s more when the trial call fails', () => {
    call('failure', 20);
    nowMs += 5_000;
    call('failure');
    expect(breaker.state).toBe('open');
    nowMs += 4_999;
    expect(refusal()).not.toBeNull();
    nowMs += 1;
    expect(refusal()).toBeNull();
  });

  it('tries again at once when the trial call proved nothing', () => {
    call('failure', 20);
    nowMs += 5_000;
    call('ignored');
    expect(refusal()).toBeNull();
    call('success');
    expect(breaker.state).toBe('closed');
  });

  it('hears nothing from calls that began before it opened', () => {
    const early = Array.from({ length: 60 }, () => breaker.enter(undefined));
    const record = (outcome: Outcome, from: number): void => {
      for (const each of early.slice(from, from + 20)) each(outcome);
    };
    call('failure', 20);
    nowMs += 3_000;
    record('failure', 0);
    nowMs += 2_000;
    const probe = breaker.enter(undefined);
    record('success', 20);
    expect(breaker.state).toBe('half_open');
    probe('success');
    record('failure', 40);
    expect(breaker.state).toBe('closed');
  });

  it('R-27 opens only where the calls of others fail too, whichever one caller is left out', () => {
    call('failure', 200, 'ann');
    call('success', 30, 'ben');
    call('failure', 9, 'cleo');
    expect(breaker.state).toBe('closed');
    call('failure', 20, 'ben');
    expect(breaker.state).toBe('closed');
    call('failure', 1, 'cleo');
    expect(breaker.state).toBe('open');
  });

  it('R-27 opens at ten calls of each of two callers, and for calls of the service itself', () => {
    call('failure', 10, 'ann');
    call('failure', 9, 'ben');
    expect(breaker.state).toBe('closed');
    call('failure', 1, 'ben');
    expect(breaker.state).toBe('open');
    breaker = new Breaker('exchange', () => nowMs);
    call('failure', 11, 'ann');
    call('failure', 9);
    expect(breaker.state).toBe('closed');
    call('failure');
    expect(breaker.state).toBe('open');
  });

  it('R-27 tries one call of each of at most five callers', () => {
    call('failure', 20);
    nowMs += 5_000;
    for (const caller of ['a', 'b', 'c', 'd', 'e']) {
      expect(refusal(caller)).toBeNull();
      breaker.enter(caller);
      expect(refusal(caller)).not.toBeNull();
    }
    expect(refusal('f')).not.toBeNull();
  });

  it('R-27 tries one call of every caller where told so', () => {
    breaker = new Breaker('exchange', () => nowMs, Infinity);
    call('failure', 20);
    nowMs += 5_000;
    for (let caller = 0; caller < 50; caller++) {
      expect(refusal(String(caller))).toBeNull();
      breaker.enter(String(caller));
      expect(refusal(String(caller))).not.toBeNull();
    }
    breaker.enter('another')('success');
    expect(breaker.state).toBe('closed');
  });

  it('R-27 hears the failed trials of one caller once, so that they keep nobody else out', () => {
    call('failure', 20);
    nowMs += 5_000;
    call('failure', 1, 'ann');
    expect(breaker.state).toBe('open');
    nowMs += 5_000;
    call('failure', 3, 'ann');
    expect(breaker.state).toBe('half_open');
    expect(refusal('ben')).toBeNull();
    call('failure', 1, 'ben');
    expect(breaker.state).toBe('open');
    nowMs += 5_000;
    call('success', 1, 'ann');
    expect(breaker.state).toBe('closed');
  });
});
