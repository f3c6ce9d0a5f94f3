import { readFile, writeFile } from 'node:fs/promises';
import { digits } from './format.mjs';
import { TITLES } from './subjects.mjs';

const times = (value) => digits(value, value < 10 ? 2 : 1);

/** Bad answers by kind, as words; empty where there were none. */
export function badWords(bad) {
  return Object.entries(bad)
    .map(([kind, count]) => `${count} × ${kind}`)
    .join(', ');
}

/** Above this share of its core the load generator, not the server, is the limit. */
const MOST_LOAD = 0.9;

/** The share of a machine that its host gives to others, from which on a case says so. */
const NOTABLY_STOLEN = 0.05;

const COLUMNS = ['', 'CPU µs', '× ours', 'database µs', 'requests/s', 'p50 ms', 'p99 ms', 'p99.9 ms', 'bad answers'];

/** The rows of one case: one for each subject. */
function rowsOf(results) {
  const own = results.ours?.cpuUs;
  return Object.entries(results).map(([name, result]) => [
    TITLES[name],
    digits(result.cpuUs, 0),
    own && result.cpuUs !== null ? digits(result.cpuUs / own, 2) : '–',
    digits(result.databaseUs, 0),
    digits(result.rate, 0) + (result.load > MOST_LOAD ? ' *' : ''),
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

/** What was measured, and on how much of the machine where that was not all of it. */
function headOf({ title, connections, upstreamMs }, results) {
  const stolen = Math.max(...Object.values(results).map((result) => result.stolen));
  const doubt =
    stolen < NOTABLY_STOLEN ? '' : `; the host gave up to ${digits(stolen * 100, 0)} % of the machine to others`;
  return `${title} (${connections} connections, upstream ${upstreamMs} ms${doubt})`;
}

/** One case as lines for a terminal. */
export function caseText(definition, results) {
  const rows = [COLUMNS, ...rowsOf(results)];
  const head = headOf(definition, results);
  return [head, ...aligned(rows).map((line) => `  ${line}`), ''].join('\n');
}

/** What a special measurement found, as lines for a terminal. */
export function specialText({ title, lines }) {
  const rows = lines.map(([name, ...rest]) => [TITLES[name], ...rest]);
  return [title, ...aligned(rows).map((line) => `  ${line}`), ''].join('\n');
}

/** Met, or by how much not. */
function verdict({ isMet, value, most }) {
  if (isMet) return 'met';
  return most === 0 ? 'missed' : `missed by ${((value / most - 1) * 100).toFixed(0)} %`;
}

function goalRows(goals) {
  return goals.map((goal) => [goal.text, `${digits(goal.value, 2)} ${goal.unit}`, verdict(goal)]);
}

/** The goals as lines for a terminal. */
export function goalsText(goals) {
  return ['goals', ...aligned([['', 'measured', ''], ...goalRows(goals)]).map((line) => `  ${line}`), ''].join('\n');
}

function table(header, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

function markdownOf({ at, node, machine, rounds, measureMs, warmUpMs, results, specials, goals }) {
  const run =
    `Measured on ${at.slice(0, 10)} with Node ${node}, ${machine.cores} cores of ${machine.cpu}: medians of ${rounds} rounds of ` +
    `${measureMs / 1_000} s after ${warmUpMs / 1_000} s of warm-up.`;
  const parts = results.map(
    ({ subjects, ...definition }) => `### ${headOf(definition, subjects)}\n\n${table(COLUMNS, rowsOf(subjects))}`,
  );
  const more = specials.flatMap(({ title, lines }) =>
    lines.map(([name, what, value]) => [title, TITLES[name], what, value]),
  );
  if (more.length > 0) parts.push(`### Further\n\n${table(['', '', '', ''], more)}`);
  const reached = goals.length === 0 ? [] : [`### Goals\n\n${table(['Goal', 'Measured', ''], goalRows(goals))}`];
  return [run, ...reached, ...parts].join('\n\n');
}

/** Writes the tables between the two markers of a page, in the place of those that stand there. */
export async function writeMarkdown(path, all) {
  const page = await readFile(path, 'utf8');
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`${path} lacks the lines ${BEGIN} and ${END}`);
  await writeFile(path, `${page.slice(0, from + BEGIN.length)}\n\n${markdownOf(all)}\n\n${page.slice(to)}`);
}
