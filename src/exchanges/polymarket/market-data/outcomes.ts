import { badField } from '../../../platform/errors/app-error.js';
import type { OutcomeRefDto } from '../../unified.market-data.dto.js';

/** The two outcomes of a market, by their position. */
export type Outcomes = [OutcomeRefDto, OutcomeRefDto];

/** Returns the outcomes of two labels and two ids; null where there are fewer or more. */
export function outcomesOf(labels: readonly string[] | null, ids: readonly string[] | null): Outcomes | null {
  const [label0, label1, ...moreLabels] = labels ?? [];
  const [id0, id1, ...moreIds] = ids ?? [];
  if (label0 === undefined || label1 === undefined || !id0 || !id1) return null;
  if (moreLabels.length > 0 || moreIds.length > 0) return null;
  return [
    { id: id0, index: 0, label: label0 },
    { id: id1, index: 1, label: label1 },
  ];
}

const BY_POSITION = new Map<string, 0 | 1>([
  ['0', 0],
  ['1', 1],
]);
const BY_ALIAS = new Map<string, 0 | 1>([
  ['yes', 0],
  ['no', 1],
]);

/** Returns the outcomes of an id or label; both where both have that label. */
export function outcomesCalled(outcomes: Outcomes, name: string): OutcomeRefDto[] {
  const wanted = labelKey(name);
  return outcomes.filter(({ id, label }) => id === name || labelKey(label) === wanted);
}

/**
 * Returns the outcome that a client names by `0` or `1`, its id, its label, or `yes` or `no` (unified-schema.md 1). A label goes before the
 * alias, so that `yes` is the outcome called "Yes" wherever there is one. Throws `bad_request` on `outcome`, also for a label
 * of both.
 */
export function resolveOutcome(outcomes: Outcomes, name: string): OutcomeRefDto {
  const [called, another] = outcomesCalled(outcomes, name);
  const alias = called === undefined ? BY_ALIAS.get(labelKey(name)) : undefined;
  const index = BY_POSITION.get(name) ?? (another === undefined ? called?.index : undefined) ?? alias;
  if (index === undefined) throw badField('outcome', 'must be 0, 1, yes, no, an outcome id or a label of this market');
  return outcomes[index];
}

/** The same for labels that differ in capitals alone. */
export function labelKey(label: string): string {
  return label.trim().toLowerCase();
}
