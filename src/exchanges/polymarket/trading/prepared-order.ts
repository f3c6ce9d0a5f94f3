import type { BeforeSend } from '../../before-send.js';
import { add, compare, complement, type Decimal, scaleDown, subtract } from '../../decimal.js';
import type { Execution } from '../../fees.contract.js';
import type { BatchSeat } from '../../order-batch.js';
import type { AskedOrder, FoundOrder, OrderReference, PreparedOrder } from '../../orders.contract.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { OrderSearch } from '../../order-search.js';
import type { OrderDto } from '../../unified.trading.dto.js';
import type { Verdict } from '../../verdicts.js';
import type { SignedPolymarketClient } from '../connection/client.js';
import { MATCH_DELAYED, SYSTEM_TROUBLE, verdictOf } from '../polymarket.errors.js';
import { CURRENCY_DECIMALS, POLYMARKET_IDS } from '../polymarket.ids.js';
import type { Protocol } from '../position-ids.js';
import { onSale, reservedBy } from './account.mapper.js';
import { sharesOf } from './created-amounts.js';
import type { OrderNeed, PolymarketFunds } from './funds.js';
import { OrderFinding } from './order-finding.js';
import { isLate, isOfHash, withUnknownEnd } from './order-lookup.js';
import { askedOf, orderOf, type OrderState, type OrderTerms, stateOf } from './order.mapper.js';
import { wireCreated, type WireCreated } from './order.wire.js';
import type { PolymarketOrders } from './orders.js';
import type { SessionSigner } from './session-signer.js';

/** What is sent, and how to find it again. */
export interface ReadyOrder {
  readonly terms: OrderTerms;
  /** What makes a repeat the same order, beside the request; null where that alone does. */
  readonly kept: OrderReference['terms'] | null;
  /** Signs it by a session key when its body is made; null where it came signed. */
  readonly session: SessionSigner | null;
  /** The text that is signed and sent; it names the API key, so it is made only for that (S-39). */
  readonly body: () => string;
  /** No trade of the order can be older; null where that is not known. */
  readonly notBefore: Date | null;
  readonly need: OrderNeed;
  readonly protocol: Protocol;
  /** As it is signed. */
  readonly signed: { readonly money: Decimal; readonly shares: Decimal };
}

/** The status of an answer that refuses an order beside a success. */
const OK = 200;

/** An order that rests or waits, and has not traded: there is nothing more to read about it. */
const UNTRADED = new Map<string, OrderState['status']>([
  ['live', 'open'],
  ['unmatched', 'open'],
  ['delayed', 'pending'],
]);

const UNKNOWN_END = { status: 'pending', statusReason: 'unknown_status' } as const;

function isUntraded({ status, takingAmount, tradeIDs }: WireCreated): boolean {
  return UNTRADED.has(status) && (takingAmount ?? '0') === '0' && tradeIDs.length === 0;
}

/** A checked and hashed order, of which nothing has been sent (contract.md 5). */
export class PolymarketPreparedOrder implements PreparedOrder {
  readonly reference: OrderReference;
  readonly asked: AskedOrder;

  constructor(
    private readonly order: ReadyOrder,
    private readonly client: SignedPolymarketClient,
    private readonly orders: PolymarketOrders,
    private readonly funds: PolymarketFunds,
  ) {
    // An order that came signed has always the same hash; one that is signed here has the hash of its record.
    const isOurs = order.session !== null;
    const { terms, kept } = order;
    const reference = { details: { order_id: terms.id }, isSafeToResend: !isOurs, isOurs };
    this.asked = askedOf(terms, order.signed);
    this.reference = kept ? { ...reference, terms: kept } : reference;
  }

  async place(beforeSend?: BeforeSend, seat?: BatchSeat): Promise<OrderDto> {
    const { session } = this.order;
    session?.assertUnexpired();
    try {
      const order = await this.#send(beforeSend, seat);
      await session?.noteAccepted();
      return order;
    } catch (error) {
      const explained = session === null ? error : await session.explain(error);
      throw explained instanceof AppError ? await this.#explained(explained) : explained;
    }
  }

  refusedAs(verdict: Verdict): AppError {
    return this.client.refused(verdict, null, { code: null, text: null });
  }

  /** What is signed must be there, and the fee of a purchase beside it (polymarket.md 7.3). */
  async findLackOfFunds(_executions: readonly Execution[], fee: Decimal): Promise<AppError | null> {
    const { need, terms, signed } = this.order;
    const known = await readOptional(Promise.all([this.funds.readFor(need), this.orders.allOpen()]), null);
    if (known === null) return null;
    const [balance, open] = known;
    const isBuy = terms.side === 'buy';
    const held = isBuy ? reservedBy(open) : onSale(open, need.tokenId);
    const left = subtract(scaleDown(balance, CURRENCY_DECIMALS), held);
    const isThere = compare(left, isBuy ? add(signed.money, fee) : signed.shares) >= 0;
    if (isThere && !(await this.funds.lacksAllowance(need))) return null;
    return this.#explained(this.refusedAs('insufficient_funds'));
  }

  /**
   * The exchange has one text for missing money, missing shares and a missing approval, so the allowances are looked at once. An order
   * that found nothing to fill it had an id all the same.
   */
  async #explained(error: AppError): Promise<AppError> {
    const { need, terms } = this.order;
    if (error.details?.reason === 'not_filled') return error.retold(error.message, { order_id: terms.id });
    if (error.details?.reason !== 'insufficient_funds') return error;
    if (await this.funds.lacksAllowance(need)) return this.client.allowanceMissing(error, need.spender);
    return terms.side === 'sell' ? withoutShares(error, terms) : error;
  }

  async #send(beforeSend: BeforeSend | undefined, seat: BatchSeat | undefined): Promise<OrderDto> {
    const { body, session, protocol } = this.order;
    const isBySession = session !== null;
    const together = seat && { seat, kind: `${protocol} ${isBySession ? 'session' : 'wallet'}` };
    const sending = { body, isBySession, beforeSend, together };
    const answer = await this.client.sendOrder(sending, this.reference);
    const { success, data } = wireCreated.safeParse(answer.value);
    if (!success) throw this.client.outcomeUnknown(this.reference);
    return this.#accept(data);
  }

  find(search: OrderSearch): Promise<FoundOrder | null> {
    return new OrderFinding(this.client, this.orders, this.order).find(search);
  }

  /** Reads an answer of status 200: a success with an error text is a refusal, but where it names an order (polymarket.md 7.1). */
  async #accept(answer: WireCreated): Promise<OrderDto> {
    const { errorMsg, status } = answer;
    const id = answer.orderID?.toLowerCase() ?? '';
    const waits = status === 'delayed' && MATCH_DELAYED.test(errorMsg);
    if (errorMsg !== '' && !waits) return id === '' ? this.#refuse(errorMsg) : this.#lookedUp();
    if (!answer.success || !POLYMARKET_IDS.order.test(id)) throw this.client.outcomeUnknown(this.reference);
    // The exchange's own name for the order stands, even if it is not the hash that was computed here: only by that name
    // can the order be read and cancelled.
    return orderOf({ ...this.order.terms, id }, await this.#stateAfter(id, answer));
  }

  #refuse(text: string): never {
    if (SYSTEM_TROUBLE.test(text)) throw this.client.outcomeUnknown(this.reference);
    throw this.client.refused(verdictOf(text, this.order.session !== null), OK, { code: null, text });
  }

  /** The order, by its hash, of an answer that names one although it speaks of an error; of unknown fate where it is not listed. */
  async #lookedUp(): Promise<OrderDto> {
    const { terms } = this.order;
    const found = await readOptional(this.orders.find(terms.id, optionalReadLimit()), null);
    if (found === null || !isOfHash(terms, found)) throw this.client.outcomeUnknown(this.reference);
    const order = orderOf(terms, stateOf(found));
    return isLate(terms, found) ? withUnknownEnd(order) : order;
  }

  async #stateAfter(id: string, answer: WireCreated): Promise<OrderState> {
    const accepted: OrderState = {
      status: UNTRADED.get(answer.status) ?? 'pending',
      statusReason: null,
      filledSize: '0',
      createdAt: null,
      tradeIds: answer.tradeIDs,
    };
    if (isUntraded(answer)) return accepted;
    // The answer's amounts are not to be relied on, so the order is read.
    const found = await readOptional(this.orders.find(id, optionalReadLimit()), null);
    if (found === null || (answer.status === 'matched' && found.size_matched === '0')) {
      return this.#stateFrom(accepted, answer);
    }
    return isLate(this.order.terms, found) ? { ...stateOf(found), ...UNKNOWN_END } : stateOf(found);
  }

  /** Returns the state by the answer alone. */
  #stateFrom(accepted: OrderState, answer: WireCreated): OrderState {
    const { timeInForce } = this.order.terms;
    const filledSize = sharesOf(answer, this.order.terms);
    const isMatched = answer.status === 'matched';
    if (filledSize === null || (isMatched && compare(filledSize, '0') <= 0)) return { ...accepted, ...UNKNOWN_END };
    if (compare(filledSize, '0') <= 0) return accepted;
    const isOver = timeInForce === 'ioc' || timeInForce === 'fok';
    return { ...accepted, status: isOver ? 'cancelled' : 'partially_filled', filledSize };
  }
}

/** The same refusal of a sale, with the order that does take the other side (unified-schema.md 10). */
function withoutShares(refusal: AppError, { size, price, outcome }: OrderTerms): AppError {
  const other = outcome.index === null ? 'the other outcome' : `outcome ${1 - outcome.index}`;
  const message =
    `Polymarket refused the sale: the account does not hold ${size} shares of this outcome that are free. A sale there needs shares. ` +
    `To take the other side without them, buy ${other} at ${complement(price)}.`;
  return refusal.retold(message);
}
