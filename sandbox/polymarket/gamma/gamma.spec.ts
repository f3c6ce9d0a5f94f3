import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FaultList } from '../../wire/faults.js';
import { RequestLog } from '../../wire/request-log.js';
import { PolymarketSandbox } from '../sandbox.js';
import { type Answer, request, PolymarketTrader } from '../trader.js';

interface Row {
  id: string;
  [field: string]: unknown;
}

let sandbox: PolymarketSandbox;

beforeAll(async () => {
  sandbox = await PolymarketSandbox.start({ faults: new FaultList(), log: new RequestLog(), clock: () => new Date() });
});
afterAll(() => sandbox.close());

function gamma(path: string): Promise<Answer> {
  return request(`${sandbox.account.gamma_url}${path}`);
}

async function markets(query: string): Promise<Row[]> {
  return ((await gamma(`/markets/keyset?${query}`)).body as { markets: Row[] }).markets;
}

async function events(query: string): Promise<Row[]> {
  return ((await gamma(`/events/keyset?${query}`)).body as { events: Row[] }).events;
}

const ids = (rows: Row[]): string[] => rows.map((row) => row.id);

describe('GET /markets/keyset (polymarket.md 4)', () => {
  it('lists open, active markets alone unless closed ones are asked for', async () => {
    const open = await markets('limit=100');
    expect(open.every((market) => market.active === true && market.closed === false)).toBe(true);
    expect(ids(open)).not.toContain('559699');
    expect(ids(await markets('limit=100&closed=true'))).toEqual([
      ...['480220', '480221', '511754'],
      ...['2901390', '2901391', '2901462'],
    ]);
  });

  it('sends prices as numbers and outcomes as JSON inside JSON', async () => {
    const [market] = await markets('id=2208077');
    expect(market).toMatchObject({
      outcomes: '["Saints","Falcons"]',
      outcomePrices: '["0.435","0.565"]',
      bestBid: 0.43,
      bestAsk: 0.44,
      lastTradePrice: 0.44,
      orderPriceMinTickSize: 0.01,
      orderMinSize: 5,
      volumeNum: 310_220.1,
      volume: '310220.1',
      events: [{ id: '112233' }],
    });
    expect(JSON.parse(String(market?.clobTokenIds))).toHaveLength(2);
    expect(market).not.toHaveProperty('tags');
    expect(market).not.toHaveProperty('closedTime');
  });

  it('pages by an opaque cursor without gaps or repeats; the last page has none', async () => {
    const all = ids(await markets('limit=100&order=volumeNum&ascending=false'));
    const seen: string[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const after: string = cursor === '' ? '' : `&after_cursor=${cursor}`;
      const { body } = await gamma(`/markets/keyset?limit=4&order=volumeNum&ascending=false${after}`);
      const page = body as { markets: Row[]; next_cursor?: string };
      seen.push(...ids(page.markets));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(all);
    expect(all.length).toBeGreaterThan(8);
  });

  it('cuts the limit to 100 silently and refuses offset, unknown orders and foreign cursors with 422', async () => {
    expect((await gamma('/markets/keyset?limit=5000')).status).toBe(200);
    expect(await gamma('/markets/keyset?offset=0')).toMatchObject({
      status: 422,
      body: { type: 'validation error', error: 'offset is not allowed on keyset endpoints' },
    });
    expect((await gamma('/markets/keyset?order=volume_num')).status).toBe(422);
    expect((await gamma('/markets/keyset?after_cursor=zzz')).status).toBe(422);
    const { next_cursor } = (await gamma('/markets/keyset?limit=1')).body as { next_cursor: string };
    expect((await gamma(`/markets/keyset?limit=1&order=endDate&after_cursor=${next_cursor}`)).status).toBe(422);
  });

  it('filters by condition, token and tag; repeated keys widen, other parameters are ignored', async () => {
    const [aliens, saints] = await Promise.all([markets('id=703257'), markets('id=2208077')]);
    const conditions = [aliens[0]?.conditionId, saints[0]?.conditionId].map(String);
    expect(ids(await markets(`condition_ids=${conditions.join('&condition_ids=')}&whatever=1`))).toEqual([
      '703257',
      '2208077',
    ]);
    const [, no] = JSON.parse(String(aliens[0]?.clobTokenIds)) as string[];
    expect(ids(await markets(`clob_token_ids=${String(no)}`))).toEqual(['703257']);
    expect(ids(await markets('tag_id=450'))).toEqual(['2208077', '2208078']);
    expect(await markets('tag_id=450&include_tag=true')).toMatchObject([{ tags: [{ id: '1' }, { id: '450' }] }, {}]);
    expect(ids(await markets('condition_ids=0x1'))).toEqual([]);
  });

  it('shows a resolved market with its payout and closing time', async () => {
    expect(await markets('id=511754&closed=true')).toMatchObject([
      {
        outcomePrices: '["0","1"]',
        umaResolutionStatus: 'resolved',
        acceptingOrders: false,
        closedTime: expect.stringContaining('+00'),
      },
    ]);
    expect(await markets('id=480221&closed=true')).toMatchObject([{ outcomePrices: '["0.5","0.5"]' }]);
  });

  it('follows the book', async () => {
    const trader = new PolymarketTrader(sandbox.account.clob_url, sandbox.addAccount());
    const [before] = await markets('id=511756');
    const [token = ''] = JSON.parse(String(before?.clobTokenIds)) as string[];
    await trader.post(trader.sign({ tokenId: token, side: 'BUY', price: '0.28', size: '100' }));
    expect(await markets('id=511756')).toMatchObject([{ bestBid: 0.28, outcomePrices: '["0.285","0.715"]' }]);
  });
});

describe('single objects, events and search (polymarket.md 4)', () => {
  it('finds markets and events by id and slug, closed ones too, else 404', async () => {
    expect(await gamma('/markets/511754')).toMatchObject({ status: 200, body: { closed: true } });
    expect(await gamma('/markets/slug/nfl-no-atl')).toMatchObject({ body: { id: '2208077' } });
    expect(await gamma('/events/51200')).toMatchObject({
      body: { closed: true, markets: [{ id: '480220' }, { id: '480221' }] },
    });
    expect(await gamma('/events/slug/nfl-no-atl')).toMatchObject({ body: { id: '112233', series: [{ id: '10187' }] } });
    for (const path of ['/markets/1', '/markets/slug/x', '/events/1', '/events/slug/x', '/tags/slug/x']) {
      expect(await gamma(path)).toMatchObject({ status: 404 });
    }
    expect((await gamma('/markets/0x12')).status).toBe(422);
  });

  it('nests every market of an event, placeholders too', async () => {
    const [event] = await events('id=30829');
    expect(event).toMatchObject({ negRisk: true, negRiskAugmented: true });
    const nested = event?.markets as Row[];
    expect(nested.map((market) => [market.active, market.negRiskOther])).toEqual([
      [true, false],
      [true, false],
      [true, false],
      [false, false],
      [true, true],
    ]);
    expect(new Set(nested.map((market) => market.negRiskMarketID)).size).toBe(1);
    expect(nested[3]).not.toHaveProperty('bestBid');
  });

  it('filters events by title, tag, series and state, and pages them', async () => {
    expect(ids(await events('title_search=bitcoin&closed=false'))).toEqual(['84210', '990017']);
    expect(ids(await events('tag_slug=economy'))).toEqual(['65520', '77103', '410233', '410251', '410260']);
    expect(ids(await events('series_id=10114'))).toEqual(['990017']);
    expect(ids(await events('closed=true'))).toEqual(['51200', '410251']);
    const { body } = await gamma('/events/keyset?limit=3');
    expect(body).toHaveProperty('next_cursor');
    expect((await gamma('/events/keyset?tag_id=2&exclude_tag_id=2')).status).toBe(422);
  });

  it('searches titles and questions by page', async () => {
    const first = await gamma('/public-search?q=will&limit_per_type=2&page=1&events_status=active');
    expect(first).toMatchObject({ body: { pagination: { hasMore: true }, tags: [], profiles: [] } });
    expect((first.body as { events: Row[] }).events).toHaveLength(2);
    expect(await gamma('/public-search?q=shapiro')).toMatchObject({
      body: { events: [{ id: '30829' }], pagination: { hasMore: false, totalResults: 1 } },
    });
    expect((await gamma('/public-search')).status).toBe(422);
    expect(await gamma('/tags/slug/politics')).toMatchObject({ body: { id: '2', label: 'Politics' } });
  });
});

describe('V2 markets (polymarket.md 10.2)', () => {
  const NARROW = `0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(28)}`;
  const POSITIONS = [BigInt(`${NARROW}00`).toString(), BigInt(`${NARROW}01`).toString()];
  const one = async (id: string): Promise<Row> => (await gamma(`/markets/${id}`)).body as Row;

  it('carry the narrow condition id, positionIds as an array and their version', async () => {
    const market = await one('2901455');
    expect(market).toMatchObject({
      conditionId: NARROW,
      clobTokenIds: null,
      positionIds: POSITIONS,
      version: 'v2',
      resolutionStatus: 'active',
      outcomes: '["Yes","No"]',
      outcomePrices: '["0.53","0.47"]',
      acceptingOrders: true,
      enableOrderBook: true,
      events: [{ id: '410233', version: null }],
    });
    for (const name of ['umaResolutionStatuses', 'questionID', 'marketMakerAddress']) {
      expect(market).not.toHaveProperty(name);
    }
  });

  it('are found by either width of the condition id and by position id', async () => {
    for (const query of [
      `condition_ids=${NARROW}`,
      `condition_ids=${NARROW}00`,
      `condition_ids=${NARROW}&condition_ids=${NARROW}00`,
      ...POSITIONS.map((id) => `clob_token_ids=${id}`),
    ]) {
      expect(ids(await markets(query))).toEqual(['2901455']);
    }
  });

  it('resolve with a winner or with a split payout', async () => {
    const settled = { closed: true, resolutionStatus: 'resolved', closedTime: expect.stringMatching(/\+00$/) };
    expect(await one('2901390')).toMatchObject({ ...settled, outcomePrices: '["1","0"]' });
    expect(await one('2901391')).toMatchObject({ ...settled, outcomePrices: '["0.5","0.5"]' });
    expect(await one('2901462')).toMatchObject({ ...settled, outcomePrices: '["0","1"]', negRisk: true });
  });

  it('share the reserved bits and the base hash within a neg-risk event', async () => {
    const { body } = await gamma('/events/410240');
    const { markets: nested, version } = body as { markets: Row[]; version: string };
    expect(version).toBe('v2');
    expect(nested.map(({ conditionId }) => conditionId)).toEqual(
      [0, 1, 2].map((index) => `0x02a4d1f0937c2be658d01993f4c7ab22e60003${'0'.repeat(23)}${index}`),
    );
    expect(nested.map(({ negRisk }) => negRisk)).toEqual([true, true, true]);
  });

  it('may still wait for their ids, or be of a version that nobody knows', async () => {
    const waiting = {
      clobTokenIds: null,
      acceptingOrders: false,
      enableOrderBook: false,
      resolutionStatus: 'inactive',
    };
    expect(await one('2901477')).toMatchObject({ ...waiting, conditionId: '', positionIds: null });
    expect(await one('2901478')).toMatchObject({ ...waiting, positionIds: [] });
    expect(await one('2901479')).toMatchObject({ version: 'v9', acceptingOrders: true, clobTokenIds: null });
  });

  it('have twins among V1 markets, which carry positionIds that nothing trades by', async () => {
    const twin = await one('2899001');
    expect(twin).toMatchObject({ version: 'v1', positionIds: [expect.any(String), expect.any(String)] });
    expect(JSON.parse(String(twin.clobTokenIds))).not.toEqual(twin.positionIds);
    expect(twin.conditionId).toMatch(/^0x[0-9a-f]{64}$/);
    expect(twin.question).toBe((await one('2901455')).question);
    const [unused = ''] = twin.positionIds as string[];
    expect(await markets(`clob_token_ids=${unused}`)).toEqual([]);
  });
});
