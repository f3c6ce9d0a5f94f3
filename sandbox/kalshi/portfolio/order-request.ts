import { SECOND } from '../../times.js';
import { toUnits } from '../../units.js';
import { isRecord, type Json, parseJson } from '../../wire/json.js';
import { type RouteTarget } from '../exchange.js';
import { type OrderRequest } from '../order.js';
import { MAX_INDEX } from '../query.js';
import { refusal, undecodable } from '../refusals.js';

const TIME_IN_FORCE = { good_till_canceled: 'GTC', immediate_or_cancel: 'IOC', fill_or_kill: 'FOK' } as const;
export const SIDES = { bid: 'bid', ask: 'ask' } as const;
const CREATE = 'CreateOrderV2Request';
const CREATES = 'BatchCreateOrdersV2Request';
const CANCELS = 'BatchCancelOrdersV2Request';
const SELF_TRADE = { taker_at_cross: 'taker_at_cross', maker: 'maker' } as const;

/** A create as it was sent: without a subaccount it is for the key's own. */
type AskedOrder = Omit<OrderRequest, 'subaccount'> & { subaccount: number | undefined };

/** The same before anybody has looked at its amounts. */
type RawOrder = Omit<AskedOrder, 'price' | 'size'> & { price: string; count: string; groupId: string | undefined };

/**
 * Reads the body of a create. A value of the wrong JSON type is refused in the flat shape, as the exchange's JSON
 * decoder does; a missing or unknown value in the usual one. Fields that the exchange does not know are ignored.
 */
export function parseOrderRequest(body: string): AskedOrder {
  return valued(readOrder(new Fields(decodeObject(body, CREATE), CREATE)));
}

/**
 * Reads the body of a batch of creates. As the document's tags say, it is refused as a whole for a wrong type and for a
 * missing or unknown value in any item; what else is wrong with an item shows when `read` is called for it.
 */
export function parseOrderItems(body: string): { clientOrderId: string; read: () => AskedOrder }[] {
  return itemsOf(decodeObject(body, CREATES)).map((entry) => {
    const raw = readOrder(new Fields(entry, CREATE));
    return { clientOrderId: raw.clientOrderId, read: () => valued(raw) };
  });
}

function readOrder(fields: Fields): RawOrder {
  const ticker = fields.requiredText('ticker');
  const side = fields.choice('side', SIDES);
  const count = fields.requiredText('count');
  const price = fields.requiredText('price');
  const timeInForce = fields.choice('time_in_force', TIME_IN_FORCE);
  const selfTradePrevention = fields.choice('self_trade_prevention_type', SELF_TRADE);
  const expiration = fields.integer('expiration_time');
  return {
    groupId: fields.text('order_group_id'),
    ticker,
    subaccount: fields.integer('subaccount'),
    exchangeIndex: fields.integer('exchange_index'),
    clientOrderId: fields.text('client_order_id') ?? '',
    side,
    price,
    count,
    timeInForce,
    selfTradePrevention,
    postOnly: fields.flag('post_only'),
    reduceOnly: fields.flag('reduce_only'),
    cancelOnPause: fields.flag('cancel_order_on_pause'),
    expiresAt: expiration === undefined ? null : expiration * SECOND,
  };
}

function valued({ groupId, count, ...order }: RawOrder): AskedOrder {
  if (groupId !== undefined) throw refusal(404, 'not_found', 'order group does not exist');
  return {
    ...order,
    subaccount: parseSubaccount(order.subaccount),
    exchangeIndex: parseIndex(order.exchangeIndex),
    price: parsePrice(order.price),
    size: parseCount(count),
  };
}

/** One item of a batch cancel: an order with what it is routed by. */
interface CancelItem {
  orderId: string;
  subaccount: number | undefined;
  target: RouteTarget;
}

/** Reads the body of a batch cancel. */
export function parseCancelItems(body: string): CancelItem[] {
  return itemsOf(decodeObject(body, CANCELS)).map((entry) => {
    const fields = new Fields(entry, CANCELS);
    return {
      orderId: fields.requiredText('order_id'),
      subaccount: parseSubaccount(fields.integer('subaccount')),
      target: { exchangeIndex: parseIndex(fields.integer('exchange_index')), ticker: fields.text('market_ticker') },
    };
  });
}

function itemsOf({ orders }: Json): Json[] {
  if (!Array.isArray(orders) || orders.length === 0) throw refusal(400, 'bad_request', 'orders is required');
  return orders.map((entry: unknown) => (isRecord(entry) ? entry : {}));
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The order id of a path, or the refusal of one that cannot be one (kalshi-errors-2026.json). */
export function orderIdOf({ id = '' }: Readonly<Record<string, string>>): string {
  if (!UUID.test(id)) throw refusal(400, 'invalid_UUID');
  return id;
}

/** A subaccount number, 0 to 63; whether it exists is for the exchange to say. */
export function parseSubaccount(number: number | undefined): number | undefined {
  if (number !== undefined && (number < 0 || number > 63)) throw refusal(400, 'bad_request', 'subaccount is invalid');
  return number;
}

export function parseIndex(index: number | undefined): number | undefined {
  if (index !== undefined && (index < -1 || index > MAX_INDEX))
    throw refusal(400, 'bad_request', 'exchange_index is invalid');
  return index;
}

/** The JSON object of a body; anything else is refused in the flat shape. */
export function decodeObject(body: string, type: string): Record<string, unknown> {
  const value = parseJson(body);
  if (value === undefined) throw undecodable(body === '' ? 'EOF' : 'invalid character in JSON body');
  if (!isRecord(value)) throw mistyped(typeName(value), '', type);
  return value;
}

/** The members of a JSON object, each checked for its type when it is read. */
export class Fields {
  constructor(
    private readonly values: Record<string, unknown>,
    /** The exchange's name for what is read, for its words on a wrong type. */
    private readonly owner: string,
  ) {}

  text(name: string): string | undefined {
    return this.#typed(name, 'string', (value) => (typeof value === 'string' ? value : undefined));
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === '') throw refusal(400, 'bad_request', `${name} is required`);
    return value;
  }

  choice<T extends string>(name: string, choices: Record<string, T>): T {
    const value = this.requiredText(name);
    const choice = Object.hasOwn(choices, value) ? choices[value] : undefined;
    if (choice === undefined) throw refusal(400, 'bad_request', `${name} is invalid`);
    return choice;
  }

  flag(name: string): boolean {
    return this.#typed(name, 'bool', (value) => (typeof value === 'boolean' ? value : undefined)) ?? false;
  }

  integer(name: string): number | undefined {
    return this.#typed(name, 'int64', (value) => (Number.isSafeInteger(value) ? Number(value) : undefined));
  }

  #typed<T>(name: string, type: string, read: (value: unknown) => T | undefined): T | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return undefined;
    const result = read(value);
    if (result === undefined) throw mistyped(typeName(value), `.${name}`, this.owner, type);
    return result;
  }
}

function mistyped(actual: string, field: string, owner: string, type = 'object'): Error {
  return undecodable(`json: cannot unmarshal ${actual} into Go struct field ${owner}${field} of type ${type}`);
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** The millionths of a plain decimal with a number of decimals in the given range, or undefined for any other text. */
function parseDecimal(text: string, decimals: { min: number; max: number }): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d+))?$/.exec(text) ?? [];
  const fits = whole !== undefined && fraction.length >= decimals.min && fraction.length <= decimals.max;
  return fits ? toUnits(text) : undefined;
}

/** Dollars with 2 to 4 decimals (kalshi.md 3). */
export function parsePrice(text: string): bigint {
  const price = parseDecimal(text, { min: 2, max: 4 });
  if (price === undefined) throw refusal(400, 'invalid_price');
  return price;
}

/** Contracts with at most 2 decimals, 0.01 or more. */
export function parseCount(text: string): bigint {
  const size = parseSize(text, 'count');
  if (size === 0n) throw refusal(400, 'bad_request', 'count is invalid');
  return size;
}

/** Contracts with at most 2 decimals, none included. */
export function parseSize(text: string, name: string): bigint {
  const size = parseDecimal(text, { min: 0, max: 2 });
  if (size === undefined) throw refusal(400, 'bad_request', `${name} is invalid`);
  return size;
}
