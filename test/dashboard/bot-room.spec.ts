import { describe, expect, it } from '@jest/globals';
import {
  type Here,
  hereOf,
  lacksSince,
  type OwnFill,
  type OwnOrder,
} from '../../dashboard/src/components/market/bot-here.js';
import {
  type Asked,
  type Bot,
  type LimitName,
  type Room,
  roomsOf,
  whyNot,
} from '../../dashboard/src/components/market/bot-room.js';

const NOW = Date.parse('2026-05-04T12:00:00Z');
const DAY_MS = 86_400_000;
const NONE: Here = { held: '0', resting: [] };

const NO_LIMITS: Bot['limits'] = {
  max_order_risk: null,
  max_open_risk: null,
  max_daily_risk: null,
  max_total_risk: null,
  max_position: null,
  max_open_orders: null,
  max_orders_per_minute: null,
  max_price_distance: null,
  max_order_seconds: null,
  max_requests_per_minute: null,
};

const USAGE = {
  open_risk: { USD: '10' },
  daily_risk: { USD: '20', PUSD: '999' },
  total_risk: { USD: '30' },
  open_orders: 4,
  orders_last_minute: 9,
  unsettled_orders: 0,
  as_of: new Date(NOW).toISOString(),
};

function botOf(limits: Partial<Bot['limits']>, change: object = {}): Bot {
  const rest = { id: 'bot_1', state: 'active', exchanges: null, markets: null, heartbeat: null, usage: USAGE };
  const created = new Date(NOW - 10 * DAY_MS).toISOString();
  return { ...rest, created_at: created, limits: { ...NO_LIMITS, ...limits }, ...change };
}

/** Buys 10 of outcome 0 at 0.42. */
const ORDER: Asked['order'] = {
  outcome_index: 0,
  side: 'buy',
  price: '0.42',
  size: '10',
  time_in_force: 'gtc',
  expires_at: null,
  money: null,
  currency: 'USD',
};

const BOOK = { bid: { price: '0.40', size: '5' }, ask: { price: '0.41', size: '5' } };

interface Change {
  readonly order?: Partial<Asked['order']>;
  readonly here?: Here | string;
  readonly cost?: string;
  readonly book?: Asked['preview']['book'];
  readonly usage?: object;
}

function reckon(limits: Partial<Bot['limits']>, change: Change = {}): Room[] {
  const { order, here = NONE, cost = null, book = BOOK, usage } = change;
  return roomsOf({
    bot: botOf(limits, usage === undefined ? {} : { usage: { ...USAGE, ...usage } }),
    order: { ...ORDER, ...order },
    preview: { cost, book },
    here,
    now: NOW,
  });
}

/** Of the one limit that is set: what is used, what is asked, and whether it fits. */
function told(limits: Partial<Bot['limits']>, change: Change = {}): unknown[] {
  const [room, ...others] = reckon(limits, change);
  expect(others).toEqual([]);
  const asked = room?.asked ?? null;
  return [room?.used, asked === null || asked.least === asked.most ? asked?.most : asked, room?.fits];
}

/** Short 6 in outcome 0 by its fills. */
const SHORT: Here = { held: '-6', resting: [] };
const buysAt = (price: string, size: string): Here['resting'][number] => ({
  isLong: true,
  size,
  price,
  hasFilled: false,
});
const sellsAt = (price: string, size: string): Here['resting'][number] => ({
  isLong: false,
  size,
  price,
  hasFilled: false,
});

const IOC = { time_in_force: 'ioc' } as const;
/** A purchase that spends a sum. */
const SUM: Change = { order: { ...IOC, money: '4.2' } };

describe('what an order takes of the limits of a bot', () => {
  const edges: readonly [why: string, limit: LimitName, most: string, less: string, change?: Change][] = [
    ['a purchase loses its price', 'max_order_risk', '4.2', '4.199999'],
    ['a sale loses the rest to 1', 'max_order_risk', '5.8', '5.799999', { order: { side: 'sell' } }],
    ['a cost above the price counts', 'max_order_risk', '4.25', '4.249999', { cost: '4.25' }],
    ['what takes back loses nothing', 'max_order_risk', '1.68', '1.679999', { here: SHORT }],
    [
      'what another order takes back is not taken back again',
      'max_order_risk',
      '3.36',
      '3.359999',
      { here: { held: '-6', resting: [buysAt('0.1', '4')] } },
    ],
    ['open risk adds to what is open', 'max_open_risk', '14.2', '14.199999'],
    ['of the day', 'max_daily_risk', '24.2', '24.199999'],
    ['in all', 'max_total_risk', '34.2', '34.199999'],
    ['each currency by itself', 'max_daily_risk', '1003.2', '1003.199999', { order: { currency: 'PUSD' } }],
    ['a currency of which nothing is used', 'max_open_risk', '4.2', '4.199999', { order: { currency: 'EUR' } }],
    ['an order alone that takes back', 'max_daily_risk', '21.68', '21.679999', { here: SHORT }],
    ['the position, long', 'max_position', '13', '12.999999', { here: { held: '3', resting: [] } }],
    [
      'the position, short',
      'max_position',
      '7',
      '6.999999',
      { here: { held: '3', resting: [] }, order: { side: 'sell' } },
    ],
    [
      'the position with what is open in its direction',
      'max_position',
      '15',
      '14.999999',
      { here: { held: '3', resting: [buysAt('0.2', '2'), sellsAt('0.9', '50')] } },
    ],
    [
      'the other outcome is the other direction',
      'max_position',
      '13',
      '12.999999',
      { here: { held: '-3', resting: [] }, order: { outcome_index: 1 } },
    ],
    ['a price that is worse by so much', 'max_price_distance', '0.01', '0.009999'],
    ['a sale below the bid', 'max_price_distance', '0.02', '0.019999', { order: { side: 'sell', price: '0.38' } }],
  ];

  it.each(edges)('%s: %s of exactly that fits, and less does not', (_why, ...[limit, most, less, change]) => {
    expect(told({ [limit]: most }, change)[2]).toBe(true);
    expect(told({ [limit]: less }, change)[2]).toBe(false);
  });

  it.each([
    ['max_open_orders', 5],
    ['max_orders_per_minute', 10],
  ] as const)('counts one more: %s', (limit, most) => {
    expect(told({ [limit]: most })).toEqual([String(most - 1), '1', true]);
    expect(told({ [limit]: most - 1 })).toEqual([String(most - 1), '1', false]);
  });

  it('lets an order rest for the whole time, not for a moment more', () => {
    const until = (ms: number): Change => ({
      order: { time_in_force: 'gtd', expires_at: new Date(NOW + ms).toISOString() },
    });
    expect(told({ max_order_seconds: 300 }, until(300_000))).toEqual(['0', '300', true]);
    expect(told({ max_order_seconds: 300 }, until(300_001))).toEqual(['0', '301', false]);
    expect(told({ max_order_seconds: 300 })).toEqual(['0', undefined, true]);
    expect(reckon({ max_order_seconds: 300 }, { order: IOC })).toEqual([]);
  });

  it('counts nothing against a sum that the order does not raise', () => {
    const here: Here = { held: '-10', resting: [] };
    for (const limit of ['max_order_risk', 'max_open_risk', 'max_daily_risk', 'max_total_risk'] as const)
      expect(told({ [limit]: '0.000001' }, { here }).slice(1)).toEqual(['0', true]);
    expect(told({ max_price_distance: '0.000001' }, { here })).toEqual(['0', '0.01', true]);
  });

  it('tells a span, and no more than it allows to say, where orders take back together', () => {
    const change: Change = { here: { held: '-6', resting: [buysAt('0.9', '2')] } };
    const span = { least: '0', most: '10' };
    expect(told({ max_open_risk: '20' }, change)).toEqual(['10', span, true]);
    expect(told({ max_open_risk: '19.999999' }, change)).toEqual(['10', span, null]);
    // What is used up already is no refusal of what may add nothing.
    expect(told({ max_open_risk: '5' }, change)).toEqual(['10', span, null]);
    expect(reckon({ max_open_risk: '5' }, change)[0]?.note).toContain('other open orders of the bot');
  });

  it('says what cannot be known where that is so, and why', () => {
    const here = 'nobody knows.';
    const price = { least: '0', most: '4.2' };
    expect(told({ max_order_risk: '4.2' }, { here })).toEqual(['0', price, true]);
    expect(told({ max_order_risk: '4.199999' }, { here })).toEqual(['0', price, null]);
    expect(told({ max_total_risk: '40' }, { here })).toEqual(['30', { least: '0', most: '10' }, true]);
    expect(told({ max_total_risk: '39.999999' }, { here })).toEqual(['30', { least: '0', most: '10' }, null]);
    expect(told({ max_position: '1000000' }, { here })).toEqual([null, '10', null]);
    expect(told({ max_price_distance: '0.5' }, { here })).toEqual(['0', { least: '0.01', most: null }, null]);
    expect(told({ max_requests_per_minute: 600 }, {})).toEqual([null, undefined, null]);
    for (const limit of ['max_order_risk', 'max_total_risk', 'max_position'] as const)
      expect(reckon({ [limit]: '0.000001' }, { here })[0]?.note).toContain(here);
  });

  it('knows what a sum risks, not how many contracts it buys', () => {
    expect(told({ max_order_risk: '4.2' }, SUM)).toEqual(['0', '4.2', true]);
    expect(told({ max_order_risk: '4.199999' }, SUM)).toEqual(['0', '4.2', false]);
    expect(told({ max_position: '1000000' }, SUM)).toEqual(['0', { least: '10', most: null }, null]);
    expect(told({ max_position: '9.999999' }, SUM)).toEqual(['0', { least: '10', most: null }, false]);
    const takesBack = { ...SUM, here: SHORT };
    expect(told({ max_open_risk: '14.2' }, takesBack)).toEqual(['10', { least: '0', most: '4.2' }, true]);
    expect(told({ max_open_risk: '14.199999' }, takesBack)).toEqual(['10', { least: '0', most: '4.2' }, null]);
    const together = { ...SUM, here: { held: '-6', resting: [buysAt('0.9', '2')] } };
    expect(told({ max_open_risk: '1000000' }, together)).toEqual(['10', { least: '0', most: null }, null]);
  });

  it('compares the price with what others offer alone', () => {
    const offer = (size: string): Change => ({ here: { held: '0', resting: [sellsAt('0.41', size)] } });
    expect(told({ max_price_distance: '0.01' }, offer('4.99'))[2]).toBe(true);
    expect(told({ max_price_distance: '0.01' }, offer('5'))[2]).toBeNull();
    const filled: Change = { here: { held: '0', resting: [{ ...sellsAt('0.41', '1'), hasFilled: true }] } };
    expect(told({ max_price_distance: '0.01' }, filled)[2]).toBeNull();
    // Whoever's it is, a price that is worse is too much.
    expect(told({ max_price_distance: '0.009999' }, offer('5'))[2]).toBe(false);
    expect(told({ max_price_distance: '0.5' }, { book: { bid: BOOK.bid, ask: null } })).toEqual(['0', undefined, null]);
    expect(told({ max_price_distance: '0.5' }, { book: null })[2]).toBeNull();
    // Asks of outcome 1 are purchases of outcome 0.
    const no: Change = { order: { outcome_index: 1 }, here: { held: '0', resting: [buysAt('0.59', '5')] } };
    expect(told({ max_price_distance: '0.01' }, no)[2]).toBeNull();
  });

  it('has the limits that are set, in the order in which they are looked at', () => {
    const limits = { max_order_seconds: 300, max_position: '5', max_order_risk: '1', max_price_distance: '0.1' };
    expect(reckon(limits).map(({ limit }) => limit)).toEqual([
      'max_order_risk',
      'max_position',
      'max_price_distance',
      'max_order_seconds',
    ]);
    expect(reckon({})).toEqual([]);
  });
});

interface Rows {
  readonly orders?: readonly OwnOrder[];
  readonly fills?: readonly (Omit<OwnFill, 'timestamp'> & { readonly timestamp?: string })[];
  readonly hasMore?: boolean;
  readonly usage?: object;
  readonly age?: number;
}

const FILL: Omit<OwnFill, 'timestamp'> = {
  bot_id: 'bot_1',
  status: 'confirmed',
  side: 'buy',
  size: '10',
  outcome: { index: 0 },
};
const RESTS: OwnOrder = {
  ...{ bot_id: 'bot_1', side: 'sell', price: '0.3', remaining_size: '2', filled_size: '0' },
  outcome: { index: 1 },
};

function hereBy({ orders = [], fills = [], hasMore = false, usage = {}, age = 10 }: Rows): Here | string {
  const bot = botOf({}, { created_at: new Date(NOW - age * DAY_MS).toISOString(), usage: { ...USAGE, ...usage } });
  const at = (days: number): string => new Date(NOW - days * DAY_MS).toISOString();
  const timed = fills.map((fill, index) => ({ timestamp: at(index + 1), ...fill }));
  const read = { error: null, hasMore: false };
  return hereOf(bot, { orders: { ...read, rows: orders }, fills: { ...read, rows: timed, hasMore } }, NOW);
}

describe('what a bot has in a market', () => {
  it('is what its own fills made, and what rests of its own orders, in outcome 0', () => {
    const fills: Rows['fills'] = [
      FILL,
      { ...FILL, side: 'sell', size: '2.5' },
      { ...FILL, outcome: { index: 1 }, size: '4' },
      { ...FILL, outcome: { index: 1 }, side: 'sell', size: '1' },
      { ...FILL, status: 'failed', size: '100' },
      { ...FILL, bot_id: 'bot_2', size: '100' },
      { ...FILL, bot_id: null, size: '100' },
    ];
    const orders = [RESTS, { ...RESTS, bot_id: 'bot_2' }, { ...RESTS, bot_id: null }];
    expect(hereBy({ fills, orders })).toEqual({ held: '4.5', resting: [buysAt('0.7', '2')] });
  });

  it('is not known where rows may lack, or nobody knows whose they are', () => {
    expect(hereBy({ usage: { unsettled_orders: 1 } })).toContain('not proved');
    expect(hereBy({ fills: [{ ...FILL, status: 'pending' }] })).toContain('not proved');
    // What has filled in the minute before the bot was read the service may not know.
    const ago = (ms: number) => ({ ...FILL, timestamp: new Date(NOW - ms).toISOString() });
    expect(hereBy({ fills: [ago(60_000)] })).toContain('not proved');
    expect(hereBy({ fills: [ago(60_001)] })).toEqual({ held: '10', resting: [] });
    expect(hereBy({ fills: [FILL], hasMore: true })).toContain('not all');
    expect(hereBy({ hasMore: true })).toContain('not all');
    expect(hereBy({ fills: [{ ...FILL, outcome: { index: null } }] })).toContain('of which outcome');
    const none = { rows: [], error: null, hasMore: true };
    expect([lacksSince(none, NOW), lacksSince(none, Infinity)]).toEqual([true, false]);
    // What is older than the bot is none of its own.
    expect(hereBy({ fills: Array<typeof FILL>(11).fill(FILL), hasMore: true })).toEqual({ held: '110', resting: [] });
    const old = (days: number) => ({ ...FILL, bot_id: null, timestamp: new Date(NOW - days * DAY_MS).toISOString() });
    expect(hereBy({ fills: [old(90)], age: 200 })).toEqual(NONE);
    expect(hereBy({ fills: [old(90.001)], age: 200 })).toContain('90 days');
    expect(hereBy({ fills: [old(90.001)], age: 90 })).toEqual(NONE);
  });
});

describe('what is in the way of all orders of a bot', () => {
  const market = { exchange: 'one', id: 'M', event_id: 'E', series_id: null };
  const said = (change: Partial<Bot>): string | null => whyNot(botOf({}, change), market);

  it.each([
    [{}],
    [{ heartbeat: { missed_since: null } }],
    [{ exchanges: ['other', 'one'] }],
    [{ markets: [{ exchange: 'one', event_id: 'E' }] }],
    // The exchange does not say of which series the market is.
    [{ markets: [{ exchange: 'one', series_id: 'S' }] }],
    [
      {
        markets: [
          { exchange: 'other', event_id: 'E' },
          { exchange: 'one', market_id: 'M' },
        ],
      },
    ],
  ])('is nothing of %j', (change) => {
    expect(said(change)).toBeNull();
  });

  it.each([
    [{ state: 'halted' }, 'It is halted'],
    [{ state: 'expired' }, 'Its end has come'],
    [{ heartbeat: { missed_since: '2026-05-04T11:00:00Z' } }, 'It has missed its heartbeat'],
    [{ exchanges: ['other'] }, 'It may not trade at this exchange'],
    [{ markets: [{ exchange: 'one', event_id: 'F' }] }, 'This market is none'],
    [{ markets: [{ exchange: 'other', event_id: 'E' }] }, 'This market is none'],
  ])('is told of %j', (change, why) => {
    expect(said(change)).toContain(why);
  });
});
