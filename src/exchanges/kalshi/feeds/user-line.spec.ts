import { describe, expect, it } from '@jest/globals';
import type { PrivateEvent } from '../../feeds.contract.js';
import type { OrderDto } from '../../unified.trading.dto.js';
import { KalshiUserLine } from './user-line.js';

/** The official samples of October 2026 (streams.md 1.3); that of an order lacks what Kalshi calls required. */
const FILL = `{"type":"fill","sending_ts_ms":1671899397123,"sid":13,"msg":{"trade_id":"d91bc706-ee49-470d-82d8-11418bda6fed","order_id":"ee587a1c-8b87-4dcf-b721-9f6f790619fa","client_order_id":"my-order-1","market_ticker":"FED-23DEC-T3.00","exchange_index":2,"is_taker":true,"side":"yes","yes_price_dollars":"0.7500","count_fp":"278.00","fee_cost":"0.010000","action":"buy","ts":1671899397,"ts_ms":1671899397000,"post_position_fp":"500.00","purchased_side":"yes","outcome_side":"yes","book_side":"bid","subaccount":3}}`;
const SHORT_ORDER = `{"type":"user_order","sid":22,"msg":{"order_id":"ee587a1c-8b87-4dcf-b721-9f6f790619fa","user_id":"a1b2c3d4-e5f6-7890-abcd-ef1234567890","ticker":"FED-23DEC-T3.00","status":"resting","side":"yes","is_yes":true,"yes_price_dollars":"0.3500","fill_count_fp":"0.00","remaining_count_fp":"10.00","initial_count_fp":"10.00","taker_fill_cost_dollars":"0.0000","maker_fill_cost_dollars":"0.0000","client_order_id":"my-order-1","created_ts_ms":1733047200000,"subaccount_number":0}}`;

const READ = { id: 'as HTTP has it' } as OrderDto;
const unrecorded = () => () => Promise.resolve(null);

function lineOf(owned: number): { line: KalshiUserLine; asked: unknown[] } {
  const asked: unknown[] = [];
  const orders = {
    getOrder: async (id: string, recorded?: () => Promise<{ marketId: string | null } | null>) => {
      asked.push([id, (await recorded?.())?.marketId]);
      return READ;
    },
  };
  const owns = ({ subaccount_number: number }: { subaccount_number: number | null }) => (number ?? 0) === owned;
  return { line: new KalshiUserLine({ owns }, orders), asked };
}

async function read([event]: readonly PrivateEvent[]): Promise<unknown> {
  return event?.type === 'order' ? event.read(unrecorded) : event?.read();
}

describe('feeds.md 6 what Kalshi says of own orders', () => {
  it('is ready once both channels are subscribed', () => {
    const { line } = lineOf(0);
    expect(line.begin().map((frame) => JSON.parse(frame) as object)).toEqual([
      { id: 1, cmd: 'subscribe', params: { channels: ['user_orders', 'fill'] } },
    ]);
    const subscribed = (channel: string, sid: number) =>
      line.hear(JSON.stringify({ id: 1, type: 'subscribed', msg: { channel, sid } })).isReady;
    expect([subscribed('fill', 1), subscribed('fill', 1), subscribed('user_orders', 2)]).toEqual([false, false, true]);
  });

  it('tells a fill as HTTP shows it, without what is nobody’s business', async () => {
    const { events } = lineOf(3).line.hear(FILL);
    expect(await read(events)).toEqual([
      {
        exchange: 'kalshi',
        id: 'd91bc706-ee49-470d-82d8-11418bda6fed',
        order_id: 'ee587a1c-8b87-4dcf-b721-9f6f790619fa',
        market_id: 'FED-23DEC-T3.00',
        outcome: { id: 'FED-23DEC-T3.00:yes', index: 0, label: 'Yes' },
        ...{ side: 'buy', price: '0.75', size: '278', fee: '0.01', role: 'taker', status: 'confirmed' },
        timestamp: '2022-12-24T16:29:57.000Z',
        transaction_hash: null,
      },
    ]);
    expect(lineOf(0).line.hear(FILL).events).toEqual([]);
  });

  it('reads over HTTP an order whose frame lacks something, on its market', async () => {
    const { line, asked } = lineOf(0);
    expect(await read(line.hear(SHORT_ORDER).events)).toBe(READ);
    expect(asked).toEqual([['ee587a1c-8b87-4dcf-b721-9f6f790619fa', 'FED-23DEC-T3.00']]);
    expect(lineOf(1).line.hear(SHORT_ORDER).events).toEqual([]);
  });

  it('takes the whole frame of an order for what HTTP says', async () => {
    const { line, asked } = lineOf(0);
    const frame = JSON.parse(SHORT_ORDER) as { msg: object };
    const msg = { ...frame.msg, outcome_side: 'no', taker_fees_dollars: '0.1', maker_fees_dollars: '0.02' };
    expect(await read(line.hear(JSON.stringify({ ...frame, msg })).events)).toMatchObject({
      ...{ outcome: { index: 1 }, side: 'buy', price: '0.65', size: '10', remaining_size: '10', status: 'open' },
      ...{ client_order_id: 'my-order-1', fees: '0.12', created_at: '2024-12-01T10:00:00.000Z' },
    });
    expect(asked).toEqual([]);
  });

  it.each([
    ['broken JSON', '{"type":"fil', { isLost: true }],
    ['an order without its id', '{"type":"user_order","msg":{}}', { isLost: true }],
    ['a fill without its size', '{"type":"fill","msg":{"trade_id":"1"}}', { isLost: true }],
    ['something new', '{"type":"unheard_of","msg":{}}', {}],
    ['a lost subscription', '{"type":"error","msg":{"code":25}}', { end: 'lost' }],
    ['a refusal', '{"type":"error","msg":{"code":9}}', { end: 'refused' }],
  ])('knows %s', (_name, frame, what) => {
    expect(lineOf(0).line.hear(frame)).toEqual({ events: [], ...what });
  });
});
