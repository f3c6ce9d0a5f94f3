import { describe, expect, it } from '@jest/globals';
import type { Heard } from '../../feeds.contract.js';
import { KalshiLine } from './line.js';

const refs = (...tickers: string[]) => tickers.map((key) => ({ key, marketId: key, index: 0, label: 'Yes' }) as const);
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
/** As it is asked for: without the list of markets. */
const ok = (seq: number) => ({ id: 3, sid: 7, seq, type: 'ok' });
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
    ['a change without a number is a loss', [snapshot(1), { ...delta(2), seq: undefined }], ['lost A', 'lost B']],
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

  it.each<[string, object, boolean]>([
    ['the next change', delta(2, 'B'), true],
    ['the next answer', ok(2), true],
    ['a gap', delta(3), false],
    ['a repeated frame', snapshot(1), false],
    ['a number of another subscription', { ...delta(2), sid: 8 }, false],
    ['a ticker, which has no number', { type: 'ticker', sid: 9, msg: { market_ticker: 'A' } }, false],
  ])('what %s says of the books before it', (_what, frame, isProof) => {
    const line = begun();
    line.hear(JSON.stringify(snapshot(1)));
    expect(line.hear(JSON.stringify(frame)).isProof ?? false).toBe(isProof);
  });

  it.each(['{"type":"orderbook_de', 'PONG', '[]', '7', '{}'])('takes %j, which is no frame, for a loss', (text) => {
    expect(heard(begun().hear(text))).toEqual(['lost A', 'lost B']);
  });

  describe('of the market of a book', () => {
    const named = (channel: string, sid: number) => JSON.stringify({ type: 'subscribed', msg: { channel, sid } });
    const trade = (seq: number, differing: object = {}) => ({
      type: 'trade',
      sid: 8,
      seq,
      msg: {
        trade_id: `t${seq}`,
        market_ticker: 'A',
        yes_price_dollars: '0.3600',
        no_price_dollars: '0.6400',
        count_fp: '136.00',
        taker_side: 'no',
        taker_outcome_side: 'no',
        is_block_trade: false,
        ts_ms: 1669149841000,
        ...differing,
      },
    });

    function followed(): KalshiLine {
      const line = begun();
      line.follow(['A', 'B']);
      line.hear(named('trade', 8));
      line.hear(named('ticker', 9));
      return line;
    }

    it('streams.md 1.2 subscribes to trades and tickers once, and ends them with the book', () => {
      const line = begun();
      expect(commands(line.follow(['A']))).toMatchObject([
        { cmd: 'subscribe', params: { channels: ['trade'], market_tickers: ['A'] } },
        { cmd: 'subscribe', params: { channels: ['ticker'], market_tickers: ['A'], send_initial_snapshot: true } },
      ]);
      expect([line.follows('A'), line.follow(['B'])]).toEqual([false, []]);
      const params = { action: 'add_markets', market_tickers: ['B'] };
      expect(commands(line.hear(named('trade', 8)).frames ?? [])).toMatchObject([{ params: { sids: [8], ...params } }]);
      expect(commands(line.hear(named('ticker', 9)).frames ?? [])).toMatchObject([
        { params: { sids: [9], ...params, send_initial_snapshot: true } },
      ]);
      expect([line.follows('A'), line.follows('C')]).toEqual([true, false]);
      expect(commands(line.unsubscribe(['A']))).toMatchObject(
        [7, 8, 9].map((sid) => ({ params: { sids: [sid], action: 'delete_markets', market_tickers: ['A'] } })),
      );
      expect(commands(line.unsubscribe(['C']))).toEqual([]);
    });

    it('unified-schema.md 5 says a trade as the list of trades shows it', () => {
      expect(followed().hear(JSON.stringify(trade(1))).inputs).toEqual([
        {
          type: 'trade',
          key: 'A',
          trade: {
            exchange: 'kalshi',
            id: 't1',
            market_id: 'A',
            outcome: { id: 'A:no', index: 1, label: 'No' },
            side: 'buy',
            price: '0.64',
            size: '136',
            notional: '87.04',
            timestamp: '2022-11-22T20:44:01.000Z',
            taker_side: 'buy',
            is_block_trade: false,
            transaction_hash: null,
          },
        },
      ]);
    });

    it('streams.md 1.3 says what a ticker knows; a market that never traded has no price', () => {
      const msg = { market_ticker: 'A', price_dollars: '0.480', volume_fp: '33896.00', open_interest_fp: '204.00' };
      const line = followed();
      const said = (differing: object) =>
        line.hear(JSON.stringify({ type: 'ticker', sid: 9, msg: { ...msg, ...differing } }));
      expect(said({ ts_ms: 7 }).inputs).toEqual([
        { type: 'ticker', key: 'A', ticker: { timeMs: 7, lastPrice: '0.48', volume: '33896', openInterest: '204' } },
      ]);
      const bare = { type: 'ticker', key: 'A', ticker: { volume: '33896', openInterest: '204' } };
      for (const price_dollars of ['', '0', '0.0000']) expect(said({ price_dollars }).inputs).toEqual([bare]);
      expect(said({ volume_fp: 'many' }).inputs).toEqual([]);
    });

    it.each<[string, object[], string[]]>([
      ['the next number is right', [trade(1), trade(2)], ['trade A']],
      ['a gap may have been a trade of any market', [trade(1), trade(3)], ['missed A', 'missed B', 'trade A']],
      ['the same number again says nothing', [trade(1), trade(1)], []],
      ['a trade that comes late is one', [trade(1), trade(3), trade(2)], ['trade A']],
      ['a trade that cannot be read is missed', [trade(1), trade(2, { count_fp: 7 })], ['missed A', 'missed B']],
      ['a change without a number is a loss', [snapshot(1), { ...delta(2), seq: undefined }], ['lost A', 'lost B']],
      ['a gap before an answer is one', [trade(1), { ...ok(4), sid: 8 }], ['missed A', 'missed B']],
      ['an answer uses up its number or not', [trade(1), { ...ok(2), sid: 8 }, trade(3)], ['trade A']],
      ['books are counted apart', [trade(1), snapshot(1), trade(2)], ['trade A']],
      ['a lost trade loses no book', [snapshot(1), trade(1), trade(3), delta(2)], ['steps A']],
    ])('streams.md 1.4 %s', (_what, frames, last) => {
      const line = followed();
      let answer: Heard = { inputs: [] };
      for (const frame of frames) answer = line.hear(JSON.stringify(frame));
      expect(heard(answer)).toEqual(last);
    });

    it('takes what is no frame for a loss of both', () => {
      expect(heard(followed().hear('{"type":"tra'))).toEqual(['lost A', 'lost B', 'missed A', 'missed B']);
    });
  });
});
