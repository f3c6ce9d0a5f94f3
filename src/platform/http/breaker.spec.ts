import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Breaker, type Proof } from './breaker.js';
import { UpstreamError } from './upstream-client.js';

let nowMs = 0;
let breaker = new Breaker('exchange', () => nowMs);

function call(proof: Proof, times = 1): void {
  for (let i = 0; i < times; i++) breaker.enter()(proof);
}

function refusal(): UpstreamError | null {
  try {
    breaker.check();
    return null;
  } catch (error) {
    if (error instanceof UpstreamError) return error;
    throw error;
  }
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
    const tell = breaker.enter();
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
    const early = Array.from({ length: 60 }, () => breaker.enter());
    const tell = (proof: Proof, from: number): void => {
      for (const each of early.slice(from, from + 20)) each(proof);
    };
    call('failing', 20);
    nowMs += 3_000;
    tell('failing', 0);
    nowMs += 2_000;
    const probe = breaker.enter();
    tell('alive', 20);
    expect(breaker.state).toBe('half_open');
    probe('alive');
    tell('failing', 40);
    expect(breaker.state).toBe('closed');
  });
});
