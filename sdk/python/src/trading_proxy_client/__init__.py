"""The client of Trading Proxy: `TradingProxy` for threads, `AsyncTradingProxy` for asyncio."""

from . import types as types
from ._client import *
from ._engine import Request as Request
from ._engine import Response as Response
from ._errors import *
from ._events import *
from ._generated import MarketQuote as MarketQuote
from ._kinds import *
from ._stream import *

__version__ = "0.1.0"
