import type { ReactNode } from 'react';
import type { Market } from '../../api/client.js';
import { plainText } from '../foreign-text.js';
import { Segmented } from '../markets/segmented.js';

/** Of an outcome on a button and in a heading, in signs. */
const LABEL = 60;

type Outcome = Market['outcomes'][number];

/** What an outcome is called where no element can stand; with its index where another one of the market looks the same. */
export function outcomeName({ index, label }: Outcome, { outcomes }: Pick<Market, 'outcomes'>): string {
  const name = plainText(label, LABEL);
  const isAlone = outcomes.every((one) => one.index === index || plainText(one.label, LABEL) !== name);
  return isAlone ? name : `${name} (outcome ${index})`;
}

interface SwitchProps {
  readonly label: string;
  readonly market: Market;
  readonly outcome: Outcome;
  readonly onChoose: (index: number) => void;
}

/** Chooses the one outcome of which the page shows book and candles, and that the ticket is of. */
export function OutcomeSwitch({ label, market, outcome, onChoose }: SwitchProps): ReactNode {
  return (
    <Segmented
      label={label}
      options={market.outcomes.map((one) => ({ value: String(one.index), label: outcomeName(one, market) }))}
      value={String(outcome.index)}
      onChange={(chosen) => {
        onChoose(Number(chosen));
      }}
    />
  );
}
