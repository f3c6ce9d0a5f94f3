import { isAddress } from '../polymarket/signing/address.js';
import { type Standing } from '../polymarket/standings.js';
import { isRecord } from '../wire/json.js';

/** What `POST /wallets` changes about a Polymarket account wallet. */
export interface WalletChange {
  wallet: string;
  change: Partial<Standing>;
}

/** A change that cannot be understood; the message names the field and what it should hold. */
export class InvalidWallet extends Error {}

const FIELDS: Readonly<Record<string, keyof Standing>> = {
  exchange_v3: 'exchangeV3',
  closed_only: 'closedOnly',
  banned: 'banned',
  deposit_wallet_only: 'depositWalletOnly',
};

/** Checks a change that came as JSON. Throws `InvalidWallet`. */
export function parseWalletChange(input: unknown): WalletChange {
  if (!isRecord(input)) throw new InvalidWallet('The body must be a JSON object.');
  const { wallet_address: wallet, ...flags } = input;
  if (!isAddress(wallet)) throw new InvalidWallet('wallet_address must be 0x and 40 hex digits.');
  const change = Object.entries(flags).map(([name, value]) => {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (field === undefined) throw new InvalidWallet(`Unknown field ${JSON.stringify(name)}.`);
    if (typeof value !== 'boolean') throw new InvalidWallet(`${name} must be true or false.`);
    return [field, value] as const;
  });
  return { wallet, change: Object.fromEntries(change) };
}

/** A wallet's standing under the names of the control server. */
export function walletView(wallet: string, standing: Standing): object {
  const flags = Object.entries(FIELDS).map(([name, field]) => [name, standing[field]] as const);
  return { wallet_address: wallet, ...Object.fromEntries(flags) };
}
