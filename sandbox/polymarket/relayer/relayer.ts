import { createHash, randomUUID } from 'node:crypto';
import { unixSeconds } from '../../times.js';
import { type Exchange } from '../exchange.js';
import { refusal } from '../refusals.js';
import { sessionSignerFlaw } from '../session-rules.js';
import { checksum, recoverSigner, sameAddress } from '../signing/address.js';
import { fromHex, keccakText, toHex } from '../signing/hex.js';
import { authoriseCall, revokeCall } from '../signing/session-calls.js';
import { walletCallDigest } from '../signing/typed-data.js';
import { type BuilderKey } from './builder-auth.js';
import { type Authorisation, type Revocation } from './requests.js';

/** What can be changed while the relayer runs. */
export interface RelayerSettings {
  /** Whether the exchange lets the builder key manage session keys; every other one is refused (polymarket.md 11). */
  managesSessionKeys: boolean;
  /** Whether transactions fail on the chain from now on. */
  fails: boolean;
  /** How long a transaction takes, ms. */
  confirmedAfterMs: number;
  /** How much later the whole exchange knows of a new key, ms. */
  usableAfterMs: number;
}

/** One wallet call on its way to the chain. */
interface Transaction {
  id: string;
  hash: string;
  sentAt: number;
  confirmedAt: number;
  fails: boolean;
}

/** The only lifetime of a session key, in seconds: 4315 hours. */
const VALID_FOR_S = 15_534_000;
/** How far `validUntil` may be from that: a batch can be sent as long as it is good. */
const VALID_TOLERANCE_S = 600;
/** How long a batch must be good still, and may be good at most, in seconds. */
const MIN_DEADLINE_S = 10;
const MAX_DEADLINE_S = 3_600;

/** Sends what owners of deposit wallets signed, so that they pay no gas; here only session keys (polymarket.md 11.1). */
export class Relayer {
  readonly settings: RelayerSettings = {
    managesSessionKeys: true,
    fails: false,
    confirmedAfterMs: 300,
    usableAfterMs: 300,
  };
  readonly #nonces = new Map<string, bigint>();
  readonly #transactions = new Map<string, Transaction>();
  readonly #answered = new Map<string, { request: string; answer: object }>();

  constructor(
    private readonly exchange: Exchange,
    readonly builder: BuilderKey,
  ) {}

  /** The nonce that the next batch of an owner has to carry. */
  nonceOf(owner: string): bigint {
    return this.#nonces.get(owner.toLowerCase()) ?? 0n;
  }

  find(id: string): Transaction | undefined {
    return this.#transactions.get(id);
  }

  /** Does what `act` does once for each idempotency key; a refusal is forgotten. Throws where another request has the key. */
  once(key: string, request: string, act: () => object): object {
    const digest = createHash('sha256').update(request).digest('hex');
    const known = this.#answered.get(key);
    if (known !== undefined && known.request !== digest) {
      throw refusal('the Idempotency-Key was used for another request', 409);
    }
    const answer = known?.answer ?? act();
    this.#answered.set(key, { request: digest, answer });
    return answer;
  }

  /** Lets a session key trade some time later, or longer where it may already. Throws a refusal that says what is wrong with the request. */
  authorise(asked: Authorisation): Transaction {
    const { exchange, settings } = this;
    const { walletAddress, sessionSignerAddress, scopes } = asked;
    const owner = this.#ownerOf(walletAddress);
    const flaw = sessionSignerFlaw(exchange.accounts, walletAddress, sessionSignerAddress);
    if (flaw !== undefined) throw refusal(flaw);
    const validUntil = Number(asked.validUntil);
    const expected = unixSeconds(exchange.clock()) + VALID_FOR_S;
    if (Math.abs(validUntil - expected) > VALID_TOLERANCE_S) {
      throw refusal(`invalid validUntil: a session key is good for ${VALID_FOR_S} seconds`);
    }
    this.#check(asked, owner, authoriseCall(sessionSignerAddress, BigInt(validUntil)));
    const transaction = this.#send(owner);
    const isRenewed = exchange.sessions.isUsable(walletAddress, sessionSignerAddress, exchange.clock());
    if (!transaction.fails) {
      exchange.sessions.authorise(walletAddress, {
        address: checksum(sessionSignerAddress),
        validUntil: new Date(validUntil * 1000),
        scopes,
        ...(isRenewed ? {} : { usableFrom: new Date(transaction.confirmedAt + settings.usableAfterMs) }),
      });
    }
    return transaction;
  }

  /** Ends a session key at once, whatever becomes of the transaction. Throws a refusal as `authorise`. */
  revoke(asked: Revocation): Transaction {
    const { walletAddress, sessionSignerAddress } = asked;
    const owner = this.#ownerOf(walletAddress);
    this.#check(asked, owner, revokeCall(sessionSignerAddress));
    this.exchange.revokeSession(walletAddress, sessionSignerAddress);
    return this.#send(owner);
  }

  #ownerOf(wallet: string): string {
    const owner = this.exchange.accounts.depositOwnerOf(wallet);
    if (owner === undefined) throw refusal('walletAddress is not a deposit wallet');
    return owner;
  }

  #check({ walletAddress, nonce, deadline, signature }: Revocation, owner: string, data: Uint8Array): void {
    const expected = this.nonceOf(owner);
    if (BigInt(nonce) !== expected) throw refusal(`invalid nonce: expected ${expected}`);
    const left = Number(deadline) - this.exchange.clock().getTime() / 1000;
    if (left < MIN_DEADLINE_S) throw refusal('invalid deadline: it is past or too near');
    if (left > MAX_DEADLINE_S) throw refusal('invalid deadline: it is too far ahead');
    const call = { wallet: walletAddress, nonce: expected, deadline: BigInt(deadline), data };
    const signer = recoverSigner(walletCallDigest(call), fromHex(signature));
    if (signer === undefined || !sameAddress(signer, owner)) {
      throw refusal('invalid signature: the batch is not signed by the owner of the wallet');
    }
  }

  #send(owner: string): Transaction {
    const { confirmedAfterMs, fails } = this.settings;
    const sentAt = this.exchange.clock().getTime();
    const id = randomUUID();
    const hash = toHex(keccakText(`relayed ${id}`));
    const transaction = { id, hash, sentAt, confirmedAt: sentAt + confirmedAfterMs, fails };
    this.#transactions.set(id, transaction);
    this.#nonces.set(owner.toLowerCase(), this.nonceOf(owner) + 1n);
    return transaction;
  }
}
