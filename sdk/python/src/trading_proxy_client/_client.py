"""The two clients: the same names, one for threads and one for asyncio."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from ._calls import Root, Runner
from ._engine import Engine, Request, Token, positive
from ._errors import InvalidArgument
from ._methods import AsyncClient, SyncClient
from ._portal import Portal

__all__ = ["AsyncTradingProxy", "TradingProxy"]

ADDRESS = re.compile(r"(https?)://(\[[^]@?#]+\]|[^]/:@?#]+)(:\d+)?(/[^@?#]*)?")
LOOPBACK = re.compile(r"localhost|127(\.\d{1,3}){3}|\[::1\]")


def _address(given: str | None, insecure: bool) -> str:
    url = os.environ.get("TRADING_PROXY_URL", "") if given is None else given
    found = ADDRESS.fullmatch(url)
    if found is None:
        raise InvalidArgument("base_url (or TRADING_PROXY_URL) must be http(s) without user, query or fragment")
    if found[1] == "http" and not LOOPBACK.fullmatch(found[2]) and not insecure:
        raise InvalidArgument("http sends the key in the open: use https, or say insecure=True")
    return url.rstrip("/")


def _token(api_key: str | None, token: Token) -> Token:
    if api_key is not None and token is not None:
        raise InvalidArgument("give an api_key or a token, not both")
    given = token if api_key is None else api_key
    given = os.environ.get("TRADING_PROXY_API_KEY") if given is None else given
    if isinstance(given, str) and not re.fullmatch(r"[!-~]+", given):
        raise InvalidArgument("the key or token must be visible ASCII characters")
    return given


class _Opened(Root):
    """What both clients begin with."""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        api_key: str | None = None,
        token: Token = None,
        timeout: float = 60.0,
        retries: int = 2,
        insecure: bool = False,
        proxy: str | None = None,
        on_request: Callable[[Request], None] | None = None,
        on_response: Callable[[Request, int | None, float], None] | None = None,
        silence: float = 35.0,
        reconnect: tuple[float, float] = (0.2, 30.0),
        queue: int = 10_000,
    ) -> None:
        """`base_url` and `api_key` are TRADING_PROXY_URL and TRADING_PROXY_API_KEY where they are left out; `token`: a
        session's access token, or a function that gives it. `timeout`: seconds of one whole attempt. `retries` beyond
        the first attempt. `insecure`: http beyond this machine. `proxy`: the only way to use one. `on_request(request)`
        and `on_response(request, status, seconds)` are for logs; status is None where there was no answer. The last
        three are of streams, in seconds and events.
        """
        address, given = _address(base_url, insecure), _token(api_key, token)
        times = positive(timeout, "timeout"), int(positive(retries, "retries"))
        engine = Engine(address, given, *times, proxy, on_request, on_response, silence, reconnect, queue)
        super().__init__(Runner(engine, Portal() if isinstance(self, SyncClient) else None))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._runner.engine.base_url!r})"


class TradingProxy(_Opened, SyncClient):
    """The client of a Trading Proxy, for threads: `with` or `close()` ends its own."""

    def __enter__(self) -> TradingProxy:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """End connections and streams."""
        if self._runner.portal is not None:
            self._runner.portal.close(self._runner.engine.http.aclose())


class AsyncTradingProxy(_Opened, AsyncClient):
    """The client of a Trading Proxy, for asyncio: one belongs to one event loop."""

    async def __aenter__(self) -> AsyncTradingProxy:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self._runner.engine.http.aclose()

    async def close(self) -> None:
        """End connections and streams."""
        await self._runner.engine.http.aclose()
