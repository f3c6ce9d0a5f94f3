import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isBeyondBounds, type JsonBounds } from './json-bounds.js';

const BOUNDS = { levels: 20, members: 256, names: 256, elements: 256, textBytes: 60_000 };
const isBeyond = (text: string, bounds: JsonBounds = BOUNDS): boolean =>
  isBeyondBounds(Buffer.from(text, 'utf8'), bounds);
const list = (count: number, element = '0'): string => `[${Array.from({ length: count }, () => element).join(', ')}]`;
const object = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"m${index}" : 1`).join(',')}}`;

/** Members, elements and levels of a value, counted by walking through it. */
function sizeOf(value: unknown): { members: number; elements: number; levels: number } {
  if (typeof value !== 'object' || value === null) return { members: 0, elements: 0, levels: 0 };
  const inner = Object.values(value).map(sizeOf);
  const own = inner.length;
  const sum = (name: 'members' | 'elements'): number => inner.reduce((total, size) => total + size[name], 0);
  return {
    members: sum('members') + (Array.isArray(value) ? 0 : own),
    elements: sum('elements') + (Array.isArray(value) ? own : 0),
    levels: 1 + Math.max(0, ...inner.map(({ levels }) => levels)),
  };
}

describe('isBeyondBounds (S-34, S-53)', () => {
  it.each([
    ['256 elements', list(256)],
    ['256 members', object(256)],
    ['256 of both', `{"a":${list(256)},${object(255).slice(1)}`],
    ['20 levels', '['.repeat(20) + ']'.repeat(20)],
    ['empty lists and objects', `[ ${list(255, '[ ]').slice(1, -1)}, {}]`],
    ['brackets, commas and colons in texts', `{"a":"${'[{,:\\"'.repeat(500)}"}`],
    ['a text that ends in a backslash', `["\\\\",${list(255, '"\\\\"').slice(1)}`],
    ['nothing', ''],
  ])('lets %s through', (_, text) => {
    expect(isBeyond(text)).toBe(false);
  });

  it.each([
    ['257 elements', list(257)],
    ['257 elements that are texts', list(257, '"x"')],
    ['257 elements that are lists', list(257, '[]')],
    ['257 elements in lists of one', list(129, '[0]')],
    ['257 members', object(257)],
    ['257 members of one name', `{${Array.from({ length: 257 }, () => '"a":1').join(',')}}`],
    ['257 members deep inside', `[[[${object(257)}]]]`],
    ['257 members in many objects', list(86, object(3))],
    ['21 levels', '['.repeat(21)],
  ])('refuses %s', (_, text) => {
    expect(isBeyond(text)).toBe(true);
  });

  it('counts a name once, wherever it stands, and the bytes of one text', () => {
    const bounds = { ...BOUNDS, names: 4, textBytes: 5 };
    expect(isBeyond('[{"a":"b","c":"d"},{"c":1,"a":{"e":["f","g","h"],"i":"j"}},"k\\"xy"]', bounds)).toBe(false);
    expect(isBeyond('[{"a":"b","c":"d"},{"c":1,"a":{"e":["f","g","h"],"i":{"j":1}}}]', bounds)).toBe(true);
    expect(isBeyond('["123456"]', bounds)).toBe(true);
    expect(isBeyond('{"123456":0}', bounds)).toBe(true);
    expect(isBeyond('["1234\\"', bounds)).toBe(true);
  });

  it('counts what any JSON text holds', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.integer({ min: 0, max: 300 }), (inner, count) => {
        const text = `[${inner},${list(count)}]`;
        const { members, elements, levels } = sizeOf(JSON.parse(text));
        fc.pre(!text.includes('__proto__'));
        expect(isBeyond(text)).toBe(members > 256 || elements > 256 || levels > 20);
      }),
    );
  });
});
