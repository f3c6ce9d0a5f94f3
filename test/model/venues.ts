import { orderHash as ownHash, type HashedOrder } from '../../src/exchanges/polymarket/trading/order-hash.js';
import { orderHash as theirHash } from '../../sandbox/polymarket/signing/typed-data.js';
import type { TransferTerms } from '../../src/exchanges/transfers.contract.js';
import { domainOf } from '../../src/exchanges/polymarket/trading/order-domains.js';

/** A market of the model; every key trades on its own. */
export interface Market {
  readonly key: string;
  readonly shard?: string;
  readonly protocol?: 'v1' | 'v2';
}

/** A kind of exchange: how its orders are named, and what its markets differ in. */
export interface Venue {
  readonly kind: 'shards' | 'named' | 'protocols' | 'transfers';
  /** What it says where a market's own shard, or the contract that settles it, may not take the money. */
  readonly lackOfFunds: 'insufficient_funds' | 'allowance_missing';
  readonly markets: readonly Market[];
}

/** As Kalshi: client order ids; money, pauses and lists of each shard by themselves. */
const SHARDS: Venue = {
  kind: 'shards',
  lackOfFunds: 'insufficient_funds',
  markets: [
    { key: 'a', shard: '0' },
    { key: 'b', shard: '2' },
  ],
};

/** As Polymarket: signed orders named by their hash, under the domain of the market's own protocol. */
const PROTOCOLS: Venue = {
  kind: 'protocols',
  lackOfFunds: 'allowance_missing',
  markets: [
    { key: 'a', protocol: 'v1' },
    { key: 'b', protocol: 'v2' },
  ],
};

/** As Kalshi where the client names the order: the same key has the same name, also a day later. */
const NAMED: Venue = { ...SHARDS, kind: 'named' };

export const VENUES: readonly Venue[] = [SHARDS, NAMED, PROTOCOLS];

/** Transfers between shards: taken once by an id that the history does not show. Each key moves an amount of its own. */
export const TRANSFERS: Venue = { ...SHARDS, kind: 'transfers' };

/** What a key moves. */
export function transferTermsOf(key: string): TransferTerms {
  return { from_shard: '0', to_shard: '2', amount: key === 'a' ? '1' : '2' };
}

/** Token ids of a V1 market, and of a V2 one (polymarket.md 2.2). */
const TOKENS = {
  v1: '1234567',
  v2: '651150819117105875331414918119047680898421632356043490229292782433651916800',
} as const;
const WALLETS: Readonly<Record<string, string>> = { mine: `0x${'11'.repeat(20)}`, other: `0x${'22'.repeat(20)}` };

function signedOrder({ protocol = 'v1' }: Market, account: string): HashedOrder {
  const wallet = WALLETS[account] ?? '';
  return {
    salt: 1,
    maker: wallet,
    signer: wallet,
    tokenId: TOKENS[protocol],
    makerAmount: '5000000',
    takerAmount: '10000000',
    side: 'BUY',
    signatureType: 0,
    timestamp: '1795200000000',
    metadata: `0x${'0'.repeat(64)}`,
    builder: `0x${'0'.repeat(64)}`,
  };
}

/** The id that the adapter computes for an order on a market. */
export function ownId(market: Market, account: string): string {
  const domain = domainOf({ protocol: market.protocol ?? 'v1', negRisk: false });
  return ownHash(signedOrder(market, account), domain);
}

/** The id that the exchange has it under, by the stand-in's own arithmetic, which tells the protocol by the token. */
export function theirId(market: Market, account: string): string {
  return theirHash(signedOrder(market, account), false);
}
