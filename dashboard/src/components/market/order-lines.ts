import type { OrderBody } from '../../api/order-body.js';
import type { Language } from '../languages.js';

/** Stands where the key belongs: no key looks like it. */
const KEY = 'YOUR_KEY';

/** A call that places one order. */
export interface OrderCall {
  /** Of the service. */
  readonly url: string;
  readonly exchange: string;
  readonly body: OrderBody;
  /** The same order is placed once under it. */
  readonly idempotencyKey: string;
}

/** A word of a shell, whatever is in it. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * As JSON, of signs of ASCII alone: what turns the direction of a line or cannot be seen is copied as its code. A text in it is one of
 * TypeScript and of Python too.
 */
function quoted(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function curl({ url, exchange, body, idempotencyKey }: OrderCall): string {
  return [
    `curl -s ${shellWord(`${url}/${exchange}/orders`)}`,
    `  -H 'Authorization: Bearer ${KEY}'`,
    `  -H 'Content-Type: application/json'`,
    `  -H ${shellWord(`Idempotency-Key: ${idempotencyKey}`)}`,
    `  -d ${shellWord(quoted(body))}`,
  ].join(' \\\n');
}

function typescript({ url, exchange, body, idempotencyKey }: OrderCall): string {
  return [
    `import { TradingProxy } from 'trading-proxy-client';`,
    '',
    `const client = new TradingProxy(${quoted(url)}, { apiKey: '${KEY}' });`,
    `const order = await client.exchange(${quoted(exchange)}).orders.create(`,
    '  {',
    ...Object.entries<string | boolean>({ ...body }).map(([name, value]) => `    ${name}: ${quoted(value)},`),
    '  },',
    `  { idempotencyKey: ${quoted(idempotencyKey)} },`,
    ');',
    'console.log(order.id, order.status);',
  ].join('\n');
}

function python({ url, exchange, body, idempotencyKey }: OrderCall): string {
  const valueOf = (value: string | boolean): string => {
    if (typeof value === 'string') return quoted(value);
    return value ? 'True' : 'False';
  };
  return [
    'from trading_proxy_client import TradingProxy',
    '',
    `with TradingProxy(${quoted(url)}, api_key="${KEY}") as client:`,
    `    order = client.exchange(${quoted(exchange)}).orders.create(`,
    ...Object.entries<string | boolean>({ ...body }).map(([name, value]) => `        ${name}=${valueOf(value)},`),
    `        idempotency_key=${quoted(idempotencyKey)},`,
    '    )',
    '    print(order.id, order.status)',
  ].join('\n');
}

const LINES: Readonly<Record<Language, (call: OrderCall) => string>> = { curl, typescript, python };

/** The lines of a program that places exactly this order. No text of an exchange is in them but ids, as data. */
export function orderLines(language: Language, call: OrderCall): string {
  return LINES[language](call);
}
