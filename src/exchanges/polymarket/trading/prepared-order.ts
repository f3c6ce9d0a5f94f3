import { compare } from '../../decimal.js';
import type { BeforeSend, FoundOrder, OrderReference, PreparedOrder } from '../../exchange.js';
import { optionalReadLimit, readOptional } from '../../optional-read.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { OrderSearch } from '../../order-search.js';
import type { OrderDto } from '../../unified.trading.dto.js';
import type { SignedPolymarketClient } from '../connection/client.js';
import { MATCH_DELAYED, SYSTEM_TROUBLE, verdictOf } from '../polymarket.errors.js';
import { POLYMARKET_IDS } from '../polymarket.ids.js';
import { sharesOf } from './created-amounts.js';
import type { OrderNeed, PolymarketFunds } from './funds.js';
import { foundTerms, isOfHash, mayLiveAsAsked } from './order-lookup.js';
import { orderOf, type OrderState, type OrderTerms, stateOf } from './order.mapper.js';
import { wireCreated, type WireCreated } from './order.wire.js';
import type { PolymarketOrders } from './orders.js';
import type { SessionSigner } from './session-signer.js';

/** What is sent, and how to find it again. */
export interface ReadyOrder {
  readonly terms: OrderTerms;
  /** Signs it by a session key when its body is made; null where it came signed. */
  readonly session: SessionSigner | null;
  /** The text that is signed and sent; it names the API key, so it is made only for that (S-39). */
  readonly body: () => string;
  /** No trade of the order can be older; null where that is not known. */
  readonly notBefore: Date | null;
  readonly need: OrderNeed;
}

/** The status of an answer that refuses an order beside a success. */
const OK = 200;

/** An order that rests or waits, and has not traded: there is nothing more to read about it. */
const UNTRADED = new Map<string, OrderState['status']>([
  ['live', 'open'],
  ['unmatched', 'open'],
  ['delayed', 'pending'],
]);

/** A checked and hashed order, of which nothing has been sent (contract.md 5). */
export class PolymarketPreparedOrder implements PreparedOrder {
  readonly reference: OrderReference;

  constructor(
    private readonly order: ReadyOrder,
    private readonly client: SignedPolymarketClient,
    private readonly orders: PolymarketOrders,
    private readonly funds: PolymarketFunds,
  ) {
    // An order that came signed has always the same hash; one that is signed here has the hash of its record.
    const isOurs = order.session !== null;
    this.reference = { details: { order_id: order.terms.id }, isSafeToResend: !isOurs, isOurs };
  }

  async place(beforeSend?: BeforeSend): Promise<OrderDto> {
    const { session } = this.order;
    session?.assertUnexpired();
    try {
      const order = await this.#send(beforeSend);
      await session?.noteAccepted();
      return order;
    } catch (error) {
      throw await this.#explained(session === null ? error : await session.explain(error));
    }
  }

  /** The exchange has one text for missing funds and for a missing approval, so the allowances are looked at once. */
  async #explained(error: unknown): Promise<unknown> {
    if (!(error instanceof AppError) || error.details?.reason !== 'insufficient_funds') return error;
    const { need } = this.order;
    return (await this.funds.lacksAllowance(need)) ? this.client.allowanceMissing(error, need.spender) : error;
  }

  async #send(beforeSend: BeforeSend | undefined): Promise<OrderDto> {
    const sending = { body: this.order.body(), isBySession: this.order.session !== null, beforeSend };
    const answer = await this.client.sendOrder(sending, this.reference);
    const { success, data } = wireCreated.safeParse(answer.value);
    if (!success) throw this.client.outcomeUnknown(this.reference);
    return this.#accept(data);
  }

  /**
   * Looks among the user's trades too, since the exchange forgets filled orders but not those. Not as asked where the hash
   * belongs to an order of another life (`mayLiveAsAsked`): then this one cannot exist.
   */
  async find(search: OrderSearch): Promise<FoundOrder | null> {
    const { terms, notBefore } = this.order;
    await search.nextCall();
    const listed = await this.orders.find(terms.id);
    if (listed === null) {
      const state = await this.orders.findInTrades(terms, notBefore, search);
      return state === null ? null : { order: orderOf(foundTerms(terms, null), state), isAsAsked: true };
    }
    if (!isOfHash(terms, listed)) throw this.client.unusable();
    const order = orderOf(foundTerms(terms, listed), stateOf(listed));
    return { order, isAsAsked: mayLiveAsAsked(terms, listed) };
  }

  /** Reads an answer of status 200: a success with an error text is a refusal (polymarket.md 7). */
  async #accept(answer: WireCreated): Promise<OrderDto> {
    const { errorMsg, status } = answer;
    const waits = status === 'delayed' && MATCH_DELAYED.test(errorMsg);
    if (errorMsg !== '' && !waits) {
      if (SYSTEM_TROUBLE.test(errorMsg)) throw this.client.outcomeUnknown(this.reference);
      const verdict = verdictOf(errorMsg, this.order.session !== null);
      throw this.client.refused(verdict, OK, { code: null, text: errorMsg });
    }
    const id = answer.orderID?.toLowerCase() ?? '';
    if (!answer.success || !POLYMARKET_IDS.order.test(id)) throw this.client.outcomeUnknown(this.reference);
    // The exchange's own name for the order stands, even if it is not the hash that was computed here: only by that name
    // can the order be read and cancelled.
    return orderOf({ ...this.order.terms, id }, await this.#stateAfter(id, answer));
  }

  async #stateAfter(id: string, answer: WireCreated): Promise<OrderState> {
    const accepted: OrderState = {
      status: UNTRADED.get(answer.status) ?? 'pending',
      statusReason: null,
      filledSize: '0',
      createdAt: null,
      tradeIds: answer.tradeIDs,
    };
    const untraded = UNTRADED.has(answer.status) && (answer.takingAmount ?? '0') === '0';
    if (untraded && answer.tradeIDs.length === 0) return accepted;
    // The answer's amounts are not to be relied on, so the order is read.
    const found = await readOptional(this.orders.find(id, optionalReadLimit()), null);
    const isLate = answer.status === 'matched' && found?.size_matched === '0';
    return found === null || isLate ? this.#stateFrom(accepted, answer) : stateOf(found);
  }

  /** Returns the state by the answer alone. A fill-or-kill that matched is filled whole, at least. */
  #stateFrom(accepted: OrderState, answer: WireCreated): OrderState {
    const { size, timeInForce } = this.order.terms;
    const shares = sharesOf(answer, this.order.terms);
    const isWhole = timeInForce === 'fok' && answer.status === 'matched' && compare(shares, size) < 0;
    const filledSize = isWhole ? size : shares;
    if (compare(filledSize, '0') <= 0) return accepted;
    if (compare(filledSize, size) >= 0) return { ...accepted, status: 'filled', filledSize };
    return { ...accepted, status: timeInForce === 'ioc' ? 'cancelled' : 'partially_filled', filledSize };
  }
}
