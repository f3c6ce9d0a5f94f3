import type { BeforeSend } from '../../src/exchanges/before-send.js';
import { randomBytes } from 'node:crypto';
import type { ApiKeyPrincipal } from '../../src/access/principal.js';
import { CredentialVault } from '../../src/credentials/credential-vault.js';
import type { Exchange } from '../../src/exchanges/exchange.js';
import type { Page, Paging } from '../../src/exchanges/paging.contract.js';
import type { TransferTerms } from '../../src/exchanges/transfers.contract.js';
import type { TransferDto } from '../../src/exchanges/unified.trading.dto.js';
import { AppError } from '../../src/platform/errors/app-error.js';
import type { ErrorReason } from '../../src/platform/errors/error-codes.js';
import { UpstreamError } from '../../src/platform/upstream/upstream-client.js';
import { Secret } from '../../src/platform/secrets/secret.js';
import type { TestApp } from './app.js';
import { aUser } from './users.js';

/** What becomes of the next sending. */
export type Fate = 'answer_lost' | 'never_arrives' | 'not_sent' | 'rate_limited' | { readonly refused: string };

const SAID = { id: 'shards', status: 400, code: 'no' };

function refusal(reason: string): AppError {
  const details = {
    reason: reason as ErrorReason,
    exchange: { ...SAID, message: 'its words' },
    shard: { needed: '2', available: [] },
  };
  return new AppError('exchange_rejected', 'no', { details });
}

/** An exchange with shards that takes each `client_transfer_id` once; its network and its history do what a test says. */
export class FakeShards {
  fates: Fate[] = [];
  account = 'mine';
  /** Whether its history shows nothing, or fails. */
  history: 'shown' | 'hidden' | 'broken' = 'shown';
  /** Awaited before a sending is decided. */
  beforeSending: () => Promise<void> = () => Promise.resolve();
  readonly made: (TransferDto & { readonly under: string })[] = [];
  /** The `client_transfer_id` of every sending. */
  readonly sent: string[] = [];
  readonly exchange = {
    id: 'shards',
    clockSkewMs: 0,
    idPatterns: { transfer: /^t-\d+$/ },
    transfers: { check: () => undefined },
    trading: () => ({
      accountDigest: () => Buffer.from(this.account),
      transfers: {
        create: (terms: TransferTerms, id: string, beforeSend?: BeforeSend) => this.#create(terms, id, beforeSend),
        list: (paging: Paging) => this.#list(paging),
      },
    }),
  } as unknown as Exchange;

  async #create(terms: TransferTerms, under: string, beforeSend?: BeforeSend): Promise<TransferDto> {
    await beforeSend?.();
    await this.beforeSending();
    const fate = this.fates.shift();
    if (fate === 'not_sent')
      throw new AppError('exchange_error', 'no connection', { cause: new UpstreamError('unreachable', false) });
    this.sent.push(under);
    const details = { client_transfer_id: under, exchange: { ...SAID, status: null } };
    const unknown = new AppError('transfer_outcome_unknown', 'lost', { details });
    if (fate === 'never_arrives') throw unknown;
    if (fate === 'rate_limited') throw new AppError('exchange_rate_limited', 'slow', { retryAfterSeconds: 7 });
    if (typeof fate === 'object') throw refusal(fate.refused);
    if (this.made.some((transfer) => transfer.under === under)) throw refusal('duplicate_transfer');
    const made = this.add(terms, under);
    if (fate === 'answer_lost') throw unknown;
    return made;
  }

  /** Makes a transfer now, as its owner may by other means too. */
  add({ from_shard, to_shard, amount }: TransferTerms, under = '', madeMsAgo = 0): TransferDto {
    const created_at = new Date(Date.now() - madeMsAgo).toISOString();
    const of = { exchange: 'shards', from_shard, to_shard, amount: String(Number(amount)), currency: 'USD' };
    const transfer: Pick<TransferDto, keyof TransferDto> = {
      ...of,
      id: `t-${this.made.length + 1}`,
      status: 'pending',
      created_at,
    };
    this.made.push({ ...transfer, under });
    return transfer;
  }

  #list({ limit, cursor }: Paging): Promise<Page<TransferDto>> {
    if (this.history === 'broken') return Promise.reject(new AppError('exchange_timeout', 'late'));
    if (this.history === 'hidden') return Promise.resolve({ items: [], next: null });
    const from = Number(cursor ?? 0);
    const items = [...this.made].reverse().slice(from, from + limit);
    return Promise.resolve({ items, next: from + limit < this.made.length ? String(from + limit) : null });
  }

  /** A program whose owner has stored credentials for this exchange. */
  async aCaller(app: TestApp): Promise<ApiKeyPrincipal> {
    const { id: userId } = await aUser(app);
    await app.get(CredentialVault).store(userId, 'shards', { access_key: new Secret('x') });
    const keyPrefix = 'svc_sk_live_abcd';
    await app.query(
      `INSERT INTO api_keys (hash, prefix, user_id, name, scopes, created_at) VALUES ($1, $2, $3, 'bot', '{admin}', now())`,
      [randomBytes(32), keyPrefix, userId],
    );
    return { kind: 'api-key', userId, keyPrefix, scopes: ['admin'], bot: null };
  }
}
