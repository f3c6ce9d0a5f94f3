import { answersOf } from '../../wire/items.js';
import { parseJson } from '../../wire/json.js';
import { Refusal } from '../../wire/refusal.js';
import { type Routes } from '../../wire/router.js';
import { type Exchange } from '../exchange.js';
import { type Placement } from '../exchange.js';
import { toDecimal } from '../format.js';
import { errorText, refusal, TEXTS } from '../refusals.js';
import { type ApiCredentials } from '../signing/l2-signature.js';
import { signed, type SignedCall } from './auth.js';
import { checkOrder } from './order-check.js';
import { parsePostedOrder, type PostedOrder, readPostedOrder } from './order-request.js';

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

/** Placing orders (polymarket.md 7.1). */
export function orderRoutes(exchange: Exchange): Routes {
  return signed(exchange.accounts, {
    'POST /order': ({ account, request }) => createOrder(exchange, account, parsePostedOrder(request.body)),
    'POST /orders': (call) => createOrders(exchange, call),
  });
}

function createOrder(exchange: Exchange, credentials: ApiCredentials, posted: PostedOrder): PlacedOrder {
  const order = checkOrder(exchange, credentials, posted);
  if (order.market.seed.behaviour === 'reject') return rejected(TEXTS.notReady);
  return placed(order.id, exchange.place(order));
}

/** Up to 15 orders; each has an answer of its own. */
function createOrders(exchange: Exchange, { account, request }: SignedCall): PlacedOrder[] {
  const body = parseJson(request.body);
  if (!Array.isArray(body) || body.length === 0) throw refusal(TEXTS.payload);
  if (body.length > MAX_BATCH) {
    throw refusal(`Too many orders in payload: ${body.length}, max allowed: ${MAX_BATCH}`);
  }
  const create = (entry: unknown): PlacedOrder => {
    try {
      return createOrder(exchange, account, readPostedOrder(entry));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return failed(error.message);
    }
  };
  return answersOf(body as readonly unknown[], request.items, {
    run: create,
    refuse: (status) => failed(errorText(status)),
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

function failed(errorMsg: string): PlacedOrder {
  return { ...rejected(errorMsg), success: false };
}

/** `success: true` with an `errorMsg` is a rejection. */
function rejected(errorMsg: string): PlacedOrder {
  return { success: true, errorMsg, orderID: '', status: '', takingAmount: '', makingAmount: '' };
}
