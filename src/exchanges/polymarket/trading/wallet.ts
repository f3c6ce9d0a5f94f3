import { sha256 } from '../../../platform/crypto/digests.js';
import { Secret } from '../../../platform/secrets/secret.js';
import type { Opened } from '../../exchange.js';
import type { PolymarketCredentialsDto } from '../polymarket.credentials.dto.js';
import type { ApiCredentials } from '../polymarket.signer.js';

/** A deposit wallet signs its own orders; for all other types the wallet that made the API key does (polymarket.md 3). */
const DEPOSIT_WALLET = '3';
const PLAIN_WALLET = new Secret('0');

/** One user's credentials, by what they are for. */
export class Wallet {
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
    this.orderSigner = this.signatureType.reveal() === DEPOSIT_WALLET ? wallet_address : address;
    this.secrets = [api_key, secret, passphrase];
  }

  /** The account is the wallet that holds the funds and who signs for it, whichever API key trades. */
  accountDigest(): Buffer {
    const addresses = [this.account, this.orderSigner].map((address) => address.reveal().toLowerCase());
    return sha256(JSON.stringify(['polymarket', ...addresses, this.signatureType.reveal()]));
  }
}
