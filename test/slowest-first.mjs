import { statSync } from 'node:fs';

/** What takes longest, the longest first: begun last, it would run on alone. */
const SLOWEST = ['auth-timing', 'start', 'slow-clients', 'http-upstream-client', 'isolation', 'faults', 'auth-limits'];

function rank({ path }) {
  const index = SLOWEST.findIndex((name) => path.includes(`/${name}.`));
  return index < 0 ? SLOWEST.length : index;
}

/** The order of test files: Jest goes by the times of former runs, of which a clean clone has none. */
export default class SlowestFirst {
  sort(tests) {
    const sized = tests.map((test) => ({ test, rank: rank(test), size: statSync(test.path).size }));
    sized.sort((a, b) => a.rank - b.rank || b.size - a.size);
    return sized.map(({ test }) => test);
  }

  /** Jest offers the times of this run here. */
  cacheResults() {}
}
