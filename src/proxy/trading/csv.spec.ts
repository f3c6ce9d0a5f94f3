import { describe, expect, it } from '@jest/globals';
import { type Column, headOf, remarkOf, rowOf } from './csv.js';
import { type CsvFile, textsOf } from './csv-files.js';

interface Row {
  readonly title: string | null;
  readonly gain: string | null;
  readonly at: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { name: 'title', of: ({ title }) => title, isText: true },
  { name: 'gain', of: ({ gain }) => gain },
  { name: 'at', of: ({ at }) => at },
];
const row = (title: string | null, gain: string | null = '1'): string => rowOf(COLUMNS, { title, gain, at: 'T' });

describe('CSV (RFC 4180)', () => {
  it.each([
    ['plain', 'plain'],
    ['a, b', '"a, b"'],
    ['say "no"', '"say ""no"""'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['ünïcode 🎲', 'ünïcode 🎲'],
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://x", "y")', `"'=HYPERLINK(""http://x"", ""y"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', `"'\r=1"`],
    ['\n=1', `"'\n=1"`],
    ['a=1', 'a=1'],
    ['', ''],
    [null, ''],
  ])('text %j is the field %j', (text, field) => {
    expect(row(text)).toBe(`${field},1,T\r\n`);
  });

  it.each(['-0.5', '0', '1234567890.000000000000000001', '-1'])('the decimal %s never gets an apostrophe', (gain) => {
    expect(row('t', gain)).toBe(`t,${gain},T\r\n`);
  });

  it('names its columns first, and every line has as many fields', () => {
    expect(headOf(COLUMNS)).toBe('title,gain,at\r\n');
    expect(remarkOf(COLUMNS, '=so, no')).toBe(`"'=so, no",,\r\n`);
    expect(row(null, null)).toBe(',,T\r\n');
  });
});

describe('a list as a CSV file', () => {
  const rowAt = (n: number): Row => ({ title: `r${n}`, gain: '0', at: new Date(1_000_000 - n).toISOString() });
  const page = (from: number, count: number, next: string | null) => ({
    data: Array.from({ length: count }, (_, index) => rowAt(from + index)),
    next_cursor: next,
  });
  const linesOf = async (pages: ReturnType<typeof page>[], most: number): Promise<string[]> => {
    const file: CsvFile<Row> = {
      name: 'x.csv',
      columns: COLUMNS,
      read: (cursor) => Promise.resolve(pages[Number(cursor)] ?? page(0, 0, null)),
      timeOf: ({ at }) => at,
    };
    let text = '';
    for await (const part of textsOf(file, pages[0] ?? page(0, 0, null), most)) text += part;
    return text.split('\r\n').slice(0, -1);
  };

  it.each([
    ['nothing', [page(0, 0, null)], 3, 0, false],
    ['one page', [page(0, 2, null)], 3, 2, false],
    ['as many as fit', [page(0, 2, '1'), page(2, 1, null)], 3, 3, false],
    ['one too many', [page(0, 2, '1'), page(2, 2, null)], 3, 3, true],
    ['a whole page too many', [page(0, 3, '1'), page(3, 2, null)], 3, 3, true],
    ['empty pages between', [page(0, 1, '1'), page(1, 0, '2'), page(1, 2, null)], 3, 3, false],
  ] as const)('%s', async (_name, pages, most, rows, isCut) => {
    const lines = await linesOf([...pages], most);
    expect(lines.slice(1, rows + 1).map((line) => line.split(',')[0])).toEqual(
      Array.from({ length: rows }, (_, index) => `r${index}`),
    );
    const cut =
      'A file has at most 3 rows: older ones are left out. Ask again with end=1970-01-01T00:16:39.999Z; rows of 1970-01-01T00:16:39.998Z come again,,';
    expect(lines.slice(rows + 1)).toEqual(isCut ? [cut] : []);
  });
});
