import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { boundedList } from './wire-list.js';

describe('boundedList', () => {
  it('S-53 reads no entry of an inner list again where the last one does not fit', () => {
    const seen: number[] = [];
    const entry = z.number().refine((value) => {
      seen.push(value);
      return value < 10;
    }, 'too much');
    const events = boundedList(z.object({ markets: boundedList(entry) }));
    const body = [{ markets: [1, 2, 3, 10] }];
    for (let i = 0; i < 2; i += 1) {
      expect(events.safeParse(body).error?.issues).toEqual([
        { code: 'custom', message: 'too much', path: [0, 'markets', 3] },
      ]);
    }
    expect(seen.filter((value) => value === 1)).toHaveLength(1);
    expect(events.parse([{ markets: [1] }])).toEqual([{ markets: [1] }]);
  });
});
