import { statSync } from 'node:fs';

/** What takes longest by the clock, the longest first: begun last, it would run on alone. These wait for most of their time. */
const WAITING = [
  'catalogue/walk',
  'catalogue/bounds',
  'session-keys',
  'dashboard/slow-line',
  'slow-clients',
  'bot-keys',
  'error-table',
  'market-data',
  'isolation',
  'session-key-races',
  'finished-answers',
  'api-keys',
  'bot-trading',
  'fairness',
  'cancel-all',
  'faults',
  'database-outages',
  'notices',
  'order-doubts',
  'bot-amends',
  'answer-lane',
  'redis-rates',
  'session-limits',
  'session-key-mails',
  'fair-calls',
  'http-upstream-client-crowds',
  'session-key-secrets',
  'http-upstream-client-time',
  'feeds/sandbox',
  'orders-and-fills',
  'transfers',
  'unsent-orders',
  'feeds/account-feed',
  'api-key-cache',
  'auth-renewal',
  'order-safety',
  'bot-safety',
  'partial-outages',
];

/** As above; these keep a core busy. */
const WORKING = [
  'dashboard/reading',
  'openapi-examples',
  'dashboard/overview',
  'bot-crowds',
  'order-kills',
  'order-answers',
  'agents/foreign-text',
  'agents/placing',
  'dashboard/streams',
  'streams/messages',
  'dashboard/tables',
  'dashboard/person',
  'dashboard/portfolio',
  'build',
  'fairness-load',
  'hostile-fields',
  'backup',
  'login-crowds',
  'mail-limits',
  'auth-limits',
  'sending-rights',
  'account-recovery',
  'leaks',
  'user-bounds',
  'dashboard/bots',
  'former-version',
  'overload',
  'auth-oauth',
  'auth-timing',
  'orders',
  'portfolio',
  'instances',
  'start',
  'kills',
  'demo',
  'instances-restart',
  'orders-command',
  'auth-sessions',
  'stop',
  'dashboard/markets',
  'regular-expressions',
  'login-load',
  'account-passwords',
  'crash',
  'access-matrix',
  'dashboard/credentials',
  'auth-mail',
  'requests-generated',
  'auth-signup',
  'keys',
  'password-hasher',
  'csv',
  'order-previews',
  'account-races',
  'database-embedded',
  'sandbox-openapi',
  'full-disk',
  'drift-command',
  'session-key-command',
  'drift',
];

/** In turn, so that neither all cores wait nor all workers want one. */
const FIRST = Array.from({ length: Math.max(WAITING.length, WORKING.length) }, (_, index) => [
  WAITING[index],
  WORKING[index],
])
  .flat()
  .filter((name) => name !== undefined);

/** What measures how soon a page is there, when the others are done. */
const LAST = ['first-load'];

function rank({ path }) {
  if (LAST.some((name) => path.includes(`/${name}.`))) return Infinity;
  const index = FIRST.findIndex((name) => path.includes(`/${name}.`));
  return index < 0 ? FIRST.length : index;
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
