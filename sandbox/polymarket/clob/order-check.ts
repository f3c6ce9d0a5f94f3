import { ONE } from '../../units.js';
import { type Exchange } from '../exchange.js';
import { toDecimal } from '../format.js';
import { type Market, onTick } from '../market.js';
import { type CheckedOrder } from '../order.js';
import { refusal, TEXTS } from '../refusals.js';
import { isAddress, recoverSigner, sameAddress } from '../signing/address.js';
import { toHex } from '../signing/hex.js';
import { type ApiCredentials } from '../signing/l2-signature.js';
import {
  depositWalletDigest,
  exchangeDomain,
  ORDER_TYPE,
  orderDigest,
  orderHash,
  orderStructHash,
} from '../signing/typed-data.js';
import { signatureBytes } from './auth.js';
import { type PostedOrder } from './order-request.js';

/** GTD orders must live that long at least, in seconds. */
const MIN_LIFE_S = 180;
const SIGNATURE_BYTES = 65;

/**
 * Everything the exchange checks before an order meets the book, in its order (polymarket.md 7): owner, signer,
 * market, signature, duplicate, market state, tick, size, expiration. Throws a refusal.
 */
export function checkOrder(exchange: Exchange, credentials: ApiCredentials, posted: PostedOrder): CheckedOrder {
  const { order, owner } = posted;
  if (owner !== credentials.apiKey) throw refusal(TEXTS.owner);
  checkSigner(credentials, posted);
  const token = exchange.catalogue.findToken(order.tokenId);
  if (token === undefined) throw refusal(noOrderbook(order.tokenId));
  const { market } = token;
  checkSignature(credentials, posted, market);
  if (!exchange.accounts.claim(credentials.address, order.signatureType, order.maker)) throw refusal(TEXTS.signature);
  const id = orderHash(order, market.negRisk);
  if (exchange.isKnown(id)) throw refusal(`order ${id} is invalid. Duplicated.`);
  checkMarket(market, order.tokenId);
  const { price, size } = terms(posted, market, id);
  return {
    id,
    account: credentials.address,
    owner,
    maker: order.maker,
    ...token,
    side: order.side,
    price,
    size,
    orderType: posted.orderType,
    postOnly: checkedPostOnly(posted),
    expiration: checkedExpiration(posted, exchange.clock()),
  };
}

/** The signer is the wallet that made the API key, except for a deposit wallet, which signs for itself (ERC-1271). */
function checkSigner(credentials: ApiCredentials, { order }: PostedOrder): void {
  const expected = order.signatureType === 3 ? order.maker : credentials.address;
  if (!isAddress(order.signer) || !sameAddress(order.signer, expected)) throw refusal(TEXTS.signer);
}

function checkSignature(credentials: ApiCredentials, { order }: PostedOrder, market: Market): void {
  const signature = signatureBytes(order.signature);
  const signer =
    order.signatureType === 3
      ? depositWalletSigner(order, market, signature)
      : recoverSigner(orderDigest(order, market.negRisk), signature);
  if (signer !== credentials.address) throw refusal(TEXTS.signature);
}

/**
 * ERC-7739: the owner's 65 bytes, the exchange's domain separator, the order's struct hash, the type text and its
 * length in two bytes. The wallet's contract compares all of them; so does this.
 */
function depositWalletSigner(order: PostedOrder['order'], market: Market, signature: Uint8Array): string | undefined {
  const length = ORDER_TYPE.length.toString(16).padStart(4, '0');
  const expected = [
    toHex(exchangeDomain(market.negRisk)),
    toHex(orderStructHash(order)).slice(2),
    Buffer.from(ORDER_TYPE, 'utf8').toString('hex'),
    length,
  ].join('');
  if (toHex(signature.slice(SIGNATURE_BYTES)) !== expected) return undefined;
  return recoverSigner(depositWalletDigest(order, market.negRisk), signature.slice(0, SIGNATURE_BYTES));
}

function checkMarket(market: Market, tokenId: string): void {
  if (!market.hasBook) throw refusal(noOrderbook(tokenId));
  if (!market.acceptingOrders) throw refusal(TEXTS.notReady);
}

function noOrderbook(tokenId: string): string {
  return `the orderbook ${tokenId} does not exist`;
}

/** Price and size of the signed amounts, in millionths. */
function terms(posted: PostedOrder, market: Market, id: string): { price: bigint; size: bigint } {
  const { side, makerAmount, takerAmount } = posted.order;
  const [money, size] =
    side === 'BUY' ? [BigInt(makerAmount), BigInt(takerAmount)] : [BigInt(takerAmount), BigInt(makerAmount)];
  if (money === 0n || size === 0n) throw refusal(TEXTS.payload);
  const price = priceOf(posted, market, { money, size });
  if (price === undefined || price < market.tick || price > ONE - market.tick) {
    const said = Number(money) / Number(size);
    throw refusal(`order ${id} is invalid. Price (${said}) breaks minimum tick size rule: ${market.seed.tick}`);
  }
  if (size < market.minSize) {
    throw refusal(
      `order ${id} is invalid. Size (${toDecimal(size)}) lower than the minimum: ${toDecimal(market.minSize)}`,
    );
  }
  return { price, size };
}

/** Exactly on the tick; only the shares of a market BUY (FOK, FAK) may be rounded, as the wallet libraries do. */
function priceOf(
  posted: PostedOrder,
  market: Market,
  { money, size }: { money: bigint; size: bigint },
): bigint | undefined {
  const nearest = onTick((money * ONE) / size, market.tick);
  const off = nearest * size - money * ONE;
  const isMarketBuy = posted.order.side === 'BUY' && (posted.orderType === 'FOK' || posted.orderType === 'FAK');
  const allowed = isMarketBuy ? nearest * roundingOf(market) : 0n;
  return off > allowed || -off > allowed ? undefined : nearest;
}

/** Shares are cut to as many decimals as money on the tick has: two more than the price. In millionths. */
function roundingOf(market: Market): bigint {
  const decimals = (market.seed.tick.split('.')[1] ?? '').length + 2;
  return 10n ** BigInt(Math.max(0, 6 - decimals));
}

function checkedPostOnly({ postOnly, orderType }: PostedOrder): boolean {
  if (postOnly && (orderType === 'FOK' || orderType === 'FAK')) throw refusal(TEXTS.postOnlyType);
  return postOnly;
}

/** Only GTD orders expire, and not too soon. */
function checkedExpiration({ order, orderType }: PostedOrder, now: Date): number {
  const expiration = Number(order.expiration);
  const fits = orderType === 'GTD' ? expiration >= now.getTime() / 1000 + MIN_LIFE_S : expiration === 0;
  if (!fits || !Number.isSafeInteger(expiration)) throw refusal(TEXTS.expiration);
  return expiration;
}
