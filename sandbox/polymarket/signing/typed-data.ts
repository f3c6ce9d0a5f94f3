import { hexWord, keccak, keccakText, toHex, word, fromHex } from './hex.js';
import { isPositionId } from './position-id.js';

/** EIP-712 hashes of the exchange (polymarket.md 3): order, ClobAuth log-in, ERC-7739 wrapping. */

export type Side = 'BUY' | 'SELL';

/** What a wallet signs of an order. Amounts are digits; `metadata` and `builder` are 32 bytes, empty counts as zeros. */
export interface OrderStruct {
  salt: number;
  maker: string;
  signer: string;
  tokenId: string;
  makerAmount: string;
  takerAmount: string;
  side: Side;
  signatureType: number;
  timestamp: string;
  metadata: string;
  builder: string;
}

const CHAIN_ID = 137n;
export const EXCHANGE_CONTRACT = '0xE111180000d2663C0091e4f400237545B87B996B';
export const NEG_RISK_CONTRACT = '0xe2222d279d744050d28e00520010520000310F59';
/** ExchangeV3, which settles every V2 market. */
export const V2_CONTRACT = '0xe3333700cA9d93003F00f0F71f8515005F6c00Aa';
/** All of them, in lower case. */
export const CONTRACTS: ReadonlySet<string> = new Set(
  [EXCHANGE_CONTRACT, NEG_RISK_CONTRACT, V2_CONTRACT].map((contract) => contract.toLowerCase()),
);
export const ZERO_BYTES32 = `0x${'0'.repeat(64)}`;

const CONTRACT_DOMAIN = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
const PLAIN_DOMAIN = 'EIP712Domain(string name,string version,uint256 chainId)';
const CLOB_AUTH = 'ClobAuth(address address,string timestamp,uint256 nonce,string message)';
const CLOB_AUTH_MESSAGE = 'This message attests that I control the given wallet';
export const ORDER_TYPE =
  'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,' +
  'uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)';
const TYPED_DATA_SIGN =
  'TypedDataSign(Order contents,string name,string version,uint256 chainId,address verifyingContract,bytes32 salt)';

const BATCH = 'Batch(address wallet,uint256 nonce,uint256 deadline,Call[] calls)';
const CALL = 'Call(address target,uint256 value,bytes data)';

/** Which kind of market: V1 are CTF markets, V2 those of the protocol of November 2026. */
export type Protocol = 'v1' | 'v2';

/** What an order is signed for. Of V2 markets neg-risk ones have no contract of their own. */
export type Domain = 'v1' | 'v1_neg_risk' | 'v2';

const DOMAINS: Readonly<Record<Domain, { version: string; contract: string }>> = {
  v1: { version: '2', contract: EXCHANGE_CONTRACT },
  v1_neg_risk: { version: '2', contract: NEG_RISK_CONTRACT },
  v2: { version: '3', contract: V2_CONTRACT },
};

/** The domain of a market's orders. */
export function domainOf(protocol: Protocol, negRisk: boolean): Domain {
  if (protocol === 'v2') return 'v2';
  return negRisk ? 'v1_neg_risk' : 'v1';
}

/** The protocol that the shape of a token id tells. */
export function protocolOf(tokenId: string): Protocol {
  return isPositionId(tokenId) ? 'v2' : 'v1';
}

/** The separator of the exchange contract that settles a market. */
export function exchangeDomain(domain: Domain): Uint8Array {
  const { version, contract } = DOMAINS[domain];
  return keccak(
    keccakText(CONTRACT_DOMAIN),
    keccakText('Polymarket CTF Exchange'),
    keccakText(version),
    word(CHAIN_ID),
    hexWord(contract),
  );
}

/** hashStruct of an order. */
export function orderStructHash(order: OrderStruct): Uint8Array {
  return keccak(
    keccakText(ORDER_TYPE),
    word(BigInt(order.salt)),
    hexWord(order.maker),
    hexWord(order.signer),
    word(BigInt(order.tokenId)),
    word(BigInt(order.makerAmount)),
    word(BigInt(order.takerAmount)),
    word(order.side === 'BUY' ? 0n : 1n),
    word(BigInt(order.signatureType)),
    word(BigInt(order.timestamp)),
    bytes32(order.metadata),
    bytes32(order.builder),
  );
}

/** The 32 bytes a wallet signs for an order, which are also its id. */
export function orderDigest(order: OrderStruct, domain: Domain): Uint8Array {
  return digest(exchangeDomain(domain), orderStructHash(order));
}

/** The order id, `0x` + 64 hex digits, as wallet software counts it: the shape of the token id tells the protocol. */
export function orderHash(order: OrderStruct, negRisk: boolean): string {
  return toHex(orderDigest(order, domainOf(protocolOf(order.tokenId), negRisk)));
}

/** What the owner of a deposit wallet (signature type 3) signs: the order, bound to that wallet (ERC-7739). */
export function depositWalletDigest(order: OrderStruct, domain: Domain): Uint8Array {
  const struct = keccak(
    keccakText(TYPED_DATA_SIGN + ORDER_TYPE),
    orderStructHash(order),
    keccakText('DepositWallet'),
    keccakText('1'),
    word(CHAIN_ID),
    hexWord(order.signer),
    word(0n),
  );
  return digest(exchangeDomain(domain), struct);
}

/** What a wallet signs to get API credentials (L1): `timestamp` in seconds as text. */
export function clobAuthDigest(address: string, timestamp: string, nonce: bigint): Uint8Array {
  const domain = keccak(keccakText(PLAIN_DOMAIN), keccakText('ClobAuthDomain'), keccakText('1'), word(CHAIN_ID));
  const struct = keccak(
    keccakText(CLOB_AUTH),
    hexWord(address),
    keccakText(timestamp),
    word(nonce),
    keccakText(CLOB_AUTH_MESSAGE),
  );
  return digest(domain, struct);
}

/** What the owner of a deposit wallet signs so that it makes one call of itself (polymarket.md 11.1). */
export interface WalletCall {
  wallet: string;
  nonce: bigint;
  /** Unix seconds. */
  deadline: bigint;
  /** The calldata. */
  data: Uint8Array;
}

/** The digest of a batch of that one call. */
export function walletCallDigest({ wallet, nonce, deadline, data }: WalletCall): Uint8Array {
  const domain = keccak(
    keccakText(CONTRACT_DOMAIN),
    keccakText('DepositWallet'),
    keccakText('1'),
    word(CHAIN_ID),
    hexWord(wallet),
  );
  const call = keccak(keccakText(CALL), hexWord(wallet), word(0n), keccak(data));
  const struct = keccak(keccakText(BATCH + CALL), hexWord(wallet), word(nonce), word(deadline), keccak(call));
  return digest(domain, struct);
}

function digest(domain: Uint8Array, struct: Uint8Array): Uint8Array {
  return keccak(fromHex('0x1901'), domain, struct);
}

function bytes32(text: string): Uint8Array {
  return text === '' ? fromHex(ZERO_BYTES32) : fromHex(text);
}
