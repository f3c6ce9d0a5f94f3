import { isRecord } from './json.js';

/** The exchanges of the sandbox, by the names of contract.md 1. */
export const EXCHANGE_NAMES = ['kalshi', 'polymarket'] as const;
export type ExchangeName = (typeof EXCHANGE_NAMES)[number];

/**
 * What can go wrong (contract.md 7). "Handled" means that the exchange acted on the request: an order was accepted.
 * - `hang`: not handled, never answered; the connection stays open until the caller or the server closes it
 * - `delay`: handled at once, answered after `delay_ms`
 * - `reset_before`: not handled, the connection is reset
 * - `reset_after`: handled, then the connection is reset without an answer
 * - `status`: not handled, answers `status` (500) with the exchange's error body, or with `body`
 * - `broken_body`: handled, the answer's JSON is cut in the middle (or `body` is sent as it stands)
 * - `oversized`: handled, the answer is padded above 5 MiB
 * - `redirect`: not handled, 302 (or `status`) to `location` or to another path of the same server
 */
const WHOLE_FAULT_KINDS = [
  'hang',
  'delay',
  'reset_before',
  'reset_after',
  'status',
  'broken_body',
  'oversized',
  'redirect',
] as const;
export type WholeFaultKind = (typeof WHOLE_FAULT_KINDS)[number];

/**
 * What can go wrong with one item of a batch, or with the order that an answer is about; `item` counts from 0.
 * - `reset_midway`: items before `item` are handled, then the connection is reset without an answer
 * - `refuse_item`: that item is not handled, it answers an error of `status` (500)
 * - `fail_item`: that item answers such an error although it was handled
 * - `cut_items`: handled, the answer's JSON ends after `item` items
 * - `drop_item`: handled, the answer has no such item
 * - `reorder_items`: handled, the items of the answer come in reverse order
 * - `other_order`: handled, the answer names another order and its sizes
 */
const ITEM_FAULT_KINDS = [
  'reset_midway',
  'refuse_item',
  'fail_item',
  'cut_items',
  'drop_item',
  'reorder_items',
  'other_order',
] as const;
export type ItemFaultKind = (typeof ITEM_FAULT_KINDS)[number];

const FAULT_KINDS = [...WHOLE_FAULT_KINDS, ...ITEM_FAULT_KINDS] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export function isItemFault(kind: FaultKind): kind is ItemFaultKind {
  return ITEM_FAULT_KINDS.some((candidate) => candidate === kind);
}

/** One fault as posted to the control server. `times` is how many more requests it hits, once `after` others have passed. */
export interface Fault {
  exchange: ExchangeName;
  /** Upper case, or `*` for every method. */
  method: string;
  /** Prefix of the request's path, either whole or counted from the exchange's base address. */
  path: string;
  fault: FaultKind;
  times: number;
  after?: number;
  item?: number;
  status?: number;
  delay_ms?: number;
  body?: unknown;
  headers?: Record<string, string>;
  location?: string;
}

/** A fault that cannot be understood; the message names the field and what it should hold. */
export class InvalidFault extends Error {}

/** The armed faults, shared by all servers of the sandbox. The oldest one that fits a request is used up first. */
export class FaultList {
  #faults: Fault[] = [];

  add(fault: Fault): void {
    this.#faults.push({ ...fault });
  }

  /** Disarms everything and says how many faults there were. */
  clear(): number {
    const count = this.#faults.length;
    this.#faults = [];
    return count;
  }

  list(): readonly Fault[] {
    return this.#faults.map((fault) => ({ ...fault }));
  }

  /** The fault to apply to a request, counted down; `paths` are the spellings of the request's path. */
  take(exchange: ExchangeName, method: string, paths: readonly string[]): Fault | undefined {
    const fault = this.#faults.find(
      (candidate) =>
        candidate.exchange === exchange &&
        (candidate.method === '*' || candidate.method === method) &&
        paths.some((path) => path.startsWith(candidate.path)),
    );
    if (fault === undefined) return undefined;
    if (fault.after !== undefined && fault.after > 0) {
      fault.after -= 1;
      return undefined;
    }
    fault.times -= 1;
    if (fault.times <= 0) this.#faults = this.#faults.filter((other) => other !== fault);
    return fault;
  }
}

/** Checks a fault that came as JSON. `times` left out is 1. Throws `InvalidFault`. */
export function parseFault(input: unknown): Fault {
  if (!isRecord(input)) throw new InvalidFault('The body must be a JSON object.');
  const unknown = Object.keys(input).find((key) => !FIELDS.has(key));
  if (unknown !== undefined) throw new InvalidFault(`Unknown field ${JSON.stringify(unknown)}.`);
  return {
    exchange: oneOf(input.exchange, 'exchange', EXCHANGE_NAMES),
    method: parseMethod(input.method),
    path: parsePath(input.path),
    fault: oneOf(input.fault, 'fault', FAULT_KINDS),
    times: optional(input.times, (value) => whole(value, 'times', [1, 1_000_000])) ?? 1,
    ...parseExtras(input),
  };
}

const FIELDS = new Set([
  'exchange',
  'method',
  'path',
  'fault',
  'times',
  'after',
  'item',
  'status',
  'delay_ms',
  'body',
  'headers',
  'location',
]);

/** What is left out stays left out. */
function parseExtras(input: Record<string, unknown>): Partial<Fault> {
  const { fault } = input;
  if (fault === 'status' && isMissing(input.status))
    throw new InvalidFault('status must be given with the fault "status".');
  if (fault === 'delay' && isMissing(input.delay_ms))
    throw new InvalidFault('delay_ms must be given with the fault "delay".');
  const extras = Object.entries(EXTRAS)
    .filter(([name]) => !isMissing(input[name]))
    .map(([name, parse]) => [name, parse(input[name])]);
  return { ...Object.fromEntries(extras), ...(input.body === undefined ? {} : { body: input.body }) } as Partial<Fault>;
}

const EXTRAS: Readonly<Record<string, (value: unknown) => unknown>> = {
  after: (value) => whole(value, 'after', [0, 1_000_000]),
  item: (value) => whole(value, 'item', [0, 1_000]),
  status: (value) => whole(value, 'status', [200, 599]),
  delay_ms: (value) => whole(value, 'delay_ms', [0, 600_000]),
  headers: parseHeaders,
  location: (value) => text(value, 'location'),
};

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

function parseMethod(value: unknown): string {
  const method = text(value, 'method').toUpperCase();
  if (!/^([A-Z]+|\*)$/.test(method)) throw new InvalidFault('method must be an HTTP method, or "*" for all.');
  return method;
}

function parsePath(value: unknown): string {
  const path = text(value, 'path');
  if (!path.startsWith('/')) throw new InvalidFault('path must be the beginning of a path and start with "/".');
  return path;
}

function parseHeaders(value: unknown): Record<string, string> {
  if (!isRecord(value)) throw new InvalidFault('headers must be an object of strings.');
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [name, text(content, `headers.${name}`)]));
}

export function optional<T>(value: unknown, parse: (value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : parse(value);
}

export function text(value: unknown, field: string): string {
  if (typeof value !== 'string' || value === '') throw new InvalidFault(`${field} must be a non-empty string.`);
  return value;
}

export function whole(value: unknown, field: string, [low, high]: [number, number]): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < low || value > high)
    throw new InvalidFault(`${field} must be a whole number from ${low} to ${high}.`);
  return value;
}

export function oneOf<T extends string>(value: unknown, field: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new InvalidFault(`${field} must be one of: ${allowed.join(', ')}.`);
  return found;
}
