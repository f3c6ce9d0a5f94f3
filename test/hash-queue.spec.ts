import { beforeEach, describe, expect, it } from '@jest/globals';
import { networksAround } from '../src/platform/limits/client-network.js';
import { HashQueue, type HashShare } from '../src/platform/crypto/hash-queue.js';

const MINUTE_MS = 60_000;

interface Asked {
  readonly ip: string;
  readonly share?: HashShare;
  readonly account?: string;
  readonly hasGone?: () => boolean;
}

describe('HashQueue (S-4)', () => {
  let queue: HashQueue;
  /** Who was refused, in turn. */
  let refused: string[];
  /** Shares of those that were refused for want of room. */
  let counted: HashShare[];

  function start(limitsNetworks: boolean): void {
    [refused, counted] = [[], []];
    queue = new HashQueue(limitsNetworks, (share) => counted.push(share));
  }

  beforeEach(() => {
    start(true);
  });

  const names = new WeakMap<object, string>();

  function ask(name: string, { ip, share = 'log_in', account, hasGone = () => false }: Asked, now = 0): void {
    const hash = {
      share,
      networks: networksAround(ip),
      account,
      hasGone,
      begin: () => Promise.resolve(),
      refuse: () => refused.push(name),
    };
    names.set(hash, name);
    queue.add(hash, now);
  }

  /** The names of so many, in the order in which their hashes are made. */
  function taken(count = 1_000, now = 0): string[] {
    const order: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const hash = queue.take(now);
      if (hash === undefined) break;
      order.push(names.get(hash) ?? '');
    }
    return order;
  }

  /** Fills the queue from so many networks, four hashes each. */
  function flood(ips: readonly string[], share: HashShare = 'log_in'): void {
    for (const ip of ips) for (let call = 0; call < 5; call += 1) ask(`flood ${share}`, { ip, share });
  }

  const inOneSite = Array.from({ length: 20 }, (_, index) => `2001:db8:0:${index.toString(16)}::1`);
  const inOneRegion = Array.from({ length: 80 }, (_, index) => `2001:db8:0:${(index * 256).toString(16)}::1`);
  const inOneBlock = Array.from({ length: 80 }, (_, index) => `2001:db8:${index.toString(16)}::1`);
  const inOneIPv4Block = Array.from({ length: 80 }, (_, index) => `203.${index}.0.1`);
  const inManyBlocks = Array.from({ length: 20 }, (_, index) => `2001:${(0xd00 + index).toString(16)}::1`);
  const inOneIPv4Site = Array.from({ length: 20 }, (_, index) => `203.0.113.${index}`);

  it.each([
    ['20 networks of one /56', inOneSite, 16],
    ['20 networks of one /24', inOneIPv4Site, 16],
    ['20 networks of as many /32', inManyBlocks, 80],
    ['80 networks of one /48', inOneRegion, 50],
    ['80 networks of one /32', inOneBlock, 50],
    ['80 networks of one /8', inOneIPv4Block, 50],
    ['one network', ['2001:db8::1'], 4],
  ])('S-4 of %s so many wait, and owners, resets and other networks wait for none of them', (_name, ips, waiting) => {
    flood(ips);
    flood(ips, 'sign_up');
    expect(queue.waitingOf('log_in')).toBe(waiting);
    ask('stranger', { ip: '198.51.100.1' });
    ask('reset', { ip: '198.51.100.2', share: 'reset' });
    ask('owner', { ip: '198.51.100.3', share: 'known', account: 'owner@example.com' });
    const order = taken(100);
    expect(order.indexOf('owner')).toBeLessThan(2);
    expect(order.indexOf('reset')).toBeLessThan(3);
    expect(order.indexOf('stranger')).toBeLessThanOrEqual(ips === inManyBlocks ? 30 : 4);
    expect(refused).not.toContain('owner');
  });

  it('S-4 goes round by wide networks, in them by narrower ones, and in one network in turn', () => {
    for (const name of ['a1', 'a2', 'a3']) ask(name, { ip: '2001:db8:0:1::1' });
    ask('b1', { ip: '2001:db8:0:2::1' });
    ask('c1', { ip: '2001:db8:0:ff00::1' });
    ask('d1', { ip: '2001:db8:7::1' });
    ask('d2', { ip: '2001:db8:7::2' });
    expect(taken()).toEqual(['a1', 'd1', 'c1', 'd2', 'b1', 'a2', 'a3']);
  });

  it('S-4 lets no share starve another: sign-ups come last, and come', () => {
    for (const share of ['sign_up', 'log_in', 'known'] as const) {
      for (const ip of inManyBlocks) ask(`flood ${share}`, { ip, share });
    }
    const order = taken(26);
    const countOf = (share: HashShare): number => order.filter((name) => name === `flood ${share}`).length;
    expect([countOf('known'), countOf('log_in'), countOf('sign_up')]).toEqual([16, 8, 2]);
  });

  it('S-4 an account that many networks know waits with the strangers beyond its four', () => {
    for (const ip of inManyBlocks) ask('thief', { ip, share: 'known', account: 'thief@example.com' });
    expect([queue.waitingOf('known'), queue.waitingOf('log_in')]).toEqual([4, 16]);
    ask('owner', { ip: '198.51.100.3', share: 'known', account: 'owner@example.com' });
    expect(taken(8)).toContain('owner');
  });

  it('S-4 where all places are taken, whoever crowds makes room, and nobody who crowds gets in', () => {
    const crowd = Array.from({ length: 16 }, (_, index) => `2001:db8:0:${(index * 256).toString(16)}::1`);
    const others = Array.from({ length: 13 }, (_, index) => `2001:${(index + 1).toString(16)}::1`);
    flood([...crowd, ...others]);
    expect(queue.waitingOf('log_in')).toBe(100);
    refused = [];
    ask('new', { ip: '198.51.100.1' });
    ask('other', { ip: '2001:1:1:1::1' });
    expect(refused).toEqual(['flood log_in', 'flood log_in']);
    ask('one more', { ip: '2001:db8:0:ffff::1' });
    expect(refused.slice(2)).toEqual(['one more']);
    expect(queue.waitingOf('log_in')).toBe(100);
    expect(taken()).toContain('new');
  });

  it.each([
    ['/56', '2001:db8:0:ff::1', inOneSite, 16],
    ['/48', '2001:db8:0:ffff::1', inOneRegion, 50],
    ['/32', '2001:db8:ffff::1', inOneBlock, 50],
    ['/8', '203.255.0.1', inOneIPv4Block, 50],
  ])(
    'S-4 in a %s from which no more may wait, whoever crowds makes room for a neighbour',
    (_name, ip, ips, waiting) => {
      for (const crowd of ips.slice(0, 15)) for (let call = 0; call < 4; call += 1) ask('crowd', { ip: crowd });
      expect(queue.waitingOf('log_in')).toBe(waiting);
      refused = [];
      ask('neighbour', { ip });
      expect([queue.waitingOf('log_in'), refused]).toEqual([waiting, ['crowd']]);
      expect(taken()).toContain('neighbour');
    },
  );

  const ownAccounts = (ips: readonly string[]): void => {
    for (const [index, ip] of ips.entries()) {
      for (let call = 0; call < 4; call += 1)
        ask('thief', { ip, share: 'known', account: `thief${index}@example.com` });
    }
  };

  it('S-4 strangers in one /32 whom accounts of their own know fill half the share of the known', () => {
    ownAccounts(inOneBlock);
    expect(queue.waitingOf('known')).toBe(25);
    ask('owner', { ip: '198.51.100.3', share: 'known', account: 'owner@example.com' });
    expect(taken(3)).toContain('owner');
  });

  it('S-4 the known wait with the strangers where their own share is full and nobody crowds', () => {
    for (let index = 0; index < 50; index += 1) {
      ask('known', { ip: `2001:${(index + 1).toString(16)}::1`, share: 'known', account: `${index % 13}@example.com` });
    }
    expect(queue.waitingOf('known')).toBe(50);
    ask('owner', { ip: '198.51.100.3', share: 'known', account: 'owner@example.com' });
    expect([queue.waitingOf('log_in'), refused]).toEqual([1, []]);
    expect(taken(3)).toContain('owner');
  });

  it('S-4 two resets of an account wait, from wherever', () => {
    for (const ip of inManyBlocks) ask('thief', { ip, share: 'reset', account: 'usr_thief' });
    ask('owner', { ip: '198.51.100.3', share: 'reset', account: 'usr_owner' });
    expect([queue.waitingOf('reset'), refused.length]).toEqual([3, 18]);
    expect(taken()).toContain('owner');
  });

  it('S-4 makes no hash for a client that has gone, and refuses what has waited for 30 s', () => {
    let isGone = false;
    ask('gone', { ip: '198.51.100.1', hasGone: () => isGone });
    ask('late', { ip: '198.51.100.2' });
    isGone = true;
    ask('new', { ip: '198.51.100.3' }, MINUTE_MS - 1_000);
    expect(taken(10, MINUTE_MS)).toEqual(['new']);
    expect(refused.sort()).toEqual(['gone', 'late']);
    expect(counted).toEqual(['log_in']);
  });

  it('contract.md 2 RATE_LIMIT_ENABLED=false leaves the turns, and the limit of each share', () => {
    start(false);
    for (let call = 0; call < 101; call += 1) ask('crowd', { ip: '203.0.113.1' });
    expect([queue.waitingOf('log_in'), refused.length]).toEqual([100, 1]);
    ask('other', { ip: '198.51.100.1' });
    expect(taken(2)).toContain('other');
  });
});
