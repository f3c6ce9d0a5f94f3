import { type Deviation, type DocumentName, type Schema } from '../support/openapi.js';

const TEXT: Schema = { type: 'string' };
const FLAG: Schema = { type: 'boolean' };

function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

const ON_THE_WIRE = 'exchanges/README.md 2: on the wire, but not in the document';
const LOG_OCTOBER = 'kalshi.md 4.1: added on 2026-10-01, after 3.28.0';

function sent(
  document: DocumentName,
  schema: string,
  properties: Record<string, Schema>,
  because = ON_THE_WIRE,
): Deviation[] {
  return Object.entries(properties).map(([name, is]) => ({ document, of: 'property', schema, name, is, because }));
}

/** What came with V2 markets, after the document was written. */
function ofV2(document: DocumentName, schema: string, properties: Record<string, Schema>): Deviation[] {
  return sent(document, schema, properties).map((one) => ({ ...one, because: 'polymarket.md 10.2: V2 markets' }));
}

/** Calls of the CLOB that its document leaves out. */
function asked(answers: Record<string, Schema>): Deviation[] {
  const because = 'not in the document, but the official client asks for it';
  return Object.entries(answers).map(([operation, is]) => ({
    document: 'polymarket-clob',
    of: 'answer',
    operation,
    status: 200,
    is,
    because,
  }));
}

const ENTRY = object({ code: TEXT, message: TEXT, details: TEXT }, ['details']);

/**
 * Everything in which the exchanges' answers are known to differ from their published documents, with the source.
 * Nothing else may: a new entry needs a line in a fact sheet first.
 */
export const DEVIATIONS: readonly Deviation[] = [
  {
    document: 'kalshi',
    of: 'refusals',
    which: 'all',
    is: { anyOf: [object({ error: ENTRY }), ENTRY, object({ msg: TEXT }), object({ error: TEXT })] },
    because: 'kalshi.md 11: four error shapes are on the wire, the document knows one of them',
  },
  {
    document: 'kalshi',
    of: 'required',
    schema: 'EventData',
    name: 'available_on_brokers',
    because: 'exchanges/README.md 1: gone from payloads since 2026-09-10',
  },
  {
    document: 'kalshi',
    of: 'property',
    schema: 'Series',
    name: 'categories',
    is: { type: 'array', items: TEXT },
    because: 'exchanges/README.md 1: added after 3.28.0',
  },
  ...sent(
    'kalshi',
    'Market',
    { settlement_bounds_type: { enum: ['default', 'floor'] }, settlement_floor_dollars: TEXT },
    LOG_OCTOBER,
  ),
  {
    document: 'polymarket-clob',
    of: 'property',
    schema: 'OpenOrder',
    name: 'status',
    is: { enum: ['LIVE', 'MATCHED', 'CANCELED', 'INVALID', 'CANCELED_MARKET_RESOLVED'] },
    because: 'polymarket.md 7.2: sent without the prefix ORDER_STATUS_',
  },
  {
    document: 'polymarket-clob',
    of: 'property',
    schema: 'Trade',
    name: 'status',
    is: { enum: ['MATCHED', 'MINED', 'CONFIRMED', 'RETRYING', 'FAILED'] },
    because: 'polymarket.md 9.1: sent without the prefix TRADE_STATUS_',
  },
  {
    document: 'polymarket-clob',
    of: 'property',
    schema: 'SendOrderResponse',
    name: 'status',
    is: { enum: ['live', 'matched', 'delayed', ''] },
    because: 'polymarket.md 7.1: a rejection comes as 200 with errorMsg, and then no status applies',
  },
  ...sent('polymarket-clob', 'ClobMarketDetails', { c: TEXT, aot: TEXT, v: TEXT, ao: FLAG, cbos: FLAG }),
  ...asked({
    'GET /ok': { const: 'OK' },
    'GET /version': object({ version: { const: 2 } }),
    'GET /markets': { $ref: '#/components/schemas/PaginatedMarkets' },
    'GET /markets/{condition_id}': { $ref: '#/components/schemas/Market' },
    'GET /v1/user/session-signers': object({
      wallet: TEXT,
      signers: {
        type: 'array',
        items: object({ address: TEXT, scopes: { type: 'array', items: TEXT }, valid_until: { type: 'integer' } }),
      },
    }),
  }),
  {
    document: 'polymarket-clob',
    of: 'refusals',
    which: 'undescribed',
    is: { $ref: '#/components/schemas/ErrorResponse' },
    because: 'polymarket.md 13: one error shape; the document lists that of its market lists without a body',
  },
  ...sent('polymarket-gamma', 'Market', {
    negRisk: FLAG,
    negRiskMarketID: TEXT,
    negRiskRequestID: TEXT,
    version: TEXT,
  }),
  ...sent('polymarket-gamma', 'Event', { negRiskAugmented: FLAG }),
  ...ofV2('polymarket-gamma', 'Market', {
    positionIds: { type: ['array', 'null'], items: TEXT },
    resolutionStatus: TEXT,
  }),
  ...ofV2('polymarket-gamma', 'Event', { version: { type: ['string', 'null'] } }),
  ...ofV2('polymarket-clob', 'OrderBookSummary', { version: TEXT }),
  {
    document: 'polymarket-gamma',
    of: 'refusals',
    which: 'undescribed',
    is: object({ type: TEXT, error: TEXT }),
    because: 'polymarket.md 13: the document lists most of them without a body',
  },
];
