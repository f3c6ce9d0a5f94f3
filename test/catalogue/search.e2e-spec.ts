import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MORE_QUESTIONS } from './more-questions.js';
import { QUESTIONS } from './questions.js';
import { type CatalogueStand, type FoundList, type FoundMarket, startCatalogue, until, walked } from './stand.js';

describe('GET /markets and GET /events (contract.md 5.19)', () => {
  let stand: CatalogueStand;

  beforeAll(async () => {
    stand = await startCatalogue();
    await walked(stand);
  }, 120_000);
  afterAll(() => stand.close());

  async function find(query: Readonly<Record<string, string>>, path = '/markets'): Promise<FoundList> {
    const answer = await stand.get(path, query);
    expect([query, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([query, 200, '']);
    return answer.body as FoundList;
  }

  const isCalled = (name: string) => (market: FoundMarket) => market.id === name || market.refs.slug === name;

  it.each([
    ['the first', QUESTIONS],
    ['the second', MORE_QUESTIONS],
  ])(
    'show the market that a person looks for among the first five, of %s sixty 54 times',
    async (_table, questions) => {
      const missed: string[] = [];
      for (const [typed, market] of questions) {
        const { data } = await find({ search: typed, limit: '5' });
        if (!data.some(isCalled(market)))
          missed.push(
            `${typed}: ${data.map(({ id, refs }) => (typeof refs.slug === 'string' ? refs.slug : id)).join(', ')}`,
          );
      }
      expect([questions.length, missed.length <= 6, missed]).toEqual([60, true, missed]);
    },
  );

  it('find both exchanges, say of when each part is, and have quotes, but no descriptions of what was not read', async () => {
    const { data, as_of } = await find({ search: 'fed december', limit: '40' });
    expect([...new Set(data.map(({ exchange }) => exchange))].sort()).toEqual(['kalshi', 'polymarket']);
    expect(Object.keys(as_of)).toEqual(['kalshi', 'polymarket']);
    for (const at of Object.values(as_of)) expect(Date.now() - Date.parse(at ?? '')).toBeLessThan(300_000);
    // One read a second serves all searches: this one's turn may come a second later.
    await until(async () => {
      const markets = (await find({ search: 'fed december', limit: '40' })).data;
      return markets.some(({ outcomes }) => outcomes[0].bid !== null || outcomes[0].ask !== null);
    }, 5);
  });

  const by = (field: 'close_time' | 'created_at') => (market: FoundMarket) => Date.parse(market[field] ?? '');

  it('filter by exchange, category, closing and volume', async () => {
    const only = async (query: Readonly<Record<string, string>>, fits: (market: FoundMarket) => boolean) => {
      const { data } = await find({ ...query, limit: '100' });
      expect([query, data.length > 0, data.filter((market) => !fits(market))]).toEqual([query, true, []]);
    };
    const time = new Date(Date.now() + 20 * 86_400_000).toISOString();
    await only({ exchange: 'kalshi', search: 'bitcoin' }, ({ exchange }) => exchange === 'kalshi');
    await only({ category: 'climate and weather' }, ({ category }) => category === 'Climate and Weather');
    await only({ category: 'elections' }, ({ exchange }) => exchange === 'polymarket');
    await only({ closes_after: time }, (market) => by('close_time')(market) > Date.parse(time));
    await only({ closes_before: time, search: 'bitcoin' }, (market) => by('close_time')(market) < Date.parse(time));
    await only({ min_volume_24h: '50000' }, ({ volume_24h }) => Number(volume_24h) >= 50_000);
  });

  it('sort soonest, newest and highest first, each unit by itself', async () => {
    const falls = (values: number[]) => values.every((value, at) => at === 0 || value <= (values[at - 1] ?? value));
    for (const search of [{}, { search: 'bitcoin' }] as Readonly<Record<string, string>>[]) {
      const soon = await find({ ...search, sort: 'closes_at', limit: '100' });
      expect(falls(soon.data.map((market) => -by('close_time')(market)))).toBe(true);
      const newest = await find({ ...search, sort: 'newest', limit: '100', exchange: 'kalshi' });
      expect(falls(newest.data.map(by('created_at')))).toBe(true);
      const highest = await find({ ...search, sort: 'volume_24h', limit: '100' });
      for (const unit of ['contracts', 'currency']) {
        const ofUnit = highest.data.filter(({ volume_unit }) => volume_unit === unit);
        expect(ofUnit.length).toBeGreaterThan(40);
        expect(falls(ofUnit.map(({ volume_24h }) => Number(volume_24h)))).toBe(true);
      }
    }
  });

  /** `exchange id` of all that the pages show. */
  async function everyPage(query: Readonly<Record<string, string>>, limit: string): Promise<string[]> {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { data, next_cursor } = await find({ ...query, limit, ...(cursor === '' ? {} : { cursor }) });
      seen.push(...data.map(({ exchange, id }) => `${exchange} ${id}`));
      cursor = next_cursor;
    }
    return seen;
  }

  it('show by relevance all that another sort shows, once, also of words that more than are ranked have', async () => {
    const byTime = await everyPage({ search: 'december', sort: 'closes_at' }, '100');
    for (const exchange of ['kalshi', 'polymarket'])
      expect(byTime.filter((one) => one.startsWith(exchange)).length).toBeGreaterThan(300);
    for (const limit of ['100', '50', '99']) {
      const seen = await everyPage({ search: 'december' }, limit);
      expect(seen.length).toBe(byTime.length);
      expect([...seen].sort()).toEqual([...byTime].sort());
    }
  });

  it.each([
    { search: 'bitcoin' },
    { search: 'bitcoin', sort: 'volume_24h' },
    { search: 'bitcoin', sort: 'closes_at' },
    { search: 'bitcoin', sort: 'newest' },
    { sort: 'closes_at', category: 'politics' },
    { exchange: 'kalshi', category: 'sports' },
  ] as Readonly<Record<string, string>>[])('show each market once over the pages of %j', async (query) => {
    const seen = await everyPage(query, '17');
    const whole = await find({ ...query, limit: '100' });
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.slice(0, 100)).toEqual(whole.data.map(({ exchange, id }) => `${exchange} ${id}`));
  });

  it('list events with the ids of their open markets', async () => {
    const { data } = await find({ search: 'fed december' }, '/events');
    const fed = data.find(({ id }) => id === 'KXFED-26DEC');
    expect([...(fed?.market_ids ?? [])].sort()).toEqual(
      ['C25', 'C26', 'H0', 'H25'].map((code) => `KXFED-26DEC-${code}`),
    );
  });

  it('answer search at the exchange that has none of its own', async () => {
    const markets = await stand.get('/kalshi/markets', { search: 'fed december' });
    expect(markets.body).toMatchObject({ timestamp: expect.any(String), timestamp_source: 'received' });
    expect((markets.body as FoundList).data.map(({ id }) => id)).toContain('KXFED-26DEC-C25');
    const events = await stand.get('/kalshi/events', { search: 'fed december' });
    expect((events.body as FoundList).data.map(({ id }) => id)).toContain('KXFED-26DEC');
    for (const more of [{ sort: 'volume_24h' }, { event_id: 'KXFED-26DEC' }, { status: 'closed' }]) {
      const refused = await stand.get('/kalshi/markets', { search: 'fed', ...more });
      expect([more, refused.status]).toEqual([more, 422]);
    }
  });

  it('refuse what they cannot do, by its name', async () => {
    const refused: [Record<string, string>, number, string][] = [
      [{ status: 'closed' }, 422, 'not_supported'],
      [{ status: 'whatever' }, 400, 'bad_request'],
      [{ exchange: 'nobody' }, 400, 'bad_request'],
      [{ sort: 'relevance' }, 400, 'bad_request'],
      [{ sort: 'price' }, 400, 'bad_request'],
      [{ min_volume_24h: '-1' }, 400, 'bad_request'],
      [{ closes_after: '2026-02-30T00:00:00Z' }, 400, 'bad_request'],
      [{ closes_after: '2027-01-02T00:00:00Z', closes_before: '2027-01-01T00:00:00Z' }, 400, 'bad_request'],
      [{ cursor: 'abc' }, 400, 'bad_request'],
      [{ search: '' }, 400, 'bad_request'],
      [{ search: '\u0000bitcoin' }, 400, 'bad_request'],
      [{ search: 'x'.repeat(201) }, 400, 'bad_request'],
    ];
    for (const [query, status, code] of refused) {
      const answer = await stand.get('/markets', query);
      expect([query, answer.status, (answer.body as { error?: { code: string } }).error?.code]).toEqual([
        query,
        status,
        code,
      ]);
    }
    const { next_cursor } = await find({ search: 'bitcoin', limit: '5' });
    expect((await stand.get('/markets', { search: 'ethereum', cursor: next_cursor ?? '' })).status).toBe(400);
  });

  it.each([
    "'; DROP TABLE catalogue_markets; --",
    "bitcoin' | '",
    'a & b | ! c:* <-> ( )',
    ':*',
    '!!!',
    "\\'\\'",
    '💥 🚀',
    'עברית العربية \u202ebitcoin',
    'word '.repeat(39),
    '%_%',
    '$1 $2',
    'b\u0301itcoin',
  ])('S-35 take %j for words and nothing else', async (search) => {
    const { data } = await find({ search });
    expect(Array.isArray(data)).toBe(true);
    expect((await find({ search: 'bitcoin' })).data.length).toBeGreaterThan(5);
  });

  it('take no more of a query than fits into a request', async () => {
    const answer = await stand.get('/markets', { search: 'a'.repeat(1_000_000) }).catch(() => ({ status: 431 }));
    expect([400, 414, 431]).toContain(answer.status);
    expect((await find({ search: 'nothinghasthisword' })).data).toEqual([]);
  });

  it('S-18 answer a session, and show a bot its own exchanges alone', async () => {
    const { user, app } = stand;
    expect((await stand.get('/markets', { search: 'fed' }, user.token)).status).toBe(200);
    const made = await request(app.url)
      .post('/account/bots')
      .auth(user.token, { type: 'bearer' })
      .send({ name: 'one exchange', exchanges: ['kalshi'] });
    const { key } = made.body as { key: string };
    const answer = await stand.get('/markets', { search: 'fed december', limit: '50' }, key);
    const found = answer.body as FoundList;
    expect([...new Set(found.data.map(({ exchange }) => exchange))]).toEqual(['kalshi']);
    expect(Object.keys(found.as_of)).toEqual(['kalshi']);
    const refused = await stand.get('/markets', { exchange: 'polymarket' }, key);
    expect(refused.body).toMatchObject({ error: { code: 'forbidden', details: { reason: 'exchange_not_allowed' } } });
  });
});

describe('without a catalogue (CATALOGUE_REFRESH=0)', () => {
  it('these are not_supported, and nothing is walked', async () => {
    const stand = await startCatalogue({ CATALOGUE_REFRESH: '0' }, false);
    try {
      for (const path of ['/markets', '/events', '/kalshi/markets', '/kalshi/events']) {
        const answer = await stand.get(path, { search: 'fed' });
        expect([path, answer.status, answer.body]).toMatchObject([path, 422, { error: { code: 'not_supported' } }]);
      }
      expect(await stand.app.query('SELECT 1 FROM catalogue_parts')).toEqual([]);
    } finally {
      await stand.close();
    }
  });
});
