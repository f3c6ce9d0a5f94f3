import { randomUUID } from 'node:crypto';
import { type Call, type Routes } from '../../wire/router.js';
import { header } from '../headers.js';
import { refusal } from '../refusals.js';
import { checksum, isAddress } from '../signing/address.js';
import { type BuilderCall, builderRoutes } from './builder-auth.js';
import { type Relayer } from './relayer.js';
import { parseAuthorisation, parseRevocation } from './requests.js';

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** The relayer's routes for session keys (polymarket.md 11.1); texts of its refusals are ours. */
export function relayerRoutes(relayer: Relayer): Routes {
  return {
    'GET /v1/account/transactions/params': (call) => getParams(relayer, call),
    'GET /v1/account/transactions/:id': (call) => getTransaction(relayer, call),
    ...builderRoutes(relayer.builder, {
      'POST /v1/session-signers/authorizations': (call) => manage(relayer, call, () => authorise(relayer, call)),
      'POST /v1/session-signers/revocations': (call) => manage(relayer, call, () => revoke(relayer, call)),
    }),
  };
}

/** `{ "error": text }`, as everywhere at this exchange. */
export function relayerError(status: number): unknown {
  return { error: `status ${status}` };
}

/** Public. The nonce is text. */
function getParams(relayer: Relayer, { request: { query } }: Call): unknown {
  const address = query.get('address');
  if (!isAddress(address)) throw refusal('invalid address');
  if (query.get('type') !== 'WALLET') throw refusal('invalid type');
  return { address: checksum(address), nonce: relayer.nonceOf(address).toString() };
}

/** Public: whoever knows the id may ask. */
function getTransaction(relayer: Relayer, { params: { id = '' }, now }: Call): unknown {
  const transaction = relayer.find(id);
  if (transaction === undefined) throw refusal('transaction not found', 404);
  const { hash, sentAt, confirmedAt, fails } = transaction;
  const isDone = now >= confirmedAt;
  const pending = now < (sentAt + confirmedAt) / 2 ? 'STATE_NEW' : 'STATE_SUBMITTED';
  const done = fails ? 'STATE_FAILED' : 'STATE_CONFIRMED';
  return {
    transaction_id: id,
    transaction_hash: hash,
    state: isDone ? done : pending,
    error_msg: isDone && fails ? 'execution reverted' : '',
  };
}

/** What only a builder key may do that the exchange enabled for it, once for each Idempotency-Key. */
function manage(relayer: Relayer, { request }: BuilderCall, act: () => object): object {
  if (!relayer.settings.managesSessionKeys) {
    throw refusal('session key management is not enabled for this builder api key', 403);
  }
  const key = header(request.headers, 'idempotency-key');
  if (!IDEMPOTENCY_KEY.test(key)) throw refusal('the Idempotency-Key header is missing or invalid');
  return relayer.once(key, `${request.path} ${request.body}`, act);
}

function authorise(relayer: Relayer, { request }: BuilderCall): object {
  const { id, hash } = relayer.authorise(parseAuthorisation(request.body));
  return { operationId: randomUUID(), status: 'REGISTRY_PENDING', transactionId: id, transactionHash: hash };
}

/** `fenced`: the key can no longer trade, although the chain does not know yet. */
function revoke(relayer: Relayer, { request }: BuilderCall): object {
  const { id } = relayer.revoke(parseRevocation(request.body));
  return { fenced: true, operationId: randomUUID(), status: 'FENCED', transactionId: id };
}
