import { isIPv4, isIPv6 } from 'node:net';

const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** The canonical text of an IPv6 address, as RFC 5952 has it. */
function canonical(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

/** The dotted form of an address that carries an IPv4 one. */
function unmapped(address: string): string | null {
  const [, high, low] = MAPPED.exec(address) ?? [];
  if (high === undefined || low === undefined) return null;
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

/** Whoever comes from nowhere counts as one client, whatever the header says (S-26). */
const NOWHERE = 'unknown';

/**
 * What limits count as one client: an IPv4 address, or the /64 network of an IPv6 address, since whoever has one address of
 * it has all; IPv4-mapped forms count as IPv4 (rules.md 1).
 */
export function networkOf(ip: string): string {
  const address = addressIn(ip);
  if (address === null) return NOWHERE;
  if (isIPv4(address)) return address;
  const text = canonical(address);
  return unmapped(text) ?? `${firstGroups(text)}::/64`;
}
