import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { measureAgain } from '../support/measured.js';
import { aTrader } from '../support/sandbox.js';
import { type CatalogueStand, startCatalogue, until } from './stand.js';

measureAgain();

/** A page of the walk takes so long, and another follows: of many calls that wait for them some take nearly as long. */
const PAGE_MS = 4_500;
/** What a busy machine adds is less. */
const MOST_MS = 3_000;
/** Kalshi gives an account 200 tokens a second (kalshi.md 10): a read of fills costs 10, and as much for old ones. */
const READS_PER_SECOND = 10;
const SECONDS = 10;

let stand: CatalogueStand;
afterEach(() => stand.close());

/** Where a walk reads its pages, and what a user reads beside it. */
interface Walk {
  readonly exchange: 'kalshi' | 'polymarket';
  readonly path: string;
  /** In the query of its pages alone. */
  readonly marks: string;
  readonly read: (at: number) => [path: string, query: Readonly<Record<string, string>>];
}

const WALKS: readonly Walk[] = [
  { exchange: 'kalshi', path: '/events', marks: 'with_nested_markets=true', read: () => ['/kalshi/fills', {}] },
  {
    ...{ exchange: 'polymarket', path: '/events/keyset', marks: '' },
    // Of the host that the walk reads too, and never the same twice.
    read: (at: number) => ['/polymarket/markets', { search: `rain ${at}` }],
  },
];

describe.each(WALKS)(
  'a user who uses all that $exchange gives, beside the walk of the catalogue (contract.md 5.19)',
  ({ exchange, path, marks, read }) => {
    /** Pages that the walk asked the exchange for. */
    function pages(): number {
      const asked = stand.sandbox.log.list(exchange).filter((request) => request.path.endsWith(path));
      return asked.filter(({ query }) => query.includes(marks)).length;
    }

    it('R-27 is neither refused nor held up by it', async () => {
      stand = await startCatalogue();
      const { app, sandbox, get } = stand;
      sandbox.faults.add({
        ...{ exchange, method: 'GET', path, times: 1_000 },
        ...{ fault: 'delay', delay_ms: PAGE_MS },
      });
      const { key } = await aTrader({ app, sandbox, close: () => app.close() });
      expect((await get(...read(0), key)).status).toBe(200);
      sandbox.kalshi.exchange.limits.change({ tier: 'basic', enforced: true });
      await until(() => Promise.resolve(pages() > 0));
      const before = pages();
      const calls: Promise<readonly [status: number, ms: number]>[] = [];
      for (let at = 1; at <= SECONDS * READS_PER_SECOND; at += 1) {
        const from = performance.now();
        calls.push(get(...read(at), key).then(({ status }) => [status, performance.now() - from] as const));
        await delay(1_000 / READS_PER_SECOND);
      }
      const answers = await Promise.all(calls);
      expect(pages() - before).toBeGreaterThanOrEqual(1);
      expect([...new Set(answers.map(([status]) => status))]).toEqual([200]);
      const times = answers.map(([, ms]) => ms).sort((one, next) => one - next);
      expect(times.at(-1)).toBeLessThan(MOST_MS);
    }, 120_000);
  },
);
