"""What the cases of sdk/conformance do not say: what is Python's own."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from decimal import Decimal
from typing import Any

import pytest

from trading_proxy_client import (
    AsyncTradingProxy,
    ConnectionFailed,
    InvalidArgument,
    Request,
    Stale,
    TradingProxy,
    types,
)
from trading_proxy_client._calls import Resource, Runner
from trading_proxy_client._codec import Unreadable, decode, encode, query_of
from trading_proxy_client._engine import Call
from trading_proxy_client._generated import (
    OPERATIONS,
    ApiKey,
    BotUsage,
    CreateBot,
    CreatedApiKey,
    CreatedBot,
    Level,
    PreviewedLimit,
    RotatedBotKey,
    SignedIn,
)
from trading_proxy_client._methods import SyncClient
from trading_proxy_client.frames import frame

from .conftest import Service

ADDRESS = "http://127.0.0.1:1"
BY_REQUEST = ("/auth/", "/account/credentials", "/account/sessions", "/account/profile", "/health/")
"""Paths for people and browsers: these calls have no method and are made by `request`."""


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ftp://127.0.0.1",
        "127.0.0.1:3000",
        "http://example.com",
        "http://127.0.0.1.example.com",
        "http://user:secret@127.0.0.1",
        "http://127.0.0.1?a=1",
        "http://[::1",
    ],
)
def test_refuses_addresses_that_leak_the_key(address: str) -> None:
    with pytest.raises(InvalidArgument):
        TradingProxy(address, api_key="k")


@pytest.mark.parametrize(
    "address", [ADDRESS, "http://localhost:3000/", "http://[::1]:3000", "https://example.com/proxy"]
)
def test_takes_https_and_this_machine(address: str) -> None:
    TradingProxy(address, api_key="k")
    TradingProxy("http://example.com", api_key="k", insecure=True)


def test_address_and_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRADING_PROXY_URL", raising=False)
    with pytest.raises(InvalidArgument):
        TradingProxy()
    monkeypatch.setenv("TRADING_PROXY_URL", ADDRESS)
    monkeypatch.setenv("TRADING_PROXY_API_KEY", "of-the-environment")
    assert TradingProxy()._runner.engine.token == "of-the-environment"
    assert TradingProxy(token="given")._runner.engine.token == "given"


@pytest.mark.parametrize(
    "given", [{"api_key": "a", "token": "b"}, {"api_key": "a b"}, {"timeout": -1}, {"retries": True}]
)
def test_refuses_settings_that_cannot_be(given: Any) -> None:
    with pytest.raises(InvalidArgument):
        TradingProxy(ADDRESS, **given)


def test_hooks_see_calls_and_no_headers(service: Service) -> None:
    service.load("request repeats a read, and another call only under a key that is given")
    seen: list[Any] = []

    def asked(request: Request) -> None:
        seen.append((request.method, request.attempt, sorted(vars(request))))

    def answered(request: Request, status: int | None, seconds: float) -> None:
        seen.append((status, seconds > 0))

    with TradingProxy(service.url, api_key="k", on_request=asked, on_response=answered) as client:
        client.request("GET", "/me")
    assert seen[:2] == [("GET", 0, ["attempt", "method", "path"]), (None, True)]
    assert seen[-1] == (200, True)


def test_token_may_be_a_function(service: Service) -> None:
    tokens = iter(["first", "second"])

    async def token() -> str:
        await asyncio.sleep(0)
        return next(tokens)

    service.load("request repeats a read, and another call only under a key that is given")
    with TradingProxy(service.url, token=token) as client:
        client.request("GET", "/me", retries=1)
    assert [one["headers"]["authorization"] for one in service.seen()["requests"]] == ["Bearer first", "Bearer second"]


def test_a_hook_cannot_wait_for_its_own_client() -> None:
    failures: list[Exception] = []

    def asked(_: Request) -> None:
        try:
            client.me.get()
        except RuntimeError as error:
            failures.append(error)
            raise

    with TradingProxy(ADDRESS, api_key="k", on_request=asked) as client, pytest.raises(ConnectionFailed):
        client.me.get(retries=0)
    assert len(failures) == 1


def test_a_fork_needs_a_client_of_its_own() -> None:
    with TradingProxy(ADDRESS, api_key="k") as client:
        child = os.fork()
        if child == 0:
            try:
                client.me.get()
            except RuntimeError:
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_close_ends_the_thread_and_streams(service: Service) -> None:
    service.load("trades are told once")
    before = threading.active_count()
    client = TradingProxy(service.url, api_key="svc_sk_test_conformance")
    stream = client.kalshi.trades.stream(["M"])
    assert stream.next() is not None
    assert threading.active_count() == before + 1
    client.close()
    assert threading.active_count() == before


def test_a_cancelled_call_leaves_its_client_whole(service: Service) -> None:
    service.load("a time-out is of one attempt")

    async def cancelled() -> None:
        async with AsyncTradingProxy(service.url, api_key="svc_sk_test_conformance") as client:
            task = asyncio.create_task(client.kalshi.orders.get("o1"))
            for _ in range(100):
                if service.seen()["requests"]:
                    break
                await asyncio.sleep(0.02)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            service.load("with_response tells status and request id")
            assert (await client.kalshi.balance.get()).available == Decimal("12.5")

    asyncio.run(cancelled())


def test_a_stream_that_is_cancelled_ends_its_connection(service: Service) -> None:
    service.load("a book is held whole, and its levels in their order")

    async def read() -> None:
        async with AsyncTradingProxy(service.url, api_key="svc_sk_test_conformance") as client:
            stream = client.kalshi.orderbooks.stream(["M"])
            async with stream:
                assert (await stream.next()) is not None
                with pytest.raises(asyncio.TimeoutError):
                    while True:
                        await stream.next(timeout=1.5)
            assert len(asyncio.all_tasks()) == 1
            assert await stream.next() is None

    asyncio.run(read())


def test_a_stream_whose_reader_ends_shows_no_old_book(service: Service) -> None:
    """Whatever ends it: here the token function at the second connection."""
    service.load("an ordinary end of the answer is a lost connection")
    tokens = iter(["svc_sk_test_conformance"])

    async def read() -> None:
        async with AsyncTradingProxy(service.url, token=lambda: next(tokens), reconnect=(0.01, 0.05)) as client:
            stream = client.kalshi.orderbooks.stream(["M"])
            seen = [await stream.next()]
            with pytest.raises(RuntimeError):
                while True:
                    seen.append(await stream.next(timeout=5))
            assert isinstance(seen[-1], Stale)
        service.load("a book is held whole, and its levels in their order")
        async with AsyncTradingProxy(service.url, api_key="svc_sk_test_conformance") as client:
            async with client.kalshi.orderbooks.stream(["M"]) as stream:
                await asyncio.sleep(0.5)
            assert [one async for one in stream] == []

    asyncio.run(read())


def test_what_is_sent_is_by_the_schema() -> None:
    bot = {"name": "b", "limits": {"max_open_risk": Decimal("1E+2"), "max_open_orders": 3, "max_position": 5}}
    sent = {"name": "b", "limits": {"max_open_risk": "100", "max_open_orders": 3, "max_position": "5"}}
    assert encode(bot, CreateBot) == sent
    for wrong in (0.5, True, "1e3", "", "\u0661", Decimal("NaN"), None.__class__):
        with pytest.raises(InvalidArgument):
            encode({"limits": {"max_position": wrong}}, CreateBot)
    with pytest.raises(InvalidArgument):
        encode({"anything": [0.5]})
    for unsent in (0.5, "\ud800", "\ud800\U0001f600"):
        with pytest.raises(InvalidArgument):
            query_of({"search": unsent})


def test_what_is_received_is_by_the_schema() -> None:
    level = decode({"price": "0.10", "size": "5", "new": [1]}, Level)
    assert (level.price, str(level.price), level.extra) == (Decimal("0.1"), "0.10", {"new": [1]})
    key = decode({"prefix": "0.5", "name": "1", "scopes": ["read", "tomorrow"]}, ApiKey)
    assert (key.prefix, key.scopes, key.created_at) == ("0.5", ("read", "tomorrow"), None)
    limit = decode({"limit": "max_open_orders", "allowed": 3, "used": "1.5", "asked": None}, PreviewedLimit)
    assert (limit.allowed, limit.used, limit.asked) == (3, Decimal("1.5"), None)
    assert decode({"open_orders": 1, "open_risk": {"USD": "1.5"}}, BotUsage).open_risk == {"USD": Decimal("1.5")}
    wrongs: list[Any] = [{"price": "NaN"}, {"price": "1_0"}, {}, [], "text"]
    for wrong in wrongs:
        with pytest.raises(Unreadable):
            decode(wrong, Level)


@pytest.mark.parametrize(
    ("kind", "member"),
    [(CreatedApiKey, "key"), (CreatedBot, "key"), (RotatedBotKey, "key"), (SignedIn, "access_token")],
)
def test_what_is_shown_once_is_not_in_a_repr(kind: Any, member: str) -> None:
    answer = decode({member: "svc_sk_live_secret"}, kind)
    assert getattr(answer, member) == "svc_sk_live_secret"
    assert "secret" not in repr(answer)


def resources(resource: Resource) -> list[Resource]:
    inner = [one for one in vars(resource).values() if isinstance(one, Resource)]
    return [resource, *(found for one in inner for found in resources(one))]


class Recorder(Runner):
    """Notes calls and makes none."""

    def __init__(self) -> None:
        with TradingProxy(ADDRESS, api_key="k") as client:
            super().__init__(client._runner.engine, None)
        self.calls: list[Call] = []

    def run(self, call: Call, lost: bool = False) -> None:
        self.calls.append(call)

    pages = run


def test_each_operation_has_a_method_or_is_by_request() -> None:
    values = {"ttl_seconds": 30, "orders": [{"price": "0.5"}]}
    runner = Recorder()
    client = SyncClient(runner)
    for resource in resources(client):
        names = [name for name in dir(type(resource)) if not name.startswith("_")]
        for name in names:
            if name in ("request", "exchange", "stream"):
                continue
            method: Any = getattr(resource, name)
            parameters = inspect.signature(method).parameters.values()
            needed = [one for one in parameters if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
            given = {
                one.name: values.get(one.name, ["x"] if "Sequence" in str(one.annotation) else "x") for one in needed
            }
            method(**given)
    made = {
        (call.method, call.path.replace("/kalshi/", "/{exchange}/").replace("/polymarket/", "/{exchange}/"))
        for call in runner.calls
    }
    unmade = {
        (one.method, one.path)
        for one in OPERATIONS.values()
        if not one.path.startswith(BY_REQUEST) and "stream" not in one.path
    }
    wanted = {(method, path.replace("{", "").replace("}", "")) for method, path in unmade}
    found = {(method, "/".join(path.replace("{", "").replace("}", "").split("/"))) for method, path in made}
    shapes = {(method, _shape(path)) for method, path in found}
    assert sorted((method, path) for method, path in wanted if (method, _shape(path)) not in shapes) == [
        ("DELETE", "/account"),
        ("GET", "/account/exchange-hosts"),
        ("POST", "/account/confirm"),
        ("POST", "/account/password"),
        ("POST", "/account/verification"),
    ]


def _shape(path: str) -> str:
    """A path whose ids are all alike."""
    ids = ("x", "id", "bot_id", "key_prefix", "order_id", "market_id", "event_id", "transfer_id", "idempotency_key")
    return "/".join("*" if part in ids else part for part in path.split("/"))


def test_frames_have_a_column_for_each_field() -> None:
    usage = decode({"open_orders": 1, "open_risk": {"USD": "1"}}, BotUsage)
    table = frame([decode({"price": "0.5", "size": "2"}, Level), decode({"price": "0.6", "size": "3"}, Level)])
    assert list(table.columns) == ["price", "size"]
    assert sum(table["size"]) == Decimal(5)
    assert "open_risk" in frame([usage]).columns


def test_types_have_the_names_of_the_document() -> None:
    assert types.Market.__name__ == "Market"
    assert "Market" in dir(types)


def test_async_client_has_the_same_methods() -> None:
    both = [{name for name in dir(kind) if not name.startswith("_")} for kind in (TradingProxy, AsyncTradingProxy)]
    assert both[0] == both[1]
