import { createHmac, randomBytes } from 'node:crypto';
import { uuidOf } from '../random.js';
import { type Ledger } from './ledger.js';
import { checksum, proxyWalletOf, safeWalletOf } from './signing/address.js';
import { type ApiCredentials } from './signing/l2-signature.js';
import { type SessionSigners } from './signing/session-signers.js';
import { CONTRACTS } from './signing/typed-data.js';
import { type SignatureType } from './signing/wallet.js';

/** What a wallet gets that makes credentials for the first time: 10,000 pUSD. */
const PLAY_MONEY = 10_000_000_000n;

interface Owned {
  owner: string;
  type: SignatureType;
}

/**
 * API credentials and who owns which account wallet. The real exchange asks the chain for the owner of a smart
 * wallet; here the factories' addresses (types 1 and 2) and registered wallets belong to their owner, and a wallet
 * that nobody owns becomes that of the first one who orders for it.
 */
export class Accounts {
  readonly #seed = randomBytes(32);
  readonly #byKey = new Map<string, ApiCredentials>();
  readonly #byNonce = new Map<string, ApiCredentials>();
  readonly #owners = new Map<string, Owned>();
  readonly #wallets = new Map<string, string>();
  readonly #players = new Set<string>();
  /** Deposit wallets without an owner yet, in lower case. */
  readonly #unclaimed = new Set<string>();

  constructor(
    private readonly ledger: Ledger,
    private readonly sessions: SessionSigners,
  ) {}

  find(apiKey: string): ApiCredentials | undefined {
    return this.#byKey.get(apiKey);
  }

  findByNonce(address: string, nonce: bigint): ApiCredentials | undefined {
    return this.#byNonce.get(nonceKey(address, nonce));
  }

  /** Every key of a wallet. */
  keysOf(address: string): string[] {
    return [...this.#byKey.values()].filter((one) => one.address === address).map((one) => one.apiKey);
  }

  /** Credentials made from address and nonce. A wallet that is new to the exchange gets play money unless `funded`. */
  create(address: string, nonce: bigint, funded = false): ApiCredentials {
    if (!funded && this.#isNew(address)) this.#welcome(address);
    const credentials = this.#derive(address, nonce);
    this.#byKey.set(credentials.apiKey, credentials);
    this.#byNonce.set(nonceKey(address, nonce), credentials);
    return credentials;
  }

  revoke(apiKey: string): void {
    this.#byKey.delete(apiKey);
    for (const [key, credentials] of this.#byNonce) if (credentials.apiKey === apiKey) this.#byNonce.delete(key);
  }

  /** Makes a smart wallet that of its owner. */
  register(owner: string, type: SignatureType, wallet: string): void {
    this.#owners.set(wallet.toLowerCase(), { owner, type });
    this.#wallets.set(walletKey(owner, type), wallet);
  }

  /** Whose wallet it is; undefined where nobody ordered for it yet. A key owns the address of its own. */
  ownerOf(wallet: string): string | undefined {
    return this.#owners.get(wallet.toLowerCase())?.owner;
  }

  /** Whose deposit wallet it is; undefined for any other wallet. */
  depositOwnerOf(wallet: string): string | undefined {
    const known = this.#owners.get(wallet.toLowerCase());
    return known?.type === 3 ? known.owner : undefined;
  }

  /** The wallet that a signature type stands for; undefined where the owner has none of that type. */
  walletOf(owner: string, type: SignatureType): string | undefined {
    if (type === 0) return owner;
    const factory = type === 1 ? proxyWalletOf(owner) : type === 2 ? safeWalletOf(owner) : undefined;
    return this.#wallets.get(walletKey(owner, type)) ?? factory;
  }

  /** What an API key trades with: the wallet of its own, else of type 3 the one that it is a session key of. */
  tradedWallet(address: string, type: SignatureType, now: Date): string | undefined {
    return this.walletOf(address, type) ?? (type === 3 ? this.sessions.walletOf(address, now) : undefined);
  }

  /**
   * Makes sure that session keys can be authorised for a wallet: a deposit wallet, or one that nobody knows, which becomes
   * one with play money and waits for its owner. False for any other.
   */
  openDepositWallet(wallet: string): boolean {
    const key = wallet.toLowerCase();
    if (this.depositOwnerOf(wallet) !== undefined || this.#unclaimed.has(key)) return true;
    const isTaken = this.#owners.has(key) || this.ledger.knows(wallet) || this.sessions.knows(wallet);
    if (isTaken || CONTRACTS.has(key) || this.keysOf(checksum(wallet)).length > 0) return false;
    this.#unclaimed.add(key);
    this.ledger.deposit(wallet, PLAY_MONEY);
    return true;
  }

  /** Whether `owner` may order for a wallet under a signature type; takes an unowned smart wallet into possession. */
  claim(owner: string, type: SignatureType, wallet: string): boolean {
    if (type === 0) return wallet.toLowerCase() === owner.toLowerCase();
    if (wallet.toLowerCase() === this.walletOf(owner, type)?.toLowerCase()) return true;
    const known = this.#owners.get(wallet.toLowerCase());
    return known === undefined ? this.#take(owner, type, wallet) : known.owner === owner && known.type === type;
  }

  /** Makes a wallet without an owner that of `owner`, unless it is an account of another kind. */
  #take(owner: string, type: SignatureType, wallet: string): boolean {
    const isOpened = type === 3 && this.#unclaimed.delete(wallet.toLowerCase());
    if (this.ledger.knows(wallet) && !isOpened) return false;
    this.register(owner, type, wallet);
    if (!isOpened && this.#players.has(owner)) this.ledger.deposit(wallet, PLAY_MONEY);
    return true;
  }

  #isNew(address: string): boolean {
    if (this.sessions.knows(address)) return false;
    return !this.#players.has(address) && this.keysOf(address).length === 0 && this.ledger.collateral(address) === 0n;
  }

  #welcome(address: string): void {
    this.#players.add(address);
    this.register(address, 1, proxyWalletOf(address));
    this.register(address, 2, safeWalletOf(address));
    for (const wallet of [address, proxyWalletOf(address), safeWalletOf(address)]) {
      this.ledger.deposit(wallet, PLAY_MONEY);
    }
  }

  #derive(address: string, nonce: bigint): ApiCredentials {
    const part = (name: string): Buffer =>
      createHmac('sha256', this.#seed)
        .update(`${name} ${nonceKey(address, nonce)}`)
        .digest();
    return {
      address,
      apiKey: uuidOf(part('key').toString('hex')),
      secret: part('secret').toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
      passphrase: part('passphrase').toString('hex'),
    };
  }
}

function nonceKey(address: string, nonce: bigint): string {
  return `${address.toLowerCase()} ${nonce}`;
}

function walletKey(owner: string, type: SignatureType): string {
  return `${owner.toLowerCase()} ${type}`;
}
