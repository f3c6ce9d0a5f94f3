import type { WireSessionSigner } from '../../exchanges/polymarket/session-keys/session-keys.wire.js';
import type { Environment } from '../../platform/config/environment.js';
import { randomUuid } from '../../platform/secrets/random.js';
import type { BuilderCredentials } from './builder.signer.js';
import { RelayerError } from './relayer.js';
import type { Operation } from './relayer.wire.js';
import { signedBody, type WalletCall, walletCall } from './wallet-call.js';
import { CommandFailure } from './failure.js';
import { OwnersRegistry } from './registry-of-owner.js';
import { type OwnerKey, OwnerSecrets } from './secrets.js';
import type { Servers } from './servers.js';
import type { Terminal } from './terminal.js';
import {
  afterAuthorization,
  afterRevocation,
  exchangeFailure,
  printable,
  relayerFailure,
  signedInWords,
  statusFailure,
  timeLine,
  unconfirmed,
} from './texts.js';
import { Waiting, type Waits, WAITS } from './waiting.js';
import type { Asked } from './words.js';

type Change = Exclude<Asked, { readonly action: 'list' }>;

const PATHS = {
  authorize: '/v1/session-signers/authorizations',
  revoke: '/v1/session-signers/revocations',
} as const;

/** A call is sent so many times under one Idempotency-Key where nothing says that it was refused. */
const MOST_SENDINGS = 3;
/** What was shown and confirmed is signed as it was shown, and no later than this, in ms. */
const FRESH_MS = 60_000;

const ENDED_BADLY: ReadonlySet<string> = new Set(['STATE_FAILED', 'STATE_INVALID']);

/** Authorises, lists and revokes session keys of one wallet, for its owner (contract.md 8.1). Throws CommandFailure. */
export class SessionKeyCommand {
  readonly #secrets: OwnerSecrets;

  constructor(
    private readonly servers: Servers,
    private readonly terminal: Terminal,
    environment: Environment,
    private readonly waits: Waits = WAITS,
  ) {
    this.#secrets = new OwnerSecrets(environment, terminal);
  }

  async run(asked: Asked): Promise<void> {
    if (asked.action === 'list') await this.#list(asked.wallet);
    else await this.#change(asked);
  }

  async #list(wallet: string): Promise<void> {
    const registry = new OwnersRegistry(this.servers.exchange, await this.#secrets.ownerKey(), wallet);
    const signers = await this.#told(registry.list());
    if (signers.length === 0) this.terminal.note('No session key may trade for this wallet.');
    for (const { address, scopes, valid_until: end } of signers) {
      this.terminal.print([printable(address), printable(scopes.join(',')), timeLine(end)].join('\t'));
    }
  }

  async #change(asked: Change): Promise<void> {
    const { wallet, session } = asked;
    if (!asked.isSure && !this.terminal.isInteractive) {
      throw new CommandFailure('There is no terminal to ask for your confirmation at: add --yes.', 2);
    }
    const owner = await this.#secrets.ownerKey();
    if (owner.address === session) {
      throw new CommandFailure("--session is the address of the owner's key: a session key must be another one.", 2);
    }
    const builder = await this.#secrets.builderKey();
    const call = await this.#confirmed(asked, owner);
    const operation = await this.#send(asked.action, call, owner, builder);
    const failure = statusFailure(operation.status, operation.transactionId);
    if (failure !== null) throw failure;
    const registry = new OwnersRegistry(this.servers.exchange, owner, wallet);
    const waiting = new Waiting(this.waits);
    if (asked.action === 'authorize') await this.#awaitAuthorized(operation, session, registry, waiting);
    else await this.#awaitRevoked(operation, session, registry, waiting);
  }

  /** Shows what is to be signed until that is confirmed; who took long is shown the new times. */
  async #confirmed(asked: Change, owner: OwnerKey): Promise<WalletCall> {
    const { relayer } = this.servers;
    for (;;) {
      const nonce = await this.#told(relayer.nonceOf(owner.address));
      const call = walletCall(asked.action, { ...asked, nonce }, relayer.now());
      for (const line of signedInWords(call, owner.address, this.servers)) this.terminal.note(line);
      if (asked.isSure) return call;
      const shownAt = performance.now();
      if (!(await this.terminal.confirm('Sign and send this?'))) {
        throw new CommandFailure('Not confirmed. Nothing was signed or sent.');
      }
      if (performance.now() - shownAt < FRESH_MS) return call;
      this.terminal.note('That took more than a minute, so the times have changed:');
    }
  }

  /** Repeats the very same call under the same Idempotency-Key where its answer is missing. */
  async #send(
    action: Change['action'],
    call: WalletCall,
    owner: OwnerKey,
    builder: BuilderCredentials,
  ): Promise<Operation> {
    const body = signedBody(call, owner.privateKey);
    const idempotencyKey = randomUuid();
    let mayHaveArrived = false;
    for (let sending = 1; ; sending++) {
      try {
        return await this.servers.relayer.send(PATHS[action], body, builder, idempotencyKey);
      } catch (error) {
        if (!(error instanceof RelayerError)) throw error;
        mayHaveArrived ||= error.mayHaveArrived;
        if (!error.isPassing || sending === MOST_SENDINGS) {
          throw relayerFailure(error, { owner: owner.address, wallet: call.wallet, mayHaveArrived });
        }
        this.terminal.note('The relayer gave no usable answer. Sending the same request again …');
        await new Waiting({ ...this.waits, pauseMs: this.#pauseAfter(error) }).pause();
      }
    }
  }

  #pauseAfter({ retryAfterSeconds }: RelayerError): number {
    return Math.max(this.waits.pauseMs, (retryAfterSeconds ?? 0) * 1_000);
  }

  async #awaitAuthorized(
    operation: Operation,
    session: string,
    registry: OwnersRegistry,
    waiting: Waiting,
  ): Promise<void> {
    await this.#awaitTransaction(operation.transactionId, waiting);
    this.terminal.note('Waiting until the exchange lists the key …');
    const listed = await waiting.until<WireSessionSigner>(() => registry.find(session));
    if (listed === null)
      throw unconfirmed('the exchange does not list the key yet', operation.transactionId, waiting.trouble);
    this.terminal.print(`valid_until: ${timeLine(listed.valid_until)}`);
    for (const line of afterAuthorization(listed.valid_until)) this.terminal.note(line);
  }

  async #awaitRevoked(
    operation: Operation,
    session: string,
    registry: OwnersRegistry,
    waiting: Waiting,
  ): Promise<void> {
    const isOver = operation.fenced === true || operation.status === 'CONFIRMED';
    if (!isOver && operation.transactionId !== null) await this.#awaitTransaction(operation.transactionId, waiting);
    else if (!isOver) {
      const gone = await waiting.until(async () => ((await registry.find(session)) === null ? true : null));
      if (gone === null) throw unconfirmed('the exchange still lists the key', null, waiting.trouble);
    }
    this.terminal.print(`revoked: ${session}`);
    for (const line of afterRevocation(operation)) this.terminal.note(line);
  }

  /** Waits until the chain has it; one whose id is not told is seen by the list alone. */
  async #awaitTransaction(id: string | null, waiting: Waiting): Promise<void> {
    if (id === null) return;
    this.terminal.note(`Sent. Waiting for transaction ${id} …`);
    const end = await waiting.until(async () => {
      const { state } = await this.servers.relayer.transaction(id);
      return state === 'STATE_CONFIRMED' || ENDED_BADLY.has(state) ? state : null;
    });
    if (end === null) throw unconfirmed('the transaction is not confirmed yet', id, waiting.trouble);
    const failure = ENDED_BADLY.has(end) ? statusFailure('FAILED', id) : null;
    if (failure !== null) throw failure;
  }

  /** What a read says, or its failure in words for the owner. */
  async #told<T>(read: Promise<T>): Promise<T> {
    try {
      return await read;
    } catch (error) {
      throw error instanceof RelayerError ? relayerFailure(error, null) : exchangeFailure(error);
    }
  }
}
