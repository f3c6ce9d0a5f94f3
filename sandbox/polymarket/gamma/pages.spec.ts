import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../../wire/refusal.js';
import { pageOf, pageQuery } from './pages.js';

const SORTABLE = new Set(['id', 'volumeNum']);
const entries = Array.from({ length: 150 }, (_unused, at) => ({
  id: String(at + 1),
  ...(at % 10 === 0 ? {} : { volumeNum: at % 7 }),
}));

function page(query: string): ReturnType<typeof pageOf<(typeof entries)[number]>> {
  return pageOf(entries, pageQuery(new URLSearchParams(query), SORTABLE));
}

describe('keyset pages (polymarket.md 4)', () => {
  it('hold 20 entries unless asked otherwise and 100 at most', () => {
    expect(page('').items).toHaveLength(20);
    expect(page('limit=100').items).toHaveLength(100);
    expect(page('limit=101').items).toHaveLength(100);
    expect(() => page('limit=0')).toThrow(Refusal);
    expect(() => page('limit=x')).toThrow(Refusal);
  });

  it.each(['', 'order=volumeNum', 'order=volumeNum&ascending=false', 'order=volumeNum,id'])(
    'visit every entry once in the order "%s", those without a value last',
    (order) => {
      const seen: (typeof entries)[number][] = [];
      let cursor: string | undefined;
      do {
        const { items, cursor: next } = page(
          `limit=13&${order}${cursor === undefined ? '' : `&after_cursor=${cursor}`}`,
        );
        seen.push(...items);
        cursor = next;
      } while (cursor !== undefined);
      expect(new Set(seen.map((entry) => entry.id)).size).toBe(150);
      expect(seen).toHaveLength(150);
      const valueless = seen.slice(-15).every((entry) => !('volumeNum' in entry));
      expect(valueless).toBe(order !== '');
    },
  );

  it('start anew nowhere: a cursor goes on after its entry though that is gone', () => {
    const first = page('limit=10');
    const left = entries.filter((entry) => entry.id !== '10');
    const next = pageOf(
      left,
      pageQuery(new URLSearchParams({ limit: '1', after_cursor: first.cursor ?? '' }), SORTABLE),
    );
    expect(next.items.map((entry) => entry.id)).toEqual(['11']);
  });
});
