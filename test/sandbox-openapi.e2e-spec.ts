import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.js';
import { type Answer, type Call, Stand } from './openapi/calls.js';
import { DEVIATIONS } from './openapi/deviations.js';
import { KALSHI_CALLS } from './openapi/kalshi-calls.js';
import { POLYMARKET_CALLS } from './openapi/polymarket-calls.js';
import { POLYMARKET_DATA_CALLS } from './openapi/polymarket-data-calls.js';
import { POLYMARKET_GAMMA_CALLS } from './openapi/polymarket-gamma-calls.js';
import { adapterPaths, anonymous, sandboxRoutes } from './openapi/sources.js';
import { Contract, type Deviation, type DocumentName, DOCUMENTS } from './support/openapi.js';

const CALLS = [...KALSHI_CALLS, ...POLYMARKET_CALLS, ...POLYMARKET_GAMMA_CALLS, ...POLYMARKET_DATA_CALLS];

/** What the adapters in `src/exchanges` ask of the exchanges. */
const ADAPTER_OPERATIONS: Record<DocumentName, readonly string[]> = {
  kalshi: [
    'GET /account/limits',
    'GET /api_keys',
    'GET /events',
    'GET /events/{event_ticker}',
    'GET /exchange/status',
    'GET /historical/cutoff',
    'GET /historical/fills',
    'GET /historical/markets',
    'GET /historical/markets/{ticker}',
    'GET /historical/markets/{ticker}/candlesticks',
    'GET /historical/orders',
    'GET /historical/positions',
    'GET /historical/trades',
    'GET /markets',
    'GET /markets/candlesticks',
    'GET /markets/orderbooks',
    'GET /markets/trades',
    'GET /markets/{ticker}',
    'GET /markets/{ticker}/orderbook',
    'GET /portfolio/balance',
    'DELETE /portfolio/events/orders/batched',
    'DELETE /portfolio/events/orders/{order_id}',
    'POST /portfolio/events/orders',
    'POST /portfolio/events/orders/{order_id}/amend',
    'GET /portfolio/fills',
    'POST /portfolio/intra_exchange_instance_transfer',
    'GET /portfolio/intra_exchange_instance_transfers',
    'GET /portfolio/orders',
    'GET /portfolio/orders/{order_id}',
    'GET /portfolio/positions',
    'GET /portfolio/settlements',
    'GET /portfolio/summary/total_resting_order_value',
    'GET /series/{series_ticker}',
  ],
  'polymarket-clob': [
    'GET /auth/ban-status/closed-only',
    'GET /auth/derive-api-key',
    'POST /auth/api-key',
    'GET /balance-allowance',
    'GET /book',
    'POST /books',
    'GET /clob-markets/{condition_id}',
    'GET /data/order/{orderID}',
    'GET /data/orders',
    'GET /data/trades',
    'GET /markets-by-token/{token_id}',
    'GET /neg-risk',
    'DELETE /order',
    'POST /order',
    'DELETE /orders',
    'GET /prices-history',
    'GET /time',
    'GET /v1/user/session-signers',
  ],
  'polymarket-gamma': [
    'GET /events/keyset',
    'GET /events/slug/{slug}',
    'GET /events/{id}',
    'GET /markets/keyset',
    'GET /markets/slug/{slug}',
    'GET /markets/{id}',
    'GET /public-search',
    'GET /tags/slug/{slug}',
  ],
  'polymarket-data-v2': [
    'GET /v2/activity',
    'GET /v2/positions',
    'GET /v2/prices-history',
    'GET /v2/trades',
    'GET /v2/value',
  ],
};

/** Later than the host, so that the trades of the beginning have reached the chain. */
let ahead = 0;
const clock = (): Date => new Date(Date.now() + ahead);

let sandbox: Sandbox;
let stand: Stand;
const contracts = new Map<DocumentName, Contract>();
/** Each call is made once, whichever test asks first. */
const answers = new Map<Call, Promise<Answer & { request: string }>>();

beforeAll(async () => {
  for (const name of DOCUMENTS) contracts.set(name, await Contract.load(name, DEVIATIONS));
  sandbox = await startSandbox({ clock });
  stand = new Stand(sandbox, clock);
  await stand.trade();
  ahead = 3_000;
});

afterAll(() => sandbox.close());

function contractOf(name: DocumentName): Contract {
  const contract = contracts.get(name);
  if (contract === undefined) throw new Error(`${name} is not loaded`);
  return contract;
}

function titleOf({ document, operation, status, note }: Call): string {
  return `${document} ${operation} ${status} ${note}`.trim();
}

/** The list that must hold something; undefined where none is asked for. */
function listIn(body: unknown, name: string | undefined): unknown {
  if (name === undefined) return undefined;
  if (name === '.') return body;
  return typeof body === 'object' && body !== null ? (Reflect.get(body, name) ?? []) : [];
}

/** Method and path of the last request that arrived, as counted from the API's base. */
function lastRequest(): string {
  const last = sandbox.log.list().at(-1);
  return `${last?.method ?? ''} ${last?.path.replace('/trade-api/v2/', '/') ?? ''}`;
}

function answerOf(call: Call): Promise<Answer & { request: string }> {
  const known = answers.get(call) ?? call.run(stand).then((answer) => ({ ...answer, request: lastRequest() }));
  answers.set(call, known);
  return known;
}

function patternOf(operation: string): RegExp {
  return new RegExp(`^${operation.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function operationsOf(document: DocumentName): string[] {
  return [...new Set(CALLS.filter((call) => call.document === document).map(({ operation }) => operation))];
}

function succeeding(document: DocumentName): string[] {
  return CALLS.filter((call) => call.document === document && call.status < 300).map(({ operation }) => operation);
}

describe('contract.md 7 every answer is as the published document says', () => {
  it.each(CALLS.map((call): [string, Call] => [titleOf(call), call]))('%s', async (_title, call) => {
    const { document, operation } = call;
    const { status, body, headers, request } = await answerOf(call);
    expect(request).toMatch(patternOf(operation));
    const contract = contractOf(document);
    expect({ status, defects: contract.defects(operation, status, body) }).toEqual({
      status: call.status,
      defects: [],
    });
    const type = contract.mediaTypeOf(operation, status) ?? 'application/json';
    expect(headers?.get('content-type') ?? type).toBe(type);
    expect(listIn(body, call.holds)).not.toEqual([]);
  });
});

describe('contract.md 7 a refusal on demand has the body that the document lists for that status', () => {
  const cases = DOCUMENTS.flatMap((document) =>
    operationsOf(document).map((operation): [DocumentName, string] => [document, operation]),
  );

  it.each(cases)('%s %s', async (document, operation) => {
    const contract = contractOf(document);
    const [method = '', template = ''] = operation.split(' ');
    const path = template.replaceAll(/\{\w+\}/g, 'x');
    const exchange = document === 'kalshi' ? 'kalshi' : 'polymarket';
    for (const status of contract.refusalsOf(operation)) {
      sandbox.faults.add({ exchange, method, path, fault: 'status', status, times: 1 });
      const response = await fetch(`${stand.urlOf(document)}${path}`, { method });
      const body: unknown = await response.json();
      expect({ status: response.status, defects: contract.defects(operation, status, body) }).toEqual({
        status,
        defects: [],
      });
    }
    expect(sandbox.faults.list()).toEqual([]);
  });
});

describe('exchanges/README.md 2 the samples of the Data API v2 are as our own description of it says', () => {
  it.each([
    ['approvals', 'GET /v2/approvals'],
    ['positions', 'GET /v2/positions'],
    ['positions-closed', 'GET /v2/positions'],
    ['prices-history', 'GET /v2/prices-history'],
    ['resolutions', 'GET /v2/resolutions'],
    ['trades-v2-market', 'GET /v2/trades'],
    ['value', 'GET /v2/value'],
  ])('%s', async (name, operation) => {
    const file = new URL(`vectors/polymarket/polymarket-data-v2-${name}.json`, import.meta.url);
    const body: unknown = JSON.parse(await readFile(file, 'utf8'));
    expect(contractOf('polymarket-data-v2').defects(operation, 200, body)).toEqual([]);
  });
});

describe('what is covered', () => {
  it.each<[DocumentName, string]>([
    ['kalshi', 'kalshi'],
    ['polymarket-clob', 'polymarket/clob'],
    ['polymarket-gamma', 'polymarket/gamma'],
    ['polymarket-data-v2', 'polymarket/data'],
  ])('contract.md 7 every route of the stand-in for %s is called, and nothing else', async (document, api) => {
    expect([...new Set(await sandboxRoutes(api))].sort()).toEqual(operationsOf(document).map(anonymous).sort());
  });

  it.each<['kalshi' | 'polymarket', DocumentName[], string[]]>([
    ['kalshi', ['kalshi'], []],
    // The relayer, which the operator's command calls, has no document.
    ['polymarket', ['polymarket-clob', 'polymarket-gamma', 'polymarket-data-v2'], ['polymarket/relayer']],
  ])(
    'contract.md 7 every path that the adapter of %s calls is among the operations below',
    async (exchange, documents, undocumented) => {
      const documented = documents.flatMap((document) => ADAPTER_OPERATIONS[document]);
      const others = await Promise.all(undocumented.map(sandboxRoutes));
      const paths = [...documented, ...others.flat()].map((one) => one.split(' ')[1] ?? '');
      expect(await adapterPaths(exchange)).toEqual([...new Set(paths.map(anonymous))].sort());
    },
  );

  it.each(DOCUMENTS)(
    'contract.md 7 every operation of %s that an adapter uses is documented and succeeds here',
    (document) => {
      const used = ADAPTER_OPERATIONS[document];
      expect(used.filter((operation) => !contractOf(document).operations.includes(operation))).toEqual([]);
      expect(used.filter((operation) => !succeeding(document).includes(operation))).toEqual([]);
    },
  );
});

describe('the list of deviations', () => {
  it.each(DEVIATIONS.map((one): [string, Deviation] => [`${one.document} ${one.because} ${nameOf(one)}`, one]))(
    'is no longer than it must be: %s',
    async (_title, deviation) => {
      const others = DEVIATIONS.filter((one) => one !== deviation);
      const contract = await Contract.load(deviation.document, others);
      let defects: string[] = [];
      for (const call of CALLS.filter(({ document }) => document === deviation.document)) {
        const { status, body } = await answerOf(call);
        if (defects.length === 0) defects = contract.defects(call.operation, status, body);
      }
      expect(defects).not.toEqual([]);
    },
  );
});

function nameOf(deviation: Deviation): string {
  if (deviation.of === 'refusals') return deviation.which;
  return deviation.of === 'answer' ? deviation.operation : `${deviation.schema}.${deviation.name}`;
}
