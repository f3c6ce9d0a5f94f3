import pg from 'pg';
import { type Agent, anAgent, type ToolAnswer } from '../support/agents.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { aBot } from '../support/bots.js';
import { EXCHANGE } from '../support/exchanges.js';
import { FaultStand } from '../support/fault-stand.js';
import { aSessionTrader } from '../support/session-keys.js';
import type { Trader } from '../support/sandbox.js';

const UPSTREAM_TIMEOUT_MS = 3_000;
const SETTINGS = { MCP: 'true', UPSTREAM_TIMEOUT: `${UPSTREAM_TIMEOUT_MS}ms`, MARKET_DATA_CACHE_TTL: '0' };

/** Where an exchange of a test has its orders, and a plain order that rests there. */
export interface Venue {
  readonly exchange: 'kalshi' | 'polymarket';
  readonly order: Readonly<Record<string, unknown>>;
  readonly trader: () => Trader;
}

/** A bot, with an official client at each of two instances. */
export interface PreviewBot {
  readonly id: string;
  readonly key: string;
  readonly agents: readonly [Agent, Agent];
}

/** Two instances of the service on one database, in front of gateways to the sandbox. */
export class PreviewStand {
  readonly #agents: Agent[] = [];

  private constructor(
    readonly stand: FaultStand,
    readonly other: TestApp,
    readonly venues: Readonly<Record<'kalshi' | 'polymarket', Venue>>,
  ) {}

  static async start(): Promise<PreviewStand> {
    const stand = await FaultStand.start(UPSTREAM_TIMEOUT_MS, 0, SETTINGS);
    const session = await aSessionTrader(stand);
    const { kalshi, clob, gamma, data } = stand.gateways;
    const addresses = {
      KALSHI_API_URL: kalshi.url,
      POLYMARKET_CLOB_URL: clob.url,
      POLYMARKET_GAMMA_URL: gamma.url,
      POLYMARKET_DATA_URL: data.url,
    };
    const other = await startTestApp({ ...SETTINGS, ...addresses }, stand.app.database);
    const order = { outcome: 0, side: 'buy', price: '0.02' };
    return new PreviewStand(stand, other, {
      kalshi: {
        exchange: 'kalshi',
        order: { ...order, exchange: 'kalshi', market_id: EXCHANGE.kalshi.market, size: '1' },
        trader: () => stand.trader,
      },
      polymarket: {
        exchange: 'polymarket',
        order: { ...order, exchange: 'polymarket', market_id: EXCHANGE.polymarket.market, size: '5' },
        trader: () => session,
      },
    });
  }

  async close(): Promise<void> {
    for (const agent of this.#agents) await agent.close();
    await this.other.close();
    await this.stand.close();
  }

  async aBot({ trader }: Pick<Venue, 'trader'>, terms: object = {}): Promise<PreviewBot> {
    const { id, key } = await aBot(this.stand.app, trader().user, terms);
    const agents = [await anAgent(this.stand.app, key), await anAgent(this.other, key)] as const;
    this.#agents.push(...agents);
    return { id, key, agents };
  }

  /** The id of a preview of an order. */
  async preview({ agents: [agent] }: PreviewBot, order: object): Promise<string> {
    const { answer, text } = await agent.call('preview_order', order);
    if (typeof answer.preview_id !== 'string') throw new Error(`no preview: ${text}`);
    return answer.preview_id;
  }

  /** Makes a preview, and what was begun of it, older by so many seconds: no test waits that long. */
  async age(id: string, seconds: number): Promise<void> {
    await this.stand.app.query(
      `UPDATE order_previews SET created_at = created_at - $2 * interval '1 second', placed_at = placed_at - $2 * interval '1 second'
        WHERE id = $1`,
      [id, seconds],
    );
  }

  /** What the calls that `begin` has begun answer, while something else holds the lock of the bot. */
  async whileLocked(
    { id }: PreviewBot,
    begin: () => Promise<readonly Promise<ToolAnswer>[]>,
  ): Promise<readonly ToolAnswer[]> {
    const holder = new pg.Client({ connectionString: this.stand.app.database.url });
    await holder.connect();
    try {
      await holder.query('SELECT pg_advisory_lock(hashtextextended($1, 6))', [id]);
      const calls = await begin();
      await holder.query('SELECT pg_advisory_unlock_all()');
      return await Promise.all(calls);
    } finally {
      await holder.end();
    }
  }

  /** How many connections wait for a lock by name. */
  async waiting(): Promise<number> {
    return (await this.stand.app.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)).length;
  }

  /** How many orders were sent to an exchange so far, looked-up ones and refused ones included. */
  sent({ exchange }: Pick<Venue, 'exchange'>): number {
    const [, path] = EXCHANGE[exchange].wire.order;
    return this.stand.gatewayOf(exchange).arrived.filter((one) => one.method === 'POST' && one.path.endsWith(path))
      .length;
  }

  /** How many orders an exchange has. */
  held({ exchange }: Venue): number {
    const { sandbox } = this.stand;
    return EXCHANGE[exchange].held(sandbox, sandbox.addresses.polymarket.deposit_wallet.address).length;
  }
}

/** State and next tool of an answer, or the code and reason of its error. */
export function fateOf({ answer }: ToolAnswer): unknown[] {
  const { error } = answer as { error?: { code: string; details?: { reason?: string } } };
  if (answer.state === undefined && error !== undefined) return [error.code, error.details?.reason];
  return [answer.state, answer.next];
}

/** The id of the order in an answer. */
export function orderIdOf({ answer }: ToolAnswer): string | undefined {
  return (answer.order as { id: string } | null)?.id;
}
