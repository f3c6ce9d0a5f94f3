import {
  type ColumnDef,
  createSortedRowModel,
  type Row,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/react-table';
import type { ReactNode } from 'react';

/** How a column is drawn. */
interface Drawn<T> {
  readonly head: string;
  /** Said in the head, and not in each cell. */
  readonly unit?: string | undefined;
  /** What the values are: it says how rows are sorted, and how a cell without content of its own looks. */
  readonly kind?: 'text' | 'number' | 'time';
  /** The least in pixels; what is left is shared in the same proportions. */
  readonly width: number;
  /**
   * Where it stands in a narrow table, which has two lines a row: the name of the row is the first, with what can be done at its
   * end; of the second these have each a share. Others are left out there.
   */
  readonly narrow?: 'name' | 'act' | number;
  /** Those of the second line that have more come later. */
  readonly narrowOrder?: number;
  /** Its content; of a number, with the places that its column has. */
  readonly cell?: (row: T, places: number) => ReactNode;
}

/** A column of a table, of its file, or of both. */
export interface Column<T> {
  /** What the file calls it. */
  readonly id: string;
  /** As the API states it: so it stands in a file, and rows are sorted by it. A column without it is in no file. */
  readonly value?: (row: T) => string | null;
  /** Left out where it is in the file alone. */
  readonly drawn?: Drawn<T>;
}

export type DrawnColumn<T> = Column<T> & { readonly drawn: Drawn<T> };

export function drawnOf<T>(columns: readonly Column<T>[]): DrawnColumn<T>[] {
  return columns.filter((column): column is DrawnColumn<T> => column.drawn !== undefined);
}

export const FEATURES = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

const WORDS = new Intl.Collator(undefined, { numeric: true });

type Key = string | number | undefined;

/** What rows are compared by: never exact amounts, which are for the cells. */
function keyOf(value: string | null, kind: Drawn<unknown>['kind']): Key {
  if (value === null) return undefined;
  if (kind === 'number') return Number(value);
  return kind === 'time' ? Date.parse(value) : value;
}

function compare<T extends object>(one: Row<typeof FEATURES, T>, other: Row<typeof FEATURES, T>, id: string): number {
  const [a, b] = [one.getValue<Key>(id), other.getValue<Key>(id)];
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return WORDS.compare(String(a), String(b));
}

/** As TanStack Table wants it: numbers and times begin with the greatest; what is not stated comes last. */
export function definitionOf<T extends object>({ id, value, drawn }: DrawnColumn<T>): ColumnDef<typeof FEATURES, T> {
  if (value === undefined) return { id, enableSorting: false };
  return {
    id,
    accessorFn: (row) => keyOf(value(row), drawn.kind),
    sortFn: compare,
    sortUndefined: 'last',
    sortDescFirst: drawn.kind === 'number' || drawn.kind === 'time',
  };
}
