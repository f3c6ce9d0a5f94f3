import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Breaker, type GuardedCall, type Proof } from './breaker.js';
import type { Priority } from './priority.js';
import type { UpstreamError } from './upstream-client.js';

let nowMs = 0;
let breaker = new Breaker('exchange', () => nowMs);

const READ = { caller: undefined, priority: 'read' } as const;
const CANCEL = { caller: undefined, priority: 'cancel' } as const;
const by = (caller: string, priority: Priority = 'read'): GuardedCall => ({ caller, priority });

function call(proof: Proof, times = 1, guarded: GuardedCall = READ): void {
  for (let i = 0; i < times; i++) breaker.enter(guarded)(proof);
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

describe('Breaker (security.md 1, R-11)', () => {
  it('opens at half of at least 20 calls, for 5 s, without a byte sent', () => {
    call('alive', 10);
    call('failing', 9);
    expect(breaker.state).toBe('closed');
    call('failing');
    expect(breaker.state).toBe('open');
    expect(refusal()).toMatchObject({ failure: 'paused', sent: false, options: { retryAfterSeconds: 5 } });
    nowMs += 4_500;
    expect(refusal()?.options.retryAfterSeconds).toBe(1);
  });

  it('stays closed below 20 calls, however many fail', () => {
    call('failing', 19);
    expect(breaker.state).toBe('closed');
  });

  it('stays closed below half', () => {
    call('alive', 51);
    call('failing', 49);
    expect(breaker.state).toBe('closed');
  });

  it('forgets calls older than 10 s', () => {
    call('failing', 19);
    nowMs += 10_000;
    call('failing', 19);
    expect(breaker.state).toBe('closed');
    call('failing');
    expect(breaker.state).toBe('open');
  });

  it('does not count calls that prove nothing', () => {
    call('nothing', 100);
    call('failing', 19);
    expect(breaker.state).toBe('closed');
  });

  it('lets one trial call go after 5 s, and closes when it succeeds', () => {
    call('failing', 20);
    nowMs += 5_000;
    expect(breaker.state).toBe('half_open');
    const tell = breaker.enter(READ);
    expect(refusal()).toMatchObject({ failure: 'paused', options: { retryAfterSeconds: 1 } });
    tell('alive');
    expect(breaker.state).toBe('closed');
    call('failing', 19);
    expect(breaker.state).toBe('closed');
  });

  it('opens for 5 s more when the trial call fails', () => {
    call('failing', 20);
    nowMs += 5_000;
    call('failing');
    expect(breaker.state).toBe('open');
    nowMs += 4_999;
    expect(refusal()).not.toBeNull();
    nowMs += 1;
    expect(refusal()).toBeNull();
  });

  it('tries again at once when the trial call proved nothing', () => {
    call('failing', 20);
    nowMs += 5_000;
    call('nothing');
    expect(refusal()).toBeNull();
    call('alive');
    expect(breaker.state).toBe('closed');
  });

  it('hears nothing from calls that began before it opened', () => {
    const early = Array.from({ length: 60 }, () => breaker.enter(READ));
    const tell = (proof: Proof, from: number): void => {
      for (const each of early.slice(from, from + 20)) each(proof);
    };
    call('failing', 20);
    nowMs += 3_000;
    tell('failing', 0);
    nowMs += 2_000;
    const probe = breaker.enter(READ);
    tell('alive', 20);
    expect(breaker.state).toBe('half_open');
    probe('alive');
    tell('failing', 40);
    expect(breaker.state).toBe('closed');
  });

  it('R-27 opens only where the calls of others fail too, whichever one caller is left out', () => {
    call('failing', 200, by('ann'));
    call('alive', 30, by('ben'));
    call('failing', 9, by('cleo'));
    expect(breaker.state).toBe('closed');
    call('failing', 20, by('ben'));
    expect(breaker.state).toBe('closed');
    call('failing', 1, by('cleo'));
    expect(breaker.state).toBe('open');
  });

  it('R-27 opens at ten calls of each of two callers, and for calls of the service itself', () => {
    call('failing', 10, by('ann'));
    call('failing', 9, by('ben'));
    expect(breaker.state).toBe('closed');
    call('failing', 1, by('ben'));
    expect(breaker.state).toBe('open');
    breaker = new Breaker('exchange', () => nowMs);
    call('failing', 11, by('ann'));
    call('failing', 9);
    expect(breaker.state).toBe('closed');
    call('failing');
    expect(breaker.state).toBe('open');
  });

  it('R-27 tries one call of each of five callers and one cancel of everybody', () => {
    call('failing', 20);
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
    breaker.enter(by('g', 'cancel'))('alive');
    expect(breaker.state).toBe('closed');
  });

  it('R-27 lets a cancel go while the trial read has no answer, but none while it is open', () => {
    call('failing', 20);
    expect(refusal(CANCEL)).not.toBeNull();
    nowMs += 5_000;
    breaker.enter(READ);
    const tell = breaker.enter(CANCEL);
    expect(refusal(CANCEL)).not.toBeNull();
    tell('alive');
    expect(breaker.state).toBe('closed');
  });

  it('R-27 hears the failed trials of one caller once, so that they keep nobody else out', () => {
    call('failing', 20);
    nowMs += 5_000;
    call('failing', 1, by('ann'));
    expect(breaker.state).toBe('open');
    nowMs += 5_000;
    call('failing', 3, by('ann'));
    expect(breaker.state).toBe('half_open');
    expect(refusal(by('ben'))).toBeNull();
    call('failing', 1, by('ben'));
    expect(breaker.state).toBe('open');
    nowMs += 5_000;
    call('alive', 1, by('ann'));
    expect(breaker.state).toBe('closed');
  });
});
