import { describe, expect, it } from '@jest/globals';
import type { FillDto } from '../../exchanges/unified.trading.dto.js';
import { FillPosition, readPosition, shortDigest } from './fill-position.js';

const NOW = Date.UTC(2026, 10, 27, 12);

function fill(id: string, status: FillDto['status'], agoMs = 0): FillDto {
  return { id, status, timestamp: new Date(NOW - agoMs).toISOString() } as FillDto;
}

/** As it comes back from a client. */
function sentBack(position: FillPosition): unknown {
  return JSON.parse(JSON.stringify(position.at(NOW)));
}

describe('contract.md 5.14 where a reader of fills goes on', () => {
  const account = shortDigest('account');
  const filters = shortDigest('filters');

  it('says what was told, in which state, and when what is pending was', () => {
    const told = new FillPosition(account, filters, null);
    for (const one of [fill('a', 'pending', 90_400), fill('b', 'pending'), fill('b', 'confirmed')]) told.note(one);
    const saved = readPosition(sentBack(told));
    expect(saved).toEqual({
      account,
      filters,
      timeMs: NOW,
      recent: [shortDigest('b')],
      pending: [[shortDigest('a'), NOW - 91_000]],
    });
    const next = new FillPosition(account, filters, saved);
    const states = [
      fill('a', 'pending'),
      fill('a', 'failed'),
      fill('b', 'pending'),
      fill('b', 'confirmed'),
      fill('c', 'pending'),
    ];
    expect(states.map((one) => next.hasTold(one))).toEqual([true, false, true, true, false]);
    expect(new FillPosition(account, shortDigest('others'), saved).hasTold(fill('b', 'confirmed'))).toBe(false);
  });

  it('is shorter than 1 KiB however much was told, and keeps the newest', () => {
    const told = new FillPosition(account, filters, null);
    for (let at = 0; at < 500; at += 1) told.note(fill(`old ${at}`, 'pending', 9e11));
    for (let at = 0; at < 500; at += 1) told.note(fill(`new ${at}`, 'confirmed'));
    const position = sentBack(told);
    expect(JSON.stringify(position).length).toBeLessThan(1_024);
    const saved = readPosition(position);
    expect([saved?.recent.length, saved?.pending.length]).toEqual([32, 50]);
    expect([saved?.recent.at(-1), saved?.pending.at(-1)?.[0]]).toEqual([
      shortDigest('new 499'),
      shortDigest('old 499'),
    ]);
  });

  it('goes on at the oldest fill that may fail yet and is not named', () => {
    const told = new FillPosition(account, filters, null);
    for (let at = 0; at < 52; at += 1) told.note(fill(`f${at}`, 'pending', (100 - at) * 1_000));
    expect(readPosition(sentBack(told))?.timeMs).toBe(NOW - 100_000);
    told.note(fill('f0', 'failed'));
    expect(readPosition(sentBack(told))?.timeMs).toBe(NOW - 99_000);
    told.note(fill('f1', 'confirmed'));
    expect(readPosition(sentBack(told))?.timeMs).toBe(NOW);
  });

  it('is refused where it is of another form, and none is a new start', () => {
    expect(readPosition(null)).toBeNull();
    for (const wrong of [
      7,
      {},
      { a: account, f: filters, t: -1, n: '', p: '' },
      { a: account, f: filters, t: 1, n: '' },
    ])
      expect(() => readPosition(wrong)).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
});
