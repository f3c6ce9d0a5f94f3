import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import { ActivityRepository } from '../../src/activity/activity.repository.js';
import { ActivityService } from '../../src/activity/activity.service.js';
import { OwnerNotices } from '../../src/activity/owner-notices.js';
import { CredentialsService, type SendingPermit } from '../../src/credentials/credentials.service.js';
import type { Exchange } from '../../src/exchanges/exchange.js';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import type { Settings } from '../../src/platform/config/settings.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { AppError } from '../../src/platform/errors/app-error.js';
import { ExchangeRegistry } from '../../src/exchanges/exchange.registry.js';
import { BotLimits } from '../../src/proxy/orders/bot-limits.js';
import { OrderJournal } from '../../src/proxy/orders/order-journal.js';
import { OrderParts } from '../../src/proxy/orders/ledger-order.js';
import { OrderSubject } from '../../src/proxy/orders/order.subject.js';
import { OrdersService } from '../../src/proxy/orders/orders.service.js';
import { SentOrders } from '../../src/proxy/orders/sent-orders.js';
import { BotHalts } from '../../src/proxy/placing/bot-halts.repository.js';
import { OpenPlacements } from '../../src/proxy/placing/ledger-open.repository.js';
import { DailyPlacements } from '../../src/proxy/placing/daily-placements.js';
import { Ledger } from '../../src/proxy/placing/ledger.repository.js';
import { LedgerReads } from '../../src/proxy/placing/ledger-reads.repository.js';
import { LedgerTransfers } from '../../src/proxy/placing/ledger-transfers.repository.js';
import { UnkeyedPlacements } from '../../src/proxy/placing/unkeyed.repository.js';
import { LedgerUpkeep } from '../../src/proxy/placing/ledger-upkeep.repository.js';
import { LookUps } from '../../src/proxy/placing/look-ups.js';
import { OutcomeRecorder } from '../../src/proxy/placing/outcome-recorder.js';
import type { Kind } from '../../src/proxy/placing/outcomes.js';
import { PlacementCounts } from '../../src/proxy/placing/placement-counts.js';
import { Placing } from '../../src/proxy/placing/placing.js';
import { Sendings } from '../../src/proxy/placing/sendings.js';
import type { Rights } from '../../src/proxy/placing/subject.js';
import { TransferJournal } from '../../src/proxy/transfers/transfer-journal.js';
import { TransferParts, TransferSubject } from '../../src/proxy/transfers/transfer.subject.js';
import { gate, inTurn } from './scheduler.js';
import { transferTermsOf } from './venues.js';

/** How a database statement may fail: without a trace, or behind its effect. */
export type Breakage = 'before' | 'after';

/** What a call was answered. */
export interface Placed {
  /** As the exchange names it; null where it does not show which it is. */
  readonly id: string | null;
  readonly isReplay: boolean;
}

/** What the service knows of something that the exchange has made. */
export interface Became {
  readonly id: string;
  /** How many entries of the activity say that it was made. */
  readonly notes: number;
  /** Whether it is the answer of a key. */
  readonly isKept: boolean;
}

/** All that the model asks of the service, whatever it keeps its records in: place, and what became of it. */
export interface PlacingService {
  /** How the next statements fail. */
  readonly breakages: Breakage[];
  /** Places what a key stands for, at one of two instances with different settings. */
  place(instance: number, key: string, trading: Trading): Promise<Placed>;
  /** Looks up what nobody works on, at one instance, with credentials of today. */
  settleOpen(instance: number, trading: Trading): Promise<void>;
  /** By the id of the exchange. */
  noteCancelled(reference: string): Promise<void>;
  became(ids: readonly string[]): Promise<Became[]>;
  /** The database's clock goes on: every time that is kept lies so many ms further back. */
  shift(ms: number): Promise<void>;
  /** What runs once an hour. */
  cleanUp(): Promise<void>;
}

/** Every user has a key of this prefix. */
const KEY_PREFIX = 'svc_sk_test';

/** Nobody is kept from sending: there are no credentials. */
function permitOf(userId: string): SendingPermit {
  return { look: [userId, KEY_PREFIX, 'fake', null, null, null], refusedBy: () => new AppError('unauthorized', 'no') };
}

/** Credentials that sign with one account. */
function credentialsOf(userId: string, trading: Trading): CredentialsService {
  const tradingToSend = (): Promise<Rights> => Promise.resolve({ trading, permit: permitOf(userId) });
  const reading = (): Promise<Trading> => Promise.resolve(trading);
  const ways = { tradingToSend: { value: tradingToSend }, trading: { value: reading } };
  return Object.create(CredentialsService.prototype, ways) as CredentialsService;
}

/** Orders are worth none. */
const NO_NOTICES = Object.create(OwnerNotices.prototype) as OwnerNotices;

/** No bot sends. */
const NO_LIMITS = Object.create(BotLimits.prototype) as BotLimits;

/** No key is abandoned. */
const NO_ORDERS = Object.create(OrdersService.prototype) as OrdersService;

const UPSTREAM_TIMEOUTS_MS = [10_000, 5_000];

/** The times of a record, which are moved together when time passes. */
const TIMES = ['attempt_at', 'created_at', 'busy_until', 'first_sent_at', 'refusal_holds_at'];

/**
 * The database of one lane: every statement stops at a gate before and behind it, and may fail. So does a transaction as a whole:
 * within it a lock may be held that another call waits for. It serves all histories of the lane: Node passes what each
 * AsyncLocalStorage holds on with every promise, of those too that nobody uses any more.
 */
export class GatedTransactions extends Transactions {
  readonly #within = new AsyncLocalStorage<true>();
  readonly #gated: EntityManager;
  /** How the next statements fail. */
  readonly breakages: Breakage[] = [];
  /** Told what was executed; of a transaction nothing but that it was. */
  onExecuted: (sql: string) => void = () => undefined;

  constructor(dataSource: DataSource) {
    super(dataSource);
    const query = (sql: string, parameters: unknown[]): Promise<unknown> =>
      this.#gate(sql, () => dataSource.manager.query(sql, parameters));
    this.#gated = { query } as EntityManager;
  }

  override get manager(): EntityManager {
    return this.#within.getStore() === true ? super.manager : this.#gated;
  }

  override run<T>(fn: () => Promise<T>): Promise<T> {
    return this.#gate('COMMIT', () => super.run(() => this.#within.run(true, fn)));
  }

  #gate<T>(sql: string, work: () => Promise<T>): Promise<T> {
    return inTurn(async () => {
      await gate('statement');
      const breakage = this.breakages.shift();
      if (breakage === 'before') throw new Error('the connection broke');
      const result = await work();
      this.onExecuted(sql);
      await gate('rows');
      if (breakage === 'after') throw new Error('the connection broke');
      return result;
    });
  }
}

interface Instance {
  place(trading: Trading, key: string): Promise<Placed>;
  settleOpen(trading: Trading): Promise<void>;
}

/** Two instances that place orders, or transfers. */
export class TwoInstances implements PlacingService {
  readonly breakages: Breakage[];
  /** Of this world alone, as nothing is ever taken out of the activity. */
  readonly #exchange = `fake-${randomUUID()}`;
  readonly #instances: readonly Instance[];

  constructor(
    private readonly dataSource: DataSource,
    transactions: GatedTransactions,
    private readonly userId: string,
    private readonly kind: Kind,
  ) {
    this.breakages = transactions.breakages;
    this.breakages.length = 0;
    const ledger = new Ledger(transactions);
    const reads = new LedgerReads(transactions);
    const activity = new ActivityService(new ActivityRepository(transactions), NO_NOTICES);
    const caller = { kind: 'api-key', userId, keyPrefix: KEY_PREFIX, scopes: [], bot: null } as const;
    const at = { id: this.#exchange, clockSkewMs: 0 } as Exchange;
    const uncounted = new LedgerReads(new Transactions(dataSource));
    const registry = new ExchangeRegistry([at]);
    const open = new OpenPlacements(transactions);
    this.#instances = UPSTREAM_TIMEOUTS_MS.map((upstreamTimeoutMs): Instance => {
      const settings = { upstreamTimeoutMs, ordersPerDay: 200_000 } as Settings;
      const sendings = new Sendings(settings, new BotHalts(transactions));
      const lookUps = new LookUps(sendings, settings);
      const recorder = new OutcomeRecorder(ledger, activity);
      const days = new DailyPlacements(uncounted, settings);
      const placing = new Placing(new UnkeyedPlacements(transactions), sendings, lookUps, new PlacementCounts(), days);
      const [orders, transfers] = [new OrderJournal(activity, reads), new TransferJournal(activity, reads)];
      const partsOf = (trading: Trading): OrderParts =>
        new OrderParts(credentialsOf(userId, trading), ledger, recorder, orders, lookUps, NO_LIMITS);
      const place: Instance['place'] = async (trading, key) => {
        const credentials = credentialsOf(userId, trading);
        const order = partsOf(trading);
        const transfer = new TransferParts(
          credentials,
          new LedgerTransfers(transactions, ledger),
          recorder,
          transfers,
          lookUps,
        );
        const { placed, origin } =
          kind === 'order'
            ? await placing.place(new OrderSubject(order, caller, at, { key }), key)
            : await placing.place(new TransferSubject(transfer, caller, at, transferTermsOf(key)), key);
        return { id: placed.id, isReplay: origin === 'replayed' };
      };
      const settleOpen: Instance['settleOpen'] = async (trading) => {
        const sent = new SentOrders(partsOf(trading), lookUps, registry, NO_ORDERS, open);
        for (const id of await this.#left()) {
          const taken = await open.take(id, sendings.busyMs);
          if (taken !== null) await sent.settle(taken);
        }
      };
      return { place, settleOpen };
    });
  }

  async place(instance: number, key: string, trading: Trading): Promise<Placed> {
    return this.#instanceOf(instance).place(trading, key);
  }

  async settleOpen(instance: number, trading: Trading): Promise<void> {
    await this.#instanceOf(instance).settleOpen(trading);
  }

  async noteCancelled(reference: string): Promise<void> {
    const activity = new ActivityService(new ActivityRepository(new Transactions(this.dataSource)), NO_NOTICES);
    const details = { order_id: reference };
    const note = activity.prepare({ type: 'order_cancelled', userId: this.userId, exchange: this.#exchange, details });
    const reads = new LedgerReads(new Transactions(this.dataSource));
    await reads.noteCancelled(this.userId, this.#exchange, [{ orderId: reference, size: null }], note);
  }

  #instanceOf(instance: number): Instance {
    const found = this.#instances[instance];
    if (found === undefined) throw new RangeError('no such instance');
    return found;
  }

  /** What the service takes by itself (`OpenPlacements.takeDue`), of this world alone. */
  async #left(): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM placements WHERE user_id = $1 AND exchange = $2 AND kind = 'order' AND state IN ('begun', 'sending', 'unknown')
          AND busy_until < clock_timestamp() AND attempt_at > clock_timestamp() - interval '24 hours'`,
      [this.userId, this.#exchange],
    );
    return rows.map(({ id }) => id);
  }

  became(ids: readonly string[]): Promise<Became[]> {
    return this.dataSource.query<Became[]>(
      `SELECT made.id, (SELECT count(*)::int FROM security_events WHERE user_id = $1 AND exchange = $3 AND type = $4
                      AND details ->> $5 = made.id AND details ->> 'outcome' <> 'unknown') AS notes,
              EXISTS (SELECT FROM placements WHERE user_id = $1 AND exchange = $3 AND exchange_id = made.id AND state IN ('made', 'closed')) AS "isKept"
         FROM unnest($2::text[]) AS made (id)`,
      [this.userId, ids, this.#exchange, `${this.kind}_created`, `${this.kind}_id`],
    );
  }

  async shift(ms: number): Promise<void> {
    const shifts = TIMES.map((time) => `${time} = ${time} - $2 * interval '1 millisecond'`).join(', ');
    await this.dataSource.query(`UPDATE placements SET ${shifts} WHERE user_id = $1`, [this.userId, ms]);
    const keys = `UPDATE idempotency_keys SET created_at = created_at - $2 * interval '1 millisecond' WHERE user_id = $1`;
    await this.dataSource.query(keys, [this.userId, ms]);
  }

  async cleanUp(): Promise<void> {
    await new LedgerUpkeep(new Transactions(this.dataSource)).unbindOld(100);
  }
}
