/** What the caller gave cannot be right; nothing was sent. */
export class InvalidArgument extends TypeError {
  override readonly name = 'InvalidArgument';
}

/** What an error says beside code and message. */
export type Facts = Partial<
  Pick<TradingProxyError, 'details' | 'request_id' | 'retryable' | 'status' | 'retry_after' | 'cause'>
>;

/** Every error of a call. Branch on the class, or on `code` and `reason`: errors.md of the service lists them. */
export class TradingProxyError extends Error {
  /** What the service calls it: its codes, or the reasons of its base. */
  static readonly codes: readonly string[] = [];
  declare readonly details: Readonly<Record<string, unknown>>;
  declare readonly request_id: string | null;
  /** The same call may be made again as it is. */
  declare readonly retryable: boolean;
  /** Null where the service has not answered. */
  declare readonly status: number | null;
  /** Seconds to wait before that; null where nobody says. */
  declare readonly retry_after: number | null;

  constructor(
    readonly code: string,
    message: string,
    { cause, ...facts }: Facts = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    Object.assign(this, { details: {}, request_id: null, retryable: false, status: null, retry_after: null }, facts);
  }

  /** `details.reason`. */
  get reason(): string | null {
    return typeof this.details.reason === 'string' ? this.details.reason : null;
  }
}

/** No answer of the service: the connection broke, or something between answered in its place. */
export class ConnectionFailed extends TradingProxyError {}
/** No whole answer within the time-out. */
export class TimedOut extends TradingProxyError {}

/** The order (batch, transfer, change) may exist. `retry()` until it is something else, or ask `orders.byKey(idempotency_key)`. */
export class OrderOutcomeUnknown extends TradingProxyError {
  static override readonly codes = ['order_outcome_unknown', 'transfer_outcome_unknown'];
  /** Null of a change of an order, which has none. */
  idempotency_key: string | null = null;
  #again = (): Promise<unknown> => Promise.reject(new InvalidArgument('It was sent without a key.'));

  /** Repeats the same call under the same key, and gives what it gives; of a batch this item alone. What was sent without a key cannot. */
  retry(): Promise<unknown> {
    return this.#again();
  }

  /** For the client alone. */
  static of(error: OrderOutcomeUnknown, key: string | null, again: () => Promise<unknown>): OrderOutcomeUnknown {
    error.idempotency_key = key;
    error.#again = again;
    return error;
  }
}
