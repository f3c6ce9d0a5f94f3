"""Errors by their codes, and events that are one item. `node scripts/sdk-kinds.mjs` writes this file."""

from __future__ import annotations

from dataclasses import dataclass

from . import _generated as g
from ._errors import TradingProxyError
from ._schema import Event


class BadRequest(TradingProxyError):
    """A field or parameter is not valid: `details.fields`. Nothing was done."""

    codes = ("bad_request",)


class Unauthorized(TradingProxyError):
    """The key, token or password is missing, wrong or at its end."""

    codes = ("unauthorized", "invalid_credentials",)


class Forbidden(TradingProxyError):
    """The key or session may not do this."""

    codes = ("forbidden",)


class BotHalted(TradingProxyError):
    """The bot is halted: `reason` says by whom. Reads and cancels go on."""

    codes = ("bot_halted",)


class LimitExceeded(TradingProxyError):
    """The order would pass a limit of the bot; nothing was sent."""

    codes = ("limit_exceeded",)


class NotFound(TradingProxyError):
    """Nothing of yours has this id."""

    codes = ("not_found",)


class CredentialsNotConfigured(TradingProxyError):
    """No credentials of this exchange are stored."""

    codes = ("credentials_not_configured",)


class CredentialsRejected(TradingProxyError):
    """The exchange refuses the stored credentials."""

    codes = ("credentials_rejected",)


class NotSupported(TradingProxyError):
    """This exchange has no such operation, filter or field."""

    codes = ("not_supported",)


class RateLimited(TradingProxyError):
    """A limit is used up until `retry_after`."""

    codes = ("rate_limited", "exchange_rate_limited",)


class ExchangeError(TradingProxyError):
    """The exchange cannot be reached, is too slow, or its answer cannot be read."""

    codes = ("exchange_error", "exchange_timeout", "exchange_unavailable",)


class ServiceUnavailable(TradingProxyError):
    """The service cannot do this now."""

    codes = ("service_unavailable",)


class SlowConsumer(TradingProxyError):
    """Events of a stream were read too slowly."""

    codes = ("slow_consumer",)


class Conflict(TradingProxyError):
    """The idempotency key is in use, given up or another call's, or orders are in the way."""

    codes = ("idempotency_in_progress", "idempotency_key_abandoned", "idempotency_key_reused", "order_of_another_bot", "orders_unsettled",)


class ExchangeRejected(TradingProxyError):
    """The exchange refused the order or request: `reason`."""

    codes = ("exchange_rejected",)


class InsufficientFunds(ExchangeRejected):
    """There is not enough money or there are not enough shares."""

    codes = ("insufficient_funds",)


class NotFilled(ExchangeRejected):
    """An `ioc` or `fok` order filled nothing."""

    codes = ("not_filled",)


class MarketClosed(ExchangeRejected):
    """The market takes no orders."""

    codes = ("market_closed",)


class WouldCross(ExchangeRejected):
    """A post-only order would trade at once."""

    codes = ("would_cross",)


class NotCancellable(ExchangeRejected):
    """The order is just being matched: cancel it again in a moment."""

    codes = ("not_cancellable",)


class NotAmendable(ExchangeRejected):
    """The order is over."""

    codes = ("not_amendable",)


@dataclass(frozen=True, kw_only=True)
class Quote(Event):
    """What is quoted of a market has changed."""

    data: g.MarketQuote


@dataclass(frozen=True, kw_only=True)
class Trade(Event):
    """A trade of anybody."""

    data: g.StreamedTrade


@dataclass(frozen=True, kw_only=True)
class Order(Event):
    """An order of yours as it is now."""

    data: g.ReadOrder


@dataclass(frozen=True, kw_only=True)
class Fill(Event):
    """A fill of yours; one that was `pending` comes again as `confirmed` or `failed`."""

    data: g.ReadFill


ITEMS: dict[str, tuple[type[Quote | Trade | Order | Fill], type]] = {
    "quote": (Quote, g.MarketQuote),
    "trade": (Trade, g.StreamedTrade),
    "order": (Order, g.ReadOrder),
    "fill": (Fill, g.ReadFill),
}
__all__ = ["BadRequest", "BotHalted", "Conflict", "CredentialsNotConfigured", "CredentialsRejected", "ExchangeError", "ExchangeRejected", "Fill", "Forbidden", "InsufficientFunds", "LimitExceeded", "MarketClosed", "NotAmendable", "NotCancellable", "NotFilled", "NotFound", "NotSupported", "Order", "Quote", "RateLimited", "ServiceUnavailable", "SlowConsumer", "Trade", "Unauthorized", "WouldCross"]
