import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FaultList } from '../../wire/faults.js';
import { RequestLog } from '../../wire/request-log.js';
import { PolymarketSandbox } from '../sandbox.js';
import { type Answer, request, PolymarketTrader } from '../trader.js';

const NEWSOM = '59875190760595879086210047068932732543507232128320818147490565132631198483666';
const NEWSOM_NO = '53844971478408767902278991416886360743977200667223736108650344517429290743855';
const LOST = '38304894346029195822242785095213694817662275988449391178572340951802778647900';
const V2_WIDE = `0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(30)}`;
const V2_YES = BigInt(V2_WIDE).toString();
const V2_NO = (BigInt(V2_WIDE) + 1n).toString();
const WON = '47744211227487542019752180049325719643202073349878869069404741823489101696247';

let sandbox: PolymarketSandbox;

beforeAll(async () => {
  sandbox = await PolymarketSandbox.start({ faults: new FaultList(), log: new RequestLog(), clock: () => new Date() });
});
afterAll(() => sandbox.close());

function aTrader(options: Parameters<PolymarketSandbox['addAccount']>[0] = {}): PolymarketTrader {
  return new PolymarketTrader(sandbox.account.clob_url, sandbox.addAccount(options));
}

function data(path: string): Promise<Answer> {
  return request(`${sandbox.account.data_url}${path}`);
}

type Row = Record<string, unknown>;
interface Page {
  data: Row[];
  pagination: { limit: number; offset: number; has_more: boolean; next_cursor: string | null };
}

async function page(path: string): Promise<Page> {
  const { status, body } = await data(path);
  expect(status).toBe(200);
  return body as Page;
}

async function rows(path: string): Promise<Row[]> {
  return (await page(path)).data;
}

/** Every row of a list, page by page. */
async function walked(path: string): Promise<Row[]> {
  const all: Row[] = [];
  let cursor: string | null = null;
  do {
    const { data: some, pagination } = await page(cursor === null ? path : `${path}&cursor=${cursor}`);
    expect(pagination.has_more).toBe(pagination.next_cursor !== null);
    expect(pagination.offset).toBe(all.length);
    all.push(...some);
    cursor = pagination.next_cursor;
  } while (cursor !== null);
  return all;
}

function refused(parameter: string, error: string | RegExp = /./): object {
  const text: unknown = expect.stringMatching(error);
  return { status: 400, body: { error: text, code: 'invalid_request', retryable: false, parameter } };
}

describe('the Data API v2 as a whole (polymarket.md 6)', () => {
  it.each(['/trades', '/positions?user=0x1', '/closed-positions', '/value', '/v2/nothing', '/'])(
    'does not know %s',
    async (path) => {
      expect(await data(path)).toMatchObject({ status: 404, body: { error: 'not found', code: 'not_found' } });
    },
  );

  it('sends the trace id of every answer as a header, and of an error in its body too', async () => {
    const bad = await data('/v2/trades?offset=0');
    expect(bad).toMatchObject(refused('offset', 'use cursor'));
    expect((bad.body as Row).trace_id).toBe(bad.headers.get('x-trace-id'));
    expect((await data('/v2/trades')).headers.get('x-trace-id')).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each([
    ['/v2/trades?limit=1001', 'limit'],
    ['/v2/positions?user=USER&limit=5000', 'limit'],
    ['/v2/trades?limit=0', 'limit'],
    ['/v2/trades?limit=few', 'limit'],
    ['/v2/trades?condition=0x12', 'condition'],
    [
      `/v2/trades?condition=${Array.from({ length: 21 }, (_one, at) => `0x${String(at).padStart(64, '0')}`).join(',')}`,
      'condition',
    ],
    ['/v2/trades?event_id=1&condition=0x' + '0'.repeat(64), 'condition'],
    ['/v2/trades?cursor=abc.def', 'cursor'],
    ['/v2/trades?side=HOLD', 'side'],
    ['/v2/value', 'user'],
    ['/v2/value?user=0x12', 'user'],
    ['/v2/value?user=0xe3333700cA9d93003F00f0F71f8515005F6c00Aa', 'user'],
    ['/v2/positions', 'user'],
    ['/v2/positions?user=USER&status=GONE', 'status'],
    ['/v2/positions?user=USER&status=CLOSED&include_archived=true', 'include_archived'],
    [`/v2/prices-history?token_id=${NEWSOM}`, 'start'],
    [`/v2/prices-history?token_id=${NEWSOM}&start=0`, 'start'],
    [`/v2/prices-history?token_id=${NEWSOM}&start=5&interval=1d`, 'start'],
    [`/v2/prices-history?token_id=${NEWSOM}&start=5&end=2000000`, 'start'],
    [`/v2/prices-history?token_id=${NEWSOM}&interval=2d`, 'interval'],
    [`/v2/prices-history?token_id=${NEWSOM}&interval=1d&bucket_seconds=59`, 'bucket_seconds'],
    ['/v2/prices-history?interval=1d', 'token_id'],
  ])('refuses %s and names the parameter', async (path, parameter) => {
    expect(await data(path.replace('USER', sandbox.account.wallet_address))).toMatchObject(refused(parameter));
  });
});

describe('GET /v2/positions and /v2/value (polymarket.md 6.4, 9.2)', () => {
  const all = '&filter_amount=0.000001';

  it('keeps cost, average and realised profit of what is bought and sold', async () => {
    const trader = aTrader();
    const user = trader.account.wallet_address;
    const newsom = { tokenId: NEWSOM, negRisk: true, size: '20' };
    await trader.post(trader.sign({ ...newsom, side: 'BUY', price: '0.246' }));
    await trader.post(trader.sign({ ...newsom, side: 'SELL', price: '0.244', size: '5' }));
    expect(await rows(`/v2/positions?user=${user}`)).toMatchObject([
      {
        proxy_wallet: user.toLowerCase(),
        token_id: NEWSOM,
        current_size: 15,
        total_size: 20,
        avg_price: 0.246,
        entry_cost_usdc: 3.69,
        current_value: 3.675,
        unrealized_pnl: -0.015,
        realized_pnl: -0.01,
        total_pnl: -0.025,
        current_price: 0.245,
        status: 'OPEN',
        outcome_index: 0,
        opposite_token_id: NEWSOM_NO,
        redeemable: false,
        negative_risk: true,
        last_event_at: expect.any(Number),
      },
    ]);
    expect((await data(`/v2/value?user=${user}`)).body).toEqual({
      data: { proxy_wallet: user.toLowerCase(), value: 3.675 },
    });
  });

  it('names a V2 holding by position id and wide condition id', async () => {
    const user = aTrader({ shares: { [V2_YES]: '40' } }).account.wallet_address;
    const [position] = await rows(`/v2/positions?user=${user}&condition=${V2_WIDE}`);
    expect(position).toMatchObject({ token_id: V2_YES, condition_id: V2_WIDE, current_size: 40, event_id: '410233' });
    expect(await rows(`/v2/positions?user=${user}&condition=${V2_WIDE.slice(0, -2)}`)).toEqual([]);
    expect(await rows(`/v2/positions?condition=${V2_WIDE}${all}&limit=1000`)).toContainEqual(position);
  });

  it('hides dust under a tenth of a share, also where 0 is asked for', async () => {
    const user = aTrader({ shares: { [NEWSOM]: '0.05', [NEWSOM_NO]: '3' } }).account.wallet_address;
    const list = `/v2/positions?user=${user}`;
    for (const filter of ['', '&filter_amount=0', '&filter_amount=none', '&filterType=TOKENS&filterAmount=0']) {
      expect(await rows(list + filter)).toMatchObject([{ token_id: NEWSOM_NO, mergeable: true }]);
    }
    expect(await rows(`${list}${all}`)).toHaveLength(2);
    expect(await rows(`${list}&filter_type=CASH&filter_amount=3`)).toEqual([]);
  });

  it('shows settled winners and losers as redeemable, and open where OPEN is asked for', async () => {
    const user = aTrader({ shares: { [WON]: '40', [LOST]: '7', [NEWSOM]: '2' } }).account.wallet_address;
    const list = `/v2/positions?user=${user}`;
    expect(await rows(list)).toHaveLength(3);
    expect(await rows(`${list}&status=REDEEMABLE&sort_direction=ASC`)).toMatchObject([
      { token_id: WON, current_value: 40, status: 'REDEEMABLE', redeemable: true, outcome: 'No' },
      { token_id: LOST, current_value: 0, status: 'REDEEMABLE', redeemable: true },
    ]);
    expect(await rows(`${list}&status=REDEEMABLE_LOST`)).toMatchObject([{ token_id: LOST, current_price: 0 }]);
    expect(await rows(`${list}&event_id=30829`)).toMatchObject([{ token_id: NEWSOM }]);
    expect(await rows(`${list}&title=NEWSOM`)).toMatchObject([{ token_id: NEWSOM }]);
  });

  it('lists what was sold out as CLOSED, with its profit', async () => {
    const trader = aTrader();
    const user = trader.account.wallet_address;
    const newsom = { tokenId: NEWSOM, negRisk: true, size: '10' };
    await trader.post(trader.sign({ ...newsom, side: 'BUY', price: '0.246' }));
    expect(await rows(`/v2/positions?user=${user}&status=CLOSED`)).toEqual([]);
    await trader.post(trader.sign({ ...newsom, side: 'SELL', price: '0.244' }));
    expect(await rows(`/v2/positions?user=${user}&status=CLOSED`)).toMatchObject([
      { token_id: NEWSOM, status: 'CLOSED', current_size: 0, total_size: 10, avg_price: 0.246, realized_pnl: -0.02 },
    ]);
    expect(await rows(`/v2/positions?user=${user}${all}`)).toEqual([]);
  });

  it('walks by cursors that hold on to status and sort, which may not be contradicted', async () => {
    const shares = { [NEWSOM]: '1', [NEWSOM_NO]: '2', [V2_YES]: '3', [WON]: '4' };
    const user = aTrader({ shares }).account.wallet_address;
    const list = `/v2/positions?user=${user}&sort_by=TOKENS&sort_direction=ASC`;
    expect((await walked(`${list}&limit=2`)).map((row) => row.current_size)).toEqual([1, 2, 3, 4]);
    const { pagination } = await page(`${list}&limit=3`);
    const next = `cursor=${String(pagination.next_cursor)}`;
    expect(await page(`/v2/positions?user=${user}&${next}&limit=1`)).toMatchObject({
      data: [{ current_size: 4 }],
      pagination: { limit: 3, offset: 3, has_more: false },
    });
    expect(await data(`/v2/positions?user=${user}&${next}&status=CLOSED`)).toMatchObject(refused('status'));
    expect(await data(`/v2/positions?user=${user}&${next}&sort_by=PRICE`)).toMatchObject(refused('sort_by'));
    expect(await data(`/v2/positions?${next}`)).toMatchObject({ status: 400 });
    expect(await data(`/v2/trades?${next}`)).toMatchObject(refused('cursor'));
  });
});

describe('GET /v2/trades (polymarket.md 6.2)', () => {
  const MARKET = '0x6a99620f23f9d2d3a5db942a7d77fe7e612734fd877aabca2c1d705270a44f40';

  it('is newest first and pages without gaps or repeats', async () => {
    const once = await rows(`/v2/trades?condition=${MARKET}&limit=1000`);
    const times = once.map((row) => Number(row.timestamp));
    expect(times).toEqual([...times].sort((one, other) => other - one));
    expect(once.length).toBeGreaterThanOrEqual(40);
    expect(await walked(`/v2/trades?condition=${MARKET}&limit=7`)).toEqual(once);
    expect(once.every((row) => row.condition_id === MARKET)).toBe(true);
    expect(once.some((row) => String(row.price).length > 9)).toBe(true);
  });

  it('goes on from the place of a cursor in whatever list is asked for then', async () => {
    const { data: first, pagination } = await page(`/v2/trades?condition=${MARKET}&limit=5`);
    const other = await page(`/v2/trades?condition=${V2_WIDE}&limit=900&cursor=${String(pagination.next_cursor)}`);
    expect(other.pagination.limit).toBe(5);
    expect(other.data.every((row) => row.condition_id === V2_WIDE)).toBe(true);
    expect(Number(other.data[0]?.timestamp)).toBeLessThanOrEqual(Number(first.at(-1)?.timestamp));
  });

  it('shows takers alone unless taker_only is false, each side in its own terms', async () => {
    const [maker, taker] = [aTrader(), aTrader()];
    await maker.post(maker.sign({ tokenId: NEWSOM_NO, negRisk: true, side: 'BUY', price: '0.755', size: '5' }));
    await taker.post(taker.sign({ tokenId: NEWSOM, negRisk: true, side: 'BUY', price: '0.245', size: '5' }));
    const [of, by] = [maker.wallet.address, taker.wallet.address];
    const list = `/v2/trades?condition=${MARKET}`;
    expect(await rows(`${list}&user=${of}`)).toEqual([]);
    const [made] = await rows(`${list}&user=${of}&taker_only=false`);
    const [took] = await rows(`${list}&user=${by.toLowerCase()}`);
    const asMaker = { side: 'BUY', token_id: NEWSOM_NO, price: 0.755, size: 5, outcome_index: 1 };
    expect(made).toMatchObject({ ...asMaker, proxy_wallet: of.toLowerCase() });
    expect(took).toMatchObject({ side: 'BUY', token_id: NEWSOM, price: 0.245, size: 5, outcome_index: 0 });
    expect(made?.transaction_hash).toBe(took?.transaction_hash);
    expect(made).not.toHaveProperty('id');
  });

  it('ignores start and end unless one user is asked for', async () => {
    const once = await rows(`/v2/trades?condition=${MARKET}&limit=1000`);
    expect(await rows(`/v2/trades?condition=${MARKET}&limit=1000&start=5&end=6`)).toEqual(once);
    const trader = aTrader();
    await trader.post(trader.sign({ tokenId: NEWSOM, negRisk: true, side: 'BUY', price: '0.246', size: '5' }));
    const own = `/v2/trades?user=${trader.wallet.address}`;
    const at = Number((await rows(own))[0]?.timestamp);
    expect(await rows(`${own}&start=${at}&end=${at}`)).toHaveLength(1);
    expect(await rows(`${own}&start=5&end=6`)).toEqual([]);
  });

  it('has combinations in the lists of nobody and of one user, not in those of a market', async () => {
    const trader = aTrader();
    await trader.post(trader.sign({ tokenId: NEWSOM, negRisk: true, side: 'BUY', price: '0.246', size: '5' }));
    const combo = { slug: '', event_slug: '', outcome: '', outcome_index: 999 };
    const own = await rows(`/v2/trades?user=${trader.wallet.address}`);
    expect(own).toMatchObject([{ token_id: NEWSOM }, combo]);
    expect(String(own[1]?.condition_id)).toMatch(/^0x03[0-9a-f]{60}$/);
    expect(BigInt(String(own[1]?.token_id)) >> 248n).toBe(3n);
    expect(await rows('/v2/trades?limit=1000')).toEqual(expect.arrayContaining([expect.objectContaining(combo)]));
    expect(await rows(`/v2/trades?event_id=30829&limit=1000`)).not.toContainEqual(expect.objectContaining(combo));
  });

  it('answers a narrow condition id with nothing', async () => {
    expect(await rows(`/v2/trades?condition=${V2_WIDE.slice(0, -2)}`)).toEqual([]);
    expect((await rows(`/v2/trades?conditionId=${V2_WIDE}`)).length).toBeGreaterThan(0);
  });

  it('filters by event, side and amount', async () => {
    const slugs = (await rows('/v2/trades?event_id=30829&limit=1000')).map((row) => row.event_slug);
    expect(new Set(slugs)).toEqual(new Set(['democratic-presidential-nominee-2028']));
    expect((await rows('/v2/trades?event_id=30829&side=SELL')).every((row) => row.side === 'SELL')).toBe(true);
    const large = await rows('/v2/trades?event_id=30829&filter_type=TOKENS&filter_amount=200');
    expect(large.every((row) => Number(row.size) >= 200)).toBe(true);
    expect(large.length).toBeGreaterThan(0);
  });
});

describe('GET /v2/prices-history (polymarket.md 6.3)', () => {
  const seconds = (): number => Math.floor(Date.now() / 1_000);

  it('has the buckets of a window and ends with an exact tick', async () => {
    const start = Math.floor(seconds() / 3_600) * 3_600 - 86_400;
    const list = `/v2/prices-history?token_id=${V2_YES}&start=${start}&bucket_seconds=3600`;
    const points = await rows(`${list}&end=${start + 7_200}`);
    expect(points).toMatchObject([
      { timestamp: start, resolution_seconds: 3_600 },
      { timestamp: start + 3_600, resolution_seconds: 3_600 },
      { timestamp: start + 7_199, resolution_seconds: 0 },
    ]);
    expect(await walked(`${list}&end=${start + 72_000}&limit=4`)).toHaveLength(21);
    const [yes, no] = await Promise.all(
      [V2_YES, V2_NO].map((id) => rows(list.replace(V2_YES, id).concat(`&end=${start + 3_600}`))),
    );
    expect(Number(yes?.[0]?.price) + Number(no?.[0]?.price)).toBeCloseTo(1, 9);
  });

  it('ends with what a settled market paid, and has nothing for an unknown token', async () => {
    expect((await rows(`/v2/prices-history?token_id=${WON}&interval=max`)).at(-1)).toMatchObject({
      price: 1,
      resolution_seconds: 0,
    });
    expect(await rows('/v2/prices-history?token_id=123&interval=max')).toEqual([]);
  });

  it('has no fine points of long ago', async () => {
    const start = seconds() - 20 * 86_400;
    const list = `/v2/prices-history?token_id=${NEWSOM}&start=${start}&end=${start + 86_400}`;
    expect(await rows(`${list}&bucket_seconds=60`)).toEqual([]);
    expect((await rows(list))[0]).toMatchObject({ resolution_seconds: 300 });
    const at = seconds() - 5_000;
    expect(await rows(`/v2/prices-history?token_id=${NEWSOM}&as_of=${at}`)).toMatchObject([{ timestamp: at }]);
  });
});

describe('GET /v2/resolutions and /v2/approvals (polymarket.md 6.4, 10.4)', () => {
  const RESOLVED = `0x014017c55cf5c4c3d27fb511cbc4424e08${'0'.repeat(30)}`;

  it('tells payouts of resolved markets, and that open V2 markets are active', async () => {
    const { body } = await data(`/v2/resolutions?condition=${V2_WIDE},${RESOLVED}`);
    expect(body).toMatchObject({
      data: [
        { condition_id: RESOLVED, status: 'resolved', payouts: [1_000_000, 0], market_type: 'BINARY' },
        { condition_id: V2_WIDE, status: 'active' },
      ],
    });
    expect(body).not.toHaveProperty('pagination');
    const split = await rows('/v2/resolutions?event_id=410251');
    expect(split.map((row) => row.payouts)).toContainEqual([500_000, 500_000]);
  });

  it('refuses the narrow form, knows nothing of others, and wants one selector', async () => {
    const narrow = RESOLVED.slice(0, -2);
    expect(await data(`/v2/resolutions?condition=${narrow}`)).toMatchObject({
      status: 400,
      body: { error: `invalid resolution condition id: ${narrow}`, code: 'invalid_request' },
    });
    expect((await data(`/v2/resolutions?condition=0x${'1'.repeat(64)}`)).body).toEqual({ data: [] });
    expect(await data('/v2/resolutions')).toMatchObject({ status: 400 });
    expect(await data(`/v2/resolutions?condition=${RESOLVED}&event_id=1`)).toMatchObject({ status: 400 });
  });

  it('tells which contracts a wallet has approved', async () => {
    const user = aTrader({ standing: { exchangeV3: false } }).account.wallet_address;
    const { body } = await data(`/v2/approvals?user=${user}`);
    const { contracts } = (body as { data: { contracts: Row[] } }).data;
    expect(contracts).toHaveLength(6);
    const missing = contracts.filter((one) => one.approved === false).map((one) => [one.standard, one.amount]);
    expect(missing).toEqual([
      ['ERC20', '0'],
      ['ERC1155', undefined],
    ]);
  });
});

describe('account wallets of types 1 to 3 (polymarket.md 3)', () => {
  it.each([1, 2, 3] as const)('trades for the wallet of type %i, signed by its owner', async (signatureType) => {
    const trader = aTrader({ signatureType, balance: '100' });
    const maker = trader.account.wallet_address;
    expect(maker).not.toBe(trader.wallet.address);
    const terms = { tokenId: NEWSOM, negRisk: true, side: 'BUY', price: '0.246', size: '10', signatureType } as const;
    expect(await trader.post(trader.sign(terms))).toMatchObject({ status: 200, body: { status: 'matched' } });
    const balance = await trader.call(
      'GET',
      `/balance-allowance?asset_type=COLLATERAL&signature_type=${signatureType}`,
    );
    expect(balance.body).toMatchObject({ balance: '97540000' });
    expect(await rows(`/v2/positions?user=${maker}`)).toMatchObject([{ current_size: 10 }]);
    expect(await rows(`/v2/positions?user=${trader.wallet.address}`)).toEqual([]);
  });

  it.each([1, 2, 3] as const)('refuses a wallet of type %i that belongs to another', async (signatureType) => {
    const [owner, thief] = [aTrader({ signatureType }), aTrader()];
    const terms = { tokenId: NEWSOM, negRisk: true, side: 'BUY', price: '0.1', size: '10', signatureType } as const;
    const order = thief.sign({ ...terms, maker: owner.account.wallet_address });
    expect(await thief.post(order)).toMatchObject({ status: 400, body: { error: 'invalid signature' } });
    const eoa = thief.sign({ ...terms, maker: owner.wallet.address });
    expect(await thief.post(eoa)).toMatchObject({ status: 400, body: { error: 'invalid signature' } });
  });

  it('refuses a deposit wallet whose wrapped signature says anything else', async () => {
    const trader = aTrader({ signatureType: 3 });
    const terms = { tokenId: NEWSOM, negRisk: true, side: 'BUY', price: '0.1', size: '10', signatureType: 3 } as const;
    const order = trader.sign(terms);
    const refused = { status: 400, body: { error: 'invalid signature' } };
    expect(await trader.post({ ...order, signature: order.signature.slice(0, 132) })).toMatchObject(refused);
    expect(await trader.post({ ...order, signature: `${order.signature.slice(0, -1)}b` })).toMatchObject(refused);
    expect(await trader.post({ ...order, signer: trader.wallet.address })).toMatchObject({
      body: { error: 'the order signer address has to be the address of the API KEY' },
    });
    expect(await trader.post(trader.sign({ ...terms, negRisk: false }))).toMatchObject(refused);
    expect(await trader.post(order)).toMatchObject({ status: 200 });
  });
});
