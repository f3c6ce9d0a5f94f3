import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { type Account } from './account.js';
import { type KeyRing } from './auth.js';
import { micros } from './units.js';
import { type KalshiExchange } from './exchange.js';

/** What a trader stores at the service to trade on this exchange; `private_key` is a PEM. */
export interface KalshiAccount {
  api_url: string;
  access_key: string;
  private_key: string;
}

export interface NewAccountOptions {
  /** Dollars, decimal; 10000.00 when left out. */
  balanceDollars?: string;
  /** RSA of 2048 bits when left out. */
  keyType?: 'rsa' | 'ed25519';
}

interface Place {
  exchange: KalshiExchange;
  keys: KeyRing;
  apiUrl: string;
  clock: () => Date;
}

/** Opens a funded account with a fresh key, which the exchange knows the public half of. */
export async function openMember(
  { exchange, keys, apiUrl, clock }: Place,
  options: NewAccountOptions,
): Promise<{ account: Account; credentials: KalshiAccount }> {
  const privateKey = await newPrivateKey(options.keyType ?? 'rsa');
  const account = exchange.openAccount({
    cash: micros(options.balanceDollars ?? '10000.00'),
    now: clock().getTime(),
  });
  const accessKey = randomUUID();
  keys.register(accessKey, createPublicKey(createPrivateKey(privateKey)), account);
  return { account, credentials: { api_url: apiUrl, access_key: accessKey, private_key: privateKey } };
}

/** PEM: PKCS#1 for RSA, as the exchange hands it out, PKCS#8 for Ed25519. */
async function newPrivateKey(type: 'rsa' | 'ed25519'): Promise<string> {
  const generate = promisify(generateKeyPair);
  if (type === 'rsa') {
    const { privateKey } = await generate('rsa', { modulusLength: 2048 });
    return exported(privateKey, 'pkcs1');
  }
  const { privateKey } = await generate('ed25519', {});
  return exported(privateKey, 'pkcs8');
}

function exported(key: KeyObject, type: 'pkcs1' | 'pkcs8'): string {
  return key.export({ format: 'pem', type }).toString();
}
