import { describe, expect, it } from '@jest/globals';
import type { Heard } from '../../feeds.contract.js';
import { KalshiLine } from './line.js';

const refs = (...tickers: string[]) => tickers.map((key) => ({ key, marketId: key, index: 0 }) as const);
const commands = (frames: readonly string[]): unknown[] => frames.map((frame) => JSON.parse(frame) as unknown);
const SUBSCRIBED = { id: 1, type: 'subscribed', msg: { channel: 'orderbook_delta', sid: 7 } };

const snapshot = (seq: number, market_ticker = 'A') => ({
  type: 'orderbook_snapshot',
  sid: 7,
  seq,
  msg: { market_ticker, market_id: '9b0f6b43', yes_dollars_fp: [['0.0800', '300.00']] },
});
const delta = (seq: number, market_ticker = 'A') => ({
  type: 'orderbook_delta',
  sid: 7,
  seq,
  msg: {
    market_ticker,
    price_dollars: '0.960',
    delta_fp: '-54.00',
    side: 'no',
    ts_ms: 1669149841000,
    client_order_id: 'x',
  },
});
const ok = (seq: number) => ({ id: 3, sid: 7, seq, type: 'ok', msg: { market_tickers: ['A', 'B'] } });
const error = (code: number, seq?: number) => ({
  type: 'error',
  ...(seq !== undefined && { sid: 7, seq }),
  msg: { code },
});

function begun(): KalshiLine {
  const line = new KalshiLine();
  line.subscribe(refs('A', 'B'));
  line.hear(JSON.stringify(SUBSCRIBED));
  return line;
}

/** What was heard, in short: `whole A`, `steps A`, `lost B`. */
function heard({ inputs, end }: Heard): string[] {
  return [...inputs.map(({ type, key }) => `${type} ${key}`), ...(end === undefined ? [] : [end])];
}

describe('KalshiLine', () => {
  it('streams.md 1.2 subscribes once, in prices of YES, and adds the others to that subscription', () => {
    const line = new KalshiLine();
    expect(commands(line.subscribe(refs('A', 'B')))).toEqual([
      {
        id: 1,
        cmd: 'subscribe',
        params: { channels: ['orderbook_delta'], market_tickers: ['A', 'B'], use_yes_price: true },
      },
    ]);
    expect([line.subscribe(refs('C')), line.unsubscribe(['A']), line.renew(['B'])]).toEqual([[], [], []]);
    const params = { sids: [7], skip_ticker_ack: true };
    expect(commands(line.hear(JSON.stringify(SUBSCRIBED)).frames ?? [])).toEqual([
      { id: 2, cmd: 'update_subscription', params: { ...params, action: 'add_markets', market_tickers: ['C'] } },
      { id: 3, cmd: 'update_subscription', params: { ...params, action: 'delete_markets', market_tickers: ['A'] } },
      { id: 4, cmd: 'update_subscription', params: { sids: [7], action: 'get_snapshot', market_tickers: ['B'] } },
    ]);
  });

  it('names at most 500 markets a command', () => {
    const line = new KalshiLine();
    const many = refs(...Array.from({ length: 1_200 }, (_, at) => `M${at}`));
    expect(line.subscribe(many)).toHaveLength(1);
    expect(line.hear(JSON.stringify(SUBSCRIBED)).frames).toHaveLength(2);
  });

  it('streams.md 1.3 reads a book whose sides may be left out, and a change by its amount', () => {
    const line = begun();
    expect(line.hear(JSON.stringify(snapshot(1))).inputs).toEqual([
      { type: 'whole', key: 'A', bids: [{ price: '0.08', size: '300' }], asks: [], facts: {} },
    ]);
    expect(line.hear(JSON.stringify(delta(2))).inputs).toEqual([
      {
        type: 'steps',
        key: 'A',
        changes: [{ side: 'asks', price: '0.96', size: '-54' }],
        facts: { timeMs: 1669149841000 },
      },
    ]);
  });

  it.each<[string, object[], string[]]>([
    ['the next number is right over all markets', [snapshot(1), snapshot(2, 'B'), delta(3)], ['steps A']],
    ['a gap loses the books of all markets', [snapshot(1), delta(3)], ['lost A', 'lost B']],
    ['a gap before a whole book loses the others', [snapshot(1), snapshot(3, 'B')], ['lost A', 'lost B', 'whole B']],
    ['behind a gap the count goes on', [snapshot(1), delta(3), delta(4)], ['steps A']],
    ['the same number again says nothing', [snapshot(1), delta(2), delta(2)], []],
    ['a frame that comes late is a loss, not a change', [snapshot(1), delta(3), delta(2)], ['lost A', 'lost B']],
    ['a whole book that comes late is none', [snapshot(1), delta(3), snapshot(2, 'B')], ['lost A', 'lost B']],
    ['another subscription is not counted', [snapshot(1), { ...delta(9), sid: 8 }, delta(2)], ['steps A']],
    ['an answer may use up its number', [snapshot(1), ok(2), delta(3)], ['steps A']],
    ['an answer may leave its number to the next', [snapshot(1), ok(2), delta(2)], ['steps A']],
    ['an answer may repeat the last number', [snapshot(1), ok(1), delta(2)], ['steps A']],
    ['behind such an answer a repeated frame is none', [snapshot(1), delta(2), ok(2), delta(2)], []],
    ['behind an answer that may have used it up, a number is taken once', [snapshot(1), ok(2), delta(2), delta(2)], []],
    ['a gap before an answer is one', [snapshot(1), ok(4)], ['lost A', 'lost B']],
    ['a gap behind an answer is one', [snapshot(1), ok(2), delta(4)], ['lost A', 'lost B']],
    ['an error of the subscription is counted', [snapshot(1), error(5, 3)], ['lost A', 'lost B']],
    ['error 25 asks for less on the next line', [snapshot(1), error(25, 2)], ['slow']],
    ['error 10 ends the line', [error(10)], ['lost']],
    ['error 9 is no reason to hurry', [error(9)], ['refused']],
    ['other errors are faults of a command', [error(6), error(16)], []],
    [
      'a delta of a size that cannot be read is a loss',
      [snapshot(1), { ...delta(2), msg: { market_ticker: 'A' } }],
      ['lost A', 'lost B'],
    ],
    ['what is new since says nothing', [snapshot(1), { type: 'surprise', msg: {} }], []],
  ])('streams.md 1.4 %s', (_what, frames, last) => {
    const line = begun();
    let answer: Heard = { inputs: [] };
    for (const frame of frames) answer = line.hear(JSON.stringify(frame));
    expect(heard(answer)).toEqual(last);
  });

  it.each(['{"type":"orderbook_de', 'PONG', '[]', '7', '{}'])('takes %j, which is no frame, for a loss', (text) => {
    expect(heard(begun().hear(text))).toEqual(['lost A', 'lost B']);
  });
});
