import { randomInt } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { ONE, toUnits } from '../../units.js';
import { addressOf, checksum, proxyWalletOf, safeWalletOf } from './address.js';
import { fromHex, keccakText, toHex } from './hex.js';
import { nestedSignature, sessionSignature } from './envelope.js';
import {
  clobAuthDigest,
  depositWalletDigest,
  domainOf,
  orderDigest,
  type OrderStruct,
  type Protocol,
  protocolOf,
  type Side,
  type WalletCall,
  walletCallDigest,
  ZERO_BYTES32,
} from './typed-data.js';

/** 0: the wallet itself, 1: its proxy wallet, 2: its safe, 3: a deposit wallet of its (polymarket.md 3). */
export type SignatureType = 0 | 1 | 2 | 3;

/** The `order` of a POST /order body, exactly as the wallet libraries emit it. */
export interface WireOrder extends OrderStruct {
  /** Unix seconds as digits; `"0"` is none. Not signed. */
  expiration: string;
  signature: string;
}

/** What a trader decides. `price` and `size` (shares) are decimal texts. */
export interface OrderTerms {
  tokenId: string;
  side: Side;
  price: string;
  size: string;
  /** Default 0. */
  signatureType?: SignatureType;
  /** The account wallet; by default the one of that type that belongs to the key. */
  maker?: string;
  /** By default the key's address, and the maker for type 3. */
  signer?: string;
  /** Unix seconds. */
  expiration?: number | string;
  /** True where the token's market is neg-risk: another contract is signed for, unless it is a V2 market. */
  negRisk?: boolean;
  /** By default what the shape of the token id tells. */
  protocol?: Protocol;
  /** True for a session key, which signs for the deposit wallet `maker` (polymarket.md 11.2). */
  session?: boolean;
}

/** What a wallet library fills in; given only to get the same signature twice. */
export interface OrderExtras {
  salt?: number;
  /** Milliseconds as digits. */
  timestamp?: string;
  metadata?: string;
  builder?: string;
  /** Instead of those of price and size, in millionths: what a wallet library signs for a market order of so much money. */
  amounts?: { makerAmount: string; takerAmount: string };
}

/** A trader's key as wallet software uses it; signatures are deterministic (RFC 6979). */
export class SandboxWallet {
  private constructor(private readonly key: Uint8Array) {}

  static random(): SandboxWallet {
    return new SandboxWallet(secp256k1.utils.randomSecretKey());
  }

  /** `0x` + 64 hex digits. Throws for anything that is no key. */
  static fromPrivateKey(hex: string): SandboxWallet {
    const key = fromHex(hex);
    secp256k1.getPublicKey(key);
    return new SandboxWallet(key);
  }

  get privateKey(): string {
    return toHex(this.key);
  }

  /** In the EIP-55 spelling. */
  get address(): string {
    return addressOf(secp256k1.getPublicKey(this.key, false));
  }

  /** The account wallet of a type that belongs to this key. */
  accountWallet(type: SignatureType): string {
    return (
      [this.address, proxyWalletOf(this.address), safeWalletOf(this.address)][type] ?? depositWalletOf(this.address)
    );
  }

  /** A signed order. Its id is `orderHash(order, negRisk)`. Throws `RangeError` where price × size has over 6 places. */
  signOrder(terms: OrderTerms, extras: OrderExtras = {}): WireOrder {
    const { maker, signer, signatureType } = this.#parties(terms);
    const { salt, timestamp, metadata, builder } = { ...freshExtras(), ...extras };
    const { tokenId, side } = terms;
    const order: OrderStruct = {
      salt,
      maker,
      signer,
      tokenId,
      ...(extras.amounts ?? amounts(terms)),
      side,
      signatureType,
      timestamp,
      metadata,
      builder,
    };
    const signature = this.#signatureOf(order, terms);
    return inWireOrder(order, String(terms.expiration ?? '0'), signature);
  }

  /** The L1 headers that create or derive API credentials; `timestamp` in seconds. */
  l1Headers(timestamp = Math.floor(Date.now() / 1000), nonce = 0): Record<string, string> {
    const digest = clobAuthDigest(this.address, String(timestamp), BigInt(nonce));
    return {
      POLY_ADDRESS: this.address,
      POLY_SIGNATURE: toHex(this.#sign(digest)),
      POLY_TIMESTAMP: String(timestamp),
      POLY_NONCE: String(nonce),
    };
  }

  /** The owner's signature of a call that the deposit wallet shall make (polymarket.md 11.1). */
  signWalletCall(call: WalletCall): string {
    return toHex(this.#sign(walletCallDigest(call)));
  }

  #parties(terms: OrderTerms): { maker: string; signer: string; signatureType: SignatureType } {
    const signatureType = terms.signatureType ?? 0;
    const maker = terms.maker ?? this.accountWallet(signatureType);
    return { maker, signer: terms.signer ?? (signatureType === 3 ? maker : this.address), signatureType };
  }

  #signatureOf(order: OrderStruct, terms: OrderTerms): string {
    const domain = domainOf(terms.protocol ?? protocolOf(order.tokenId), terms.negRisk ?? false);
    if (order.signatureType !== 3) return toHex(this.#sign(orderDigest(order, domain)));
    const nested = nestedSignature(order, domain, this.#sign(depositWalletDigest(order, domain)));
    return toHex(terms.session === true ? sessionSignature(this.address, nested) : nested);
  }

  /** `r s v` over a finished digest, v being 27 or 28. */
  #sign(digest: Uint8Array): Uint8Array {
    const signature = secp256k1.sign(digest, this.key, { prehash: false, format: 'recovered' });
    return concatBytes(signature.slice(1), Uint8Array.of(27 + (signature[0] ?? 0)));
  }
}

/** The deposit wallet the sandbox makes for a key: like the real factory's, one address for each owner, but another one. */
function depositWalletOf(owner: string): string {
  return checksum(toHex(keccakText(`sandbox deposit wallet of ${owner.toLowerCase()}`).slice(12)));
}

function freshExtras(): Required<Omit<OrderExtras, 'amounts'>> {
  return { salt: randomInt(2 ** 47), timestamp: String(Date.now()), metadata: ZERO_BYTES32, builder: ZERO_BYTES32 };
}

function amounts(terms: OrderTerms): { makerAmount: string; takerAmount: string } {
  const size = toUnits(terms.size);
  const money = toUnits(terms.price) * size;
  if (money % ONE !== 0n) throw new RangeError('price × size must not have more than six decimals.');
  const paid = (money / ONE).toString();
  return terms.side === 'BUY'
    ? { makerAmount: paid, takerAmount: size.toString() }
    : { makerAmount: size.toString(), takerAmount: paid };
}

function inWireOrder(order: OrderStruct, expiration: string, signature: string): WireOrder {
  const { metadata, builder, ...head } = order;
  return { ...head, expiration, metadata, builder, signature };
}
