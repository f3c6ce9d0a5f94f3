import { statSync } from 'node:fs';

/** What takes longest by the clock, the longest first: begun last, it would run on alone. */
const SLOWEST = [
  'session-keys',
  'bot-keys',
  'bot-crowds',
  'order-answers',
  'auth-timing',
  'keys',
  'fairness-load',
  'slow-clients',
  'finished-answers',
  'isolation',
  'api-keys',
  'answer-lane',
  'session-key-races',
  'market-data',
  'session-key-mails',
  'fair-calls',
  'regular-expressions',
  'order-kills',
  'kills',
  'hostile-fields',
  'mail-limits',
  'auth-limits',
  'database-outages',
  'database-embedded',
  'start',
  'demo',
  'auth-oauth',
  'stop',
  'faults',
  'auth-mail',
  'account-passwords',
  'unsent-orders',
  'api-key-cache',
  'instances',
  'instances-restart',
  'transfers',
  'auth-sessions',
  'login-load',
  'order-doubts',
  'orders',
  'account-races',
  'session-limits',
  'auth-renewal',
  'requests-generated',
  'auth-signup',
  'redis-rates',
  'unified-polymarket',
  'polymarket-official-client',
  'partial-outages',
  'fairness',
  'notices',
  'overload',
  'former-version',
  'full-disk',
  'session-key-secrets',
  'order-safety',
  'bot-safety',
  'drift-command',
  'session-key-command',
  'http-upstream-client-crowds',
  'http-upstream-client-time',
  'drift',
];

/** What measures how soon a page is there, when the others are done. */
const LAST = ['first-load'];

function rank({ path }) {
  if (LAST.some((name) => path.includes(`/${name}.`))) return Infinity;
  const index = SLOWEST.findIndex((name) => path.includes(`/${name}.`));
  return index < 0 ? SLOWEST.length : index;
}

/** The order of test files: Jest goes by the times of former runs, of which a clean clone has none. */
export default class SlowestFirst {
  sort(tests) {
    const sized = tests.map((test) => ({ test, rank: rank(test), size: statSync(test.path).size }));
    sized.sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank) || b.size - a.size);
    return sized.map(({ test }) => test);
  }

  /** Jest offers the times of this run here. */
  cacheResults() {}
}
