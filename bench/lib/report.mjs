import { TITLES } from './subjects.mjs';

const number = (value, digits) => (value === null || value === undefined ? '–' : value.toFixed(digits));
const times = (value) => (value === null ? '–' : value.toFixed(value < 10 ? 2 : 1));

/** Bad answers by kind, as words; empty where there were none. */
export function badWords(bad) {
  return Object.entries(bad)
    .map(([kind, count]) => `${count} × ${kind}`)
    .join(', ');
}

const COLUMNS = ['', 'CPU µs', '× ours', 'requests/s', 'p50 ms', 'p99 ms', 'p99.9 ms', 'bad answers'];

/** The rows of one case: one for each subject. */
function rowsOf(results) {
  const own = results.ours?.cpuUs;
  return Object.entries(results).map(([name, result]) => [
    TITLES[name],
    number(result.cpuUs, 0),
    own ? number(result.cpuUs / own, 2) : '–',
    number(result.rate, 0),
    times(result.p50),
    times(result.p99),
    times(result.p999),
    badWords(result.bad) || '0',
  ]);
}

function aligned(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 || column === row.length - 1 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
      )
      .join('  ')
      .trimEnd(),
  );
}

/** One case as lines for a terminal. */
export function caseText({ title, connections, upstreamMs }, results) {
  const rows = [COLUMNS, ...rowsOf(results)];
  const head = `${title} (${connections} connections, upstream ${upstreamMs} ms)`;
  return [head, ...aligned(rows).map((line) => `  ${line}`), ''].join('\n');
}
