import type { ReactNode } from 'react';
import { CopyButton, ui } from '../ui.js';

interface AddressProps {
  readonly value: string;
  /** As `the address of the wallet`. */
  readonly what: string;
}

/** A public address, to be read whole and copied. */
export function Address({ value, what }: AddressProps): ReactNode {
  return (
    <span className={ui.row}>
      <code>{value}</code>
      <CopyButton text={value} what={what} />
    </span>
  );
}
