import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import request, { type Response } from 'supertest';
import { exchangeAddresses } from '../../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { codeOf, get } from '../support/calls.js';
import { checkOut, commitBefore, itOf } from '../support/former-version.js';
import { EXCHANGE, ORDER_WAYS } from '../support/exchanges.js';
import { Gateway } from '../support/gateway.js';
import { type Instance, startInstance } from '../support/instance.js';
import { sql } from '../support/rows.js';
import { ordersOf, type WayTrader, wayTraders } from './orders-in-flight.js';
import { outcome } from './outcome.js';
import { PostgresServer } from './postgres-server.js';

const FORMER = commitBefore('migrations/1795200100000-placements.ts');
const itBesideIt = itOf(FORMER);

const TRANSFER = '/portfolio/intra_exchange_instance_transfer';
/** The exchanges that the former version knows. */
const CREATES = { kalshi: EXCHANGE.kalshi.wire.order[1], polymarket: EXCHANGE.polymarket.wire.order[1] };
/** Long enough that what is held stays in flight while another version starts. */
const FORMER_TIMEOUT = '60s';
const REPEAT_EVERY_MS = 200;
const REPEAT_LIMIT_MS = 60_000;
/** Two rounds of looking, and what a busy machine takes for them. */
const SETTLED_WITHIN_MS = 40_000;
const LIMIT_MS = 180_000;
const LOTS = 1_000_000n;

/** An order or a transfer that somebody wants once. */
interface Wanted {
  readonly name: string;
  readonly trader: WayTrader;
  readonly key: string;
  readonly path: string;
  readonly body: object;
  /** The ids that the exchange gave what it has of it. */
  readonly held: () => string[];
}

/** A call that was begun and is not answered yet; null where its connection broke. */
interface Begun {
  readonly wanted: Wanted;
  readonly answer: Promise<Response | null>;
}

/** Both versions on one server, and gateways in front of the exchanges, which hold what the test wants. */
class Meeting {
  /** All that anybody asked for under a key. */
  readonly wanted: Wanted[] = [];
  traders: WayTrader[] = [];
  #numbers = 0;

  private constructor(
    readonly sandbox: Sandbox,
    readonly kalshi: Gateway,
    readonly clob: Gateway,
    readonly gamma: Gateway,
    private readonly server: PostgresServer,
    private readonly dataDir: string,
    private readonly former: { readonly folder: string; readonly build: string },
  ) {}

  static async prepare(commit: string): Promise<Meeting> {
    const [former, sandbox, server] = await Promise.all([checkOut(commit), startSandbox(), PostgresServer.make()]);
    await server.start();
    const kalshi = await Gateway.to(sandbox.addresses.kalshi.api_url);
    const clob = await Gateway.to(sandbox.addresses.polymarket.clob_url);
    const gamma = await Gateway.to(sandbox.addresses.polymarket.gamma_url);
    return new Meeting(
      sandbox,
      kalshi,
      clob,
      gamma,
      server,
      await mkdtemp(join(tmpdir(), 'trading-proxy-chaos-')),
      former,
    );
  }

  startFormer(): Promise<Instance> {
    return this.#start(FORMER_TIMEOUT, this.former.build);
  }

  startNew(): Promise<Instance> {
    return this.#start('3s');
  }

  /** One of each way to order, and a transfer. */
  async oneOfEach(app: Instance, name: string): Promise<Wanted[]> {
    const orders = await Promise.all(this.traders.map((trader) => this.anOrder(app, trader, name)));
    return [...orders, this.#aTransfer(name)];
  }

  async anOrder(app: Instance, trader: WayTrader, name: string): Promise<Wanted> {
    const { sandbox } = this;
    const number = (this.#numbers += 1);
    const size = BigInt(number) * BigInt(trader.way.lot) * LOTS;
    const body = await trader.way.anOrder({ app, sandbox, key: trader.key }, number);
    const earlier = new Set(ordersOf(trader, sandbox).map(({ id }) => id));
    return this.#want(`${name}, ${trader.way.id}`, {
      trader,
      path: `/${trader.way.id}/orders`,
      body,
      held: () =>
        ordersOf(trader, sandbox)
          .filter((order) => order.size === size && !earlier.has(order.id))
          .map(({ id }) => id),
    });
  }

  send(app: Instance, { trader, path, key, body }: Wanted): Promise<Response | null> {
    const call = request(app.url).post(path).auth(trader.key, { type: 'bearer' }).set('Idempotency-Key', key);
    return outcome(call.send(body));
  }

  begin(app: Instance, all: readonly Wanted[]): Begun[] {
    return all.map((wanted) => ({ wanted, answer: this.send(app, wanted) }));
  }

  /** Repeats it until its answer says what became of it. */
  async repeat(app: Instance, wanted: Wanted): Promise<Response> {
    const deadline = Date.now() + REPEAT_LIMIT_MS;
    for (;;) {
      const answer = await this.send(app, wanted);
      if (answer !== null && answer.status < 500 && codeOf(answer) !== 'idempotency_in_progress') return answer;
      if (Date.now() > deadline) throw new Error(`${wanted.name} has no end: ${String(answer?.text)}`);
      await delay(REPEAT_EVERY_MS);
    }
  }

  /** As if the time of calls that were cut off had passed. */
  async endBusyTime(): Promise<void> {
    await sql({ database: this.server.database }, `UPDATE placements SET busy_until = now() - interval '1 second'`);
  }

  /** How many orders and transfers have come to the exchanges. */
  get arrivals(): number {
    const { kalshi, clob } = this;
    return (
      kalshi.count('POST', CREATES.kalshi) + kalshi.count('POST', TRANSFER) + clob.count('POST', CREATES.polymarket)
    );
  }

  async close(): Promise<void> {
    await this.server.close();
    await Promise.all([this.kalshi.close(), this.clob.close(), this.gamma.close(), this.sandbox.close()]);
    await rm(this.dataDir, { recursive: true, force: true });
    await rm(this.former.folder, { recursive: true, force: true });
  }

  #start(timeout: string, build?: string): Promise<Instance> {
    const { server, dataDir, sandbox, kalshi, clob, gamma } = this;
    const gateways = { KALSHI_API_URL: kalshi.url, POLYMARKET_CLOB_URL: clob.url, POLYMARKET_GAMMA_URL: gamma.url };
    const settings = { ...exchangeAddresses(sandbox.addresses), ...gateways, UPSTREAM_TIMEOUT: timeout };
    return startInstance({ database: server.database, dataDir }, settings, build);
  }

  #aTransfer(name: string): Wanted {
    const [trader] = this.traders;
    if (trader === undefined) throw new Error('there are no traders');
    const centicents = (this.#numbers += 1);
    const { exchange } = this.sandbox.kalshi;
    return this.#want(`${name}, a transfer`, {
      trader,
      path: '/kalshi/transfers',
      body: { from_shard: '0', to_shard: '2', amount: `0.${String(centicents).padStart(4, '0')}` },
      held: () =>
        [...exchange.accounts.values()]
          .flatMap((account) => exchange.transfers.of(account))
          .filter(({ amount }) => amount === BigInt(centicents) * 100n)
          .map(({ id }) => id),
    });
  }

  #want(name: string, what: Omit<Wanted, 'name' | 'key'>): Wanted {
    const wanted = { ...what, name, key: `key-${this.#numbers}` };
    this.wanted.push(wanted);
    return wanted;
  }
}

function idIn(answer: Response | null): string | null {
  return answer?.status === 200 ? (answer.body as { id: string }).id : null;
}

/** What was answered, and what the exchange has. */
function stateOf(wanted: Wanted, answer: Response | null): readonly [name: string, status: number, held: string[]] {
  return [`${wanted.name}: ${answer === null ? '' : codeOf(answer)}`, answer?.status ?? 0, wanted.held()];
}

describe('the former version beside the new one over the ledger’s migration (R-9, R-14)', () => {
  let meeting: Meeting;
  let former: Instance;
  let other: Instance;
  let current: Instance;
  /** Answered by the former version, and kept. */
  const kept: { readonly wanted: Wanted; readonly answer: Response | null }[] = [];
  /** In flight while the new version migrates. */
  let taken: Begun[];
  let onTheWay: Begun[];
  let prepared: Begun[];
  let releaseTaken: () => void;
  let releaseOnTheWay: () => void;

  const answersOf = (begun: readonly Begun[]): Promise<(Response | null)[]> =>
    Promise.all(begun.map(({ answer }) => answer));

  /** Sends one of each at once, of which the gateways keep `what`. */
  async function inFlight(what: 'hold' | 'holdAnswers', name: string): Promise<[Begun[], () => void]> {
    const { kalshi, clob } = meeting;
    const all = await meeting.oneOfEach(former, name);
    const before = meeting.arrivals;
    const held = [
      kalshi[what]('POST', CREATES.kalshi, 1),
      kalshi[what]('POST', TRANSFER, 1),
      clob[what]('POST', CREATES.polymarket, 2),
    ];
    const begun = meeting.begin(former, all);
    while (meeting.arrivals < before + all.length) await delay(10);
    return [begun, () => { for (const { release } of held) release(); }]; // prettier-ignore
  }

  /** Orders without end at the former version, one after the other, until `isOver`. */
  async function stream(isOver: () => boolean): Promise<number> {
    const [trader] = meeting.traders;
    let failed = 0;
    while (trader !== undefined && !isOver()) {
      const answer = await meeting.send(former, await meeting.anOrder(former, trader, 'in the stream'));
      if (answer?.status !== 200) failed += 1;
      await delay(20);
    }
    return failed;
  }

  async function keepAnswers(): Promise<void> {
    const { sandbox } = meeting;
    for (const wanted of await meeting.oneOfEach(former, 'kept')) {
      kept.push({ wanted, answer: await meeting.send(former, wanted) });
    }
    const [trader] = meeting.traders;
    if (trader === undefined) return;
    const refused = await meeting.anOrder(former, trader, 'refused');
    const body = { error: { code: 'invalid_order', message: 'no' } };
    sandbox.faults.add({
      exchange: 'kalshi',
      method: 'POST',
      path: CREATES.kalshi,
      fault: 'status',
      status: 400,
      body,
      times: 1,
    });
    kept.push({ wanted: refused, answer: await meeting.send(former, refused) });
  }

  async function loseAnswers(): Promise<void> {
    for (const fault of ['reset_after', 'reset_before'] as const) {
      for (const wanted of await meeting.oneOfEach(former, fault)) {
        const exchange = wanted.trader.way.id;
        const path = wanted.path.endsWith('transfers') ? TRANSFER : EXCHANGE[exchange].wire.order[1];
        meeting.sandbox.faults.add({ exchange, method: 'POST', path, fault, times: 1 });
        const answer = await meeting.send(former, wanted);
        expect(stateOf(wanted, answer)).toEqual([
          expect.stringMatching('outcome_unknown'),
          504,
          fault === 'reset_after' ? [expect.any(String)] : [],
        ]);
      }
    }
  }

  /** All pages of a list. */
  async function listOf(token: string, list: 'activity' | 'orders'): Promise<Record<string, unknown>[]> {
    const all: Record<string, unknown>[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = `?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const answer = await get(current, `/account/${list}${query}`, token);
      expect(answer.status).toBe(200);
      const page = answer.body as { data: Record<string, unknown>[]; next_cursor: string | null };
      all.push(...page.data);
      cursor = page.next_cursor;
    }
    return all;
  }

  /** All that is kept, lost and in flight at the former version when the new one starts, migrates and is ready. */
  async function meet(commit: string): Promise<void> {
    meeting = await Meeting.prepare(commit);
    former = await meeting.startFormer();
    const known = ORDER_WAYS.filter(([, , { id }]) => id in CREATES);
    meeting.traders = await wayTraders(former, meeting.sandbox, ['admin'], known);
    await keepAnswers();
    await loseAnswers();
    [taken, releaseTaken] = await inFlight('holdAnswers', 'taken');
    [onTheWay, releaseOnTheWay] = await inFlight('hold', 'on the way');
    const notSent = await meeting.oneOfEach(former, 'not sent');
    // A process that has read nothing yet reads before it sends.
    other = await meeting.startFormer();
    const reads = [meeting.kalshi.hold('GET', '/exchange/status'), meeting.gamma.hold('GET', '/markets')];
    prepared = meeting.begin(other, notSent);
    const begun = `SELECT 1 FROM idempotent_orders WHERE reference IS NULL
                   UNION ALL SELECT 1 FROM idempotent_transfers WHERE reference IS NULL`;
    while ((await sql(former, begun)).length < notSent.length) await delay(10);
    let isUp = false;
    const streaming = stream(() => isUp);
    current = await meeting.startNew();
    isUp = true;
    expect(await streaming).toBeGreaterThan(0);
    for (const { release } of reads) release();
  }

  beforeAll(async () => {
    if (FORMER !== null) await meet(FORMER);
  }, LIMIT_MS);

  afterAll(async () => {
    if (FORMER === null) return;
    await Promise.all([former.kill(), other.kill(), current.kill()]);
    await meeting.close();
  });

  async function failsBeforeAByteLeaves(): Promise<void> {
    const before = meeting.arrivals;
    const later = await meeting.oneOfEach(former, 'later');
    const unsent = [...prepared, ...meeting.begin(former, later), ...meeting.begin(other, later)];
    const answers = await answersOf([...unsent, ...meeting.begin(former, meeting.wanted)]);
    expect(answers.map((answer) => answer?.status)).toEqual(answers.map(() => 500));
    expect(unsent.flatMap(({ wanted }) => wanted.held())).toEqual([]);
    expect(meeting.arrivals).toBe(before);
  }

  async function tellsWhatIsSo(): Promise<void> {
    releaseTaken();
    for (const { wanted, answer } of taken) {
      const [, status, held] = stateOf(wanted, await answer);
      expect([wanted.name, status, held]).toEqual([wanted.name, expect.any(Number), [expect.any(String)]]);
      expect([wanted.name, idIn(await answer) ?? status]).toEqual([wanted.name, status === 200 ? held[0] : 504]);
    }
  }

  async function replaysWhatIsKept(): Promise<void> {
    expect(kept.map(({ answer }) => answer?.status)).toEqual([200, 200, 200, 200, 422]);
    for (const { wanted, answer } of kept) {
      const again = await meeting.repeat(current, wanted);
      expect([...stateOf(wanted, again), idIn(again)]).toEqual([...stateOf(wanted, answer), idIn(answer)]);
      if (answer?.status === 200) expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' });
    }
  }

  async function makesEachOnce(): Promise<void> {
    await meeting.endBusyTime();
    const refused = kept.filter(({ answer }) => answer?.status !== 200).map(({ wanted }) => wanted);
    const all = meeting.wanted.filter((wanted) => !refused.includes(wanted));
    const ids = new Map<Wanted, string | null>();
    for (const wanted of all) ids.set(wanted, idIn(await meeting.repeat(current, wanted)));
    releaseOnTheWay();
    const late = await answersOf(onTheWay);
    for (const wanted of all) expect([wanted.name, wanted.held()]).toEqual([wanted.name, [ids.get(wanted)]]);
    expect(refused.flatMap((wanted) => wanted.held())).toEqual([]);
    for (const [index, { wanted }] of onTheWay.entries()) {
      const answer = late[index] ?? null;
      const isTrue = idIn(answer) === ids.get(wanted) || (answer !== null && answer.status >= 500);
      expect([...stateOf(wanted, answer), isTrue]).toEqual([...stateOf(wanted, answer).slice(0, 2), [ids.get(wanted)], true]); // prettier-ignore
    }
  }

  async function freesWhatWasNotSent(): Promise<void> {
    const begun = `SELECT 1 FROM placements WHERE state = 'begun'`;
    expect((await sql(current, begun)).length).toBeGreaterThanOrEqual(prepared.length);
    await meeting.endBusyTime();
    const deadline = Date.now() + SETTLED_WITHIN_MS;
    while ((await sql(current, begun)).length > 0 && Date.now() < deadline) await delay(100);
    expect(await sql(current, begun)).toEqual([]);
    for (const { wanted } of prepared) {
      const bound = await sql(current, `SELECT 1 FROM idempotency_keys WHERE key = $1`, [wanted.key]);
      expect([wanted.name, bound, wanted.held()]).toEqual([wanted.name, [], []]);
    }
  }

  async function makesOneOfBoth(): Promise<void> {
    const both = await meeting.oneOfEach(current, 'at both');
    const before = meeting.arrivals;
    const { kalshi, clob } = meeting;
    const held = [kalshi.holdAnswers('POST', '/portfolio/'), clob.holdAnswers('POST', CREATES.polymarket)];
    const begun = meeting.begin(current, both);
    const atFormer = await answersOf(meeting.begin(former, both));
    while (meeting.arrivals < before + both.length) await delay(10);
    for (const { release } of held) release();
    expect(atFormer.map((answer) => answer?.status)).toEqual([500, 500, 500, 500]);
    for (const { wanted, answer } of begun)
      expect(stateOf(wanted, await answer)).toEqual([expect.any(String), 200, [idIn(await answer)]]);
    expect(meeting.arrivals).toBe(before + both.length);
  }

  async function listsAll(): Promise<void> {
    for (const trader of meeting.traders) {
      const { token } = trader.user;
      const made = meeting.wanted.filter((wanted) => wanted.trader === trader).flatMap((wanted) => wanted.held());
      const details = (await listOf(token, 'activity')).map((event) => event.details as Record<string, unknown>);
      const noted = new Set(details.flatMap(({ order_id: order, transfer_id: transfer }) => [order, transfer]));
      expect(made.filter((id) => !noted.has(id))).toEqual([]);
      const rows = (await listOf(token, 'orders')).filter(({ state }) => state !== 'refused');
      expect(rows.map(({ order_id: id }) => id).sort()).toEqual(made.sort());
    }
  }

  itBesideIt(
    'the former one fails every order and transfer with a key before a byte leaves, also those that it had begun',
    failsBeforeAByteLeaves,
    LIMIT_MS,
  );
  itBesideIt('what the exchange had taken by then it tells as it is, or as unknown', tellsWhatIsSo, LIMIT_MS);
  itBesideIt('the new one frees the keys of what the former one had not sent', freesWhatWasNotSent, LIMIT_MS);
  itBesideIt('the new one replays every answer that was kept', replaysWhatIsKept, LIMIT_MS);
  itBesideIt(
    'R-14 under every key there is one order or transfer, also where the former sending arrives later',
    makesEachOnce,
    LIMIT_MS,
  );
  itBesideIt('R-14 a key at both at once is one order, which the new version makes', makesOneOfBoth, LIMIT_MS);
  itBesideIt('the activity lists what both have made, and the ledger has a row for each', listsAll, LIMIT_MS);
});
