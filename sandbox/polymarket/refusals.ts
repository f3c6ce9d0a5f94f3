import { Refusal } from '../wire/refusal.js';

/** A refusal in the CLOB's body shape, `{ "error": … }`. */
export function refusal(text: string, status = 400): Refusal {
  return new Refusal(status, { error: text }, text);
}

/** The CLOB's own texts (its error-code page, polymarket.md 13). */
export const TEXTS = {
  unauthorized: 'Unauthorized/Invalid api key',
  l1: 'Invalid L1 Request headers',
  payload: 'Invalid order payload',
  orderId: 'Invalid orderID',
  tokenId: 'Invalid token id',
  noBook: 'No orderbook exists for the requested token id',
  marketNotFound: 'market not found',
  owner: 'the order owner has to be the owner of the API KEY',
  signer: 'the order signer address has to be the address of the API KEY',
  signature: 'invalid signature',
  version: 'order_version_mismatch',
  orderVersion: 'invalid order version',
  depositWallet: 'maker address not allowed, please use the deposit wallet flow',
  /** Ours: what the exchange says of a key that trades for no deposit wallet is not known. */
  noDepositWallet: 'the API KEY is neither the owner nor a usable session signer of a deposit wallet',
  /** Ours too. */
  noOwner: 'the API KEY is not that of the owner of a deposit wallet',
  balance: 'not enough balance / allowance',
  expiration: 'invalid expiration',
  postOnlyType: 'invalid post-only order: only GTC and GTD order types are allowed',
  crosses: 'invalid post-only order: order crosses book',
  fok: "order couldn't be fully filled. FOK orders are fully filled or killed.",
  fak: 'no orders found to match with FAK order. FAK orders are partially filled or killed if no match is found.',
  notReady: 'the market is not yet ready to process new orders',
} as const;

const ERRORS: Readonly<Record<number, string>> = {
  401: 'Unauthorized/Invalid api key',
  403: 'Trading restricted in your region, please refer to available regions',
  404: 'Not Found',
  405: 'Method Not Allowed',
  429: 'Too Many Requests',
  500: 'Internal server error',
  503: 'Trading is currently disabled. Check polymarket.com for updates',
};

/** What the CLOB says with a status that a fault or an unknown path produces. */
export function errorText(status: number): string {
  return ERRORS[status] ?? `status ${status}`;
}
