import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Breaker, type GuardedCall, type Outcome } from './breaker.js';
import type { Priority } from './priority.js';
import type { UpstreamError } from './upstream-client.js';

let nowMs = 0;
let breaker = new Breaker('exchange', () => nowMs);

const READ = { caller: undefined, priority: 'read' } as const;
const CANCEL = { caller: undefined, priority: 'cancel' } as const;
const by = (caller: string, priority: Priority = 'read'): GuardedCall => ({ caller, priority });

function call(outcome: Outcome, times = 1, guarded: GuardedCall = READ): void {
  for (let i = 0; i < times; i++) breaker.enter(guarded)(outcome);
}

function refusal(guarded: GuardedCall = READ): UpstreamError | null {
  return breaker.refusal(guarded);
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

describe('Breaker (rules.md 1, R-11)', () => {
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
    const record = breaker.enter(READ);
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
    const early = Array.from({ length: 60 }, () => breaker.enter(READ));
    const record = (outcome: Outcome, from: number): void => {
      for (const each of early.slice(from, from + 20)) each(outcome);
    };
    call('failure', 20);
    nowMs += 3_000;
    record('failure', 0);
    nowMs += 2_000;
    const probe = breaker.enter(READ);
    record('success', 20);
    expect(breaker.state).toBe('half_open');
    probe('success');
    record('failure', 40);
    expect(breaker.state).toBe('closed');
  });

  it('R-27 opens only where the calls of others fail too, whichever one caller is left out', () => {
    call('failure', 200, by('ann'));
    call('success', 30, by('ben'));
    call('failure', 9, by('cleo'));
    expect(breaker.state).toBe('closed');
    call('failure', 20, by('ben'));
    expect(breaker.state).toBe('closed');
    call('failure', 1, by('cleo'));
    expect(breaker.state).toBe('open');
  });

  it('R-27 opens at ten calls of each of two callers, and for calls of the service itself', () => {
    call('failure', 10, by('ann'));
    call('failure', 9, by('ben'));
    expect(breaker.state).toBe('closed');
    call('failure', 1, by('ben'));
    expect(breaker.state).toBe('open');
    breaker = new Breaker('exchange', () => nowMs);
    call('failure', 11, by('ann'));
    call('failure', 9);
    expect(breaker.state).toBe('closed');
    call('failure');
    expect(breaker.state).toBe('open');
  });

  it('R-27 tries one call of each of five callers and one cancel of everybody', () => {
    call('failure', 20);
    nowMs += 5_000;
    for (const caller of ['a', 'b', 'c', 'd', 'e']) {
      expect(refusal(by(caller))).toBeNull();
      breaker.enter(by(caller));
      expect(refusal(by(caller, 'order'))).not.toBeNull();
    }
    expect(refusal(by('f'))).not.toBeNull();
    for (const caller of ['a', 'f']) {
      expect(refusal(by(caller, 'cancel'))).toBeNull();
      breaker.enter(by(caller, 'cancel'));
      expect(refusal(by(caller, 'cancel'))).not.toBeNull();
    }
    breaker.enter(by('g', 'cancel'))('success');
    expect(breaker.state).toBe('closed');
  });

  it('R-27 lets a cancel go while the trial read has no answer, but none while it is open', () => {
    call('failure', 20);
    expect(refusal(CANCEL)).not.toBeNull();
    nowMs += 5_000;
    breaker.enter(READ);
    const record = breaker.enter(CANCEL);
    expect(refusal(CANCEL)).not.toBeNull();
    record('success');
    expect(breaker.state).toBe('closed');
  });

  it('R-27 hears the failed trials of one caller once, so that they keep nobody else out', () => {
    call('failure', 20);
    nowMs += 5_000;
    call('failure', 1, by('ann'));
    expect(breaker.state).toBe('open');
    nowMs += 5_000;
    call('failure', 3, by('ann'));
    expect(breaker.state).toBe('half_open');
    expect(refusal(by('ben'))).toBeNull();
    call('failure', 1, by('ben'));
    expect(breaker.state).toBe('open');
    nowMs += 5_000;
    call('success', 1, by('ann'));
    expect(breaker.state).toBe('closed');
  });
});
