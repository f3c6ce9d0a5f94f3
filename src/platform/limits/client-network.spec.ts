import { describe, expect, it } from '@jest/globals';
import { networkOf } from './client-network.js';

describe('networkOf', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['203.0.113.7:50412', '203.0.113.7'],
    ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]:50412', '2001:db8:1:2::/64'],
    ['[::ffff:203.0.113.7]:1', '203.0.113.7'],
  ])('S-25 counts %s as %s', (ip, network) => {
    expect(networkOf(ip)).toBe(network);
  });

  it.each([
    '',
    'unknown',
    '_hidden',
    'x'.repeat(400),
    '203.0.113.7:1:2',
    '1.2.3',
    '[203.0.113.7',
    '203.0.113.7, x',
    '\u0000',
  ])('S-26 counts %j as the one client that comes from nowhere', (ip) => {
    expect(networkOf(ip)).toBe('unknown');
  });
});
