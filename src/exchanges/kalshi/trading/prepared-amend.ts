import { AppError, badField } from '../../../platform/errors/app-error.js';
import { withReadLimit } from '../../../platform/upstream/call-context.js';
import { pathOf } from '../../../platform/upstream/path.js';
import type { BeforeSend } from '../../before-send.js';
import { add, compare, type Decimal, subtract } from '../../decimal.js';
import { isEnd } from '../../ended-order.js';
import { readOptional } from '../../optional-read.js';
import type { AmendedOrder, OrderChange, OrderReference, PreparedAmend } from '../../orders.contract.js';
import { isoTime } from '../../time.js';
import type { OrderDto } from '../../unified.trading.dto.js';
import type { SignedKalshiClient } from '../connection/client.js';
import type { KnownMarkets } from '../connection/ticks.js';
import { type OutcomeIndex, priceFor } from '../market-data/outcomes.js';
import { toOrder, wireCount, wirePrice } from './order.mapper.js';
import { type WireAmended, wireAmended, wireOneOrder, type WireOrder } from './order.wire.js';
import { type KalshiReads, withFunds } from './prepared-order.js';

/** The answer waits so long for a read of the changed order, in ms. */
const READ_LIMIT_MS = 2_000;

const TOO_SMALL = 'must be more than what has filled; cancel the order to take out the rest';

/** An order as it is to be; prices in terms of YES. */
interface AmendedTerms {
  readonly index: OutcomeIndex;
  readonly yesPrice: Decimal;
  /** What has filled included. */
  readonly total: Decimal;
  /** Null leaves it as it is. */
  readonly expiresAt: Date | null;
}

/** A change of an order that rests: the exchange is told side, price and total, however little of it changes (kalshi.md 5.3). */
export class KalshiPreparedAmend implements PreparedAmend {
  readonly order: OrderDto;
  readonly terms: PreparedAmend['terms'];
  readonly #filled: Decimal;

  constructor(
    private readonly client: SignedKalshiClient,
    private readonly account: KalshiReads,
    private readonly markets: KnownMarkets,
    private readonly was: WireOrder,
    private readonly asked: AmendedTerms,
  ) {
    const { index, yesPrice, total, expiresAt } = asked;
    this.order = toOrder(was);
    this.#filled = this.order.filled_size;
    const expires_at = expiresAt?.toISOString() ?? this.order.expires_at;
    this.terms = { price: priceFor(index, yesPrice), size: total, expires_at };
  }

  /** Its price, in terms of its outcome. */
  get priced(): { readonly ticker: string; readonly index: OutcomeIndex; readonly price: Decimal } {
    return { ticker: this.was.ticker, index: this.asked.index, price: this.terms.price };
  }

  async place(beforeSend: BeforeSend): Promise<AmendedOrder> {
    const { order_id: id } = this.was;
    const path = pathOf`/portfolio/events/orders/${id}/amend`;
    const reference: OrderReference = { details: { order_id: id }, isSafeToResend: true, isOurs: true };
    let answer: WireAmended;
    try {
      const sending = { path, body: JSON.stringify(this.#body()), beforeSend };
      answer = (await this.client.sendAmend(sending, wireAmended, reference, (told) => this.#isOfThis(told))).value;
    } catch (error) {
      throw error instanceof AppError ? await this.#explained(error) : error;
    }
    const shown = await this.#read();
    const changed = shown !== null && this.#isAsAsked(shown) ? toOrder(shown) : null;
    const order = changed ?? this.#amended(answer);
    const [joined = order] = await this.account.fills.joined([order]);
    // The exchange leaves the counts out where the price alone changes.
    return { order: joined, isFilledKnown: changed !== null || answer.remaining_count !== null };
  }

  /** Which account it is of is left to the key, as with a create. */
  #body(): Readonly<Record<string, string | number>> {
    const { index, yesPrice, total, expiresAt } = this.asked;
    const shard = this.markets.shards.indexOf(this.was.ticker);
    return {
      ticker: this.was.ticker,
      side: index === 0 ? 'bid' : 'ask',
      price: wirePrice(yesPrice),
      count: wireCount(total),
      ...(expiresAt === null ? {} : { expiration_time: expiresAt.getTime() / 1_000 }),
      ...(shard === undefined ? {} : { exchange_index: shard }),
    };
  }

  /** The answer may speak of another order, or tell counts that this one cannot have (kalshi.md 5.3). */
  #isOfThis({ order_id: id, client_order_id: clientId, remaining_count: left }: WireAmended): boolean {
    if (id !== this.was.order_id) return false;
    if (clientId !== null && clientId !== this.was.client_order_id) return false;
    return left === null || (compare(left, '0') >= 0 && compare(left, this.#most) <= 0);
  }

  /** The most that can be left. */
  get #most(): Decimal {
    return subtract(this.asked.total, this.#filled);
  }

  /** As it is by now; null where that cannot be read in time. */
  #read(): Promise<WireOrder | null> {
    const { ticker, order_id: id } = this.was;
    return readOptional(
      withReadLimit(READ_LIMIT_MS, () => this.account.orders.readOn(ticker, id, wireOneOrder)),
      null,
    );
  }

  /** Reads lag: one that shows the order as it was is older than the answer. */
  #isAsAsked(shown: WireOrder): boolean {
    const { yesPrice, total, expiresAt } = this.asked;
    if (shown.yes_price_dollars !== yesPrice || shown.outcome_side !== this.was.outcome_side) return false;
    if (expiresAt !== null && shown.expiration_time !== expiresAt.toISOString()) return false;
    return shown.status !== 'resting' || compare(add(shown.fill_count_fp, shown.remaining_count_fp), total) === 0;
  }

  #amended({ remaining_count, ts_ms: at }: WireAmended): OrderDto {
    const { price, size, expires_at } = this.terms;
    const left = remaining_count ?? this.#most;
    const filled = subtract(size, left);
    const hasFilled = compare(filled, this.#filled) !== 0;
    const restingStatus = filled === '0' ? 'open' : 'partially_filled';
    return {
      ...this.order,
      ...{ price, size, expires_at, filled_size: filled, remaining_size: left },
      ...(expires_at !== null && { time_in_force: 'gtd' }),
      status: left === '0' ? 'filled' : restingStatus,
      ...(hasFilled && { average_fill_price: null, fees: null, trade_ids: null }),
      updated_at: typeof at === 'number' ? isoTime(at) : this.order.updated_at,
    };
  }

  /** The exchange says neither what is wrong with a change, nor that the order is over: that is read once. */
  async #explained(error: AppError): Promise<AppError> {
    const { reason } = error.details ?? {};
    if (reason === 'insufficient_funds') return withFunds(error, await this.account.balance.fundsFor(this.was.ticker));
    if (error.code !== 'not_found' && reason !== 'invalid_order') return error;
    const shown = await this.#read();
    return this.#faultOf(error, shown) ?? this.markets.ticks.explained(error, this.priced);
  }

  /** What an order, as it is shown now, says of a refusal; null where the price may be wrong. */
  #faultOf({ code, details }: AppError, shown: WireOrder | null): AppError | null {
    if (shown !== null && shown.status !== 'resting')
      return this.client.refusal('not_amendable', details?.exchange?.status ?? null);
    if (code === 'not_found') return this.client.unusable();
    const isTooSmall = shown !== null && compare(this.asked.total, shown.fill_count_fp) <= 0;
    return isTooSmall ? badField('size', TOO_SMALL) : null;
  }
}

/** Reads what is asked into the terms of an order that rests. Throws `not_amendable` for another order, and `bad_request`. */
export function amendedTerms(client: SignedKalshiClient, order: WireOrder, change: OrderChange): AmendedTerms {
  const { status, filled_size: filled, remaining_size: left, outcome } = toOrder(order);
  if (isEnd(status)) throw client.refusal('not_amendable', null);
  // Nobody knows what such an order buys, or how much of it.
  if (status === 'pending' || outcome.index === null) throw client.unusable();
  const { price, size, expiresAt } = change;
  // What was decreased has less than it began with.
  const total = size ?? add(filled, left);
  if (compare(total, filled) <= 0) throw badField('size', TOO_SMALL);
  return {
    index: outcome.index,
    yesPrice: price === undefined ? order.yes_price_dollars : priceFor(outcome.index, price),
    total,
    expiresAt: expiresAt === undefined ? null : ahead(expiresAt, client.now()),
  };
}

/** Down to the second, so that no order lives longer than asked for; the exchange takes 0 for "never". */
function ahead(time: Date, now: Date): Date {
  const second = new Date(Math.floor(time.getTime() / 1_000) * 1_000);
  if (second <= now) throw badField('expires_at', 'must lie ahead');
  return second;
}
