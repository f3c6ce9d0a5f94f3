"""Errors of the service and of the way to it: one class, and subclasses by `details.reason`, else by `code`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class InvalidArgument(ValueError, TypeError):
    """Refused by the client: nothing was sent."""


class TradingProxyError(Exception):
    """An error of the service (docs/errors.md), or of the way to it: then `status` is None.

    `retryable`: the very same call may be made again, after `retry_after` seconds where that is not None.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        details: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        retryable: bool = False,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}" + (f" ({request_id})" if request_id else ""))
        self.code = code
        self.message = message
        self.details: Mapping[str, Any] = details or {}
        self.request_id = request_id
        self.retryable = retryable
        self.status = status
        self.retry_after = retry_after
        self._lost = False
        """The call may have been taken although no answer of the service says so."""
        self._replayed = False

    @property
    def reason(self) -> str | None:
        """Why, where a code has more than one way out."""
        return self.details.get("reason")


class ConnectionFailed(TradingProxyError):
    """There was no answer, or none of the service. What it may have left undone is `OrderOutcomeUnknown` instead."""


class TimedOut(TradingProxyError):
    """There was no answer in time."""


class OrderOutcomeUnknown(TradingProxyError):
    """The order, transfer or change may exist. `retry()` repeats the same call under the same `idempotency_key`."""

    idempotency_key: str | None = None
    _again: Callable[[], Any] | None = None

    def retry(self) -> Any:
        """Repeat the call: gives what the call gives (to be awaited where the call is)."""
        if self._again is None:
            raise InvalidArgument("this error has no call that may be repeated: it is part of an answer, or has no key")
        return self._again()


class BadRequest(TradingProxyError):
    """A field or parameter is not valid: `details["fields"]`. Nothing was done."""


class Unauthorized(TradingProxyError):
    """The key, token or password is missing, wrong or at its end."""


class Forbidden(TradingProxyError):
    """The key or session may not do this."""


class BotHalted(TradingProxyError):
    """The bot is halted: `reason` says by whom. Reads and cancels go on."""


class LimitExceeded(TradingProxyError):
    """The order would pass a limit of the bot; nothing was sent."""


class NotFound(TradingProxyError):
    """Nothing of yours has this id."""


class CredentialsNotConfigured(TradingProxyError):
    """No credentials of this exchange are stored."""


class CredentialsRejected(TradingProxyError):
    """The exchange refuses the stored credentials."""


class NotSupported(TradingProxyError):
    """This exchange has no such operation, filter or field."""


class RateLimited(TradingProxyError):
    """A limit of the service or of the exchange is used up until `retry_after`."""


class ExchangeError(TradingProxyError):
    """The exchange cannot be reached, is too slow, or its answer cannot be read."""


class ServiceUnavailable(TradingProxyError):
    """The service cannot do this now."""


class SlowConsumer(TradingProxyError):
    """Events of a stream were read too slowly."""


class Conflict(TradingProxyError):
    """The idempotency key is in use, given up or another call's, or orders are in the way."""


class ExchangeRejected(TradingProxyError):
    """The exchange refused the order: `reason`."""


class InsufficientFunds(ExchangeRejected):
    """There is not enough money or there are not enough shares."""


class NotFilled(ExchangeRejected):
    """An `ioc` or `fok` order filled nothing."""


class MarketClosed(ExchangeRejected):
    """The market takes no orders."""


class WouldCross(ExchangeRejected):
    """A post-only order would trade at once."""


class NotCancellable(ExchangeRejected):
    """The order is just being matched: cancel it again in a moment."""


class NotAmendable(ExchangeRejected):
    """The order is over."""


BY_REASON: dict[str, type[TradingProxyError]] = {
    "insufficient_funds": InsufficientFunds,
    "not_filled": NotFilled,
    "market_closed": MarketClosed,
    "would_cross": WouldCross,
    "not_cancellable": NotCancellable,
    "not_amendable": NotAmendable,
}
BY_CODE: dict[str, type[TradingProxyError]] = {
    "bad_request": BadRequest,
    "unauthorized": Unauthorized,
    "invalid_credentials": Unauthorized,
    "forbidden": Forbidden,
    "bot_halted": BotHalted,
    "limit_exceeded": LimitExceeded,
    "not_found": NotFound,
    "credentials_not_configured": CredentialsNotConfigured,
    "credentials_rejected": CredentialsRejected,
    "exchange_rejected": ExchangeRejected,
    "not_supported": NotSupported,
    "rate_limited": RateLimited,
    "exchange_rate_limited": RateLimited,
    "exchange_error": ExchangeError,
    "exchange_timeout": ExchangeError,
    "exchange_unavailable": ExchangeError,
    "service_unavailable": ServiceUnavailable,
    "slow_consumer": SlowConsumer,
    "order_outcome_unknown": OrderOutcomeUnknown,
    "transfer_outcome_unknown": OrderOutcomeUnknown,
    **dict.fromkeys(
        ("idempotency_in_progress", "idempotency_key_abandoned", "idempotency_key_reused"),
        Conflict,
    ),
    **dict.fromkeys(("order_of_another_bot", "orders_unsettled"), Conflict),
}


def error_of(
    member: Mapping[str, Any], status: int | None = None, retry_after: float | None = None, replayed: bool = False
) -> TradingProxyError:
    """The error that the `error` of an answer, of an item or of a stream's last message says."""
    code, found = str(member.get("code")), member.get("details")
    details: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    by_reason = BY_REASON.get(str(details.get("reason"))) if code == "exchange_rejected" else None
    error = (by_reason or BY_CODE.get(code, TradingProxyError))(
        code,
        str(member.get("message", "")),
        details=details,
        request_id=member.get("request_id"),
        retryable=member.get("retryable") is True,
        status=status,
        retry_after=retry_after,
    )
    error._lost = isinstance(error, OrderOutcomeUnknown)
    error._replayed = replayed
    return error


def no_answer(message: str, *, lost: bool, retryable: bool = True, timed_out: bool = False) -> TradingProxyError:
    """An error of the way to the service. `lost`: the call may have arrived."""
    error = (
        TimedOut("timed_out", message, retryable=retryable)
        if timed_out
        else ConnectionFailed("connection_failed", message, retryable=retryable)
    )
    error._lost = lost
    return error
