import { badField } from '../../../platform/errors/app-error.js';
import type { OutcomeRef, Outcomes } from './market.mapper.js';

type Index = 0 | 1;

const BY_POSITION = new Map<string, Index>([
  ['0', 0],
  ['1', 1],
]);
const BY_ALIAS = new Map<string, Index>([
  ['yes', 0],
  ['no', 1],
]);

/**
 * The outcome that a client names by `0` or `1`, its id, its label, or `yes` or `no` (unified.md 1). A label goes before the
 * alias, so that `yes` is the outcome called "Yes" wherever there is one. Throws `bad_request` on `outcome`.
 */
export function resolveOutcome(outcomes: Outcomes, name: string): OutcomeRef {
  const lower = name.toLowerCase();
  const named = outcomes.find(({ id, label }) => id === name || label.toLowerCase() === lower);
  const index = BY_POSITION.get(name) ?? named?.index ?? BY_ALIAS.get(lower);
  if (index === undefined) throw badField('outcome', 'must be 0, 1, yes, no, an outcome id or a label of this market');
  return outcomes[index];
}
