import { recoverSigner, sameAddress } from './address.js';
import { innerSignature, isLayered, sessionLayer } from './envelope.js';
import { fromHex } from './hex.js';
import { type SessionSigners } from './session-signers.js';
import { depositWalletDigest, type Domain, orderDigest } from './typed-data.js';
import { type WireOrder } from './wallet.js';

/** Who may have signed an order. */
export interface Signers {
  /** The wallet of the API key that came with the order. */
  apiAddress: string;
  /** Whose key speaks for the account wallet. */
  owner: string;
  sessions: SessionSigners;
  now: Date;
}

/**
 * What is wrong with an order's signature: `signer`: not by whom the API key belongs to, `version`: good for another
 * protocol's domain, `signature`: anything else.
 */
export type Flaw = 'signer' | 'version' | 'signature';

const SIGNATURE = /^0x(?:[0-9a-fA-F]{2})+$/;
const OTHER_DOMAINS: Readonly<Record<Domain, readonly Domain[]>> = {
  v1: ['v2'],
  v1_neg_risk: ['v2'],
  v2: ['v1', 'v1_neg_risk'],
};

/** Verifies an order of a market with that domain (polymarket.md 3.5); undefined where nothing is wrong. */
export function flawOf(order: WireOrder, domain: Domain, signers: Signers): Flaw | undefined {
  const signature = signatureBytes(order.signature);
  return order.signatureType === 3
    ? depositWalletFlaw(order, domain, { ...signers, signature })
    : plainFlaw(order, domain, { ...signers, signature });
}

/** The bytes of a `0x…` signature; none where it is not hex. */
export function signatureBytes(text: string): Uint8Array {
  return SIGNATURE.test(text) ? fromHex(text) : new Uint8Array();
}

type Signed = Signers & { signature: Uint8Array };

/** Types 0 to 2: the wallet of the API key signs the order itself. */
function plainFlaw(order: WireOrder, domain: Domain, { apiAddress, signature }: Signed): Flaw | undefined {
  if (!sameAddress(order.signer, apiAddress)) return 'signer';
  const fits = (one: Domain): boolean => recoverSigner(orderDigest(order, one), signature) === apiAddress;
  return verdict(domain, fits);
}

/** Type 3: the wallet's contract checks what its owner, or a session key that it knows, signed (ERC-1271). */
function depositWalletFlaw(order: WireOrder, domain: Domain, signed: Signed): Flaw | undefined {
  if (!sameAddress(order.signer, order.maker)) return 'signer';
  const { apiAddress, signature, sessions, now } = signed;
  const isBySession = sessions.mayTrade(order.maker, apiAddress, now);
  const layer = isLayered(signature) ? sessionLayer(signature) : { key: signed.owner, nested: signature };
  if (layer === undefined) return 'signature';
  if (isLayered(signature) && !(isBySession && sameAddress(layer.key, apiAddress))) return 'signer';
  if (isBySession && !isLayered(signature)) return 'signature';
  const fits = (one: Domain): boolean => {
    const inner = innerSignature(order, one, layer.nested);
    const by = inner === undefined ? undefined : recoverSigner(depositWalletDigest(order, one), inner);
    return by !== undefined && sameAddress(by, layer.key) && sameAddress(by, apiAddress);
  };
  return verdict(domain, fits);
}

function verdict(domain: Domain, fits: (domain: Domain) => boolean): Flaw | undefined {
  if (fits(domain)) return undefined;
  return OTHER_DOMAINS[domain].some(fits) ? 'version' : 'signature';
}
