import { describe, expect, it } from '@jest/globals';
import type { BookRef, Heard } from '../../feeds.contract.js';
import { PolymarketLine } from './line.js';

const YES = '38171024903091354977195167437673496224420673639143973968032407064172828043588';
const NO = '26930844951471612827925270830087046333229637930899178134435055616497220846773';
const refs: BookRef[] = [
  { key: YES, marketId: '0x9096', index: 0, label: 'Up' },
  { key: NO, marketId: '0x9096', index: 1, label: 'Down' },
];
const T = 1791125296863;

const book = (asset_id = YES, at = T) => ({
  market: '0x9096',
  asset_id,
  timestamp: String(at),
  hash: `h${at}`,
  bids: [
    { price: '.48', size: '30' },
    { price: '0.490', size: '20.5' },
  ],
  asks: [{ price: '0.53', size: '60' }],
  tick_size: '0.01',
  event_type: 'book',
  last_trade_price: '0.49',
});
const change = (at: number, entries: object[] = [{}]) => ({
  event_type: 'price_change',
  market: '0x9096',
  timestamp: String(at),
  price_changes: entries.map((entry) => ({
    asset_id: YES,
    price: '0.5',
    size: '200',
    side: 'BUY',
    hash: 'c1',
    best_bid: '0.5',
    best_ask: '0.53',
    ...entry,
  })),
});

const trade = (differing: object = {}) => ({
  event_type: 'last_trade_price',
  asset_id: YES,
  market: '0x9096',
  price: '0.456',
  size: '219.217767',
  side: 'BUY',
  fee_rate_bps: '0',
  timestamp: `${T}`,
  transaction_hash: '0xab',
  ...differing,
});

function begun(): PolymarketLine {
  const line = new PolymarketLine();
  line.subscribe(refs);
  return line;
}

function heardAll(line: PolymarketLine, ...frames: unknown[]): Heard {
  let last: Heard = { inputs: [] };
  for (const frame of frames) last = line.hear(JSON.stringify(frame));
  return last;
}

/** In short: `whole YES`, `sizes YES 0.5=200`, `lost NO mismatch`. */
function told({ inputs }: Heard): string[] {
  return inputs.map((input) => {
    const name = input.key === YES ? 'YES' : 'NO';
    if (input.type === 'lost') return `lost ${name} ${input.reason}`;
    if (input.type === 'missed') return `missed ${name}`;
    if (!('changes' in input)) return `${input.type} ${name}`;
    return [input.type, name, ...input.changes.map(({ price, size }) => `${price}=${size}`)].join(' ');
  });
}

describe('PolymarketLine', () => {
  it('streams.md 2.2 the first frame has a form of its own, once', () => {
    const line = new PolymarketLine();
    const [first] = refs;
    const flag = { custom_feature_enabled: true };
    const frames = [
      ...line.subscribe(first ? [first] : []),
      ...line.subscribe(refs.slice(1)),
      ...line.unsubscribe([YES]),
    ];
    expect(frames.map((frame) => JSON.parse(frame) as unknown)).toEqual([
      { type: 'market', assets_ids: [YES], ...flag },
      { operation: 'subscribe', assets_ids: [NO], ...flag },
      { operation: 'unsubscribe', assets_ids: [YES] },
    ]);
  });

  it('streams.md 2.2 a book comes anew only for a token that is not subscribed', () => {
    expect(
      begun()
        .renew([YES])
        .map((frame) => JSON.parse(frame) as unknown),
    ).toEqual([
      { operation: 'unsubscribe', assets_ids: [YES] },
      { operation: 'subscribe', assets_ids: [YES], custom_feature_enabled: true },
    ]);
  });

  it('streams.md 2.4 reads books, in an array or alone, and the last price of the outcome', () => {
    const { inputs } = heardAll(begun(), [book(), book(NO)]);
    const bids = [
      { price: '0.48', size: '30' },
      { price: '0.49', size: '20.5' },
    ];
    const facts = { timeMs: T, hash: `h${T}`, tickSize: '0.01' };
    const levels = { type: 'whole', bids, asks: [{ price: '0.53', size: '60' }] };
    expect(inputs).toEqual([
      { ...levels, key: YES, facts: { ...facts, lastPrice: '0.49' } },
      { ...levels, key: NO, facts: { ...facts, lastPrice: '0.51' } },
    ]);
    expect(told(heardAll(begun(), book()))).toEqual(['whole YES']);
  });

  it('streams.md 2.4 picks the entries of each token, and the best prices of the last', () => {
    const entries = [{ size: '0' }, { price: '0.49', best_bid: '', best_ask: '1' }, { asset_id: NO, side: 'sell' }];
    const { inputs } = heardAll(begun(), change(T + 1, entries));
    expect(inputs).toMatchObject([
      { key: YES, changes: [{ price: '0.5', size: '0' }, { price: '0.49' }], best: { bid: null, ask: null } },
      { key: NO, changes: [{ side: 'asks' }], best: { bid: '0.5', ask: '0.53' } },
    ]);
    expect(told(heardAll(begun(), change(T, [{ asset_id: '7' }])))).toEqual([]);
  });

  it.each<[string, unknown[], string[]]>([
    ['a change that is older than the book is in it', [book(), change(T - 1)], []],
    [
      'changes of one moment all count',
      [book(), change(T), change(T, [{ price: '0.4', hash: 'c2' }])],
      ['sizes YES 0.4=200'],
    ],
    ['a frame that comes twice counts once', [book(), change(T + 1), change(T + 1)], []],
    ['a frame that comes again behind a newer one is none', [book(), change(T + 1), change(T + 2), change(T + 1)], []],
    [
      'a level may come back to a size in one moment',
      [book(), change(T), change(T, [{ size: '5', hash: 'c2' }]), change(T, [{ hash: 'c3' }])],
      ['sizes YES 0.5=200'],
    ],
    ['a book that is older than what was heard is none', [change(T + 1), book()], []],
    ['a book behind a trade replaces', [book(), change(T + 1), book(YES, T + 2)], ['whole YES']],
    [
      'a new tick size loses the book',
      [book(), { event_type: 'tick_size_change', asset_id: YES, new_tick_size: '0.001' }],
      ['lost YES tick_size_changed'],
    ],
    [
      'a tick size that is known loses nothing',
      [book(), { event_type: 'tick_size_change', asset_id: YES, new_tick_size: '0.010' }],
      [],
    ],
    [
      'a settled market loses its books',
      [{ event_type: 'market_resolved', assets_ids: [YES, NO] }],
      ['lost YES market_resolved', 'lost NO market_resolved'],
    ],
    ['a trade changes no level', [trade()], ['sizes YES', 'trade YES']],
    ['a trade that comes twice is one', [trade(), trade()], []],
    ['trades of one moment differ by their size', [trade(), trade({ size: '8' })], ['sizes YES', 'trade YES']],
    [
      'trades of one transaction differ by their time',
      [trade(), trade({ timestamp: `${T + 1}` })],
      ['sizes YES', 'trade YES'],
    ],
    ['a trade that cannot be read is missed', [trade({ size: 'x' })], ['missed YES']],
    ['a trade of no token may have been any', [trade({ asset_id: null })], ['missed YES', 'missed NO']],
    ['a trade of another token says nothing', [trade({ asset_id: '7' })], []],
    ['an event that is new since says nothing', [{ event_type: 'surprise' }], []],
    ['an event without a name may have been any', [{}], ['lost YES mismatch', 'lost NO mismatch']],
    ['a book that cannot be read is lost', [{ ...book(), bids: 'none' }], ['lost YES mismatch']],
    ['no live token brings no book', [[]], []],
  ])('streams.md 2.5 %s', (_what, frames, last) => {
    expect(told(heardAll(begun(), ...frames))).toEqual(last);
  });

  it('unified-schema.md 5 says a trade as the list of trades shows it, but for its id', () => {
    const line = begun();
    expect([line.follow(), line.follows(NO), line.follows('7')]).toEqual([[], true, false]);
    const { inputs } = heardAll(line, trade({ asset_id: NO, side: 'sell' }));
    expect(inputs[1]).toEqual({
      type: 'trade',
      key: NO,
      trade: {
        exchange: 'polymarket',
        id: null,
        market_id: '0x9096',
        outcome: { id: NO, index: 1, label: 'Down' },
        side: 'sell',
        price: '0.456',
        size: '219.217767',
        notional: '99.963301752',
        timestamp: new Date(Math.floor(T / 1_000) * 1_000).toISOString(),
        taker_side: 'sell',
        is_block_trade: null,
        transaction_hash: '0xab',
      },
    });
  });

  it('a book that was asked for anew counts, however old', () => {
    const line = begun();
    heardAll(line, change(T + 5));
    line.renew([YES]);
    expect(told(heardAll(line, book()))).toEqual(['whole YES']);
  });

  it.each(['PONG', 'NO NEW ASSETS', 'INVALID OPERATION', '{"id":"1","event_type":"new_market","clob_token_ids":['])(
    'streams.md 2.3 %j says nothing of a book',
    (text) => {
      expect(begun().hear(text)).toEqual({ inputs: [] });
    },
  );

  it.each(['{"event_type":"bo', '\u0000\u0001', ''])('takes %j, which is no frame, for a loss', (text) => {
    expect(told(begun().hear(text))).toEqual(['lost YES mismatch', 'lost NO mismatch']);
  });

  it.each([
    [1000, 'all subscribed assets resolved', 'over'],
    [1013, 'slow consumer: send buffer full', 'slow'],
    [1006, '', 'lost'],
  ])('streams.md 2.5 knows what the end %d %j means', (code, reason, end) => {
    expect(begun().closed(code, reason)).toBe(end);
  });
});
