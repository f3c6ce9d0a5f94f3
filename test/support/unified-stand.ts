import { expect } from '@jest/globals';
import request, { type Response } from 'supertest';
import { ApiShapes } from './api-shapes.js';
import { type ExchangeName } from './exchanges.js';
import { startTestStand, storeCredentials, type TestStand } from './sandbox.js';
import { anApiKey, aUser } from './users.js';

export const HOUR = 3_600_000;
/** The exchanges' clock stands still, so that two readings of them are the same. */
export const NOW = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 123);
export const END = new Date(Math.floor(NOW.getTime() / HOUR) * HOUR + HOUR);
export const START = new Date(END.getTime() - 72 * HOUR);
/** From START to END, as a query. */
export const RANGE = `start=${START.toISOString()}&end=${END.toISOString()}`;

/** Paths as the OpenAPI document has them. */
export const MARKETS = '/{exchange}/markets';
export const MARKET = '/{exchange}/markets/{market_id}';
export const EVENTS = '/{exchange}/events';
export const EVENT = '/{exchange}/events/{event_id}';
export const BOOK = '/{exchange}/orderbooks';
export const TRADES = '/{exchange}/trades';
export const CANDLES = '/{exchange}/candlesticks';
export const ORDERS = '/{exchange}/orders';
export const ORDER = '/{exchange}/orders/{order_id}';
export const FILLS = '/{exchange}/fills';
export const POSITIONS = '/{exchange}/positions';
export const BALANCE = '/{exchange}/balance';
export const TRANSFERS = '/{exchange}/transfers';
export const TRANSFER = '/{exchange}/transfers/{transfer_id}';

export type Item = Record<string, unknown>;

export interface List {
  readonly data: Item[];
  readonly next_cursor: string | null;
  readonly timestamp: string;
  readonly timestamp_source: string;
}

type Method = 'get' | 'post' | 'delete';

/** An item, or a list of them, that tells how old it is. */
type Dated = Item | List;

/** The service in front of a sandbox whose clock stands still, and what its document says of its answers. */
export class UnifiedStand {
  #key = '';

  private constructor(
    readonly stand: TestStand,
    readonly shapes: ApiShapes,
  ) {}

  static async start(): Promise<UnifiedStand> {
    const stand = await startTestStand({}, () => NOW);
    return new UnifiedStand(stand, await ApiShapes.of(stand.app.url));
  }

  /** A new user with these credentials makes the calls from now on. */
  async callAs(exchange: ExchangeName, credentials: object): Promise<void> {
    const user = await aUser(this.stand.app);
    await storeCredentials(this.stand.app, user, exchange, credentials);
    this.#key = await anApiKey(this.stand.app, user);
  }

  call(method: Method, path: string, body?: object): Promise<Response> {
    const agent = request(this.stand.app.url);
    const sent = agent[method](path).auth(this.#key, { type: 'bearer' }).send(body);
    return sent.then((answer) => answer);
  }

  /** A 200 in the documented shape: every field there, of its type and form, and none beside. */
  async shaped(template: string, path: string, method: Method = 'get', body?: object): Promise<Item> {
    const answer = await this.call(method, path, body);
    expectShape(path, answer, this.shapes.faults(method, template, answer.body));
    return answer.body as Item;
  }

  async list(template: string, path: string): Promise<List> {
    return (await this.shaped(template, path)) as unknown as List;
  }

  close(): Promise<void> {
    return this.stand.close();
  }
}

function expectShape(path: string, { status, text }: Response, faults: string[]): void {
  expect([path, status, status === 200 ? '' : text]).toEqual([path, 200, '']);
  expect(faults).toEqual([]);
}

/** The age of what tells no time of its own: when it was received. */
export function expectReceived({ timestamp, timestamp_source }: Dated): void {
  expect(timestamp_source).toBe('received');
  expect(Math.abs(Date.parse(String(timestamp)) - Date.now())).toBeLessThan(5_000);
}

export function without(item: Item, ...fields: string[]): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !fields.includes(name)));
}
