import { badField } from '../../../platform/errors/app-error.js';
import { complement, type Decimal } from '../../decimal.js';
import type { OutcomeRefDto } from '../../unified.market-data.dto.js';

/** 0 is YES, 1 is NO, on every market (unified-schema.md 1). */
export type OutcomeIndex = 0 | 1;

const NAMES = ['yes', 'no'] as const;
const LABELS = ['Yes', 'No'] as const;

export function outcomeOf(ticker: string, index: OutcomeIndex): OutcomeRefDto {
  return { id: `${ticker}:${NAMES[index]}`, index, label: LABELS[index] };
}

export function outcomeIndexOf(side: 'yes' | 'no'): OutcomeIndex {
  return side === 'yes' ? 0 : 1;
}

/** A price in terms of one outcome, told in terms of YES, or the other way round. */
export function priceFor(index: OutcomeIndex, yesPrice: Decimal): Decimal {
  return index === 0 ? yesPrice : complement(yesPrice);
}

/** The outcome that a client names: `0`, `1`, `yes`, `no` (its label) or the outcome's id, in any case of letters. */
export function findOutcome(ticker: string, name: string | number): OutcomeIndex | null {
  const text = String(name).toLowerCase();
  const names = ([0, 1] as const).map((index) => [
    String(index),
    NAMES[index],
    `${ticker.toLowerCase()}:${NAMES[index]}`,
  ]);
  if (names[0]?.includes(text)) return 0;
  return names[1]?.includes(text) ? 1 : null;
}

/** The same; throws `bad_request` on `outcome` where there is none. */
export function resolveOutcome(ticker: string, name: string | number): OutcomeIndex {
  const index = findOutcome(ticker, name);
  if (index !== null) return index;
  throw badField('outcome', 'must be 0, 1, "yes", "no" or the id of an outcome of this market');
}
