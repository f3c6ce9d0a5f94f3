import { SECOND } from '../../times.js';
import { toUnits } from '../../units.js';
import { isRecord, parseJson } from '../../wire/json.js';
import { type OrderRequest } from '../order.js';
import { refusal, undecodable } from '../refusals.js';

const TIME_IN_FORCE = { good_till_canceled: 'GTC', immediate_or_cancel: 'IOC', fill_or_kill: 'FOK' } as const;
const SIDES = { bid: 'bid', ask: 'ask' } as const;
const SELF_TRADE = { taker_at_cross: 'taker_at_cross', maker: 'maker' } as const;

/**
 * Reads the body of a create. A value of the wrong JSON type is refused in the flat shape, as the exchange's JSON
 * decoder does; a missing or unknown value in the usual one. Fields that the exchange does not know are ignored.
 */
export function parseOrderRequest(body: string): OrderRequest {
  const fields = new Fields(decodeObject(body, 'CreateOrderV2Request'));
  const ticker = fields.requiredText('ticker');
  const side = fields.choice('side', SIDES);
  const count = fields.requiredText('count');
  const price = fields.requiredText('price');
  const timeInForce = fields.choice('time_in_force', TIME_IN_FORCE);
  const selfTradePrevention = fields.choice('self_trade_prevention_type', SELF_TRADE);
  const expiration = fields.integer('expiration_time');
  fields.refuseOtherAccounts();
  return {
    ticker,
    clientOrderId: fields.text('client_order_id') ?? '',
    side,
    price: parsePrice(price),
    size: parseCount(count),
    timeInForce,
    selfTradePrevention,
    postOnly: fields.flag('post_only'),
    reduceOnly: fields.flag('reduce_only'),
    cancelOnPause: fields.flag('cancel_order_on_pause'),
    expiresAt: expiration === undefined ? null : expiration * SECOND,
  };
}

/** The JSON object of a body; anything else is refused in the flat shape. */
export function decodeObject(body: string, type: string): Record<string, unknown> {
  const value = parseJson(body);
  if (value === undefined) throw undecodable(body === '' ? 'EOF' : 'invalid character in JSON body');
  if (!isRecord(value)) throw mistyped(typeName(value), '', type);
  return value;
}

class Fields {
  constructor(private readonly values: Record<string, unknown>) {}

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

  /** There are no sub-accounts, order groups or further shards here. */
  refuseOtherAccounts(): void {
    if ((this.integer('subaccount') ?? 0) !== 0) throw refusal(400, 'bad_request', 'subaccount does not exist');
    if (![0, -1].includes(this.integer('exchange_index') ?? 0))
      throw refusal(404, 'market_not_found', 'market is on another exchange index');
    if (this.text('order_group_id') !== undefined) throw refusal(404, 'not_found', 'order group does not exist');
  }

  #typed<T>(name: string, type: string, read: (value: unknown) => T | undefined): T | undefined {
    const value = this.values[name];
    if (value === undefined || value === null) return undefined;
    const result = read(value);
    if (result === undefined) throw mistyped(typeName(value), `.${name}`, `CreateOrderV2Request`, type);
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
function parsePrice(text: string): bigint {
  const price = parseDecimal(text, { min: 2, max: 4 });
  if (price === undefined) throw refusal(400, 'invalid_price');
  return price;
}

/** Contracts with at most 2 decimals, 0.01 or more. */
function parseCount(text: string): bigint {
  const size = parseDecimal(text, { min: 0, max: 2 });
  if (size === undefined || size === 0n) throw refusal(400, 'bad_request', 'count is invalid');
  return size;
}
