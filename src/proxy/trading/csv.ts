/** A value of a row: what must be text, and what is made of digits, a time or a word of ours; null is an empty field. */
export interface Column<Row> {
  readonly name: string;
  readonly of: (row: Row) => string | null;
  /** Whether strangers have written it: what a spreadsheet would take for a formula gets an apostrophe. */
  readonly isText?: true;
}

const LINE_END = '\r\n';
const FORMULA = /^[=+\-@\t\r\n]/;
const TO_QUOTE = /[",\r\n]/;

function fieldOf(value: string): string {
  return TO_QUOTE.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

function safeText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function lineOf(values: readonly string[]): string {
  return values.map(fieldOf).join(',') + LINE_END;
}

/** The first line of a file (RFC 4180). */
export function headOf<Row>(columns: readonly Column<Row>[]): string {
  return lineOf(columns.map(({ name }) => name));
}

/** One line (RFC 4180). */
export function rowOf<Row>(columns: readonly Column<Row>[], row: Row): string {
  return lineOf(
    columns.map(({ of, isText }) => {
      const value = of(row) ?? '';
      return isText === true ? safeText(value) : value;
    }),
  );
}

/** A last line that says something in its first field. */
export function remarkOf<Row>(columns: readonly Column<Row>[], remark: string): string {
  return lineOf(columns.map((_column, index) => (index === 0 ? safeText(remark) : '')));
}
