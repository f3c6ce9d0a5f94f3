import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pathOf, requestTarget } from './path.js';

const BASE = new URL('https://exchange.example/trade-api/v2');
const BAD_REQUEST = expect.objectContaining({ code: 'bad_request' });

/** What a server sees of a target. */
function seenBy(target: string): URL {
  return new URL(BASE.origin + target);
}

describe('pathOf (S-48)', () => {
  it('writes plain identifiers as they are', () => {
    expect(pathOf`/series/${'KXBTC'}/markets/${'KXBTC-26NOV2117-T95.5'}/candlesticks`).toBe(
      '/series/KXBTC/markets/KXBTC-26NOV2117-T95.5/candlesticks',
    );
    expect(pathOf`/exchange/status`).toBe('/exchange/status');
  });

  it('keeps any value one segment below the base address', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ minLength: 1 }), (first, second) => {
        fc.pre(!/^\.{1,2}$|^(?:%2e|\.){1,2}$/i.test(first) && !/^(?:%2e|\.){1,2}$/i.test(second));
        const url = seenBy(requestTarget(BASE.pathname, pathOf`/markets/${first}/orders/${second}`));
        expect(url.host).toBe(BASE.host);
        expect(url.search + url.hash + url.username).toBe('');
        const segments = url.pathname.split('/').map(decodeURIComponent);
        expect(segments).toEqual(['', 'trade-api', 'v2', 'markets', first, 'orders', second]);
      }),
    );
  });

  it.each([
    'a/b',
    '..%2f',
    '%2f',
    '%5c',
    '\\',
    '%00',
    '\0',
    ';',
    '?',
    '#',
    '@evil',
    '//evil',
    'https://evil/x',
    ' ',
    '\r\n',
  ])('leads nowhere else with %j', (value) => {
    const url = seenBy(requestTarget(BASE.pathname, pathOf`/markets/${value}`));
    expect(url.href.startsWith(`${BASE.href}/markets/`)).toBe(true);
    expect(decodeURIComponent(url.pathname.slice('/trade-api/v2/markets/'.length))).toBe(value);
  });

  it.each(['', '.', '..', '%2e', '%2E%2e', '.%2e', '\ud800'])('refuses %j', (value) => {
    expect(() => pathOf`/markets/${value}`).toThrow(BAD_REQUEST);
  });

  it('refuses a template in which a value is only part of a segment', () => {
    expect(() => pathOf`/markets/x-${'a'}`).toThrow(TypeError);
    expect(() => pathOf`/markets/${'a'}.json`).toThrow(TypeError);
    expect(() => pathOf`/markets/${'a'}${'b'}`).toThrow(TypeError);
  });
});

describe('requestTarget (S-48)', () => {
  it('puts the base path before and an encoded query behind', () => {
    expect(
      requestTarget('/v2', '/markets', [
        ['tickers', 'A,B'],
        ['search', 'a&b=c d+é'],
      ]),
    ).toBe('/v2/markets?tickers=A%2CB&search=a%26b%3Dc%20d%2B%C3%A9');
    expect(requestTarget('', '/markets', [])).toBe('/markets');
  });

  it.each([
    '',
    'markets',
    '//evil.example',
    '/a//b',
    '/a/',
    '/../x',
    '/a/..',
    '/a/./b',
    '/a/%2e%2E/b',
    '/a/.%2e',
    '/a?b=c',
    '/a#b',
    '/a b',
    '/a\\b',
    '/a\r\nx: y',
    '/é',
    '/%zz',
    'https://evil.example/a',
  ])('refuses the path %j', (path) => {
    expect(() => requestTarget('/v2', path)).toThrow(TypeError);
  });

  it('keeps every pair of a query as given', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))), (pairs) => {
        const url = seenBy(requestTarget(BASE.pathname, '/markets', pairs));
        expect(url.pathname).toBe('/trade-api/v2/markets');
        expect(url.hash).toBe('');
        expect([...url.searchParams]).toEqual(pairs);
      }),
    );
  });

  it('refuses a query that is not Unicode', () => {
    expect(() => requestTarget('', '/markets', [['search', '\udc00']])).toThrow(BAD_REQUEST);
  });
});
