import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { TestDatabase } from './database.js';

/** What a bot asks for; what is left out buys 10 of outcome 0 of market M at 0.5. */
export interface Asked {
  readonly market_id?: string;
  readonly outcome_index?: 0 | 1 | null;
  readonly side?: 'buy' | 'sell';
  readonly price?: string;
  readonly size?: string;
  readonly cost?: string;
  readonly currency?: string;
  readonly time_in_force?: 'gtc' | 'gtd' | 'ioc';
  readonly created_at?: Date;
}

/** How the sending of an order began. */
export interface Begun {
  readonly id: string;
  readonly refusal: string | null;
  readonly broken: Readonly<Record<string, unknown>> | null;
}

/** What else the row of the ledger says then. */
interface Columns {
  readonly status?: string;
  readonly filled_size?: string;
  readonly exchange_id?: string;
  readonly refusal_holds_at?: string;
}

/** A trade of an order, as the exchange shows it. */
type Trades = Readonly<Record<string, { readonly size: string; readonly status: 'pending' | 'confirmed' | 'failed' }>>;

/** A reading of the exchange: when it began, and whether the exchange has forgotten the order. */
interface Reading {
  readonly began?: string;
  readonly isGone?: boolean;
  /** Size and risk of a contract that an open order shows. */
  readonly terms?: readonly [size: string, risk: string];
}

const TERMS = {
  market_id: 'M',
  outcome_index: 0,
  side: 'buy',
  price: '0.5',
  size: '10',
  time_in_force: 'gtc',
  currency: 'USD',
} as const;

const BEGIN = `
  WITH look AS MATERIALIZED (
    SELECT * FROM begin_order_of_bot('usr_1', $2, 'kalshi', NULL, NULL, $1, $3, 0,
                                     jsonb_build_object('book_at', clock_timestamp()) || $4::jsonb, $5)),
  begun AS (
    INSERT INTO placements (id, user_id, bot_id, key_prefix, exchange, kind, fingerprint, state, market_id, outcome_index, side, price, size,
                            currency, first_sent_at, refusal_holds_at, busy_until)
    SELECT row.id, 'usr_1', $1, $2, 'kalshi', 'order', '', 'sending', row.market_id, row.outcome_index, row.side, row.price, row.size,
           row.currency, now(), now(), now()
      FROM look, jsonb_populate_record(NULL::placements, $3) AS row WHERE look.may_begin)
  SELECT refusal, broken FROM look`;

/** So many connections. The end of the database may come before their own. */
export function aPool({ url }: TestDatabase, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** The ledger of one bot, on a database of its own. */
export class BotLedger {
  #made = 0;

  private constructor(
    readonly pool: pg.Pool,
    readonly botId: string,
    private readonly prefix: string,
  ) {}

  /** A new bot of the user `usr_1`. */
  static async create(pool: pg.Pool, limits: Readonly<Record<string, string | number>> = {}): Promise<BotLedger> {
    const [id, prefix] = [`bot_${randomBytes(8).toString('hex')}`, `svc_sk_live_${randomBytes(4).toString('hex')}`];
    await pool.query(
      `INSERT INTO users (id, email, name) VALUES ('usr_1', 'one@example.com', 'One') ON CONFLICT DO NOTHING`,
    );
    await pool.query(`INSERT INTO bots (id, user_id, name, scopes, limits) VALUES ($1, 'usr_1', $1, '{trade}', $2)`, [
      id,
      limits,
    ]);
    await pool.query(`INSERT INTO bot_keys (hash, prefix, bot_id, user_id) VALUES ($1, $2, $3, 'usr_1')`, [
      randomBytes(32),
      prefix,
      id,
    ]);
    return new BotLedger(pool, id, prefix);
  }

  /** Begins to send an order, as the ledger does without a key. */
  async begin(
    asked: Asked = {},
    { isAgain = false, ...facts }: { readonly isAgain?: boolean; readonly [fact: string]: unknown } = {},
  ): Promise<Begun> {
    const id = `plc_${this.botId}_${(this.#made += 1)}`;
    const row = { id, bot_id: this.botId, exchange: 'kalshi', created_at: new Date(), ...TERMS, ...asked };
    const { rows } = await this.pool.query<Omit<Begun, 'id'>>(BEGIN, [this.botId, this.prefix, row, facts, isAgain]);
    return { id, refusal: rows[0]?.refusal ?? null, broken: rows[0]?.broken ?? null };
  }

  /** As `begin`, of an order that is within the limits; returns its id. */
  async send(asked: Asked = {}, options = {}): Promise<string> {
    const { id, refusal, broken } = await this.begin(asked, options);
    if (refusal !== null) throw new Error(`${refusal} ${JSON.stringify(broken)}`);
    return id;
  }

  /** The row of the ledger comes to this. */
  async becomes(id: string, state: string, columns: Columns = {}): Promise<void> {
    await this.pool.query(
      `UPDATE placements SET state = $2, status = COALESCE($3, status), filled_size = COALESCE($4, filled_size),
              exchange_id = COALESCE($5, exchange_id), refusal_holds_at = COALESCE($6, refusal_holds_at) WHERE id = $1`,
      [id, state, columns.status, columns.filled_size, columns.exchange_id, columns.refusal_holds_at],
    );
  }

  /** What a reading shows that began just now, unless it says when; `filled` is what the order states. */
  async prove(
    id: string,
    isOver: boolean,
    trades: Trades,
    filled: string | null = null,
    reading: Reading = {},
  ): Promise<void> {
    const { began = 'now', isGone = false, terms = [] } = reading;
    const at = began === 'now' ? await this.now() : began;
    const values = [id, at, filled, isOver, isGone, trades, terms[0], terms[1]];
    await this.pool.query('SELECT prove_order($1, $2, NULL, $3, $4, $5, $6, $7, $8)', values);
  }

  /** The database's time, as text. */
  async now(): Promise<string> {
    const { rows } = await this.pool.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
    return rows[0]?.now ?? '';
  }

  /** What is reserved for an order; nothing is there once all is proved. */
  async reserved(id: string): Promise<Readonly<Record<string, string>> | undefined> {
    const { rows } = await this.pool.query<Record<string, string>>(
      `SELECT fate, trim_scale(open)::text AS open, trim_scale(unproved)::text AS unproved, trim_scale(confirmed)::text AS confirmed,
              trim_scale(pending)::text AS pending FROM reservations WHERE placement_id = $1`,
      [id],
    );
    return rows[0];
  }

  async set(change: string): Promise<void> {
    await this.pool.query(`UPDATE bots SET ${change} WHERE id = $1`, [this.botId]);
  }

  /** What is reserved and executed: risks of one currency, and the number of open orders. */
  async sums(currency = 'USD'): Promise<Readonly<Record<string, string | number>>> {
    const { rows } = await this.pool.query<Record<string, string>>(
      `SELECT trim_scale(open_risk)::text AS open, trim_scale(day_executed + day_live)::text AS daily,
              trim_scale(executed + live_risk)::text AS total, open_orders AS orders
         FROM bot_risks JOIN bot_sums USING (bot_id) WHERE bot_id = $1 AND currency = $2`,
      [this.botId, currency],
    );
    return rows[0] ?? {};
  }

  /** Proved, and what may fail yet, long and short in outcome 0. */
  async position(market = 'M'): Promise<readonly (string | undefined)[]> {
    const { rows } = await this.pool.query<Record<string, string>>(
      `SELECT trim_scale(held)::text AS held, trim_scale(pending_long)::text AS long, trim_scale(pending_short)::text AS short
         FROM bot_positions WHERE bot_id = $1 AND market_id = $2`,
      [this.botId, market],
    );
    return [rows[0]?.held, rows[0]?.long, rows[0]?.short];
  }
}
