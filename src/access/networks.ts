import { BlockList, isIPv4, isIPv6 } from 'node:net';

const PREFIX = /^\d{1,3}$/;

interface Network {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly bits: number;
}

function familyOf(address: string): Network['family'] | null {
  if (isIPv4(address)) return 'ipv4';
  return isIPv6(address) && !address.includes('%') ? 'ipv6' : null;
}

/** An address is a network of itself alone. Null for a text that is neither an address nor a CIDR block. */
function parse(text: string): Network | null {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = familyOf(address);
  if (family === null || rest.length > 0) return null;
  const longest = family === 'ipv4' ? 32 : 128;
  if (prefix === undefined) return { address, family, bits: longest };
  return PREFIX.test(prefix) && Number(prefix) <= longest ? { address, family, bits: Number(prefix) } : null;
}

/** Whether a value is an IPv4 or IPv6 address, or a CIDR block of such. */
export function isNetwork(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 64 && parse(value) !== null;
}

/** Addresses and CIDR blocks that a key may be used from. IPv4-mapped addresses are IPv4 (contract.md 5.11). */
export class Networks {
  readonly #list = new BlockList();

  /** A text that is no network holds no address. */
  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const network = parse(text);
      if (network !== null) this.#list.addSubnet(network.address, network.bits, network.family);
    }
  }

  /** Whether one of them holds this address; none holds what is no address. */
  holds(address: string): boolean {
    const family = familyOf(address);
    return family !== null && this.#list.check(address, family);
  }
}
