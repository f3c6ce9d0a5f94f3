import type { Column } from './columns.js';

/** What a spreadsheet would take for a formula, full-width forms included. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const DECIMAL = /^-?\d+(\.\d+)?$/;

/** A cell as text in quotes; what an exchange wrote never becomes a formula, and a number stays one. */
function cell(value: string | null): string {
  const text = value ?? '';
  const safe = FORMULA.test(text) && !DECIMAL.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** All rows as RFC 4180 has them, the names of the columns first. */
function csvOf<T>(columns: readonly Column<T>[], rows: readonly T[]): string {
  const fields = columns.flatMap(({ id, value }) => (value === undefined ? [] : [{ id, value }]));
  const lines = [fields.map(({ id }) => id), ...rows.map((row) => fields.map(({ value }) => value(row)))];
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

/** Hands a file to the browser. */
export function save(name: string, file: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Hands rows to the browser as a file. */
export function saveCsv<T>(name: string, columns: readonly Column<T>[], rows: readonly T[]): void {
  save(name, new Blob([csvOf(columns, rows)], { type: 'text/csv;charset=utf-8' }));
}
