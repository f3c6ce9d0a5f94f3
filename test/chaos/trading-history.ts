import request, { type Response } from 'supertest';
import type { OrderRecord } from '../../sandbox/kalshi/order.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { exchangeCredentials } from '../../sandbox/demo/environment.js';
import { codeOf } from '../support/calls.js';
import { sql } from '../support/rows.js';
import { anApiKey, aUser } from '../support/users.js';
import { holds, outcome, type Place, same } from './outcome.js';

const MARKET = 'KXHIGHNY-TODAY-T58';
const ONE = 1_000_000n;
/** A repeat that finds nobody busy ends at once; more than these mean that a key has no end. */
const MAX_REPEATS = 12;
/** What a call may be answered while the service or its database dies; 5xx leaves open what was done. */
const EXPECTED = [200, 503, 504];

type Kind = 'order' | 'transfer';

/** A trader of the sandbox's own Kalshi account. */
export interface ChaosTrader {
  readonly id: string;
  readonly key: string;
}

/** What is written to the exchange under one key, and where its record is. */
interface KeyedWrite {
  readonly key: string;
  readonly path: string;
  readonly kind: Kind;
  readonly body: object;
  /** The ids that the exchange gave what it holds of it. */
  readonly held: () => readonly string[];
  readonly answer: Response | null;
}

let numbers = 0;

/** A user who may do everything at Kalshi. */
export async function aChaosTrader(app: Place, sandbox: Sandbox): Promise<ChaosTrader> {
  const user = await aUser(app);
  const stored = await request(app.url)
    .put('/account/credentials/kalshi')
    .auth(user.token, { type: 'bearer' })
    .send(exchangeCredentials(sandbox.addresses).kalshi);
  if (stored.status !== 200) throw new Error(`storing credentials answered ${stored.status}: ${stored.text}`);
  return { id: user.id, key: await anApiKey(app, user, ['admin']) };
}

function send(
  app: Place,
  trader: ChaosTrader,
  { path, key, body }: Pick<KeyedWrite, 'path' | 'key' | 'body'>,
): request.Test {
  return request(app.url).post(path).auth(trader.key, { type: 'bearer' }).set('Idempotency-Key', key).send(body);
}

/** Orders, a transfer and a cancel at once, what was answered, and whether the exchange agrees afterwards. */
export class TradingHistory {
  private constructor(
    private readonly sandbox: Sandbox,
    private readonly trader: ChaosTrader,
    private readonly writes: readonly KeyedWrite[],
    private readonly cancelled: { readonly id: string; readonly answer: Response | null },
  ) {}

  /** `soon` is called once an order rests that the cancel is for: only then the mixed writes begin. */
  static async write(app: Place, sandbox: Sandbox, trader: ChaosTrader, soon: () => void): Promise<TradingHistory> {
    const resting = await send(app, trader, { ...anOrder(sandbox), key: `rest-${String(numbers)}` });
    if (resting.status !== 200) throw new Error(`no order to cancel: ${resting.status} ${resting.text}`);
    const { id } = resting.body as { id: string };
    soon();
    const asked = [anOrder(sandbox), anOrder(sandbox), aTransfer(sandbox)].map(async (write) => ({
      ...write,
      answer: await outcome(send(app, trader, write)),
    }));
    const cancel = outcome(request(app.url).delete(`/kalshi/orders/${id}`).auth(trader.key, { type: 'bearer' }));
    return new TradingHistory(sandbox, trader, await Promise.all(asked), { id, answer: await cancel });
  }

  /** How many of its writes nobody knows the end of. */
  get open(): number {
    return [...this.writes, this.cancelled].filter(({ answer }) => answer?.status !== 200).length;
  }

  /** Throws where something was made twice, or an acknowledged order is lost, or a refusal was told of one that lives. */
  async check(app: Place): Promise<void> {
    for (const write of this.writes) {
      this.#checkAnswer(write);
      await this.#settle(app, write);
    }
    await this.#checkCancel(app);
  }

  #checkAnswer({ key, held, answer }: KeyedWrite): void {
    const ids = held();
    same([key, ids.length], [key, Math.min(ids.length, 1)]);
    if (answer === null) return;
    holds({ key, code: codeOf(answer), expected: EXPECTED.includes(answer.status) }, { expected: true });
    if (answer.status === 200) same([key, ids], [key, [(answer.body as { id: string }).id]]);
    // It says that nothing was sent.
    if (answer.status === 503) same([key, ids], [key, []]);
  }

  /** Repeats a call under its key until it is answered: by then there is one, which was there before if it was acknowledged. */
  async #settle(app: Place, write: KeyedWrite): Promise<void> {
    for (let repeats = 0; repeats < MAX_REPEATS; repeats++) {
      await this.#endBusyTime(app, write);
      const repeated = await send(app, this.trader, write);
      if (repeated.status !== 200) continue;
      const { id } = repeated.body as { id: string };
      same([write.key, write.held()], [write.key, [id]]);
      if (write.answer?.status === 200) holds(write.answer.body, { id });
      return this.#checkNote(app, write, id);
    }
    throw new Error(`${write.key} has no end: ${write.answer?.text ?? 'no answer'}`);
  }

  /** As if the time of a call that was cut off had passed. */
  async #endBusyTime(app: Place, { key, kind }: KeyedWrite): Promise<void> {
    const statement = `UPDATE placements SET busy_until = now() - interval '1 second' WHERE key = $1 AND kind = $2`;
    await sql(app, statement, [key, kind]);
  }

  async #checkNote(app: Place, { key, kind }: KeyedWrite, id: string): Promise<void> {
    const [type, name] = kind === 'order' ? ['order_created', 'order_id'] : ['transfer_created', 'transfer_id'];
    const statement = `SELECT 1 FROM security_events WHERE user_id = $1 AND type = $2 AND details ->> $3 = $4`;
    const notes = await sql(app, statement, [this.trader.id, type, name, id]);
    same([key, notes.length], [key, 1]);
  }

  /** A cancel that was acknowledged holds; any other is repeated, and ends it. */
  async #checkCancel(app: Place): Promise<void> {
    const { id, answer } = this.cancelled;
    if (answer?.status !== 200) {
      await request(app.url).delete(`/kalshi/orders/${id}`).auth(this.trader.key, { type: 'bearer' });
    }
    same([id, ordersOf(this.sandbox).find((order) => order.id === id)?.status], [id, 'canceled']);
  }
}

function ordersOf({ kalshi }: Sandbox): OrderRecord[] {
  return [...kalshi.exchange.accounts.values()].flatMap(({ orders }) => [...orders.values()]);
}

/** An order that rests, of a size that no other order has. */
function anOrder(sandbox: Sandbox): Omit<KeyedWrite, 'answer'> {
  const size = (numbers += 1);
  return {
    key: `order-${size}`,
    path: '/kalshi/orders',
    kind: 'order',
    body: { market_id: MARKET, outcome: 'yes', side: 'buy', price: '0.01', size: String(size) },
    held: () =>
      ordersOf(sandbox)
        .filter(({ ticker, initial }) => ticker === MARKET && initial === BigInt(size) * ONE)
        .map(({ id }) => id),
  };
}

/** A transfer of an amount that no other one has. */
function aTransfer(sandbox: Sandbox): Omit<KeyedWrite, 'answer'> {
  const centicents = (numbers += 1);
  return {
    key: `transfer-${centicents}`,
    path: '/kalshi/transfers',
    kind: 'transfer',
    body: { from_shard: '0', to_shard: '2', amount: `0.${String(centicents).padStart(4, '0')}` },
    held: () =>
      [...sandbox.kalshi.exchange.accounts.values()]
        .flatMap((account) => sandbox.kalshi.exchange.transfers.of(account))
        .filter(({ amount }) => amount === BigInt(centicents) * 100n)
        .map(({ id }) => id),
  };
}
