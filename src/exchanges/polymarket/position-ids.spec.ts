import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { isCombo, isV2Condition, positionOf, wideId, widthsOf } from './position-ids.js';

interface Published {
  readonly ids: readonly {
    readonly name: string;
    readonly position_id: string;
    readonly condition_id_62: string;
    readonly condition_id_64: string;
    readonly outcome_index: number;
    readonly layout: { readonly module: number };
  }[];
  readonly not_v2_ids: readonly { readonly position_id: string }[];
}

const file = new URL('../../../test/vectors/vectors-polymarket-2026.json', import.meta.url);
const { ids, not_v2_ids: others } = JSON.parse(readFileSync(file, 'utf8')) as Published;

describe('the ids of V2 markets', () => {
  it.each(ids.map((vector) => [vector.name, vector] as const))(
    'polymarket.md 2.2 splits %s into condition and outcome, and pads its condition',
    (_name, { position_id: id, condition_id_62: narrow, condition_id_64: wide, outcome_index, layout }) => {
      expect(positionOf(id)).toEqual({ conditionId: wide, outcomeIndex: outcome_index, isV2: true });
      expect([wideId(narrow), wideId(wide), wideId(narrow.toUpperCase().replace('0X', '0x'))]).toEqual([
        wide,
        wide,
        wide,
      ]);
      expect(widthsOf(wide)).toEqual([wide, narrow]);
      expect([isV2Condition(wide), isCombo(wide)]).toEqual([true, layout.module === 3]);
    },
  );

  it.each(others)('polymarket.md 2.2 takes $position_id for no V2 position', ({ position_id: id }) => {
    const position = positionOf(id);
    expect(position).toMatchObject({ isV2: false });
    expect(isV2Condition(position?.conditionId ?? '')).toBe(false);
  });

  it.each(['', '0x12', '-1', '1.5', '01', 'abc', (2n ** 256n).toString(), '9'.repeat(100_000)])(
    'polymarket.md 2.2 splits no %s',
    (id) => {
      expect(positionOf(id)).toBeNull();
    },
  );

  it.each(['5', '0', (2n ** 256n - 1n).toString()])('polymarket.md 2.2 takes %s for no V2 position', (id) => {
    expect(positionOf(id)).toMatchObject({ isV2: false });
  });

  it('polymarket.md 2.3 leaves a V1 condition id as it is, and takes a combination by its shape, not its first byte', () => {
    const v1 = `0x03${'9'.repeat(62)}`;
    expect([wideId(v1), widthsOf(v1), isCombo(v1), isV2Condition(v1)]).toEqual([v1, [v1], false, false]);
    expect(wideId('Some-Slug')).toBe('some-slug');
  });
});
