import { ONE } from '../../units.js';
import { type Exchange } from '../exchange.js';
import { toDecimal } from '../format.js';
import { type Market, onTick } from '../market.js';
import { type CheckedOrder } from '../order.js';
import { refusal, TEXTS } from '../refusals.js';
import { type Standing } from '../standings.js';
import { toHex } from '../signing/hex.js';
import { type ApiCredentials } from '../signing/l2-signature.js';
import { type Domain, orderDigest } from '../signing/typed-data.js';
import { type Flaw, flawOf } from '../signing/verify.js';
import { type PostedOrder } from './order-request.js';

/** GTD orders must live that long at least, in seconds. */
const MIN_LIFE_S = 180;
/** A V1 order under the domain of V2, and the other way round. */
const WRONG_VERSION: Readonly<Record<Domain, string>> = {
  v1: TEXTS.orderVersion,
  v1_neg_risk: TEXTS.orderVersion,
  v2: TEXTS.version,
};

/**
 * Everything the exchange checks before an order meets the book, in its order (polymarket.md 7.1): owner, market,
 * signature, standing, duplicate, market state, tick, size, expiration. Throws a refusal.
 */
export function checkOrder(exchange: Exchange, credentials: ApiCredentials, posted: PostedOrder): CheckedOrder {
  const { order, owner } = posted;
  if (owner !== credentials.apiKey) throw refusal(TEXTS.owner);
  const token = exchange.catalogue.findToken(order.tokenId);
  if (token === undefined) throw refusal(noOrderbook(order.tokenId));
  const { market } = token;
  if (market.domain === undefined) throw refusal(TEXTS.orderVersion);
  checkSignature(exchange, credentials, { order, domain: market.domain });
  checkStanding(exchange.standings.of(order.maker), order);
  const id = toHex(orderDigest(order, market.domain));
  if (exchange.isKnown(id)) throw refusal(`order ${id} is invalid. Duplicated.`);
  checkMarket(market, order.tokenId);
  const { price, size, budget } = terms(posted, market, id);
  return {
    id,
    account: credentials.address,
    owner,
    maker: order.maker,
    ...token,
    side: order.side,
    price,
    size,
    ...(budget === undefined ? {} : { budget }),
    orderType: posted.orderType,
    postOnly: checkedPostOnly(posted),
    expiration: checkedExpiration(posted, exchange.clock()),
  };
}

/** A smart wallet becomes that of the first who signs well for it; a session key needs the owner's word. */
function checkSignature(
  { accounts, sessions, clock }: Exchange,
  { address }: ApiCredentials,
  { order, domain }: { order: PostedOrder['order']; domain: Domain },
): void {
  const owner = accounts.ownerOf(order.maker) ?? address;
  const flaw = flawOf(order, domain, { apiAddress: address, owner, sessions, now: clock() });
  const texts: Record<Flaw, string> = {
    signer: TEXTS.signer,
    version: WRONG_VERSION[domain],
    signature: TEXTS.signature,
  };
  if (flaw !== undefined) throw refusal(texts[flaw]);
  if (order.signatureType === 3 && sessions.mayTrade(order.maker, address, clock())) return;
  if (!accounts.claim(address, order.signatureType, order.maker)) throw refusal(TEXTS.signature);
}

/** What the exchange has against an account wallet (polymarket.md 3.2, 13). */
function checkStanding(standing: Standing, { maker, side, signatureType }: PostedOrder['order']): void {
  if (standing.banned) throw refusal(`'${maker}' address banned`);
  if (standing.closedOnly && side === 'BUY') throw refusal(`'${maker}' address in closed only mode`);
  if (standing.depositWalletOnly && signatureType !== 3) throw refusal(TEXTS.depositWallet);
}

function checkMarket(market: Market, tokenId: string): void {
  if (!market.hasBook) throw refusal(noOrderbook(tokenId));
  if (!market.acceptingOrders) throw refusal(TEXTS.notReady);
}

function noOrderbook(tokenId: string): string {
  return `the orderbook ${tokenId} does not exist`;
}

/** `budget` is what a market BUY may spend; the others are price and size of the signed amounts. All in millionths. */
type Terms = Pick<CheckedOrder, 'price' | 'size' | 'budget'>;

function terms(posted: PostedOrder, market: Market, id: string): Terms {
  const { side, makerAmount, takerAmount } = posted.order;
  const [money, size] =
    side === 'BUY' ? [BigInt(makerAmount), BigInt(takerAmount)] : [BigInt(takerAmount), BigInt(makerAmount)];
  if (money === 0n || size === 0n) throw refusal(TEXTS.payload);
  const price = priceOf(posted, market, { money, size });
  if (price === undefined || price < market.tick || price > ONE - market.tick) {
    const said = Number(money) / Number(size);
    throw refusal(`order ${id} is invalid. Price (${said}) breaks minimum tick size rule: ${market.seed.tick}`);
  }
  // A market BUY aims at spending, so its shares say nothing of its size (polymarket.md 7.1).
  if (!isMarketBuy(posted) && size < market.minSize) {
    throw refusal(
      `order ${id} is invalid. Size (${toDecimal(size)}) lower than the minimum: ${toDecimal(market.minSize)}`,
    );
  }
  return isMarketBuy(posted) ? { price, size, budget: money } : { price, size };
}

/** Exactly on the tick; only the shares of a market BUY (FOK, FAK) may be rounded, as the wallet libraries do. */
function priceOf(
  posted: PostedOrder,
  market: Market,
  { money, size }: { money: bigint; size: bigint },
): bigint | undefined {
  const nearest = onTick((money * ONE) / size, market.tick);
  const off = nearest * size - money * ONE;
  const allowed = isMarketBuy(posted) ? nearest * roundingOf(market) : 0n;
  return off > allowed || -off > allowed ? undefined : nearest;
}

function isMarketBuy({ order, orderType }: PostedOrder): boolean {
  return order.side === 'BUY' && (orderType === 'FOK' || orderType === 'FAK');
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
