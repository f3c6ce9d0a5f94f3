import type { ReactNode } from 'react';
import { ui } from './ui.js';

/** The head of a column; of one of numbers, which stand at the end of their cells. */
type Head = readonly [name: string, isNumber?: boolean];

interface TableProps {
  readonly label: string;
  readonly heads: readonly Head[];
  readonly className?: string | undefined;
  /** Rows of the body. */
  readonly children: ReactNode;
}

/** A table that scrolls in a box of its own where it is wider than the page, by keyboard too. */
export function Table({ label, heads, className = '', children }: TableProps): ReactNode {
  return (
    <div className={ui.scroll} tabIndex={0} role="region" aria-label={`${label}, a table`}>
      <table className={`${ui.table ?? ''} ${className}`}>
        <thead>
          <tr>
            {heads.map(([name, isNumber = false]) => (
              <th key={name} scope="col" className={isNumber ? ui.number : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
