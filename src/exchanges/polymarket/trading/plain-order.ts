import { badField } from '../../../platform/errors/app-error.js';
import { sha256 } from '../../../platform/crypto/digests.js';
import { type Decimal, scaleDown } from '../../decimal.js';
import type { OrderNaming } from '../../exchange.js';
import { parseIsoTime } from '../../time.js';
import { withChecksum } from '../ethereum.js';
import type { TokenFacts } from '../market-data/directory/market-directory.js';
import { CURRENCY_DECIMALS } from '../polymarket.ids.js';
import { type Amounts, amountsAt, type AskedAmounts, possibleAmounts, spendsSum } from './order-amounts.js';
import { canonicalOf, NO_EXPIRY } from './order-check.js';
import { type PlainRequest, type SignedOrderDto, ZERO32 } from './order.dto.js';
import { hashedTerms, lifeOf, type OrderTerms } from './order.mapper.js';
import { DEPOSIT_WALLET } from './wallet.js';

/** A salt has 53 bits, so that it is exact as a JSON number. */
const SURPLUS_BITS = 11n;

/** An order that only lacks its signature. */
type UnsignedOrder = Omit<SignedOrderDto, 'signature'>;

/** An order of plain parameters as it is signed, and what it asks for. */
export interface BuiltOrder {
  readonly order: UnsignedOrder;
  readonly terms: OrderTerms;
}

/**
 * An order of plain parameters for a deposit wallet (contract.md 9). Its salt and timestamp come from its naming, so that a
 * repeat is the same order, whatever the market says by then.
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

  /** Builds an order that was not sent before, on a market of this tick. Throws `bad_request` where it has no amounts. */
  build(tick: Decimal): BuiltOrder {
    const amounts = amountsAt(this.#asked, tick);
    if (amounts === null)
      throw badField('size', 'must be greater, or have fewer decimals: at this price it makes no whole amount');
    return this.#builtOf(amounts);
  }

  /** Builds the order that was sent under a hash; null where none of its amounts gives that hash. */
  rebuild(orderId: string): BuiltOrder | null {
    for (const amounts of possibleAmounts(this.#asked)) {
      const built = this.#builtOf(amounts);
      if (built.terms.id === orderId) return built;
    }
    return null;
  }

  #builtOf({ money, shares }: Amounts): BuiltOrder {
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
      timestamp: String(this.naming.createdAt.getTime()),
      expiration: this.expirySeconds === null ? NO_EXPIRY : String(this.expirySeconds),
      metadata: ZERO32,
      builder: ZERO32,
    };
    const { price, size } = this.#asked;
    const signedSize = spendsSum(this.#asked) ? scaleDown(String(shares), CURRENCY_DECIMALS) : size;
    return { order, terms: { ...hashedTerms(order, lifeOf(this.request), this.token), price, size: signedSize } };
  }
}

/** The same for the same name, and as good as random: orders of the same terms in the same millisecond stay two. */
function saltOf(clientOrderId: string): number {
  const digest = sha256(JSON.stringify(['polymarket-salt', clientOrderId]));
  return Number(digest.readBigUInt64BE(0) >> SURPLUS_BITS);
}
