import { parseJson } from '../../wire/json.js';
import { type WireRequest } from '../../wire/server.js';
import { authenticate } from './auth.js';
import { ok } from './routes.js';
import { type ExchangeState } from '../exchange.js';
import { type ApiCredentials } from '../signing/l2-signature.js';
import { checkOrder } from './order-check.js';
import { parsePostedOrder, type PostedOrder, readPostedOrder } from './order-request.js';
import { Refused, TEXTS } from '../refusals.js';
import { type Routes } from '../router.js';
import { type Placement } from '../trading.js';
import { toDecimal } from '../units.js';

const MAX_BATCH = 15;

/** The answer to an order; amounts are plain decimals, empty for an order that rests. */
interface PlacedOrder {
  success: boolean;
  errorMsg: string;
  orderID: string;
  status: string;
  takingAmount: string;
  makingAmount: string;
  tradeIDs?: string[];
}

/** Placing orders (`polymarket.md` 7). */
export function orderRoutes(state: ExchangeState): Routes {
  return {
    'POST /order': (request) => {
      const credentials = authenticate(state.accounts, request);
      return ok(place(state, credentials, parsePostedOrder(request.body)));
    },
    'POST /orders': (request) => ok(placeAll(state, request)),
  };
}

function place(state: ExchangeState, credentials: ApiCredentials, posted: PostedOrder): PlacedOrder {
  const order = checkOrder(state, credentials, posted);
  if (order.market.seed.behaviour === 'reject') return rejected(TEXTS.notReady);
  return placed(order.id, state.trading.place(order));
}

/** Up to 15 orders; each has an answer of its own. */
function placeAll(state: ExchangeState, request: WireRequest): PlacedOrder[] {
  const credentials = authenticate(state.accounts, request);
  const body = parseJson(request.body);
  if (!Array.isArray(body) || body.length === 0) throw new Refused(TEXTS.payload);
  if (body.length > MAX_BATCH) {
    throw new Refused(`Too many orders in payload: ${body.length}, max allowed: ${MAX_BATCH}`);
  }
  return body.map((entry: unknown) => {
    try {
      return place(state, credentials, readPostedOrder(entry));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { ...rejected(error.message), success: false };
    }
  });
}

function placed(orderID: string, { status, making, taking, trades }: Placement): PlacedOrder {
  const matched = status === 'matched';
  return {
    success: true,
    errorMsg: '',
    orderID,
    status,
    takingAmount: matched ? toDecimal(taking) : '',
    makingAmount: matched ? toDecimal(making) : '',
    ...(matched ? { tradeIDs: trades.map((trade) => trade.id) } : {}),
  };
}

/** `success: true` with an `errorMsg` is a rejection. */
function rejected(errorMsg: string): PlacedOrder {
  return { success: true, errorMsg, orderID: '', status: '', takingAmount: '', makingAmount: '' };
}
