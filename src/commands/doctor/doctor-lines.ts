import { plain } from './failure.js';
import { type CheckResult, worstOf } from './finding.js';

const LONGEST_LINE = 2_000;

/** A line a check: status, name, and what was found and is to be done, with tabs between. */
export function linesOf(results: readonly CheckResult[]): string[] {
  return results.map(({ id, status, message, hint }) => {
    const words = hint === null ? message : `${message} ${hint}`;
    return [status, id, plain(words, LONGEST_LINE)].join('\t');
  });
}

/** What `--json` prints. */
export function jsonOf(results: readonly CheckResult[]): string {
  const checks = results.map(({ id, status, message, hint }) => ({
    id,
    status,
    message: plain(message, LONGEST_LINE),
    hint: hint === null ? null : plain(hint, LONGEST_LINE),
  }));
  return JSON.stringify({ status: worstOf(results), checks }, null, 2);
}
