import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { botNamed } from '../../src/access/principal.js';
import { ActivityRepository } from '../../src/activity/activity.repository.js';
import { ActivityService } from '../../src/activity/activity.service.js';
import { OwnerNotices } from '../../src/activity/owner-notices.js';
import { BotHaltsRepository } from '../../src/bots/bot-halts.repository.js';
import { CredentialsService } from '../../src/credentials/credentials.service.js';
import { sendingPermit } from '../../src/credentials/sending-permit.js';
import type { Exchange } from '../../src/exchanges/exchange.js';
import { ExchangeRegistry } from '../../src/exchanges/exchange.registry.js';
import type { Trading } from '../../src/exchanges/trading.contract.js';
import type { Settings } from '../../src/platform/config/settings.js';
import { Transactions } from '../../src/platform/database/transactions.js';
import { BotLimits } from '../../src/proxy/orders/bot-limits.js';
import { BotOrdersService } from '../../src/proxy/orders/bot-orders.service.js';
import { OrderParts } from '../../src/proxy/orders/ledger-order.js';
import { OrderJournal } from '../../src/proxy/orders/order-journal.js';
import { OrderNotes } from '../../src/proxy/orders/order-notes.js';
import { OrderProofs } from '../../src/proxy/orders/order-proofs.js';
import { OrderSubject } from '../../src/proxy/orders/order.subject.js';
import { OrdersService } from '../../src/proxy/orders/orders.service.js';
import { ReferencePrices } from '../../src/proxy/orders/reference-prices.js';
import { SentOrders } from '../../src/proxy/orders/sent-orders.js';
import { BotHalts } from '../../src/proxy/placing/bot-halts.repository.js';
import { DailyPlacements } from '../../src/proxy/placing/daily-placements.js';
import { OpenPlacements } from '../../src/proxy/placing/ledger-open.repository.js';
import { Ledger } from '../../src/proxy/placing/ledger.repository.js';
import { LedgerReads } from '../../src/proxy/placing/ledger-reads.repository.js';
import { LedgerUpkeep } from '../../src/proxy/placing/ledger-upkeep.repository.js';
import { LookUps } from '../../src/proxy/placing/look-ups.js';
import { OutcomeRecorder } from '../../src/proxy/placing/outcome-recorder.js';
import { PlacementCounts } from '../../src/proxy/placing/placement-counts.js';
import { Placing } from '../../src/proxy/placing/placing.js';
import { Proofs } from '../../src/proxy/placing/proofs.repository.js';
import { Reservations } from '../../src/proxy/placing/reservations.repository.js';
import { Sendings } from '../../src/proxy/placing/sendings.js';
import { UnkeyedPlacements } from '../../src/proxy/placing/unkeyed.repository.js';
import type { From } from './bot-exchange.js';
import type { Terms } from './bot-terms.js';
import type { GatedTransactions } from './placing-service.js';

/** A bot of the model's user, with its only key. */
export interface ModelBot {
  readonly id: string;
  readonly prefix: string;
}

/** What is reserved for a bot, and what the ledger knows of it. */
export interface Reserved {
  readonly bot: string;
  /** The day of limits, by the database. */
  readonly today: string;
  readonly openOrders: number;
  readonly risks: readonly { currency: string; open: string; total: string; day: string }[];
  readonly markets: readonly {
    market: string;
    open: string;
    held: string;
    pendingLong: string;
    pendingShort: string;
    worstLong: string;
    worstShort: string;
  }[];
  /** Its rows of the ledger, by the names of their orders; what is proved of an order of unknown fate is not reserved, though kept. */
  readonly rows: readonly { name: string; state: string; isReserved: boolean; rest: string }[];
}

const KEY_PREFIX = 'svc_sk_test';
const KEPT_FOR_MS = 91 * 86_400_000;
const MOST_ROWS = 1_000;
const UPSTREAM_TIMEOUTS_MS = [10_000, 5_000];

/** Times that are moved together when time passes. */
const TIMES: Readonly<Record<string, readonly string[]>> = {
  placements: [
    ...['attempt_at', 'created_at', 'busy_until', 'first_sent_at', 'refusal_holds_at', 'absent_at'],
    ...['cancelled_at', 'checked_at', 'updated_at'],
  ],
  idempotency_keys: ['created_at'],
};
const TIMES_OF_BOTS: Readonly<Record<string, readonly string[]>> = {
  reservations: ['shown_at', 'missing_at', 'read_at', 'ended_at', 'stated_at'],
};
const DAYS_OF_BOTS = ['reservations', 'bot_risks', 'bot_positions'];

const RESERVED = `
  SELECT bots.id AS bot, limit_day()::text AS today, COALESCE((SELECT open_orders FROM bot_sums WHERE bot_id = bots.id), 0) AS "openOrders",
         (SELECT COALESCE(jsonb_agg(jsonb_build_object('currency', currency, 'open', open_risk::text, 'total', (executed + live_risk)::text,
                   'day', (CASE day WHEN limit_day() THEN day_executed + day_live ELSE 0 END)::text)), '[]')
            FROM bot_risks WHERE bot_id = bots.id) AS risks,
         (SELECT COALESCE(jsonb_agg(jsonb_build_object('market', market_id, 'open', open_risk::text, 'held', held::text,
                   'pendingLong', pending_long::text, 'pendingShort', pending_short::text,
                   'worstLong', (held + pending_long + live_long)::text, 'worstShort', (- held + pending_short + live_short)::text)), '[]')
            FROM bot_positions WHERE bot_id = bots.id) AS markets,
         (SELECT COALESCE(jsonb_agg(jsonb_build_object('name', COALESCE(client_order_id, exchange_id, ''), 'state', state,
                   'rest', COALESCE(open + unproved, 0)::text,
                   'isReserved', placement_id IS NOT NULL AND NOT (state IN ('sending', 'unknown') AND fate = 'over' AND open + unproved + pending = 0))), '[]')
            FROM placements LEFT JOIN reservations ON placement_id = placements.id WHERE placements.bot_id = bots.id) AS rows
    FROM bots WHERE user_id = $1 ORDER BY bots.id`;

const NO_NOTICES = Object.create(OwnerNotices.prototype) as OwnerNotices;
const NO_PRICES = Object.create(ReferencePrices.prototype) as ReferencePrices;
const NO_ORDERS = Object.create(OrdersService.prototype) as OrdersService;

/** Two instances that place orders of bots and of the main key, prove what became of them, and halt bots. */
export class BotInstances {
  readonly #exchange = `fake-${randomUUID()}`;
  readonly #at = { id: this.#exchange, clockSkewMs: 0 } as Exchange;
  readonly #registry = new ExchangeRegistry([this.#at]);

  readonly #days: DailyPlacements;

  private constructor(
    private readonly dataSource: DataSource,
    readonly transactions: GatedTransactions,
    private readonly userId: string,
    readonly bots: readonly ModelBot[],
  ) {
    const uncounted = new LedgerReads(new Transactions(dataSource));
    this.#days = new DailyPlacements(uncounted, { ordersPerDay: 200_000 } as Settings);
  }

  /** With new bots, one for each of these limits, in the place of those that the user had. */
  static async make(
    dataSource: DataSource,
    transactions: GatedTransactions,
    { userId, limits }: { readonly userId: string; readonly limits: readonly object[] },
  ): Promise<BotInstances> {
    transactions.breakages.length = 0;
    for (const table of ['idempotency_keys', 'placements', 'bots'])
      await dataSource.query(`DELETE FROM ${table} WHERE user_id = $1`, [userId]);
    const bots = limits.map((_, index) => {
      const name = randomBytes(6).toString('hex');
      return { id: `bot_${index}_${name}`, prefix: `svc_sk_${name}` };
    });
    await dataSource.query(
      `WITH made AS (INSERT INTO bots (id, user_id, name, scopes, limits)
         SELECT id, $1, id, '{trade}', limits FROM unnest($2::text[], $4::jsonb[]) AS bot (id, limits) RETURNING id)
       INSERT INTO bot_keys (hash, prefix, bot_id, user_id)
       SELECT sha256(id::bytea), prefix, id, $1 FROM unnest($2::text[], $3::text[]) AS key (id, prefix) JOIN made USING (id)`,
      [userId, bots.map(({ id }) => id), bots.map(({ prefix }) => prefix), limits.map((one) => JSON.stringify(one))],
    );
    return new BotInstances(dataSource, transactions, userId, bots);
  }

  async place({ sender, instance }: From, terms: Terms, key: string | undefined, trading: Trading): Promise<string> {
    const bot = sender === null ? null : botNamed(sender);
    const keyPrefix = this.bots.find(({ id }) => id === sender)?.prefix ?? KEY_PREFIX;
    const caller = { kind: 'api-key', userId: this.userId, keyPrefix, scopes: [], bot } as const;
    const { sendings, parts } = this.#partsAt(instance, trading);
    const unkeyed = new UnkeyedPlacements(this.transactions);
    const placing = new Placing(unkeyed, sendings, parts.lookUps, new PlacementCounts(), this.#days);
    const { placed } = await placing.place(new OrderSubject(parts, caller, this.#at, { key: key ?? '', terms }), key);
    return placed.id;
  }

  /** What the service does by itself with what no call works on. */
  async settleLeft(instance: number, trading: Trading): Promise<void> {
    const { sendings, sent } = this.#partsAt(instance, trading);
    const open = new OpenPlacements(this.transactions);
    const left = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM placements WHERE user_id = $1 AND state IN ('begun', 'sending', 'unknown') AND unbound_at IS NULL
          AND busy_until < clock_timestamp()`,
      [this.userId],
    );
    for (const { id } of left) {
      const taken = await open.take(id, sendings.busyMs);
      if (taken !== null) await sent.settle(taken);
    }
  }

  async prove(instance: number, trading: Trading): Promise<void> {
    await this.#partsAt(instance, trading).proofs.read(this.userId, this.#exchange);
  }

  /** Marks a halt; then, as it is answered, no order begins any more. */
  async halt(bot: string): Promise<void> {
    const halts = new BotHaltsRepository(this.transactions);
    const halt = { userId: this.userId, botIds: [bot], reason: 'owner', by: 'ses_1' } as const;
    await this.transactions.run(() => halts.mark(halt));
  }

  /** Cancels what rests of a bot. */
  async cancelAll(bot: string, instance: number, trading: Trading): Promise<void> {
    const { orders } = this.#partsAt(instance, trading);
    await orders.cancel(this.#at, { userId: this.userId, botIds: [bot], isMeant: () => true });
  }

  /** The owner resumes it, or changes its limits. */
  async change(bot: string, change: string, values: readonly unknown[] = []): Promise<void> {
    await this.dataSource.query(`UPDATE bots SET ${change} WHERE id = $1`, [bot, ...values]);
  }

  /** The order was cancelled through the service, which says how much of it where the exchange has said so. */
  async noteCancelled(orderId: string, size: string | null): Promise<void> {
    const transactions = new Transactions(this.dataSource);
    const activity = new ActivityService(new ActivityRepository(transactions), NO_NOTICES);
    const details = { order_id: orderId };
    const note = activity.prepare({ type: 'order_cancelled', userId: this.userId, exchange: this.#exchange, details });
    await new LedgerReads(transactions).noteCancelled(this.userId, this.#exchange, [{ orderId, size }], note);
  }

  reserved(): Promise<Reserved[]> {
    return this.dataSource.query<Reserved[]>(RESERVED, [this.userId]);
  }

  /** Whether a book of the market may show orders of the bot, or a last price be theirs. */
  async isQuoted(bot: string, market: string): Promise<boolean> {
    const reservations = new Reservations(new Transactions(this.dataSource));
    const { quotes, unreadSince } = await reservations.quotesOf(bot, this.#exchange, market);
    return quotes.length > 0 || unreadSince !== null;
  }

  /** The database's clock goes on; whole days move those of limits too. */
  async shift(ms: number, days = 0): Promise<void> {
    const moved = (columns: readonly string[]): string =>
      columns.map((column) => `${column} = ${column} - $2 * interval '1 millisecond'`).join(', ');
    for (const [table, columns] of Object.entries(TIMES))
      await this.dataSource.query(`UPDATE ${table} SET ${moved(columns)} WHERE user_id = $1`, [this.userId, ms]);
    const ids = this.bots.map(({ id }) => id);
    for (const [table, columns] of Object.entries(TIMES_OF_BOTS))
      await this.dataSource.query(`UPDATE ${table} SET ${moved(columns)} WHERE bot_id = ANY($1)`, [ids, ms]);
    if (days === 0) return;
    for (const table of DAYS_OF_BOTS)
      await this.dataSource.query(`UPDATE ${table} SET day = day - $2::integer WHERE bot_id = ANY($1)`, [ids, days]);
  }

  /** So much time passes that the ledger keeps nothing, unless something of it is reserved. */
  async forget(): Promise<void> {
    const upkeep = new LedgerUpkeep(new Transactions(this.dataSource));
    for (const work of [() => upkeep.unbindOld(MOST_ROWS), () => upkeep.removeOld(MOST_ROWS)]) {
      await this.shift(KEPT_FOR_MS);
      await work();
    }
  }

  /** A process of its own for each thing that is done: nothing but the database tells one of another. */
  #partsAt(instance: number, trading: Trading) {
    const { transactions } = this;
    const upstreamTimeoutMs = UPSTREAM_TIMEOUTS_MS[instance] ?? 10_000;
    const settings = { upstreamTimeoutMs, ordersPerDay: 200_000 } as Settings;
    const credentials = this.#credentialsOf(trading);
    const [reads, reservations] = [new LedgerReads(transactions), new Reservations(transactions)];
    const activity = new ActivityService(new ActivityRepository(transactions), NO_NOTICES);
    const sendings = new Sendings(settings, new BotHalts(transactions));
    const lookUps = new LookUps(sendings, settings);
    const ledger = new Ledger(transactions);
    const [notes, journal] = [new OrderNotes(reads), new OrderJournal(activity, reads)];
    const proofs = new OrderProofs(new Proofs(transactions), credentials, this.#registry, notes);
    const limits = new BotLimits(NO_PRICES, proofs);
    const recorder = new OutcomeRecorder(ledger, activity);
    const parts = new OrderParts(credentials, ledger, recorder, journal, lookUps, limits);
    const sent = new SentOrders(parts, lookUps, this.#registry, NO_ORDERS, new OpenPlacements(transactions));
    const orders = new BotOrdersService(credentials, notes, journal, sent, reservations, proofs);
    return { sendings, parts, proofs, sent, orders };
  }

  /** That sign with one account. */
  #credentialsOf(trading: Trading): CredentialsService {
    const tradingToSend: CredentialsService['tradingToSend'] = (caller) => {
      const permit = sendingPermit(caller, this.#exchange, { stored: null, active: null, pending: null });
      return Promise.resolve({ trading, permit });
    };
    const ways = { tradingToSend: { value: tradingToSend }, trading: { value: () => Promise.resolve(trading) } };
    return Object.create(CredentialsService.prototype, ways) as CredentialsService;
  }
}
