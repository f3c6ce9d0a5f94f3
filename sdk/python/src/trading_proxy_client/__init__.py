"""The client of Trading Proxy: `TradingProxy` for threads, `AsyncTradingProxy` for asyncio."""

from . import types as types
from ._client import AsyncTradingProxy, TradingProxy
from ._engine import Request, Response

# fmt: off
from ._errors import (
    BadRequest,
    BotHalted,
    Conflict,
    ConnectionFailed,
    CredentialsNotConfigured,
    CredentialsRejected,
    ExchangeError,
    ExchangeRejected,
    Forbidden,
    InsufficientFunds,
    InvalidArgument,
    LimitExceeded,
    MarketClosed,
    NotAmendable,
    NotCancellable,
    NotFilled,
    NotFound,
    NotSupported,
    OrderOutcomeUnknown,
    RateLimited,
    ServiceUnavailable,
    SlowConsumer,
    TimedOut,
    TradingProxyError,
    Unauthorized,
    WouldCross,
)
from ._events import Closed, Event, Fill, Gap, Live, Order, Quote, Snapshot, Stale, Trade, Update
from ._generated import MarketQuote
from ._stream import AsyncStream, Stream

__version__ = "0.1.0"
__all__ = [
    "AsyncStream", "AsyncTradingProxy", "BadRequest", "BotHalted", "Closed", "Conflict", "ConnectionFailed",
    "CredentialsNotConfigured", "CredentialsRejected", "Event", "ExchangeError", "ExchangeRejected", "Fill",
    "Forbidden", "Gap", "InsufficientFunds", "InvalidArgument", "LimitExceeded", "Live", "MarketClosed",
    "MarketQuote", "NotAmendable", "NotCancellable", "NotFilled", "NotFound", "NotSupported", "Order",
    "OrderOutcomeUnknown", "Quote", "RateLimited", "Request", "Response", "ServiceUnavailable", "SlowConsumer",
    "Snapshot", "Stale", "Stream", "TimedOut", "Trade", "TradingProxy", "TradingProxyError", "Unauthorized", "Update",
    "WouldCross", "types",
]
# fmt: on
