"""The two clients: the same names, one for threads and one for asyncio."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.parse import urlsplit

from ._calls import Async, AsyncResponse, M, Method, Resource, Runner, Streaming, Sync, SyncResponse
from ._codec import encode, query_of
from ._engine import Call, Engine, Request, Settings, Token, positive, timing
from ._errors import InvalidArgument
from ._events import AnyEvent
from ._portal import Portal
from ._resources import Account, Bots, Exchange, Me, OwnBot, Portfolio, key_of
from ._stream import Subscription

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._schema import KeyedOptions

LOOPBACK = re.compile(r"localhost|127(\.\d{1,3}){3}|::1")
SUBSCRIPTION = re.compile(r"[^.:]+\.(?P<channel>[^.:]+)(:(?P<ids>.+))?")


def _address(given: str | None, insecure: bool) -> str:
    url = os.environ.get("TRADING_PROXY_URL", "") if given is None else given
    try:
        parts = urlsplit(url)
        loopback = bool(LOOPBACK.fullmatch(parts.hostname or ""))
    except ValueError:
        raise InvalidArgument("base_url is no address") from None
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or "@" in parts.netloc
        or parts.query
        or parts.fragment
    ):
        raise InvalidArgument(
            "base_url (or TRADING_PROXY_URL) must be an http or https address without user, query or fragment"
        )
    if parts.scheme == "http" and not loopback and not insecure:
        raise InvalidArgument("http sends the key in the open: use https, or say insecure=True")
    return url.rstrip("/")


def _own_path(path: object) -> str:
    """A path of the service: what `.`, `..`, `\\` and a second `/` at its beginning could turn elsewhere is refused."""
    if not isinstance(path, str) or not re.fullmatch(r"/(?!/)[!-~]*", path) or re.search(r"[\\?#]", path):
        raise InvalidArgument("path must begin with one / and hold neither spaces nor ? # \\")
    if any(re.fullmatch(r"(\.|%2e){1,2}", part, re.IGNORECASE) for part in path.split("/")):
        raise InvalidArgument("path must not hold . or ..")
    return path


class _Client(Resource[M]):
    def __init__(self, runner: Runner) -> None:
        super().__init__(runner)
        self.kalshi: Exchange[M] = Exchange(runner, "kalshi")
        self.polymarket: Exchange[M] = Exchange(runner, "polymarket")
        self.portfolio: Portfolio[M] = Portfolio(runner)
        self.me: Me[M] = Me(runner)
        self.bot: OwnBot[M] = OwnBot(runner)
        self.bots: Bots[M] = Bots(runner)
        self.account: Account[M] = Account(runner)

    def exchange(self, exchange: str) -> Exchange[M]:
        """An exchange by its id."""
        return Exchange(self._runner, exchange)

    @Method
    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        **options: Unpack[KeyedOptions],
    ) -> Call[Any]:
        """Any other call; its answer is as on the wire. A read is repeated, another only under a key that is given."""
        verb, key = str(method).upper(), options.get("idempotency_key")
        reads = verb in ("GET", "HEAD")
        return Call(
            verb,
            _own_path(path),
            lambda answer: answer,
            query=query_of(query or {}),
            body=None if body is None else encode(body),
            key=None if key is None else key_of(key),
            **timing(options),
            repeats="yes" if reads or key is not None else "no",
            places=not reads and key is not None,
        )

    @Streaming
    def stream(self, subscriptions: Sequence[str]) -> Subscription[AnyEvent]:
        """Several subscriptions in one stream: `kalshi.orderbooks:ID,ID`, `polymarket.fills`."""
        found = [SUBSCRIPTION.fullmatch(one) for one in ([] if isinstance(subscriptions, str) else subscriptions)]
        if not found or None in found:
            raise InvalidArgument(
                "subscriptions must be a list of texts like kalshi.orderbooks:ID,ID or polymarket.fills"
            )
        private = any(one is not None and one["channel"] in ("orders", "fills") for one in found)
        named = [one.partition(":") for one in subscriptions]
        markets = len({(channel, market_id) for channel, _, ids in named for market_id in ids.split(",")})
        return Subscription("/stream", query_of({"subscribe": [*subscriptions]}), None if private else markets)


class ClientSettings(TypedDict, total=False):
    """Settings of a client, as `TradingProxy` says them; the last three are of streams, in seconds and events."""

    api_key: str | None
    token: Token
    timeout: float
    retries: int
    insecure: bool
    proxy: str | None
    on_request: Callable[[Request], None]
    on_response: Callable[[Request, int | None, float], None]
    silence: float
    reconnect: tuple[float, float]
    queue: int


def _engine(
    base_url: str | None = None,
    *,
    api_key: str | None = None,
    token: Token = None,
    timeout: float = 60.0,
    retries: int = 2,
    insecure: bool = False,
    **others: Any,
) -> Engine:
    if api_key is not None and token is not None:
        raise InvalidArgument("give an api_key or a token, not both")
    given: Token = token if api_key is None else api_key
    given = os.environ.get("TRADING_PROXY_API_KEY") if given is None else given
    if isinstance(given, str) and not re.fullmatch(r"[!-~]+", given):
        raise InvalidArgument("the key or token must be visible ASCII characters")
    numbers: dict[str, Any] = {"timeout": positive(timeout, "timeout"), "retries": int(positive(retries, "retries"))}
    return Engine(Settings(base_url=_address(base_url, insecure), token=given, **numbers, **others))


class TradingProxy(_Client[Sync]):
    """The client of a Trading Proxy, for threads.

    `base_url` and `api_key` are TRADING_PROXY_URL and TRADING_PROXY_API_KEY where they are left out; `token`: a
    session's access token, or a function that gives it. `timeout`: seconds of one whole attempt. `retries` beyond the
    first attempt. `insecure`: http beyond this machine. `proxy`: the only way to use one. `on_request(request)` and
    `on_response(request, status, seconds)` are for logs; status is None where there was no answer.
    """

    def __init__(self, base_url: str | None = None, **settings: Unpack[ClientSettings]) -> None:
        self._portal = Portal()
        super().__init__(Runner(_engine(base_url, **settings), self._portal))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._runner.engine.settings.base_url!r})"

    def __enter__(self) -> TradingProxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End connections and streams."""
        self._portal.close(self._runner.engine.close)

    def with_response(self) -> _Client[SyncResponse]:
        """The same client, whose methods give `(value, response)`."""
        return _Client(Runner(self._runner.engine, self._portal, True))


class AsyncTradingProxy(_Client[Async]):
    """The client of a Trading Proxy, for asyncio; settings as of `TradingProxy`. One belongs to one event loop."""

    def __init__(self, base_url: str | None = None, **settings: Unpack[ClientSettings]) -> None:
        super().__init__(Runner(_engine(base_url, **settings), None))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._runner.engine.settings.base_url!r})"

    async def __aenter__(self) -> AsyncTradingProxy:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End connections."""
        await self._runner.engine.close()

    def with_response(self) -> _Client[AsyncResponse]:
        """The same client, whose methods give `(value, response)`."""
        return _Client(Runner(self._runner.engine, None, True))
