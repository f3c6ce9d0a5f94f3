import { SECOND } from '../../times.js';
import { type AmendRequest } from '../amending.js';
import { type RouteTarget } from '../exchange.js';
import { refusal } from '../refusals.js';
import { decodeObject, Fields, parseCount, parseIndex, parsePrice, parseSize, SIDES } from './order-request.js';

const AMEND = 'AmendOrderV2Request';
const DECREASE = 'DecreaseOrderV2Request';

/** Reads the body of an amend: `expiration_time` 0 takes the expiry away, without it the order keeps its own. */
export function parseAmend(body: string): { change: AmendRequest; exchangeIndex: number | undefined } {
  const fields = new Fields(decodeObject(body, AMEND), AMEND);
  const ticker = fields.requiredText('ticker');
  const side = fields.choice('side', SIDES);
  const price = parsePrice(fields.requiredText('price'));
  const total = parseCount(fields.requiredText('count'));
  const expiration = fields.integer('expiration_time');
  const expiresAt = expiration === undefined ? undefined : expiration === 0 ? null : expiration * SECOND;
  const change = {
    ...{ ticker, side, price, total, expiresAt },
    clientOrderId: filled(fields.text('client_order_id')),
    updatedClientOrderId: filled(fields.text('updated_client_order_id')),
  };
  return { change, exchangeIndex: parseIndex(fields.integer('exchange_index')) };
}

/** Reads the body of a decrease, which says by how much or to what, one of the two. */
export function parseDecrease(body: string): { size: { by: bigint } | { to: bigint }; target: RouteTarget } {
  const fields = new Fields(decodeObject(body, DECREASE), DECREASE);
  const [by, to] = [fields.text('reduce_by'), fields.text('reduce_to')];
  const target = { exchangeIndex: parseIndex(fields.integer('exchange_index')), ticker: fields.text('market_ticker') };
  if (by !== undefined && to === undefined) return { size: { by: parseSize(by, 'reduce_by') }, target };
  if (to !== undefined && by === undefined) return { size: { to: parseSize(to, 'reduce_to') }, target };
  throw refusal(400, 'bad_request', 'exactly one of reduce_by and reduce_to is required');
}

/** An empty text is as good as none. */
function filled(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
