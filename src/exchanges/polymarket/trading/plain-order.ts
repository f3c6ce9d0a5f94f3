import { badField } from '../../../platform/errors/app-error.js';
import { sha256 } from '../../../platform/crypto/digests.js';
import { type Decimal, scaleDown } from '../../decimal.js';
import type { OrderNaming, OrderReference } from '../../orders.contract.js';
import type { LevelDto } from '../../unified.market-data.dto.js';
import { parseIsoTime } from '../../time.js';
import { withChecksum } from '../ethereum.js';
import type { TokenFacts } from '../market-data/directory/market-directory.js';
import { CURRENCY_DECIMALS } from '../polymarket.ids.js';
import {
  type Amounts,
  type AskedAmounts,
  exactAmounts,
  possibleAmounts,
  purchaseAmounts,
  spendsSum,
} from './order-amounts.js';
import { canonicalOf, NO_EXPIRY } from './order-check.js';
import { type PlainRequest, type SignedOrderDto, ZERO32 } from './order.dto.js';
import { hashedTerms, lifeOf, type OrderTerms } from './order.mapper.js';
import { purchaseOf } from './purchase.js';
import { DEPOSIT_WALLET } from './wallet.js';

/** A salt has 53 bits, so that it is exact as a JSON number. */
const SURPLUS_BITS = 11n;

/** An order that only lacks its signature. */
type UnsignedOrder = Omit<SignedOrderDto, 'signature'>;

/** What is kept with the name of an order that is sent, so that a repeat is the same. */
type KeptTerms = NonNullable<OrderReference['terms']>;

/** An order of plain parameters as it is signed, what it asks for, and what is kept for repeats. */
export interface BuiltOrder {
  readonly order: UnsignedOrder;
  readonly terms: OrderTerms;
  readonly kept: KeptTerms;
}

/** What the exchange says when an order is sent first. */
interface FirstSending {
  /** The exchange's time. */
  readonly at: Date;
  readonly tick: Decimal;
  /** Best first; needed where the order `needsBook`. */
  readonly asks: readonly LevelDto[];
}

/** Whole millionths, or milliseconds, above 0, as they are kept. */
const KEPT_NUMBER = /^[1-9]\d{0,77}$/;

/**
 * An order of plain parameters for a deposit wallet (contract.md 5.6). Its salt comes from its naming; its timestamp (milliseconds, the
 * exchange's), and the amounts of one that spends a sum (millionths), are kept with that, so that a repeat is the same order, whatever
 * clock, market and book say by then.
 */
export class PlainOrder {
  readonly #asked: AskedAmounts;

  constructor(
    private readonly request: PlainRequest,
    private readonly token: TokenFacts,
    private readonly walletAddress: string,
    private readonly naming: OrderNaming,
  ) {
    const { side, price, size, time_in_force: timeInForce } = request;
    this.#asked = { side, timeInForce, price: canonicalOf(price), size: canonicalOf(size) };
  }

  /** Whole Unix seconds, cut; null where it does not expire. */
  get expirySeconds(): number | null {
    const at = parseIsoTime(this.request.expires_at);
    return at === null ? null : Math.floor(Date.parse(at) / 1_000);
  }

  /** Whether it spends a sum for which the book says what it is signed for: then no preview has said that yet. */
  get needsBook(): boolean {
    return this.#spendsSum && this.#previewed === null;
  }

  /** Whether the exchange makes a market order of it that spends a sum. */
  get #spendsSum(): boolean {
    return spendsSum(this.#asked);
  }

  get #previewed(): Amounts | null {
    return keptAmounts(this.naming.previewed ?? {});
  }

  /**
   * Builds an order that was not sent before. Null where the book has too little for it (`not_filled`). Throws `bad_request` where it
   * has no amounts.
   */
  build({ at, tick, asks }: FirstSending): BuiltOrder | null {
    const timestamp = String(at.getTime());
    if (!this.#spendsSum) return this.#builtOf(exactAmounts(this.#asked) ?? noAmounts(), { timestamp });
    if (this.#previewed !== null) return this.#spending(this.#previewed, timestamp);
    const purchase = purchaseOf(this.#asked, asks);
    if (purchase === null) return null;
    const amounts = purchaseAmounts(purchase, tick);
    if (amounts === null) return purchase.isWhole ? noAmounts() : null;
    return this.#spending(amounts, timestamp);
  }

  #spending(amounts: Amounts, timestamp: string): BuiltOrder {
    return this.#builtOf(amounts, { timestamp, money: String(amounts.money), shares: String(amounts.shares) });
  }

  /** Builds the order that was sent under a hash; null where none of its amounts gives that hash. */
  rebuild(orderId: string): BuiltOrder | null {
    const kept = this.naming.sentAs?.terms ?? {};
    const amounts = keptAmounts(kept);
    const all = amounts === null ? possibleAmounts(this.#asked) : [amounts];
    const builds = all.map((one) => this.#builtOf(one, kept));
    return builds.find(({ terms }) => terms.id === orderId) ?? null;
  }

  #builtOf({ money, shares }: Amounts, kept: KeptTerms): BuiltOrder {
    const maker = withChecksum(this.walletAddress);
    const buys = this.#asked.side === 'buy';
    const order: UnsignedOrder = {
      salt: saltOf(this.naming.clientOrderId),
      maker,
      signer: maker,
      tokenId: this.token.outcome.id,
      makerAmount: String(buys ? money : shares),
      takerAmount: String(buys ? shares : money),
      side: buys ? 'BUY' : 'SELL',
      signatureType: DEPOSIT_WALLET,
      timestamp: keptTime(kept) ?? String(this.naming.createdAt.getTime()),
      expiration: this.expirySeconds === null ? NO_EXPIRY : String(this.expirySeconds),
      metadata: ZERO32,
      builder: ZERO32,
    };
    const { price, size } = this.#asked;
    const spent = this.#spendsSum ? { money: scaleDown(String(money), CURRENCY_DECIMALS) } : {};
    return { order, terms: { ...hashedTerms(order, lifeOf(this.request), this.token), price, size, ...spent }, kept };
  }
}

/** The same for the same name, and as good as random: orders of the same terms in the same millisecond stay two. */
function saltOf(clientOrderId: string): number {
  const digest = sha256(JSON.stringify(['polymarket-salt', clientOrderId]));
  return Number(digest.readBigUInt64BE(0) >> SURPLUS_BITS);
}

function noAmounts(): never {
  throw badField('size', 'must be greater, or have fewer decimals: at this price it makes no whole amount');
}

/** Returns the millionths of dollars and of shares that are kept; null where there are none. */
function keptAmounts({ money = '', shares = '' }: KeptTerms): Amounts | null {
  if (!KEPT_NUMBER.test(money) || !KEPT_NUMBER.test(shares)) return null;
  return { money: BigInt(money), shares: BigInt(shares) };
}

/** Null in a record from before, whose order was signed for the time of the record. */
function keptTime({ timestamp = '' }: KeptTerms): string | null {
  return KEPT_NUMBER.test(timestamp) ? timestamp : null;
}
