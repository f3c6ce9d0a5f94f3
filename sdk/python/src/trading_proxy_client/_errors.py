"""Errors of the service and of the way to it: one class, and subclasses by `details.reason`, else by `code`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

__all__ = ["ConnectionFailed", "InvalidArgument", "OrderOutcomeUnknown", "TimedOut", "TradingProxyError"]


class InvalidArgument(ValueError, TypeError):
    """Refused by the client: nothing was sent."""


class TradingProxyError(Exception):
    """An error of the service (docs/errors.md), or of the way to it: then `status` is None.

    `retryable`: the very same call may be made again, after `retry_after` seconds where that is not None.
    """

    codes: ClassVar[tuple[str, ...]] = ()
    """What the service calls it: its codes, or the reasons of its base."""

    def __init__(self, code: str, message: str, *, retryable: bool = False) -> None:
        super().__init__(code, message)
        self.code, self.message, self.retryable = code, message, retryable
        self.details: Mapping[str, Any] = {}
        self.request_id: str | None = None
        self.status: int | None = None
        self.retry_after: float | None = None
        self._lost = False
        """The call may have been taken although no answer of the service says so."""
        self._replayed = False

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" + (f" ({self.request_id})" if self.request_id else "")

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

    codes = ("order_outcome_unknown", "transfer_outcome_unknown")
    idempotency_key: str | None = None
    _again: Callable[[], Any] | None = None

    def retry(self) -> Any:
        """Repeat the call: gives what the call gives (to be awaited where the call is)."""
        if self._again is None:
            raise InvalidArgument("this error has no call that may be repeated: it is part of an answer, or has no key")
        return self._again()


def _kind(base: type[TradingProxyError], code: object) -> type[TradingProxyError]:
    return next((one for one in base.__subclasses__() if code in one.codes), base)


def error_of(member: Mapping[str, Any]) -> TradingProxyError:
    """The error that the `error` of an answer, of an item or of a stream's last message says."""
    code, found = str(member.get("code")), member.get("details")
    details: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    by_code = _kind(TradingProxyError, code)
    kind = by_code if by_code is TradingProxyError else _kind(by_code, details.get("reason"))
    error = kind(code, str(member.get("message", "")), retryable=member.get("retryable") is True)
    error.details, error.request_id = details, member.get("request_id")
    error._lost = isinstance(error, OrderOutcomeUnknown)
    return error


def no_answer(message: str, *, lost: bool, retryable: bool = True, timed_out: bool = False) -> TradingProxyError:
    """An error of the way to the service. `lost`: the call may have arrived."""
    kind = TimedOut if timed_out else ConnectionFailed
    error = kind("timed_out" if timed_out else "connection_failed", message, retryable=retryable)
    error._lost = lost
    return error
