import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type published from '../../../test/vectors/vectors-polymarket-2026.json';
import { isPositionId, narrowConditionId, positionId, wideConditionId } from './position-id.js';

const file = new URL('../../../test/vectors/vectors-polymarket-2026.json', import.meta.url);
const { ids, not_v2_ids } = JSON.parse(readFileSync(file, 'utf8')) as typeof published;

describe('ids of V2 markets (polymarket.md 2.2)', () => {
  it.each(ids.map((vector) => [vector.name, vector] as const))('builds %s from its parts', (_name, vector) => {
    const { module, base_hash, arity, condition_index } = vector.layout;
    const condition = { module: module as 1 | 3, baseHash: base_hash.slice(2), arity, index: condition_index };
    const wide = wideConditionId(condition);
    expect(wide).toBe(vector.condition_id_64);
    expect(narrowConditionId(wide)).toBe(vector.condition_id_62);
    expect(positionId(wide, vector.outcome_index as 0 | 1)).toBe(vector.position_id);
    expect(isPositionId(vector.position_id)).toBe(true);
  });

  it('puts arity and index of a neg-risk condition around the reserved bits', () => {
    const wide = wideConditionId({ module: 2, baseHash: 'ab'.repeat(16), arity: 3, index: 258 });
    expect(wide).toBe(`0x02${'ab'.repeat(16)}0003${'0'.repeat(16)}0000010200`);
    expect(isPositionId(positionId(wide, 1))).toBe(true);
  });

  it.each([...not_v2_ids.map(({ position_id }) => position_id), '0', '1', ((5n << 248n) + 1n).toString()])(
    'knows that %s is none',
    (id) => {
      expect(isPositionId(id)).toBe(false);
    },
  );
});
