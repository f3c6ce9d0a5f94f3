import { bytesToHex } from '@noble/hashes/utils.js';
import { domainSeparator } from '../ethereum.js';
import type { Protocol } from '../position-ids.js';

/** What an order is signed for (EIP-712): a contract at the exchange's chain. */
export interface OrderDomain {
  readonly name: string;
  readonly version: string;
  readonly verifyingContract: string;
  /** The hash of the domain, 64 hex digits. */
  readonly separator: string;
}

const NAME = 'Polymarket CTF Exchange';
/** By a document of the exchange that was never true of its contracts (polymarket.md 3.3). */
const STALE_NAME = 'Polymarket Exchange';

const STANDARD_CONTRACT = '0xE111180000d2663C0091e4f400237545B87B996B';
const NEG_RISK_CONTRACT = '0xe2222d279d744050d28e00520010520000310F59';
/** ExchangeV3, of all V2 markets. */
const V2_CONTRACT = '0xe3333700cA9d93003F00f0F71f8515005F6c00Aa';

/** The domains of the exchange: each market's orders are signed under one of them (polymarket.md 3.3). */
export const DOMAINS = {
  v1Standard: domain(NAME, '2', STANDARD_CONTRACT),
  v1NegRisk: domain(NAME, '2', NEG_RISK_CONTRACT),
  v2: domain(NAME, '3', V2_CONTRACT),
} as const;

/** All domains that orders are known to be signed under, wrongly or not. */
export const KNOWN_DOMAINS: readonly OrderDomain[] = [
  ...Object.values(DOMAINS),
  domain(NAME, '3', STANDARD_CONTRACT),
  domain(NAME, '3', NEG_RISK_CONTRACT),
  domain(NAME, '2', V2_CONTRACT),
  ...[STANDARD_CONTRACT, NEG_RISK_CONTRACT, V2_CONTRACT].map((contract) => domain(STALE_NAME, '1', contract)),
];

/** Returns the domain of a market's orders; of a V2 market `negRisk` chooses nothing. */
export function domainOf({
  protocol,
  negRisk,
}: {
  readonly protocol: Protocol;
  readonly negRisk: boolean;
}): OrderDomain {
  if (protocol === 'v2') return DOMAINS.v2;
  return negRisk ? DOMAINS.v1NegRisk : DOMAINS.v1Standard;
}

function domain(name: string, version: string, verifyingContract: string): OrderDomain {
  const separator = bytesToHex(domainSeparator({ name, version, verifyingContract }));
  return { name, version, verifyingContract, separator };
}
