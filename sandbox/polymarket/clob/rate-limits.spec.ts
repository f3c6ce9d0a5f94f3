import { describe, expect, it } from '@jest/globals';
import { type WireRequest, type WireResponse } from '../../wire/server.js';
import { RateLimits } from './rate-limits.js';

const START = Date.parse('2026-11-21T12:00:00.000Z');
const SIGNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';

function asked(call: string, options: { body?: unknown; after?: number; signer?: string } = {}): WireRequest {
  const [method = '', path = ''] = call.split(' ');
  const { body = {}, after = 0, signer = SIGNER } = options;
  const receivedAt = new Date(START + after);
  const headers = { poly_address: signer };
  return { method, path, query: new URLSearchParams(), headers, body: JSON.stringify(body), receivedAt };
}

const OK: WireResponse = { status: 200, body: {} };
const left = ({ headers }: WireResponse): string | undefined => headers?.['poly-ratelimit-remaining'];

describe('trading limits (polymarket.md 12.2)', () => {
  it('count orders and cancels of a signer apart, and refill', () => {
    const limits = new RateLimits();
    expect(limits.counted(OK, asked('POST /order')).headers).toEqual({
      'poly-ratelimit-remaining': '59',
      'poly-ratelimit-reset': String(START / 1_000 + 1),
      'poly-ratelimit-tier': 'standard',
    });
    expect(left(limits.counted(OK, asked('POST /orders', { body: [1, 2, 3] })))).toBe('56');
    expect(left(limits.counted(OK, asked('DELETE /order')))).toBe('119');
    expect(left(limits.counted(OK, asked('POST /order', { signer: SIGNER.toLowerCase() })))).toBe('55');
    expect(left(limits.counted(OK, asked('POST /order', { signer: '0x12' })))).toBe('59');
    expect(left(limits.counted(OK, asked('POST /order', { after: 100 })))).toBe('58');
  });

  it('charge what was cancelled, below zero too, and warn then', () => {
    const limits = new RateLimits();
    const cancelled = { status: 200, body: { canceled: Array.from({ length: 150 }, String) } };
    const first = limits.counted(cancelled, asked('DELETE /cancel-all'));
    expect(first.headers).toMatchObject({ 'poly-ratelimit-remaining': '-31', 'poly-ratelimit-warning': 'true' });
    const second = limits.counted(OK, asked('DELETE /orders', { body: ['0x1'], after: 200 }));
    expect(second.headers).toMatchObject({ 'poly-ratelimit-remaining': '-16', 'poly-ratelimit-warning': 'true' });
    expect(limits.counted(OK, asked('DELETE /order', { after: 1_000 })).headers).not.toHaveProperty(
      'poly-ratelimit-warning',
    );
  });

  it('are silent about other calls and about nobody', () => {
    const limits = new RateLimits();
    expect(limits.counted(OK, asked('GET /data/orders'))).toBe(OK);
    const unsigned = { status: 401, body: {} };
    expect(limits.counted(unsigned, asked('POST /order'))).toBe(unsigned);
  });
});
