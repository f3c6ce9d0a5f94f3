import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSandbox, type Sandbox } from '../sandbox.js';
import { MINUTE } from '../times.js';

describe('the many markets of the sandbox', () => {
  const start = Date.UTC(2026, 10, 28, 12);
  let now = start;
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ many: true, clock: () => new Date(now) });
  });
  afterAll(() => sandbox.close());

  async function openAt(path: string): Promise<Set<string>> {
    const found = new Set<string>();
    const isGamma = path.startsWith('/events/keyset');
    const base = isGamma ? sandbox.polymarket.account.gamma_url : sandbox.kalshi.account.api_url;
    for (let cursor = ''; ;) {
      const answer = await fetch(
        `${base}${path}${cursor === '' ? '' : `&${isGamma ? 'after_cursor' : 'cursor'}=${cursor}`}`,
      );
      const page = (await answer.json()) as {
        events: {
          markets: { ticker?: string; slug?: string; status?: string; closed?: boolean; active?: boolean }[];
        }[];
        cursor?: string;
        next_cursor?: string;
      };
      for (const { markets } of page.events)
        for (const each of markets)
          if (each.status === 'active' || (each.closed === false && each.active === true))
            found.add(each.ticker ?? each.slug ?? '');
      cursor = page.cursor ?? page.next_cursor ?? '';
      if (cursor === '') return found;
    }
  }

  it.each(['/events?status=open&with_nested_markets=true&limit=100', '/events/keyset?closed=false&limit=100'])(
    'are about a thousand at %s, of which some close and others open',
    async (path) => {
      now = start;
      const before = await openAt(path);
      expect(before.size).toBeGreaterThan(930);
      now = start + 5 * MINUTE;
      const after = await openAt(path);
      expect([...before].filter((id) => !after.has(id))).not.toEqual([]);
      expect([...after].filter((id) => !before.has(id))).not.toEqual([]);
    },
  );
});
