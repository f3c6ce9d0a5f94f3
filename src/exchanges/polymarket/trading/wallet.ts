import { sha256 } from '../../../platform/crypto/digests.js';
import { Secret } from '../../../platform/secrets/secret.js';
import type { Opened } from '../../credentials.contract.js';
import type { OpenedSessionKey } from '../../session-keys.contract.js';
import type { PolymarketCredentialsDto } from '../polymarket.credentials.dto.js';
import type { ApiCredentials } from '../polymarket.signer.js';

/** A deposit wallet signs its own orders; for all other types the wallet that made the API key does (polymarket.md 3). */
export const DEPOSIT_WALLET = 3;
const PLAIN_WALLET = new Secret('0');

/** One user's credentials, by what they are for. */
export class Wallet {
  /** Their `address` is the one that made the API key. */
  readonly apiCredentials: ApiCredentials;
  /** The account wallet, which holds the funds and makes the orders. */
  readonly account: Secret;
  /** Who must have signed an order. */
  readonly orderSigner: Secret;
  /** `0` to `3`. */
  readonly signatureType: Secret;
  /** What no message may repeat; addresses are public. */
  readonly secrets: readonly Secret[];

  constructor(credentials: Opened<PolymarketCredentialsDto>) {
    const { api_key, secret, passphrase, wallet_address, signer_address, signature_type } = credentials;
    const address = signer_address ?? wallet_address;
    this.apiCredentials = { address, apiKey: api_key, secret, passphrase };
    this.account = wallet_address;
    this.signatureType = signature_type ?? PLAIN_WALLET;
    this.orderSigner = this.signatureType.reveal() === String(DEPOSIT_WALLET) ? wallet_address : address;
    this.secrets = [api_key, secret, passphrase];
  }

  /** The wallet that a session key trades for, by the key's own API credentials (polymarket.md 11.2). */
  static ofSession({ address, walletAddress, apiCredentials }: OpenedSessionKey): Wallet {
    return new Wallet({
      ...apiCredentials,
      wallet_address: new Secret(walletAddress),
      signer_address: new Secret(address),
      signature_type: new Secret(String(DEPOSIT_WALLET)),
    });
  }

  /**
   * The account is the wallet that holds the funds, and the address that calls for it, whichever API key that has: what another
   * address has sent is not shown to it (R-26, polymarket.md 11.2).
   */
  accountDigest(): Buffer {
    const addresses = [this.account, this.apiCredentials.address].map((address) => address.reveal().toLowerCase());
    return sha256(JSON.stringify(['polymarket', ...addresses, this.signatureType.reveal()]));
  }
}

/** The wallets alone: a session key trades for the same one as the key before it (polymarket.md 11.2). */
export function holdingsDigestOf(wallets: readonly Wallet[]): Buffer {
  const addresses = wallets.map(({ account }) => account.reveal().toLowerCase());
  return sha256(JSON.stringify(['polymarket', ...new Set(addresses)]));
}
