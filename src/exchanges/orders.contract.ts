import type { AppError } from '../platform/errors/app-error.js';
import type { BeforeSend } from './before-send.js';
import type { Decimal } from './decimal.js';
import type { Execution } from './fees.contract.js';
import type { BatchSeat } from './order-batch.js';
import type { OrderSearch } from './order-search.js';
import type { Verdict } from './verdicts.js';
import type { CancelledOrderDto, OrderDto, OrderStatus, Side, TimeInForce } from './unified.trading.dto.js';

/** What our own records know of an order; what they do not say is null. */
export interface KnownOrder {
  readonly marketId: string | null;
  readonly outcomeIndex: 0 | 1 | null;
  readonly size: string | null;
  /** As it stood when it was made. */
  readonly status: OrderStatus | null;
  /** How long ago it was noted as made. */
  readonly madeMsAgo: number | null;
  /** How long ago it was noted as cancelled. */
  readonly cancelledMsAgo: number | null;
}

/** Returns what our own records know of an order; null where that is nothing. */
export type RecordedOrder = () => Promise<KnownOrder | null>;

/** How an order is over (unified-schema.md 7). */
export interface EndedOrder extends CancelledOrderDto {
  /** Set where nothing states its end: it was made here, and is nowhere any more. */
  readonly isAssumed?: true;
}

/** What the name of an order is made of: the same at each repeat of a call under its key (contract.md 5.3). */
export interface OrderNaming {
  /** A UUID for this order alone. */
  readonly clientOrderId: string;
  /** When the call was first made. */
  readonly createdAt: Date;
  /** The order as it was sent before; null where nothing was sent. A resend must send the same order, whatever has changed. */
  readonly sentAs: SentOrder | null;
  /** What a preview of this very order worked out (`OrderReference.terms`), which its first sending keeps to: what it spends, and for how much. */
  readonly previewed?: OrderReference['terms'] | null;
}

/** The name of an order that was sent, and what else makes it that very order where the request does not say (`OrderReference.terms`). */
export type SentOrder = OrderReference['details'] & { readonly terms?: Readonly<Record<string, string>> };

/** The name of an order that is known before it is sent, by which it can be found at its exchange. */
export interface OrderReference {
  /** What clients see in `details` of `order_outcome_unknown`, and what the idempotency record keeps. */
  readonly details:
    | { readonly client_order_id: string; readonly order_id?: never }
    | { readonly order_id: string; readonly client_order_id?: never };
  /** What was worked out when it was first prepared, such as amounts; kept with the name, for repeats. */
  readonly terms?: Readonly<Record<string, string>>;
  /** Whether the same request always has this name, which the exchange takes once: then it may be repeated without a key. */
  readonly isSafeToResend: boolean;
  /** Whether the name was made up here for this order alone: then what is found under it, on its side, is this order, even if amended. */
  readonly isOurs: boolean;
}

/**
 * The order that a look-up finds under a reference, as the exchange has it. An order whose state is not known is answered as `pending`
 * (`unknown_status`). A state or a count never says whose order it is, since both change with time and lag.
 */
export interface FoundOrder {
  readonly order: OrderDto;
  /** Whether all terms that do not change with time are as asked. */
  readonly isAsAsked: boolean;
  /** Whether market and side are as asked: they identify the order that was sent under the reference, even after it was amended. */
  readonly isOnSide: boolean;
  /** Whether a complete list of open orders that was read for this look-up does not have it, or a cancel of it was answered. */
  readonly isAbsent?: boolean;
  /** Whether fills may show later: the order is answered, but not kept as the answer. */
  readonly isProvisional?: boolean;
}

/** What an order asks for, decimals canonical, and what it can cost at most (contract.md 6). */
export interface AskedOrder {
  readonly market_id: string;
  readonly outcome_index: 0 | 1 | null;
  readonly side: Side;
  readonly price: Decimal;
  readonly size: Decimal;
  readonly time_in_force: TimeInForce | null;
  readonly post_only: boolean | null;
  /** Money and shares as they are signed; null where the exchange signs none. */
  readonly money: Decimal | null;
  readonly shares: Decimal | null;
  readonly cost: Decimal;
  readonly currency: string;
  /** When what rests ends by itself; null where it does not. */
  readonly expires_at: string | null;
  /** The most contracts that an order which spends a sum can buy, at the smallest tick of all; null where `size` is the most. */
  readonly most_size: Decimal | null;
}

/**
 * An order that the exchange may have. `find()` looks it up there and announces each upstream call to `search`; null is nothing to be
 * seen, which proves nothing by itself, since lists may lag.
 */
export interface FindableOrder {
  readonly reference: OrderReference;
  /** Looks the order up; null where the exchange shows nothing. */
  find(search: OrderSearch): Promise<FoundOrder | null>;
}

/**
 * An order that is checked and ready, of which nothing has been sent yet. `place()` sends it exactly once: it throws
 * `exchange_error` where no byte of it left, `order_outcome_unknown` where its fate is unknown, else what the exchange
 * proved (a duplicate with reason `duplicate_order`).
 */
export interface PreparedOrder extends FindableOrder {
  readonly asked: AskedOrder;
  /** Sends the order exactly once, alone or with the others of a batch. */
  place(beforeSend?: BeforeSend, seat?: BatchSeat): Promise<OrderDto>;
  /** The error of the exchange where it would refuse the order so; it is not asked. */
  refusedAs(verdict: Verdict): AppError;
  /**
   * The refusal where the account's free funds, as the exchange shows them now, do not carry these executions and their fee; null where they
   * do, and where that cannot be read. Sends nothing.
   */
  findLackOfFunds(executions: readonly Execution[], fee: Decimal): Promise<AppError | null>;
}

/** What is to change of an order that rests; what is left out stays as it is. Decimals canonical. */
export interface OrderChange {
  /** Of the outcome and side that a read of the order shows. */
  readonly price?: Decimal | undefined;
  /** The whole, what has filled included. */
  readonly size?: Decimal | undefined;
  readonly expiresAt?: Date | undefined;
}

/** A change of an order that rests, checked and ready; nothing of it has been sent. */
export interface PreparedAmend {
  /** The order as it was just read. */
  readonly order: OrderDto;
  /** The order as it is to be; `size` is the whole. */
  readonly terms: Pick<OrderDto, 'price' | 'size' | 'expires_at'>;
  /**
   * Sends the change exactly once and returns the order as it is then. Throws `order_outcome_unknown` where the fate of the change is not
   * known, and where the answer is of another order; else what the exchange proved, or that no byte has left.
   */
  place(beforeSend: BeforeSend): Promise<AmendedOrder>;
}

/** An order that was changed. */
export interface AmendedOrder {
  /** What has filled is as it was read before, where nothing told it. */
  readonly order: OrderDto;
  /** Whether the answer, or a read of the changed order, told what has filled. */
  readonly isFilledKnown: boolean;
}

/** What the record of an order that was sent says that it asked for. */
export type SentTerms = Omit<AskedOrder, 'cost' | 'currency' | 'shares' | 'expires_at' | 'most_size'>;
