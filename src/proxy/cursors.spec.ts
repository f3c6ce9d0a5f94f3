import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AuthenticatedText } from '../platform/crypto/authenticated-text.js';
import { Settings } from '../platform/config/settings.js';
import { Cursors } from './cursors.js';

function cursorsWith(jwtSecret: string): Cursors {
  const keys = { ENCRYPTION_KEYS: `k:${Buffer.alloc(32).toString('base64')}`, PASSWORD_PEPPER: 'p'.repeat(32) };
  return new Cursors(new AuthenticatedText(Settings.read({ ...keys, JWT_SECRET: jwtSecret })));
}

const cursors = cursorsWith('a'.repeat(32));
const SCOPE = { exchange: 'kalshi', operation: 'markets', filters: { status: 'open', search: undefined } };
const START = { paging: { limit: 2, cursor: null }, firstId: null };
const idOf = (item: { id: string }): string => item.id;

function cursorOf(next: string, first = 'a'): string {
  return cursors.next(SCOPE, START, { items: [{ id: first }], next }, idOf) ?? '';
}

describe('Cursors (DESIGN 5, unified.md 9)', () => {
  it('carry the exchange’s own cursor there and back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (upstream) => {
        expect(cursors.read(SCOPE, 50, cursorOf(upstream)).paging).toEqual({ limit: 50, cursor: upstream });
      }),
    );
  });

  it('end with null', () => {
    expect(cursors.next(SCOPE, START, { items: [{ id: 'a' }], next: null }, idOf)).toBeNull();
  });

  it.each([
    ['another exchange', { ...SCOPE, exchange: 'polymarket' }],
    ['another operation', { ...SCOPE, operation: 'events' }],
    ['other filters', { ...SCOPE, filters: { status: 'closed' } }],
    ['another user', { ...SCOPE, userId: 'usr_1' }],
  ])('are refused for %s', (_, scope) => {
    expect(() => cursors.read(scope, 2, cursorOf('x'))).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });

  it('are refused when any character is changed', () => {
    const cursor = cursorOf('upstream');
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...Array.from('ABCxyz019-_')), (at, character) => {
        fc.pre(cursor[at] !== character);
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
        expect(() => cursors.read(SCOPE, 2, changed)).toThrow(expect.objectContaining({ code: 'bad_request' }));
      }),
    );
  });

  it('are refused under another server key', () => {
    expect(() => cursorsWith('b'.repeat(32)).read(SCOPE, 2, cursorOf('x'))).toThrow(
      expect.objectContaining({ code: 'bad_request' }),
    );
  });

  it('turn a page that repeats itself into exchange_error', () => {
    const second = cursors.read(SCOPE, 2, cursorOf('c1', 'a'));
    expect(() => cursors.next(SCOPE, second, { items: [{ id: 'a' }], next: 'c2' }, idOf)).toThrow(
      expect.objectContaining({ code: 'exchange_error' }),
    );
    expect(() => cursors.next(SCOPE, second, { items: [{ id: 'b' }], next: 'c1' }, idOf)).toThrow(
      expect.objectContaining({ code: 'exchange_error' }),
    );
    expect(cursors.next(SCOPE, second, { items: [{ id: 'b' }], next: 'c2' }, idOf)).not.toBeNull();
  });
});
