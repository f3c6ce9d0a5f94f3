import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiShapes } from './support/api-shapes.js';
import { codeOf } from './support/calls.js';
import { EXCHANGES } from './support/exchanges.js';
import { aHolder, control, type Holder, read, tradeKalshi, tradePolymarket } from './support/portfolio.js';
import { startTestStand, type TestStand } from './support/sandbox.js';

const SLUG = 'will-bitcoin-reach-130k-this-year';
const [WON, LOST] = ['KXHIGHNY-TODAY-B55.5', 'KXHIGHNY-TODAY-T58'];

interface Settlement {
  readonly market_id: string;
  readonly settled_at: string;
  readonly outcome: { readonly index: number } | null;
}

interface List {
  readonly data: Settlement[];
  readonly next_cursor: string | null;
}

describe('what became of positions (contract.md 5.17, unified-schema.md 8)', () => {
  let stand: TestStand;
  let shapes: ApiShapes;
  let holder: Holder;
  let market: { id: string; title: string; outcomes: { id: string; label: string }[] };

  const list = async (path: string, by = holder): Promise<List> => {
    const answer = await read(stand, path, by.key);
    expect([path, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([path, 200, '']);
    expect(shapes.faults('get', '/{exchange}/settlements', answer.body)).toEqual([]);
    return answer.body as List;
  };

  beforeAll(async () => {
    stand = await startTestStand();
    shapes = await ApiShapes.of(stand.app.url);
    holder = await aHolder(stand);
    market = (await read(stand, `/polymarket/markets/${SLUG}`, holder.key)).body as typeof market;
    // 3.5 of YES, of which 1.25 are sold before the end: what is settled is the rest.
    await tradeKalshi(holder, { ticker: WON, side: 'bid', count: '3.50', price: '0.9900' });
    await tradeKalshi(holder, { ticker: WON, side: 'ask', count: '1.25', price: '0.0100' });
    await tradeKalshi(holder, { ticker: LOST, side: 'bid', count: '7.01', price: '0.9900' });
    await tradeKalshi(holder, { ticker: 'KXHIGHNY-TODAY-B53.5', side: 'bid', count: '1.00', price: '0.9900' });
    await tradeKalshi(holder, { ticker: 'KXHIGHNY-TODAY-B53.5', side: 'ask', count: '1.00', price: '0.0100' });
    for (const [index, size] of ['10', '12.5'].entries())
      await tradePolymarket(holder, {
        tokenId: market.outcomes[index]?.id ?? '',
        negRisk: false,
        side: 'BUY',
        price: '0.99',
        size,
      });
  });

  afterAll(() => stand.close());

  it.each(EXCHANGES)('is nothing while all markets are open: %s', async (exchange) => {
    expect(await list(`/${exchange}/settlements`)).toEqual({ data: [], next_cursor: null });
  });

  it('at Kalshi has what was held when the market ended, never what was sold before', async () => {
    const [position] = (
      (await read(stand, `/kalshi/positions?market_id=${WON}`, holder.key)).body as {
        data: { cost_basis: string; fees_paid: string }[];
      }
    ).data;
    const [other] = (
      (await read(stand, `/kalshi/positions?market_id=${LOST}`, holder.key)).body as {
        data: { cost_basis: string; fees_paid: string }[];
      }
    ).data;
    for (const [ticker, result] of [
      [WON, 'yes'],
      [LOST, 'no'],
      ['KXHIGHNY-TODAY-B53.5', 'yes'],
    ])
      await control(stand, '/kalshi/markets', { ticker, result });
    const { data } = await list('/kalshi/settlements');
    expect(data).toEqual([
      {
        exchange: 'kalshi',
        market_id: LOST,
        title: null,
        outcome: { id: `${LOST}:yes`, index: 0, label: 'Yes' },
        size: '7.01',
        cost: other?.cost_basis,
        payout: '0',
        fees: other?.fees_paid,
        realized_pnl: `-${other?.cost_basis ?? ''}`,
        settled_at: expect.any(String),
      },
      expect.objectContaining({
        market_id: WON,
        size: '2.25',
        cost: position?.cost_basis,
        payout: '2.25',
        realized_pnl: String((225_000_000 - Math.round(Number(position?.cost_basis) * 100_000_000)) / 100_000_000),
      }),
    ]);
  });

  it('at Polymarket has what was redeemed, each outcome by itself, and nothing before', async () => {
    await control(stand, '/polymarket/markets', { market_id: market.id, winner: 1 });
    expect((await list('/polymarket/settlements')).data).toEqual([]);
    const { data: held } = (await read(stand, '/polymarket/positions', holder.key)).body as {
      data: { status: string; outcome: { index: number }; cost_basis: string; average_price: string }[];
    };
    expect(held.map(({ status }) => status)).toEqual(['redeemable', 'redeemable']);
    const wallet_address = holder.polymarket.account.wallet_address;
    await control(stand, '/polymarket/redemptions', { wallet_address, market_id: market.id });
    const { data } = await list('/polymarket/settlements');
    const of = (index: number) => held.find(({ outcome }) => outcome.index === index);
    expect(data).toHaveLength(2);
    expect(data.find(({ outcome }) => outcome?.index === 0)).toMatchObject({
      market_id: market.id,
      title: market.title,
      outcome: { id: market.outcomes[0]?.id, label: market.outcomes[0]?.label },
      size: '10',
      cost: of(0)?.cost_basis,
      payout: '0',
      fees: null,
      realized_pnl: `-${of(0)?.cost_basis ?? ''}`,
    });
    expect(data.find(({ outcome }) => outcome?.index === 1)).toMatchObject({
      size: '12.5',
      cost: of(1)?.cost_basis,
      payout: '12.5',
    });
    expect((await read(stand, '/polymarket/positions', holder.key)).body).toMatchObject({ data: [] });
  });

  it.each(EXCHANGES)('pages by our cursors, and cuts by time: %s', async (exchange) => {
    const { data: all } = await list(`/${exchange}/settlements`);
    const seen: Settlement[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: List = await list(
        `/${exchange}/settlements?limit=1${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      seen.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(all);
    const last = all[0]?.settled_at ?? '';
    const after = new Date(Date.parse(last) + 1).toISOString();
    expect((await list(`/${exchange}/settlements?start=${after}`)).data).toEqual([]);
    expect((await list(`/${exchange}/settlements?start=${last}&end=${after}`)).data).toContainEqual(all[0]);
    expect((await list(`/${exchange}/settlements?end=${all.at(-1)?.settled_at ?? ''}`)).data).toEqual([]);
    const foreign = await aHolder(stand);
    const first = await list(`/${exchange}/settlements?limit=1`);
    const stolen = await read(
      stand,
      `/${exchange}/settlements?limit=1&cursor=${encodeURIComponent(first.next_cursor ?? '')}`,
      foreign.key,
    );
    expect([stolen.status, codeOf(stolen)]).toEqual([400, 'bad_request']);
    expect((await list(`/${exchange}/settlements`, foreign)).data).toEqual([]);
  });

  it('without stored credentials is 409, of an unknown parameter 400', async () => {
    const nobody = await aHolder(stand, []);
    expect(codeOf(await read(stand, '/kalshi/settlements', nobody.key))).toBe('credentials_not_configured');
    expect(codeOf(await read(stand, '/kalshi/settlements?market_id=A', holder.key))).toBe('bad_request');
  });
});
