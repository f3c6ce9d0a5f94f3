import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import type { ReactNode } from 'react';
import css from './markets.module.css';

interface SegmentedProps<T extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** One of a few; always one is chosen. */
export function Segmented<T extends string>({ label, options, value, onChange }: SegmentedProps<T>): ReactNode {
  return (
    <ToggleGroup
      className={css.segmented}
      aria-label={label}
      value={[value]}
      onValueChange={([chosen]) => {
        const option = options.find((one) => one.value === chosen);
        if (option !== undefined) onChange(option.value);
      }}
    >
      {options.map((option) => (
        <Toggle key={option.value} value={option.value} className={css.toggle}>
          {option.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
