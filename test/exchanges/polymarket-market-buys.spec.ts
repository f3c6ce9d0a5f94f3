import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { OrderNaming, PreparedOrder } from '../../src/exchanges/orders.contract.js';
import { OrderSearch } from '../../src/exchanges/order-search.js';
import { PolymarketOrderDto } from '../../src/exchanges/polymarket/trading/order.dto.js';
import { validateAs } from '../../src/platform/http/validation.js';
import { type FakePolymarket, sampleObject } from '../support/fake-polymarket.js';
import { naming } from '../support/naming.js';
import { aSessionKey, INFO, NO, startWithV2, WIDE, YES } from './polymarket-v2.fixture.js';

const POST = 'POST /clob/order';
const BOOK = 'GET /clob/book';
const BODY = { market_id: WIDE, outcome: 'yes', side: 'buy', price: '0.99', size: '6', time_in_force: 'fok' };
const NAMING = naming('2b8394e0-515e-4b89-b624-f34067756855');
const NOT_FILLED = { code: 'exchange_rejected', details: { reason: 'not_filled' } };

type Level = readonly [price: string, size: string];

interface Sent {
  readonly order: Readonly<Record<'makerAmount' | 'takerAmount' | 'tokenId', string>>;
}

let fake: FakePolymarket;

beforeEach(async () => {
  fake = await startWithV2();
  answer({ status: 'matched' });
  asks(['0.06', '100']);
});

afterEach(() => fake.close());

/** The book of both outcomes, worst first as the exchange has it. */
function asks(...levels: readonly Level[]): void {
  const sides = { bids: [{ price: '0.01', size: '9' }], asks: levels.map(([price, size]) => ({ price, size })) };
  fake.on(BOOK, ({ query }) => ({
    body: { market: WIDE, asset_id: query.get('token_id'), timestamp: '1792000000123', ...sides },
  }));
}

function answer(change: object): void {
  const id = `0x${'a'.repeat(64)}`;
  fake.on(POST, () => ({ body: { success: true, errorMsg: '', orderID: id, ...change } }));
}

async function prepare(change: object = {}, as: OrderNaming = NAMING): Promise<PreparedOrder> {
  const request = await validateAs(PolymarketOrderDto, { ...BODY, ...change });
  return fake.trading(null, aSessionKey()).prepareOrder(request, as);
}

function sent(): Sent['order'] {
  return (JSON.parse(fake.at(POST).at(-1)?.body ?? '') as Sent).order;
}

async function amountsOf(change: object): Promise<[money: string, shares: string]> {
  await (await prepare(change)).place();
  return [sent().makerAmount, sent().takerAmount];
}

describe('a fok or ioc order to buy, of plain parameters', () => {
  it.each<[string, object, Level[], string, string]>([
    ['a fok at the price of its level', {}, [['0.06', '100']], '360000', '6000000'],
    ['an ioc at the price that was asked', { time_in_force: 'ioc' }, [['0.06', '100']], '360000', '363600'],
    [
      'a fok at its last level',
      {},
      [
        ['0.5', '9'],
        ['0.08', '9'],
        ['0.06', '4'],
      ],
      '400000',
      '5000000',
    ],
    [
      'what lies at the limit',
      { price: '0.06' },
      [
        ['0.07', '9'],
        ['0.06', '6'],
      ],
      '360000',
      '6000000',
    ],
    ['cut to cents', { size: '5.33' }, [['0.07', '9']], '370000', '5285700'],
    ['never more than price × size', { price: '0.37', size: '7.31' }, [['0.37', '8']], '2700000', '7297200'],
    ['an ioc, of what is there', { time_in_force: 'ioc' }, [['0.06', '4']], '240000', '242400'],
    [
      'an ioc, of some levels',
      { time_in_force: 'ioc', price: '0.07' },
      [
        ['0.08', '9'],
        ['0.07', '1'],
        ['0.06', '4'],
      ],
      '310000',
      '4428500',
    ],
    [
      'less than the smallest size',
      { size: '5' },
      [
        ['0.07', '1'],
        ['0.01', '4'],
      ],
      '110000',
      '1571400',
    ],
    [
      'past empty and free levels',
      {},
      [
        ['0.06', '9'],
        ['0.05', '0'],
        ['0', '9'],
      ],
      '360000',
      '6000000',
    ],
  ])('contract.md 5.6 spends what its size costs by the book: %s', async (_name, change, levels, money, shares) => {
    asks(...levels);
    expect(await amountsOf(change)).toEqual([money, shares]);
    expect(fake.at(BOOK).map(({ query }) => query.get('token_id'))).toEqual([YES]);
  });

  it.each<[string, object, Level[]]>([
    ['a fok of more than is there', {}, [['0.06', '5.99']]],
    [
      'a fok of more than is there at its price',
      { price: '0.07' },
      [
        ['0.08', '9'],
        ['0.07', '5'],
      ],
    ],
    ['a fok where nothing is there', {}, []],
    ['an ioc where nothing is there', { time_in_force: 'ioc' }, []],
    ['an ioc where all is dearer', { time_in_force: 'ioc', price: '0.05' }, [['0.06', '9']]],
    ['an ioc where less than a cent is there', { time_in_force: 'ioc' }, [['0.01', '0.9']]],
  ])('contract.md 5.6 is not_filled without being sent: %s', async (_name, change, levels) => {
    asks(...levels);
    await expect(prepare(change)).rejects.toMatchObject(NOT_FILLED);
    expect(fake.at(POST)).toEqual([]);
  });

  it.each(['fok', 'ioc'])(
    'contract.md 5.18 is signed as a %s for what its preview said, whatever the book is by now',
    async (life) => {
      const change = { time_in_force: life, price: '0.07' };
      const { terms } = (await prepare(change)).reference;
      asks(['0.01', '100']);
      const placed = await prepare(change, { ...NAMING, previewed: terms ?? null });
      await placed.place();
      const { money, shares } = terms ?? {};
      expect([sent().makerAmount, sent().takerAmount]).toEqual([money, shares]);
      expect(placed.reference.terms).toMatchObject({ money, shares });
      expect(fake.at(BOOK)).toHaveLength(1);
    },
  );

  it('contract.md 5.6 is refused on size where that costs less than a cent', async () => {
    fake.on(INFO, () => ({ body: { ...sampleObject('clob-market-info-v2'), mos: 0 } }));
    asks(['0.01', '9']);
    const refused = { code: 'bad_request', details: { fields: [{ field: 'size' }] } };
    await expect(prepare({ size: '0.5' })).rejects.toMatchObject(refused);
    expect(fake.at(POST)).toEqual([]);
  });

  it('contract.md 5.6 is market_closed where there is no book, and not sent by that of another token', async () => {
    fake.on(BOOK, () => ({ status: 404, body: { error: 'No orderbook exists for the requested token id' } }));
    await expect(prepare()).rejects.toMatchObject({ code: 'exchange_rejected', details: { reason: 'market_closed' } });
    const other = { market: WIDE, asset_id: NO, timestamp: '1792000000123', bids: [], asks: [] };
    fake.on(BOOK, () => ({ body: other }));
    await expect(prepare()).rejects.toMatchObject({ code: 'exchange_error' });
    fake.on(BOOK, () => ({ status: 500, body: { error: 'x' } }));
    await expect(prepare()).rejects.toMatchObject({ code: 'exchange_error' });
    expect(fake.at(POST)).toEqual([]);
  });

  it('contract.md 5 reads the book past the cache of public reads', async () => {
    await fake.close();
    fake = await startWithV2({}, { MARKET_DATA_CACHE_TTL: '1m' });
    asks(['0.06', '6']);
    await fake.exchange.marketData.getOrderBook({ market_id: WIDE, outcome: 'yes' });
    asks(['0.07', '6']);
    expect((await prepare()).reference.terms).toMatchObject({ money: '420000' });
  });

  it.each(['gtc', 'gtd'])('contract.md 5.6 needs no book as %s, nor to sell', async (time_in_force) => {
    const expires_at = time_in_force === 'gtd' ? '2099-11-21T15:00:00Z' : undefined;
    await prepare({ time_in_force, ...(expires_at && { expires_at }) });
    await prepare({ time_in_force: 'fok', side: 'sell' });
    expect(fake.at(BOOK)).toEqual([]);
  });
});

describe('its answer', () => {
  it.each<[string, object, string, object]>([
    [
      'all of it',
      { takingAmount: '6', makingAmount: '0.36' },
      'fok',
      { filled_size: '6', remaining_size: '0', status: 'filled' },
    ],
    [
      'more',
      { takingAmount: '7.2', makingAmount: '0.36' },
      'fok',
      { filled_size: '7.2', remaining_size: '0', status: 'filled' },
    ],
    [
      "a cent's worth less",
      { takingAmount: '5.9', makingAmount: '0.36' },
      'ioc',
      { filled_size: '5.9', remaining_size: '0', status: 'filled' },
    ],
    [
      'less',
      { takingAmount: '4', makingAmount: '0.24' },
      'ioc',
      { filled_size: '4', remaining_size: '2', status: 'cancelled' },
    ],
    ['less of a fok', { takingAmount: '5', makingAmount: '0.36' }, 'fok', { remaining_size: '1', status: 'cancelled' }],
    ['no amounts', {}, 'ioc', { filled_size: '0', status: 'pending', status_reason: 'unknown_status' }],
  ])('contract.md 5.6 has the size that was asked, and %s filled', async (_name, said, time_in_force, expected) => {
    answer({ status: 'matched', ...said });
    const order = await (await prepare({ time_in_force })).place();
    expect(order).toMatchObject({ price: '0.99', size: '6', ...expected });
  });

  it('contract.md 5.6 of an ioc that found less is cancelled, although the exchange has spent all of its money', async () => {
    asks(['0.06', '4']);
    const prepared = await prepare({ time_in_force: 'ioc' });
    const { order_id: id } = prepared.reference.details;
    const listed = { ...sampleObject('clob-order-v2'), id, asset_id: YES, side: 'BUY', order_type: 'FAK' };
    fake.on(`GET /clob/data/order/${id}`, () => ({
      body: { ...listed, status: 'MATCHED', original_size: '0.2424', size_matched: '4' },
    }));
    const told = { size: '6', filled_size: '4', remaining_size: '2', status: 'cancelled' };
    expect((await prepared.find(new OrderSearch()))?.order).toMatchObject(told);
    answer({ status: 'matched', orderID: id });
    expect(await prepared.place()).toMatchObject(told);
    // By its id alone nobody knows what was asked.
    const byId = await fake.trading(null, aSessionKey()).getOrder(id ?? '');
    expect(byId).toMatchObject({ size: '0.2424', filled_size: '4', remaining_size: '0', status: 'filled' });
  });
});

describe('its repeat', () => {
  const again = ({ reference: { details, terms } }: PreparedOrder, kept = terms): OrderNaming => ({
    ...NAMING,
    sentAs: { ...details, ...(kept && { terms: kept }) },
  });

  it.each(['fok', 'ioc'])(
    'contract.md 5.6 of %s is the same order, whatever the book says by then',
    async (time_in_force) => {
      const first = await prepare({ time_in_force });
      expect(first.reference.terms).toMatchObject({
        money: '360000',
        shares: time_in_force === 'fok' ? '6000000' : '363600',
      });
      await first.place();
      const order = sent();
      for (const levels of [[['0.5', '100']], []] as Level[][]) {
        asks(...levels);
        const repeated = await prepare({ time_in_force }, again(first));
        expect(repeated.reference).toEqual(first.reference);
        await repeated.place();
        expect(sent()).toEqual(order);
      }
      expect(fake.at(BOOK)).toHaveLength(1);
    },
  );

  it('contract.md 5.6 of a record that tells no amounts is found among those of price × size', async () => {
    asks(['0.37', '9']);
    const change = { price: '0.37', size: '7.31', time_in_force: 'ioc' };
    const first = await prepare(change);
    const { timestamp = '' } = first.reference.terms ?? {};
    const repeated = await prepare(change, again(first, { timestamp }));
    expect(repeated.reference).toEqual({ ...first.reference, terms: { timestamp } });
    answer({ status: 'matched', takingAmount: '7.2973' });
    expect(await repeated.place()).toMatchObject({ size: '7.31', filled_size: '7.2973', status: 'filled' });
  });

  it.each([
    ['other amounts', { money: '370000', shares: '6000000' }],
    ['no amounts', { money: '0', shares: '-1' }],
  ])('contract.md 5.6 is not made of a record that has %s', async (_name, terms) => {
    const first = await prepare();
    await expect(prepare({}, again(first, terms))).rejects.toMatchObject({ code: 'exchange_error' });
  });
});
