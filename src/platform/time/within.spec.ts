import { describe, expect, it } from '@jest/globals';
import { within } from './within.js';

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
const never = new Promise<never>(() => undefined);

describe('within', () => {
  it('returns what the work returns, throws what it throws, and leaves no timer', async () => {
    const late = (): never => {
      throw new Error('late');
    };
    const before = timers();
    expect(await within(60_000, Promise.resolve(1), late)).toBe(1);
    await expect(within(60_000, Promise.reject(new Error('away')), late)).rejects.toThrow('away');
    expect(timers()).toBe(before);
  });

  it('returns or throws what is said for work that takes too long', async () => {
    expect(await within(1, never, () => 'late')).toBe('late');
    const refuse = (): never => {
      throw new Error('too long');
    };
    await expect(within(1, never, refuse)).rejects.toThrow('too long');
  });

  it('hears no failure of work that was late', async () => {
    const slow = new Promise<void>((_, reject) => setTimeout(reject, 20, new Error('away')));
    expect(await within(1, slow, () => 'late')).toBe('late');
    await expect(slow).rejects.toThrow('away');
  });
});
