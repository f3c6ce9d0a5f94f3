// Made by `node scripts/sdk-kinds.mjs`. Do not change it by hand.
import { TradingProxyError } from './errors.js';

/** A field or parameter is not valid: `details.fields`. Nothing was done. */
export class BadRequest extends TradingProxyError {
  static override readonly codes = ['bad_request'];
}

/** The key, token or password is missing, wrong or at its end. */
export class Unauthorized extends TradingProxyError {
  static override readonly codes = ['unauthorized', 'invalid_credentials'];
}

/** The key or session may not do this. */
export class Forbidden extends TradingProxyError {
  static override readonly codes = ['forbidden'];
}

/** The bot is halted: `reason` says by whom. Reads and cancels go on. */
export class BotHalted extends TradingProxyError {
  static override readonly codes = ['bot_halted'];
}

/** The order would pass a limit of the bot; nothing was sent. */
export class LimitExceeded extends TradingProxyError {
  static override readonly codes = ['limit_exceeded'];
}

/** Nothing of yours has this id. */
export class NotFound extends TradingProxyError {
  static override readonly codes = ['not_found'];
}

/** No credentials of this exchange are stored. */
export class CredentialsNotConfigured extends TradingProxyError {
  static override readonly codes = ['credentials_not_configured'];
}

/** The exchange refuses the stored credentials. */
export class CredentialsRejected extends TradingProxyError {
  static override readonly codes = ['credentials_rejected'];
}

/** This exchange has no such operation, filter or field. */
export class NotSupported extends TradingProxyError {
  static override readonly codes = ['not_supported'];
}

/** A limit is used up until `retry_after`. */
export class RateLimited extends TradingProxyError {
  static override readonly codes = ['rate_limited', 'exchange_rate_limited'];
}

/** The exchange cannot be reached, is too slow, or its answer cannot be read. */
export class ExchangeError extends TradingProxyError {
  static override readonly codes = ['exchange_error', 'exchange_timeout', 'exchange_unavailable'];
}

/** The service cannot do this now. */
export class ServiceUnavailable extends TradingProxyError {
  static override readonly codes = ['service_unavailable'];
}

/** Events of a stream were read too slowly. */
export class SlowConsumer extends TradingProxyError {
  static override readonly codes = ['slow_consumer'];
}

/** The idempotency key is in use, given up or another call's, or orders are in the way. */
export class Conflict extends TradingProxyError {
  static override readonly codes = [
    'idempotency_in_progress',
    'idempotency_key_abandoned',
    'idempotency_key_reused',
    'order_of_another_bot',
    'orders_unsettled',
  ];
}

/** The exchange refused the order or request: `reason`. */
export class ExchangeRejected extends TradingProxyError {
  static override readonly codes = ['exchange_rejected'];
}

/** There is not enough money or there are not enough shares. */
export class InsufficientFunds extends ExchangeRejected {
  static override readonly codes = ['insufficient_funds'];
}

/** An `ioc` or `fok` order filled nothing. */
export class NotFilled extends ExchangeRejected {
  static override readonly codes = ['not_filled'];
}

/** The market takes no orders. */
export class MarketClosed extends ExchangeRejected {
  static override readonly codes = ['market_closed'];
}

/** A post-only order would trade at once. */
export class WouldCross extends ExchangeRejected {
  static override readonly codes = ['would_cross'];
}

/** The order is just being matched: cancel it again in a moment. */
export class NotCancellable extends ExchangeRejected {
  static override readonly codes = ['not_cancellable'];
}

/** The order is over. */
export class NotAmendable extends ExchangeRejected {
  static override readonly codes = ['not_amendable'];
}
