import type { PolymarketClient, SignedPolymarketClient } from '../../exchanges/polymarket/connection/client.js';
import { sameAddress } from '../../exchanges/polymarket/polymarket.credentials.dto.js';
import { isUsable, readSigners } from '../../exchanges/polymarket/session-keys/registry.js';
import { PolymarketSessionKeys } from '../../exchanges/polymarket/session-keys/session-keys.js';
import type {
  WireSessionSigner,
  WireSessionSigners,
} from '../../exchanges/polymarket/session-keys/session-keys.wire.js';
import { Secret } from '../../platform/secrets/secret.js';
import { CommandFailure } from './failure.js';
import type { OwnerKey } from './secrets.js';

/** What the exchange tells a wallet's owner of its session keys, by API credentials that the owner's key asks for. */
export class OwnersRegistry {
  #signed: SignedPolymarketClient | null = null;

  constructor(
    private readonly client: PolymarketClient,
    private readonly owner: OwnerKey,
    private readonly wallet: string,
  ) {}

  /** Returns the keys that may trade. Throws AppError, and CommandFailure where the owner's wallet is another one. */
  async list(): Promise<readonly WireSessionSigner[]> {
    const { wallet, signers } = await this.#read();
    if (sameAddress(wallet, this.wallet)) return signers;
    throw new CommandFailure(
      `Polymarket says that the owner key ${this.owner.address} belongs to another wallet than ${this.wallet}. ` +
        "Give the wallet's own owner key, or its address.",
    );
  }

  /** Returns the entry of a key that may trade on the order book now; null where there is none. Throws as `list`. */
  async find(session: string): Promise<WireSessionSigner | null> {
    const { wallet, signers } = await this.#read();
    if (!sameAddress(wallet, this.wallet)) {
      throw new CommandFailure(
        `The relayer took the request, but the exchange shows the owner key ${this.owner.address} the list of another ` +
          'wallet, where this key cannot be seen. Whether it may trade is seen when the service activates it.',
      );
    }
    const now = this.#signed?.now() ?? new Date();
    return signers.find((signer) => isUsable(signer, session, now)) ?? null;
  }

  async #read(): Promise<WireSessionSigners> {
    this.#signed ??= await this.#sign();
    return readSigners(this.#signed);
  }

  async #sign(): Promise<SignedPolymarketClient> {
    const issued = await new PolymarketSessionKeys(this.client).deriveApiCredentials(this.owner);
    const { api_key: apiKey, secret, passphrase } = issued;
    const { address, privateKey } = this.owner;
    return this.client.signedWith({
      apiCredentials: { address: new Secret(address), apiKey, secret, passphrase },
      secrets: [privateKey, apiKey, secret, passphrase],
    });
  }
}
