import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';

const SMOKE = join(import.meta.dirname, '..', 'bench', 'smoke.mjs');

interface Counted {
  readonly count: number;
  readonly p50: number | null;
  readonly bad: Readonly<Record<string, number>>;
}

describe('npm run bench', () => {
  let groups: readonly Counted[];
  let streams: { readonly error?: string; readonly result: { changes: number; told: number; added: Counted } };

  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [SMOKE], { env: {} });
    ({ groups, streams } = JSON.parse(stdout) as { groups: Counted[]; streams: typeof streams });
  }, 30_000);

  it('counts and times what the stand-in of the exchanges answers, after its latency', () => {
    const [reads, paced, orders] = groups;
    for (const group of [reads, paced, orders]) {
      expect(group?.count).toBeGreaterThan(0);
      expect(group?.bad).toEqual({});
      expect(group?.p50).toBeGreaterThan(4);
    }
  });

  it('sends no more than an open loop is told to', () => {
    expect(groups[1]?.count).toBeLessThan(60);
  });

  it('counts each kind of bad answer by itself, and never as an answer', () => {
    expect(groups[3]).toMatchObject({ count: 0, p50: null, bad: { 'status 404': expect.any(Number) } });
  });

  it('times each change of a stream by when the exchange told it', () => {
    const { changes, told, added } = streams.result;
    expect(changes).toBeGreaterThan(10);
    expect(told).toBeGreaterThan(changes * 2);
    expect(told).toBeLessThanOrEqual(changes * 3);
    expect(added.p50).toBeLessThan(100);
  });
});
