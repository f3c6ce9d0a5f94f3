/** What a spreadsheet would take for a formula, full-width forms included. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const DECIMAL = /^-?\d+(\.\d+)?$/;

/** A cell as text in quotes; what an exchange wrote never becomes a formula, and a number stays one. */
function cell(value: string | null): string {
  const text = value ?? '';
  const safe = FORMULA.test(text) && !DECIMAL.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

/** Rows as RFC 4180 has them, the names of the columns first. */
export function csvOf(rows: readonly (readonly (string | null)[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** Hands a text to the browser as a file. */
export function saveCsv(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
