import { describe, expect, it } from '@jest/globals';
import { isNetwork, Networks } from './networks.js';

describe('networks that a key may be used from (contract.md 5.11)', () => {
  it.each(['203.0.113.7', '203.0.113.0/24', '0.0.0.0/0', '2001:db8::1', '2001:db8::/32', '::ffff:203.0.113.0/120'])(
    'takes %s',
    (text) => {
      expect(isNetwork(text)).toBe(true);
    },
  );

  it.each(['', '203.0.113', '203.0.113.0/33', '203.0.113.0/', '203.0.113.0/8/8', '203.0.113.0/-1', '203.0.113.0/ 8'])(
    'refuses %j',
    (text) => {
      expect(isNetwork(text)).toBe(false);
    },
  );

  it.each([7, null, 'fe80::1%eth0', '2001:db8::/129', 'localhost', '*', ' 203.0.113.7', '1'.repeat(100)])(
    'refuses %j',
    (value) => {
      expect(isNetwork(value)).toBe(false);
    },
  );

  it.each([
    [['203.0.113.0/24'], '203.0.113.255', true],
    [['203.0.113.0/24'], '203.0.114.0', false],
    [['203.0.113.0/24'], '::ffff:203.0.113.9', true],
    [['::ffff:203.0.113.0/120'], '203.0.113.9', true],
    [['::ffff:203.0.113.0/120'], '203.0.114.9', false],
    [['203.0.113.7'], '::ffff:cb00:7107', true],
    [['203.0.113.7'], '203.0.113.8', false],
    [['2001:db8::/33'], '2001:db8:7fff::9', true],
    [['2001:db8::/33'], '2001:db8:8000::9', false],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['198.51.100.1', '2001:db8::1'], '2001:db8::1', true],
    [[], '203.0.113.7', false],
    [['203.0.113.0/24'], 'unknown', false],
  ])('%j holds %s: %s', (texts, address, expected) => {
    expect(new Networks(texts).holds(address)).toBe(expected);
  });
});
