import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { codeOf, detailsOf } from './support/calls.js';
import { EXCHANGE, EXCHANGES, type ExchangeName } from './support/exchanges.js';
import { aTrader, startTestStand, type TestStand } from './support/sandbox.js';

interface Book {
  readonly market_id: string;
  readonly timestamp?: string;
  readonly error?: { readonly code: string };
}

describe('books of several markets by one call (contract.md 5.1)', () => {
  let stand: TestStand;
  let key: string;

  beforeAll(async () => {
    stand = await startTestStand();
    ({ key } = await aTrader(stand));
  });

  afterAll(() => stand.close());

  const get = (path: string): Promise<Response> =>
    request(stand.app.url)
      .get(path)
      .auth(key, { type: 'bearer' })
      .then((answer) => answer);

  const idsOf = async (exchange: string): Promise<string[]> => {
    const { data } = (await get(`/${exchange}/markets?status=open&limit=8`)).body as { data: { id: string }[] };
    return data.map(({ id }) => id);
  };

  const books = async (exchange: string, ids: readonly string[], more = ''): Promise<Book[]> => {
    const answer = await get(`/${exchange}/orderbooks/batch?market_id=${ids.join(',')}${more}`);
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return (answer.body as { data: Book[] }).data;
  };

  const requestsOf = (exchange: ExchangeName): { method: string; path: string }[] =>
    stand.sandbox.log.list(exchange).map(({ method, path }) => ({ method, path }));

  describe.each(EXCHANGES)('%s', (exchange) => {
    it.each(['0', 'no'])(
      'gives the very book of the single call, of outcome %s and cut to a depth, in the order asked',
      async (outcome) => {
        const ids = (await idsOf(exchange)).reverse();
        const more = `&outcome=${outcome}&depth=2`;
        const each = await books(exchange, ids, more);
        expect(each.map(({ market_id }) => market_id)).toEqual(ids);
        for (const [index, id] of ids.entries()) {
          const { timestamp, ...single } = (await get(`/${exchange}/orderbooks?market_id=${id}${more}`)).body as Book;
          const { timestamp: at, ...book } = each[index] ?? { market_id: '' };
          expect(book).toEqual(single);
          expect(Math.abs(Date.parse(at ?? '') - Date.parse(timestamp ?? ''))).toBeLessThan(5_000);
        }
      },
    );

    it('asks the exchange once for all of them', async () => {
      const ids = await idsOf(exchange);
      await books(exchange, ids);
      const before = requestsOf(exchange).length;
      await books(exchange, ids);
      expect(requestsOf(exchange).slice(before)).toHaveLength(1);
    });

    it('has the error of a market in its place, and the books of the others', async () => {
      const [one = '', other = ''] = await idsOf(exchange);
      const { unknownMarket } = EXCHANGE[exchange];
      const data = await books(exchange, [one, unknownMarket, other]);
      expect(data.map(({ market_id, error }) => [market_id, error?.code])).toEqual([
        [one, undefined],
        [unknownMarket, 'not_found'],
        [other, undefined],
      ]);
      const single = await get(`/${exchange}/orderbooks?market_id=${unknownMarket}`);
      expect(codeOf(single)).toBe('not_found');
      expect(await books(exchange, [unknownMarket])).toHaveLength(1);
    });

    it('of an outcome that one market has alone the others have an error', async () => {
      const [one = '', other = ''] = await idsOf(exchange);
      const { outcomes } = (await get(`/${exchange}/markets/${one}`)).body as { outcomes: { id: string }[] };
      const data = await books(exchange, [one, other], `&outcome=${encodeURIComponent(outcomes[1]?.id ?? '')}`);
      expect(data.map(({ error }) => error?.code)).toEqual([undefined, 'bad_request']);
    });

    it('a market that is named twice, an id of another form, none and too many are 400', async () => {
      const [one = ''] = await idsOf(exchange);
      const many = Array.from({ length: 51 }, (_, index) => `A${String(index)}`).join(',');
      for (const list of [`${one},${one}`, `${one},`, '', many, '%2F..%2F']) {
        const answer = await get(`/${exchange}/orderbooks/batch?market_id=${list}`);
        expect([list, answer.status, codeOf(answer)]).toEqual([list, 400, 'bad_request']);
        expect(detailsOf(answer).fields).toMatchObject([{ field: 'market_id' }]);
      }
    });
  });

  it('a market that is named by either width of its id is named twice', async () => {
    const narrow = `0x${'ab'.repeat(31)}`;
    const answer = await get(`/polymarket/orderbooks/batch?market_id=${narrow},${narrow}00`);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'bad_request']);
  });
});
