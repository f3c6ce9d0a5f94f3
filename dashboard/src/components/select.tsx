import type { ComponentProps, ReactNode } from 'react';
import { ui } from './ui.js';

interface SelectProps extends ComponentProps<'select'> {
  readonly label: string;
  readonly options: readonly (readonly [value: string, name: string])[];
}

/** One of a list. */
export function Select({ label, options, ...select }: SelectProps): ReactNode {
  return (
    <label className={ui.field}>
      <span className={ui.label}>{label}</span>
      <select className={ui.input} {...select}>
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
