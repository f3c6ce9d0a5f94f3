import { type Accounts } from './accounts.js';
import { sameAddress } from './signing/address.js';

/** A session key is a key of its own: why an address cannot be one of a deposit wallet; undefined where it can. */
export function sessionSignerFlaw(accounts: Accounts, wallet: string, address: string): string | undefined {
  if (BigInt(address) === 0n) return 'The session key must not be the zero address.';
  if (sameAddress(address, wallet)) return 'The session key must not be the wallet itself.';
  const owner = accounts.ownerOf(wallet);
  if (owner !== undefined && sameAddress(address, owner)) return 'The session key must not be the key of the owner.';
  return undefined;
}
