import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { KalshiOrderRequestDto } from './order.dto.js';

const valid = { market_id: 'KXHIGHNY-26NOV20-B55.5', outcome: 'yes', side: 'buy', price: '0.42', size: '10' };

const read = (body: object) => plainToInstance(KalshiOrderRequestDto, body, { exposeUnsetFields: false });
const faults = (body: object): string[] =>
  validateSync(read(body), { whitelist: true, forbidNonWhitelisted: true }).map((fault) => fault.property);

describe('KalshiOrderRequestDto', () => {
  it('unified-schema.md 7 accepts the least that an order needs, and then it is gtc', () => {
    expect(faults(valid)).toEqual([]);
    expect(read(valid)).toEqual({ ...valid, time_in_force: 'gtc' });
  });

  it.each([
    { outcome: 0 },
    { outcome: 1 },
    { outcome: '0' },
    { outcome: 'NO' },
    { outcome: 'Yes' },
    { outcome: 'KXHIGHNY-26NOV20-B55.5:no' },
    { price: '0.0001' },
    { price: '0.9999' },
    { price: '0.420000' },
    { price: '0.00001' },
    { size: '0.01' },
    { size: '0.001' },
    { size: '7.77' },
    { size: '10.00' },
    { time_in_force: 'ioc' },
    { time_in_force: 'fok' },
    { time_in_force: 'gtd', expires_at: '2026-11-21T15:00:00.164Z' },
    { time_in_force: 'gtd', expires_at: '2026-11-21T15:00:00+01:00' },
    { post_only: true },
    { reduce_only: false },
    { client_order_id: '2b8394e0-515e-4b89-b624-f34067756855' },
    { client_order_id: 'a'.repeat(64) },
  ])('unified-schema.md 7 accepts %j', (change) => {
    expect(faults({ ...valid, ...change })).toEqual([]);
  });

  it.each<[field: string, values: unknown[]]>([
    [
      'market_id',
      [undefined, '', '.', '..', 'a/b', 'a%2fb', 'a;b', 'a?b', 'a#b', '@evil', '//evil', 'x'.repeat(129), 5, {}],
    ],
    ['outcome', [undefined, null, '', 2, -1, 0.5, '2', 'maybe', 'OTHER:no', true, ['yes'], {}]],
    ['side', [undefined, '', 'BUY', 'bid', 5]],
    ['price', [undefined, 0.42, '0', '1', '1.0', '-0.1', '.5', '5e-1', '42c', '', null, ['0.4']]],
    ['size', [undefined, 10, '0', '0.00', '-1', '1e3', '', '9'.repeat(65), null, {}]],
    ['time_in_force', ['GTC', 'gtt', 'good_till_canceled', '', null, 5]],
    ['post_only', ['true', 1, null]],
    ['reduce_only', ['false', 0, null]],
    ['client_order_id', ['', 'a b', 'a'.repeat(65), 'a:b', 'ä', 5, null]],
    ['unknown', [1]],
  ])('unified-schema.md 7 refuses a bad %s by name', (field, values) => {
    for (const value of values) expect([value, faults({ ...valid, [field]: value })]).toEqual([value, [field]]);
  });

  it('unified-schema.md 7 gtd needs expires_at, and nothing else takes it', () => {
    const expires_at = '2026-11-21T15:00:00Z';
    for (const time_in_force of ['gtc', 'ioc', 'fok', undefined]) {
      expect(faults({ ...valid, time_in_force, expires_at })).toEqual(['expires_at']);
    }
    for (const bad of [
      undefined,
      null,
      '',
      'tomorrow',
      '2026-11-21',
      '2026-11-31T15:00:00Z',
      1795186800,
      '2026-11-21T15:00:00',
    ]) {
      expect(faults({ ...valid, time_in_force: 'gtd', expires_at: bad })).toEqual(['expires_at']);
    }
  });
});
