import { randomUUID } from 'node:crypto';
import { type Account } from '../account.js';
import { refusal } from '../refusals.js';
import { type Shards } from '../shards.js';

/** One end of a transfer. */
interface Purse {
  shard: number;
  subaccount: number;
}

/** A well-formed transfer (kalshi.md 9.4); whether it can be made is for the exchange to say. */
export interface TransferRequest {
  from: Purse;
  to: Purse;
  /** Millionths of a dollar. */
  amount: bigint;
  clientTransferId: string | undefined;
}

/** A transfer that was accepted. It is complete from `completesAt` (ms) on. */
export interface TransferRecord extends TransferRequest {
  id: string;
  account: Account;
  createdAt: number;
  completesAt: number;
  status: 'pending' | 'complete';
}

/** How long the money is on its way unless a test says otherwise. */
const DELAY_MS = 300;

/** Money that members move between their shards and subaccounts: it leaves at once and arrives some time later. */
export class Transfers {
  /** Of transfers accepted from now on; 0 completes them at once. */
  delayMs = DELAY_MS;
  /** Oldest first. */
  readonly #records: TransferRecord[] = [];

  constructor(private readonly shards: Shards) {}

  /** Accepts a transfer or throws a refusal, in which case no money has moved. */
  start(account: Account, request: TransferRequest, now: number): TransferRecord {
    this.#checkClientId(account, request);
    const { from, to, amount } = request;
    if (from.shard === to.shard && from.subaccount === to.subaccount)
      throw refusal(400, 'bad_request', 'source and destination are the same');
    for (const { shard } of [from, to]) this.#checkShard(shard);
    if (account.subaccount(to.subaccount) === undefined) throw refusal(400, 'bad_request', 'subaccount does not exist');
    if (account.available(from.subaccount, from.shard) < amount) throw refusal(400, 'insufficient_balance');
    account.openSubaccount(from.subaccount, now).pay(from.shard, -amount, now);
    const times = { createdAt: now, completesAt: now + this.delayMs };
    const record: TransferRecord = { ...request, id: randomUUID(), account, ...times, status: 'pending' };
    this.#records.push(record);
    this.advance(now);
    return record;
  }

  /** Lets the money arrive whose time has come. */
  advance(now: number): void {
    for (const record of this.#records) {
      if (record.status === 'complete' || record.completesAt > now) continue;
      record.status = 'complete';
      record.account.openSubaccount(record.to.subaccount, now).pay(record.to.shard, record.amount, now);
    }
  }

  /** A member's transfers between shards, newest first; those within one shard have a list of their own. */
  of(account: Account): TransferRecord[] {
    return this.#records
      .filter((record) => record.account === account && record.from.shard !== record.to.shard)
      .reverse();
  }

  /** An accepted id cannot be used again: 409 for the same transfer, 400 for another (kalshi.md 13: undocumented). */
  #checkClientId(account: Account, request: TransferRequest): void {
    const { clientTransferId } = request;
    if (clientTransferId === undefined) return;
    if (request.from.subaccount !== 0 || request.to.subaccount !== 0)
      throw refusal(400, 'bad_request', 'client_transfer_id is not supported for subaccount transfers');
    const earlier = this.#records.find(
      (record) => record.account === account && record.clientTransferId === clientTransferId,
    );
    if (earlier === undefined) return;
    if (isSame(earlier, request)) throw refusal(409, 'transfer_already_exists');
    throw refusal(400, 'bad_request', 'client_transfer_id was used for another transfer');
  }

  #checkShard(index: number): void {
    const shard = this.shards.find(index);
    if (shard === undefined) throw refusal(400, 'bad_request', 'exchange shard does not exist');
    if (!shard.exchangeActive || !shard.transfersActive) throw refusal(503, 'service_unavailable');
  }
}

function isSame(one: TransferRequest, other: TransferRequest): boolean {
  return one.amount === other.amount && one.from.shard === other.from.shard && one.to.shard === other.to.shard;
}
