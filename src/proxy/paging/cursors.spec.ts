import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AuthenticatedText } from '../../platform/crypto/authenticated-text.js';
import { Settings } from '../../platform/config/settings.js';
import { Cursors } from './cursors.js';

function cursorsWith(jwtSecret: string): Cursors {
  const environment = { NODE_ENV: 'test', PASSWORD_PEPPER: 'p'.repeat(32), JWT_SECRET: jwtSecret };
  const ENCRYPTION_KEYS = `k:${Buffer.alloc(32).toString('base64')}`;
  return new Cursors(new AuthenticatedText(Settings.read({ ...environment, ENCRYPTION_KEYS })));
}

const cursors = cursorsWith('a'.repeat(32));
const SCOPE = { exchange: 'kalshi', operation: 'markets', filters: { status: 'open', search: undefined } };
const START = cursors.read(SCOPE, 2, undefined);
const idOf = (item: { id: string }): string => item.id;

function cursorOf(next: string, first = 'a'): string {
  return cursors.next(SCOPE, START, { items: [{ id: first }], next }, idOf) ?? '';
}

describe('Cursors (contract.md 5, unified-schema.md 9)', () => {
  it('carry the exchange’s own cursor there and back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (upstream) => {
        expect(cursors.read(SCOPE, 50, cursorOf(upstream)).paging).toEqual({ limit: 50, cursor: upstream });
      }),
    );
  });

  it('end with null', () => {
    expect(cursors.next(SCOPE, START, { items: [{ id: 'a' }], next: null }, idOf)).toBeNull();
  });

  it.each([
    ['another exchange', { ...SCOPE, exchange: 'polymarket' }],
    ['another operation', { ...SCOPE, operation: 'events' }],
    ['other filters', { ...SCOPE, filters: { status: 'closed' } }],
    ['another user', { ...SCOPE, userId: 'usr_1' }],
  ])('are refused for %s', (_, scope) => {
    expect(() => cursors.read(scope, 2, cursorOf('x'))).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });

  it('are refused when any character is changed', () => {
    const cursor = cursorOf('upstream');
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...Array.from('ABCxyz019-_')), (at, character) => {
        fc.pre(cursor[at] !== character);
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
        expect(() => cursors.read(SCOPE, 2, changed)).toThrow(expect.objectContaining({ code: 'bad_request' }));
      }),
    );
  });

  it('are refused under another server key', () => {
    expect(() => cursorsWith('b'.repeat(32)).read(SCOPE, 2, cursorOf('x'))).toThrow(
      expect.objectContaining({ code: 'bad_request' }),
    );
  });

  it('turn a page that repeats itself into exchange_error', () => {
    const second = cursors.read(SCOPE, 2, cursorOf('c1', 'a'));
    expect(() => cursors.next(SCOPE, second, { items: [{ id: 'b' }], next: 'c1' }, idOf)).toThrow(
      expect.objectContaining({ code: 'exchange_error' }),
    );
    expect(cursors.next(SCOPE, second, { items: [{ id: 'b' }], next: 'c2' }, idOf)).not.toBeNull();
  });

  /** How many pages a client gets before the list ends or fails; `at` gives the exchange's page of a cursor. */
  const walk = (
    at: (cursor: string | null) => { items: { id: string }[]; next: string | null },
  ): number | 'endless' => {
    let cursor: string | undefined;
    for (let pages = 1; pages < 2_000; pages++) {
      const from = cursors.read(SCOPE, 2, cursor);
      try {
        cursor = cursors.next(SCOPE, from, at(from.paging.cursor), idOf) ?? undefined;
      } catch {
        return pages;
      }
      if (cursor === undefined) return pages;
    }
    return 'endless';
  };

  it('end a walk that turns in circles, whatever comes before and however long the circle is', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 40 }), fc.boolean(), (tail, circle, isEmpty) => {
        const pageOf = (step: number): number => (step < tail ? step : tail + ((step - tail) % circle));
        const byCursor = walk((cursor) => {
          const page = pageOf(Number(cursor ?? 0));
          return { items: isEmpty ? [] : [{ id: `id-${page}` }], next: String(pageOf(page + 1)) };
        });
        // The cursors go on, but the pages come again.
        const byPage = walk((cursor) => {
          const step = Number(cursor ?? 0);
          return { items: [{ id: `id-${pageOf(step)}` }], next: String(step + 1) };
        });
        expect(byCursor).toBeLessThan(3 * (tail + circle) + 4);
        expect(byPage).toBeLessThan(12 * (tail + circle) + 12);
      }),
    );
  });

  it.each([1, 2, 3])('walk a list of pages of %i that grows while it is walked, and lose no item of it', (size) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 * size }), { maxLength: 30 }), (growth) => {
        // No more than five pages in a row show the same: a list that grows as fast as it is read has no end.
        fc.pre(!growth.some((_, at) => at >= 4 && growth.slice(at - 4, at + 1).every((by) => by >= size)));
        const mine = { ...SCOPE, userId: 'usr_1' };
        const list = Array.from({ length: 20 }, (_, number) => ({ id: `old-${number}` }));
        const shown: string[] = [];
        let cursor: string | undefined;
        for (const by of [0, ...growth, ...Array.from({ length: 100 }, () => 0)]) {
          for (let i = 0; i < by; i += 1) list.unshift({ id: `new-${list.length}` });
          const from = cursors.read(mine, size, cursor);
          const offset = Number(from.paging.cursor ?? 0);
          const [items, end] = [list.slice(offset, offset + size), offset + size];
          const page = cursors.list(mine, from, { items, next: end < list.length ? String(end) : null }, idOf);
          shown.push(...page.data.map(({ id }) => id));
          cursor = page.next_cursor ?? undefined;
          if (cursor === undefined) break;
        }
        expect(shown.filter((id) => id.startsWith('old'))).toEqual(expect.arrayContaining(list.slice(-20).map(idOf)));
        // Of larger pages those in the middle may show again.
        const inTurn = shown.filter((id, at) => size < 3 && shown[at - 1] === id);
        expect(inTurn).toEqual([]);
      }),
    );
  });

  it('walk a long list to its end', () => {
    expect(walk((cursor) => ({ items: [{ id: `id-${cursor ?? ''}` }], next: String(Number(cursor ?? 0) + 1) }))).toBe(
      'endless',
    );
    const last = walk((cursor) => {
      const step = Number(cursor ?? 0);
      return { items: step % 3 === 0 ? [] : [{ id: `id-${step}` }], next: step === 700 ? null : String(step + 1) };
    });
    expect(last).toBe(701);
  });
});
