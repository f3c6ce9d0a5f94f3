import { isIPv4, isIPv6 } from 'node:net';
import type { Networks } from '../logging/current-request.js';

/** IPv4-mapped addresses, and those that a NAT64 gives its IPv4 clients (RFC 6052 2.1). */
const CARRIERS = [/^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/, /^64:ff9b::(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/];

/** The canonical text of an IPv6 address, as RFC 5952 has it. */
function canonical(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** The dotted form of an address that carries an IPv4 one. */
function unmapped(address: string): string | null {
  const [, high = '0', low] = CARRIERS.map((carrier) => carrier.exec(address)).find((found) => found !== null) ?? [];
  if (low === undefined) return null;
  const bytes = [high, low].flatMap((group) => {
    const value = parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
  return bytes.join('.');
}

function firstGroups(address: string): string {
  const [head = '', tail] = address.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: zeros }, () => '0'), ...after].slice(0, 4).join(':');
}

const IPV4_WITH_PORT = /^([\d.]+):\d+$/;
const IPV6_IN_BRACKETS = /^\[([^\]]*)\](?::\d+)?$/;

/**
 * The address that a text names, without the port and brackets that some proxies add to `X-Forwarded-For` (RFC 7239 6);
 * null where it names none.
 */
export function addressIn(text: string): string | null {
  const [, inner = text] = IPV4_WITH_PORT.exec(text) ?? IPV6_IN_BRACKETS.exec(text) ?? [];
  const [address = ''] = inner.split('%', 1);
  return isIPv4(address) || isIPv6(address) ? address : null;
}

/** All requests without an address count as one client, whatever the header says (S-26). */
const NOWHERE = 'unknown';

/**
 * What limits count as one client: an IPv4 address, or the /64 network of an IPv6 address, since who has one of its addresses
 * has all; IPv4-mapped forms, and those behind a NAT64, count as IPv4 (rules.md 1, S-25).
 */
export function networkOf(ip: string): string {
  const address = addressIn(ip);
  if (address === null) return NOWHERE;
  if (isIPv4(address)) return address;
  const text = canonical(address);
  return unmapped(text) ?? `${firstGroups(text)}::/64`;
}

/**
 * The networks around an address, the narrowest first, as limits count them: somebody who has one network often has its
 * neighbours (rules.md 1). Takes an address, or what `networkOf` returned for it (S-4).
 */
export function networksAround(ipOrNetwork: string): Networks {
  const client = networkOf(ipOrNetwork.replace(/\/64$/, ''));
  if (client === NOWHERE) return [client, client, client, client];
  if (isIPv4(client)) {
    const [a = '', b = '', c = ''] = client.split('.');
    return [client, `${a}.${b}.${c}.0/24`, `${a}.${b}.0.0/16`, `${a}.0.0.0/8`];
  }
  const [a = '', b = '', c = '', d = ''] = client.split(':');
  const site = `${a}:${b}:${c}:${(parseInt(d, 16) & 0xff00).toString(16)}::/56`;
  return [client, site, `${a}:${b}:${c}::/48`, `${a}:${b}::/32`];
}
