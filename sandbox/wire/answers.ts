import { randomBytes, randomUUID } from 'node:crypto';
import { type Fault, type ItemFaultKind } from './faults.js';
import { type ItemFaults } from './items.js';
import { isRecord, type Json } from './json.js';

/** The answer of a stand-in; `body` goes out as JSON unless `content-type` says it is text; an absent one is empty. */
export interface Answered {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

const OVERSIZED_PADDING_BYTES = 6 * 1024 * 1024;
/** Where the answers to batches have their items. */
const LISTS = ['orders', 'canceled'] as const;
/** What an answer says of its order. */
const IDS = ['order_id', 'orderID', 'id'];
const COUNTS = ['remaining_count', 'fill_count', 'reduced_by'];

export function textOf({ body, headers }: Answered): string {
  if (body === undefined) return '';
  const isText = headers?.['content-type']?.startsWith('text/') === true;
  return isText && typeof body === 'string' ? body : JSON.stringify(body);
}

export function withHeaders(answer: Answered, fault: Fault): Answered {
  return { ...answer, headers: { ...answer.headers, ...fault.headers } };
}

/** `fault.body` as it stands, else half of the answer. */
export function brokenText(answer: Answered, fault: Fault): string {
  if (fault.body !== undefined) return typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body);
  const whole = JSON.stringify(answer.body ?? {});
  return whole.length > 3 ? whole.slice(0, Math.ceil(whole.length / 2)) : '{"';
}

/** A valid answer with so much beside it that nobody should read it to the end. */
export function padded(body: unknown): unknown {
  const padding = 'x'.repeat(OVERSIZED_PADDING_BYTES);
  if (Array.isArray(body)) return [...(body as unknown[]), { padding }];
  return isRecord(body) ? { ...body, padding } : { body, padding };
}

/** How the exchange is to handle the items of a request that such a fault hits. */
export function itemFaultsOf({ fault, item = 0, status = 500 }: Fault): ItemFaults {
  if (fault === 'reset_midway') return { handled: item };
  if (fault === 'refuse_item') return { refused: { item, status } };
  return fault === 'fail_item' ? { failed: { item, status } } : {};
}

/** The text of the answer as such a fault leaves it; an answer without items is only renamed. */
export function itemFaultText(kind: ItemFaultKind, answer: Answered, { item = 0 }: Fault): string {
  const { body } = answer;
  if (kind === 'other_order') return textOf({ ...answer, body: ofOtherOrder(body) });
  const items = itemsOf(body);
  if (items === undefined) return textOf(answer);
  if (kind === 'cut_items') return cutAfter(JSON.stringify(body), items, item);
  const rest = kind === 'drop_item' ? items.toSpliced(item, 1) : kind === 'reorder_items' ? items.toReversed() : items;
  return JSON.stringify(withItems(body, rest));
}

function itemsOf(body: unknown): unknown[] | undefined {
  if (Array.isArray(body)) return body as unknown[];
  return isRecord(body) ? LISTS.map((name) => body[name]).find((list) => Array.isArray(list)) : undefined;
}

function withItems(body: unknown, items: unknown[]): unknown {
  if (!isRecord(body)) return items;
  const name = LISTS.find((candidate) => Array.isArray(body[candidate]));
  return name === undefined ? body : { ...body, [name]: items };
}

/** The answer up to the end of some of its items, as of a connection that broke there. */
function cutAfter(whole: string, items: unknown[], count: number): string {
  const before = whole.slice(0, whole.indexOf(JSON.stringify(items)));
  const kept = JSON.stringify(items.slice(0, count)).slice(0, -1);
  return `${before}${kept}${count > 0 && count < items.length ? ',' : ''}`;
}

/** The same answer with the id and the sizes of an order that nobody knows. */
function ofOtherOrder(body: unknown): unknown {
  const items = itemsOf(body);
  if (items !== undefined) return withItems(body, items.map(ofOtherOrder));
  if (!isRecord(body)) return typeof body === 'string' ? otherId(body) : body;
  const renamed = Object.entries(body).map(([name, value]): [string, unknown] => {
    if (IDS.includes(name) && typeof value === 'string') return [name, otherId(value)];
    return [name, COUNTS.includes(name) && typeof value === 'string' ? '7.00' : value];
  });
  return Object.fromEntries(renamed) satisfies Json;
}

function otherId(id: string): string {
  return id.startsWith('0x') ? `0x${randomBytes(32).toString('hex')}` : randomUUID();
}
