import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import request, { type Response } from 'supertest';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { exchangeCredentials } from '../../sandbox/demo/environment.js';
import { aBot } from '../support/bots.js';
import { codeOf, get } from '../support/calls.js';
import { type ExchangeName, type ExchangeUnderTest, type HeldOrder, ORDER_WAYS } from '../support/exchanges.js';
import { sql } from '../support/rows.js';
import { storeCredentials, type Trader } from '../support/sandbox.js';
import { activeKey } from '../support/session-keys.js';
import { anApiKey, aUser } from '../support/users.js';
import { holds, outcome, type Place, same } from './outcome.js';

const LOTS = 1_000_000n;
const DAY_MS = 86_400_000;
/** An answer that comes, where somebody is left to hear it, while a killed server is away or has just come back. */
const ANSWER_AFTER_MS = 2_500;
const REACH_LIMIT_MS = 20_000;
const REPEAT_EVERY_MS = 500;
const REPEAT_LIMIT_MS = 45_000;
/** What a call may be answered while the service or its database dies; 5xx leaves open what was done, but 503 and `exchange_timeout`. */
const EXPECTED = [200, 502, 503, 504];
const NOTHING_SENT = ['service_unavailable', 'exchange_unavailable', 'exchange_timeout', 'exchange_error'];

/**
 * Where orders stand between begin and answer. `looked at`: each has its place, and waits for the look whether it may still be sent,
 * before its first byte. `prepared`: it waits for a read before that. `sent`: it has left, and of each two the exchange has taken one
 * and holds its answer back, and has not taken the other.
 */
const MOMENTS = ['looked at', 'prepared', 'sent'] as const;
export type Moment = (typeof MOMENTS)[number];

/** Somebody who orders in one way, at one exchange. */
export interface WayTrader extends Trader {
  readonly way: ExchangeUnderTest;
  /** The account wallet, of Polymarket alone. */
  readonly wallet: string;
  /** Whose key it is; left out for a main key. */
  readonly bot?: string;
}

/** Of one bot so many orders begin at once in an instance; the others wait for those (contract.md 5.12). */
const BEGIN_AT_ONCE = 2;
/** What orders of `anOrder` bid, in hundredths. */
const CENTS = 2n;

/** One order that somebody wants once. */
interface Intent {
  readonly trader: WayTrader;
  readonly key: string | undefined;
  readonly body: object;
  /** No other order of this trader has it. */
  readonly size: bigint;
}

/** Orders of one exchange. */
interface Group {
  readonly moment: Moment;
  readonly intents: readonly Intent[];
}

interface Row {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly order_id: string | null;
  readonly client_order_id: string | null;
}

interface RowPage {
  readonly data: Row[];
  readonly next_cursor: string | null;
}

let numbers = 0;

/** One for each way to order, with the sandbox's own money. */
export async function wayTraders(
  app: Place,
  sandbox: Sandbox,
  scopes = ['trade'],
  ways = ORDER_WAYS,
): Promise<WayTrader[]> {
  return Promise.all(
    ways.map(async ([, by, way]) => {
      const user = await aUser(app);
      const { wallet_address: stored, deposit_wallet: deposit } = sandbox.addresses.polymarket;
      const wallet = by === 'session' ? deposit.address : stored;
      if (by === 'session') await activeKey({ app, sandbox }, user, { wallet });
      else await storeCredentials(app, user, way.id, exchangeCredentials(sandbox.addresses)[way.id]);
      return { user, key: await anApiKey(app, user, scopes), way, wallet };
    }),
  );
}

/** As `wayTraders`, each with the key of a bot that has a limit which their orders never reach. */
export async function botTraders(app: Place, sandbox: Sandbox): Promise<WayTrader[]> {
  const traders = await wayTraders(app, sandbox);
  return Promise.all(
    traders.map(async (trader) => {
      const { id, key } = await aBot(app, trader.user, { limits: { max_open_risk: '1000000' } });
      return { ...trader, key, bot: id };
    }),
  );
}

/** What the exchange has of a trader, whatever became of it. */
export function ordersOf({ way, wallet }: WayTrader, sandbox: Sandbox): HeldOrder[] {
  return way.held(sandbox, wallet);
}

/** Now and then an order under an id of the client's own, or one that ends by itself. */
function varied(way: ExchangeUnderTest, body: object, number: number): object {
  if (number % 3 === 0 && way.named !== null) return way.named(body, randomUUID());
  const expires_at = new Date(Date.now() + DAY_MS).toISOString();
  return number % 4 === 1 && !('signed_order' in body) ? { ...body, time_in_force: 'gtd', expires_at } : body;
}

/** How many orders have reached an exchange. */
function arrivals(sandbox: Sandbox, { id, wire }: ExchangeUnderTest): number {
  const [method, path] = wire.order;
  return sandbox.log.list(id).filter((one) => one.method === method && one.path.endsWith(path)).length;
}

/** Waits until something is so; throws where it does not come to that. */
async function until(what: () => Promise<boolean> | boolean, name: string): Promise<void> {
  const deadline = Date.now() + REACH_LIMIT_MS;
  while (!(await what())) {
    if (Date.now() > deadline) throw new Error(`it did not come to this: ${name}`);
    await delay(10);
  }
}

/** Orders of everybody at once, every other one without a key, which are held where the test wants them. */
export class OrdersInFlight {
  readonly #answers = new Map<Intent, Response | null>();
  readonly #repeated = new Map<Intent, Response>();
  #isOver: Promise<unknown> = Promise.resolve();
  #release: () => Promise<void> = () => Promise.resolve();

  private constructor(
    private readonly sandbox: Sandbox,
    private readonly intents: readonly Intent[],
    /** What the exchange had before, which nobody asked for here. */
    private readonly earlier: ReadonlySet<string>,
  ) {}

  /** So many orders each, of which none is sent yet. */
  static async make(app: Place, sandbox: Sandbox, counts: ReadonlyMap<WayTrader, number>): Promise<OrdersInFlight> {
    const intents: Intent[] = [];
    for (const [trader, count] of counts) {
      for (let i = 0; i < count; i++) {
        const number = (numbers += 1);
        const body = varied(trader.way, await trader.way.anOrder({ app, sandbox, key: trader.key }, number), number);
        const size = BigInt(number) * BigInt(trader.way.lot) * LOTS;
        intents.push({ trader, key: i % 2 === 0 ? `order-${number}` : undefined, body, size });
      }
    }
    const earlier = [...counts.keys()].flatMap((trader) => ordersOf(trader, sandbox)).map(({ id }) => id);
    return new OrdersInFlight(sandbox, intents, new Set(earlier));
  }

  get traders(): WayTrader[] {
    return [...new Set(this.intents.map(({ trader }) => trader))];
  }

  /** How many have no answer yet, and how many of them have a key. */
  get open(): { readonly all: number; readonly keyed: number } {
    const open = this.intents.filter((intent) => !this.#answers.has(intent));
    return { all: open.length, keyed: open.filter(({ key }) => key !== undefined).length };
  }

  /** Sends them, and returns once each stands at its moment; those first that are held the longest. */
  async send(app: Place, moments: Readonly<Record<ExchangeName, Moment>>): Promise<void> {
    const groups = Object.entries(moments).map(([exchange, moment]) => {
      const intents = this.intents.filter(({ trader }) => trader.way.id === exchange);
      return { moment, intents };
    });
    groups.sort((one, other) => MOMENTS.indexOf(one.moment) - MOMENTS.indexOf(other.moment));
    const asked: Promise<unknown>[] = [];
    for (const group of groups) {
      const isReached = await this.#hold(app, group);
      for (const intent of group.intents) {
        asked.push(outcome(this.#call(app, intent)).then((answer) => this.#answers.set(intent, answer)));
      }
      this.#isOver = Promise.all(asked);
      await until(isReached, `all are ${group.moment}`);
    }
  }

  /** Once somebody was killed: nothing is held any more. Ends with the last answer. */
  async release(): Promise<void> {
    this.sandbox.faults.clear();
    await this.#release();
    await this.#isOver;
  }

  /** Repeats every third order with a key, beginning with this one, until it has an answer that says what became of it. */
  async repeat(app: Place, first: number): Promise<void> {
    const keyed = this.intents.filter(({ key }) => key !== undefined);
    const chosen = keyed.filter((_intent, index) => index % 3 === first);
    await Promise.all(
      chosen.map(async (intent) => {
        this.#repeated.set(intent, await this.#settled(app, intent));
      }),
    );
  }

  /** Throws where an order was made twice, or is lost, or one that was acknowledged is not there, or one is that nothing was sent of. */
  async checkOrders(app: Place): Promise<void> {
    for (const intent of this.intents) {
      const ids = this.#held(intent).map(({ id }) => id);
      const name = `${intent.trader.way.id} ${intent.key ?? 'without a key'} ${intent.size / LOTS}`;
      same([name, ids.length], [name, Math.min(ids.length, 1)]);
      const repeated = this.#repeated.get(intent);
      checkAnswer(name, this.#answers.get(intent) ?? null, ids, repeated !== undefined);
      if (repeated !== undefined) checkEnd(name, repeated, ids);
    }
    for (const trader of this.traders) {
      const rows = await rowsOf(app, trader);
      const known = new Set(rows.flatMap((row) => [row.order_id, row.client_order_id]));
      const lost = this.#ofTrader(trader).filter(({ id, name }) => !known.has(id) && !known.has(name));
      same([trader.way.id, 'lost', lost], [trader.way.id, 'lost', []]);
    }
  }

  /** Throws where the ledger says of an order what the exchange does not, by its rows or by its keys. */
  async checkRows(app: Place): Promise<void> {
    for (const trader of this.traders) {
      const rows = await rowsOf(app, trader);
      const held = this.#ofTrader(trader);
      const names = new Set(held.flatMap(({ id, name }) => [id, name]));
      const ids = (states: readonly string[]): (string | null)[] =>
        rows.filter(({ state }) => states.includes(state)).map(({ order_id: id }) => id);
      const open = rows.filter(({ state }) => !['made', 'closed', 'refused'].includes(state));
      same([trader.way.id, 'open', open], [trader.way.id, 'open', []]);
      same(ids(['made', 'closed']).sort(), held.map(({ id }) => id).sort());
      const denied = rows.filter(
        ({ state, order_id: id, client_order_id: name }) =>
          state === 'refused' && (names.has(id ?? '') || names.has(name ?? '')),
      );
      same([trader.way.id, 'denied', denied], [trader.way.id, 'denied', []]);
    }
    for (const intent of this.intents) if (intent.key !== undefined) await this.#checkKey(app, intent, intent.key);
  }

  /**
   * Throws where less is reserved for a bot than the exchange could still execute of its orders, of which none fills; where all is
   * `settled`, where anything else is.
   */
  async checkReserved(app: Place, settled: boolean): Promise<void> {
    for (const trader of this.traders) {
      if (trader.bot === undefined) continue;
      const held = this.#ofTrader(trader);
      const risk = held.reduce((sum, { size }) => sum + size * CENTS, 0n);
      const answer = await get(app, '/bot', trader.key);
      const { usage } = answer.body as { usage: { open_orders: number; open_risk: Readonly<Record<string, string>> } };
      const [reserved = '0'] = Object.values(usage.open_risk);
      const [open, kept] = [usage.open_orders, BigInt(Math.round(Number(reserved) * 100 * Number(LOTS)))];
      if (settled) same([trader.way.id, open, kept], [trader.way.id, held.length, risk]);
      else same([trader.way.id, open >= held.length, kept >= risk], [trader.way.id, true, true]);
    }
  }

  /** What a key says without a create. */
  async #checkKey(app: Place, intent: Intent, key: string): Promise<void> {
    const { way, key: caller } = intent.trader;
    const told = await get(app, `/${way.id}/orders/by-key/${key}`, caller);
    const { state, order } = told.body as { state: string; order: { id: string } | null };
    const [held] = this.#held(intent);
    const states = held === undefined ? ['done', 'none'] : ['done'];
    holds({ key, id: order?.id, isEnd: states.includes(state) }, { key, id: held?.id, isEnd: true });
  }

  #ofTrader(trader: WayTrader): HeldOrder[] {
    const sizes = new Set(this.intents.filter((intent) => intent.trader === trader).map(({ size }) => size));
    return ordersOf(trader, this.sandbox).filter(({ id, size }) => sizes.has(size) && !this.earlier.has(id));
  }

  #held({ trader, size }: Intent): HeldOrder[] {
    return this.#ofTrader(trader).filter((order) => order.size === size);
  }

  #call(app: Place, { trader, key, body }: Intent): request.Test {
    const call = request(app.url).post(`/${trader.way.id}/orders`).auth(trader.key, { type: 'bearer' });
    return (key === undefined ? call : call.set('Idempotency-Key', key)).send(body);
  }

  async #settled(app: Place, intent: Intent): Promise<Response> {
    const deadline = Date.now() + REPEAT_LIMIT_MS;
    for (;;) {
      const answer = await this.#call(app, intent);
      if (answer.status < 500 && codeOf(answer) !== 'idempotency_in_progress') return answer;
      if (Date.now() > deadline) throw new Error(`${String(intent.key)} has no end: ${answer.status} ${answer.text}`);
      await delay(REPEAT_EVERY_MS);
    }
  }

  /** What holds these orders at their moment; the answer tells whether all are there. */
  async #hold(app: Place, { moment, intents }: Group): Promise<() => Promise<boolean> | boolean> {
    const [first] = intents;
    if (first === undefined) return () => true;
    const { way } = first.trader;
    if (moment === 'looked at') return this.#holdLooks(app, intents);
    if (moment === 'sent') return this.#holdAnswers(way, intents.length);
    const ways = new Set(intents.map(({ trader }) => trader.way));
    for (const path of [...ways].flatMap(({ clockPath, preparingPath }) => [clockPath, preparingPath]))
      this.sandbox.faults.add({ exchange: way.id, method: 'GET', path, fault: 'hang', times: 1_000 });
    // Those without a key leave no trace yet.
    const users = [...new Set(intents.map(({ trader }) => trader.user.id))];
    const keyed = intents.filter(({ key }) => key !== undefined).length;
    const begun = `SELECT 1 FROM placements WHERE user_id = ANY($1) AND state = 'begun'`;
    return async () => (await sql(app, begun, [users])).length === keyed && (await delay(100, true));
  }

  /** One of each in turn, so that with a key and without some are taken and some are not. */
  #holdAnswers(way: ExchangeUnderTest, count: number): () => boolean {
    const [method, path] = way.wire.order;
    const fault = { exchange: way.id, method, path, times: 1 } as const;
    for (let i = 0; i < count; i += 2) {
      this.sandbox.faults.add({ ...fault, fault: 'delay', delay_ms: ANSWER_AFTER_MS });
      this.sandbox.faults.add({ ...fault, fault: 'hang' });
    }
    const before = arrivals(this.sandbox, way);
    return () => arrivals(this.sandbox, way) === before + count;
  }

  /** As a change of their users' rights would. */
  async #holdLooks(app: Place, intents: readonly Intent[]): Promise<() => Promise<boolean>> {
    const client = new pg.Client({ connectionString: app.database.url });
    // Its server may be killed.
    client.on('error', () => undefined);
    await client.connect();
    for (const id of new Set(intents.map(({ trader }) => trader.user.id)))
      await client.query('SELECT pg_advisory_lock(hashtextextended($1, 2))', [id]);
    this.#release = async () => {
      await client.end().catch(() => undefined);
    };
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
    const ofMainKeys = intents.filter(({ trader }) => trader.bot === undefined).length;
    const bots = new Set(intents.flatMap(({ trader }) => trader.bot ?? []));
    return async () => (await sql(app, waiting)).length === ofMainKeys + bots.size * BEGIN_AT_ONCE;
  }
}

/** Throws where an answer says what is not so; where it `wasRepeated`, a repeat may have made what the first call did not. */
function checkAnswer(name: string, answer: Response | null, ids: readonly string[], wasRepeated: boolean): void {
  if (answer === null) return;
  const code = codeOf(answer);
  holds({ name, code, isExpected: EXPECTED.includes(answer.status) }, { isExpected: true });
  if (answer.status === 200) same([name, ids], [name, [(answer.body as { id: string }).id]]);
  if (NOTHING_SENT.includes(code) && !wasRepeated) same([name, code, ids], [name, code, []]);
}

/** Throws where the last word about an order is not so. */
function checkEnd(name: string, { status, body, text }: Response, ids: readonly string[]): void {
  const made = status === 200 ? [(body as { id: string }).id] : [];
  same([name, status, text, ids], [name, status, text, made]);
}

async function rowsOf(app: Place, { user, way }: WayTrader): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = `?exchange=${way.id}&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const answer = await get(app, `/account/orders${query}`, user.token);
    same(answer.status, 200);
    const page = answer.body as RowPage;
    for (const { id, state, reason, order_id, client_order_id } of page.data)
      rows.push({ id, state, reason, order_id, client_order_id });
    cursor = page.next_cursor;
  }
  return rows;
}
