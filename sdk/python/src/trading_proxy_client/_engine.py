"""Requests, retries and errors. Both clients run this; the synchronous one in a thread (_portal.py)."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from http.cookiejar import DefaultCookiePolicy
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import urlencode

import httpx2

from ._codec import Unreadable
from ._errors import InvalidArgument, OrderOutcomeUnknown, TradingProxyError, error_of, no_answer

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Token = str | Callable[[], str | Awaitable[str]] | None
LONGEST_WAIT = 60.0
"""Seconds: a longer Retry-After is not waited for."""


@dataclass(frozen=True)
class Request:
    """What hooks see of an attempt: no headers, so no key. `attempt` counts from 0."""

    method: str
    path: str
    attempt: int


@dataclass(frozen=True)
class Response:
    """What came beside the value of an answer. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    request_id: str | None


@dataclass(frozen=True)
class Call(Generic[T_co]):
    """A call, ready to be sent. `query` and `body` are as on the wire; `read` makes the value of the answer."""

    method: str
    path: str
    read: Callable[[Any], T_co]
    query: tuple[tuple[str, str], ...] = ()
    body: Any = None
    key: str | None = None
    timeout: float | None = None
    retries: int | None = None
    repeats: Literal["yes", "no", "unless_ordered"] = "no"
    """Whether the client makes the call again by itself; `unless_ordered`: where no order was sent meanwhile."""
    places: bool = False
    """Without an answer the order, transfer or change may exist."""
    text: bool = False
    """The answer is a text, not JSON."""


@dataclass(frozen=True)
class Settings:
    """What both clients are made with."""

    base_url: str
    token: Token = field(repr=False)
    timeout: float
    retries: int
    proxy: str | None = field(default=None, repr=False)
    on_request: Callable[[Request], None] | None = None
    on_response: Callable[[Request, int | None, float], None] | None = None
    silence: float = 35.0
    """Seconds without a byte after which a stream is stale."""
    reconnect: tuple[float, float] = (0.2, 30.0)
    queue: int = 10_000


class Engine:
    """Sends calls. One belongs to one event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._http: httpx2.AsyncClient | None = None
        self._orders = 0

    @property
    def http(self) -> httpx2.AsyncClient:
        """Made at the first call, in the loop that uses it. It keeps no cookies and asks the environment nothing."""
        if self._http is None:
            limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=30)
            self._http = httpx2.AsyncClient(trust_env=False, timeout=None, proxy=self.settings.proxy, limits=limits)
            self._http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        return self._http

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()

    async def request_of(
        self,
        method: str,
        path: str,
        query: tuple[tuple[str, str], ...],
        headers: Mapping[str, str],
        content: bytes | None = None,
    ) -> httpx2.Request:
        """A request with the key of now."""
        token = self.settings.token() if callable(self.settings.token) else self.settings.token
        token = await token if inspect.isawaitable(token) else token
        wanted = {"accept": "application/json", **headers}
        if token is not None:
            wanted["authorization"] = f"Bearer {token}"
        if content is not None:
            wanted["content-type"] = "application/json"
        url = f"{self.settings.base_url}{path}" + (f"?{urlencode(query)}" if query else "")
        return self.http.build_request(method, url, headers=wanted, content=content)

    async def run(self, call: Call[T], lost: bool = False) -> tuple[T, Response]:
        """The value of a call and what came beside it. `lost`: an attempt was made whose outcome is not known."""
        retries = self.settings.retries if call.retries is None else call.retries
        orders, attempt = self._orders, 0
        while True:
            self._orders += call.method in ("POST", "PATCH")
            try:
                return await self._attempt(call, attempt)
            except TradingProxyError as caught:
                error = caught
            except Exception as broken:
                if not lost:
                    raise
                error = no_answer(f"{type(broken).__name__} before an attempt", lost=False, retryable=False)
            lost = call.places and (lost or error._lost)
            wait = max(0.2 * 2**attempt * random.uniform(0.5, 1), error.retry_after or 0)
            free = call.repeats == "yes" or (call.repeats == "unless_ordered" and orders == self._orders)
            over = error._replayed or attempt >= retries or not error.retryable or wait > LONGEST_WAIT
            if error._lost and not free and not call.places:
                error.retryable = False
            if over or not free:
                raise self.last(call, error, lost)
            await asyncio.sleep(wait)
            if call.repeats == "unless_ordered" and orders != self._orders:
                raise self.last(call, error, lost)
            attempt += 1

    def last(self, call: Call[Any], error: TradingProxyError, lost: bool) -> TradingProxyError:
        """What a call without a value ends with."""
        if not lost or error._replayed:
            return error
        unknown = error
        if not isinstance(unknown, OrderOutcomeUnknown):
            unknown = OrderOutcomeUnknown("order_outcome_unknown", f"it may exist ({error})", retryable=True)
            unknown.__cause__ = error
            unknown.retry_after = error.retry_after
        unknown.idempotency_key = call.key
        return unknown

    async def _attempt(self, call: Call[T], attempt: int) -> tuple[T, Response]:
        content = None if call.body is None else json.dumps(call.body, allow_nan=False).encode()
        headers = {} if call.key is None else {"idempotency-key": call.key}
        request = await self.request_of(call.method, call.path, call.query, headers, content)
        seen, begun, left = Request(call.method, call.path, attempt), time.monotonic(), False
        status: int | None = None

        async def trace(name: str, _: Any) -> None:
            nonlocal left
            left = left or name.endswith("send_request_headers.started")

        request.extensions["trace"] = trace
        _log(self.settings.on_request, seen)
        try:
            timeout = self.settings.timeout if call.timeout is None else call.timeout
            answer = await asyncio.wait_for(self.http.send(request), timeout)
            status = answer.status_code
            return self._value(call, answer)
        except asyncio.TimeoutError:
            error = no_answer(f"no answer within {timeout} s", lost=left, timed_out=True)
        except Exception as broken:
            if isinstance(broken, TradingProxyError) or not (left or isinstance(broken, httpx2.RequestError)):
                raise
            # Not its cause: what broke holds the request, and so the key.
            error = no_answer(f"{type(broken).__name__} at {call.method} {call.path}", lost=left)
        finally:
            _log(self.settings.on_response, seen, status, time.monotonic() - begun)
        raise error

    def _value(self, call: Call[T], answer: httpx2.Response) -> tuple[T, Response]:
        response = Response(answer.status_code, dict(answer.headers), answer.headers.get("x-request-id"))
        if answer.is_success and call.text:
            return call.read(answer.text), response
        body = self.body_of(answer)
        if not answer.is_success:
            raise self.refusal(answer, body)
        try:
            return call.read(body), response
        except Unreadable as wrong:
            raise no_answer(f"the answer is {wrong}", lost=True) from None

    def body_of(self, answer: httpx2.Response) -> dict[str, Any]:
        """The JSON object of an answer of the service."""
        if answer.is_redirect:
            raise no_answer("redirects are not followed", lost=True, retryable=False)
        try:
            body = json.loads(answer.content, parse_float=Decimal)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise no_answer(f"an answer {answer.status_code} that is none of the service", lost=True)
        return body

    def refusal(self, answer: httpx2.Response, body: dict[str, Any]) -> TradingProxyError:
        """The error that the service answers."""
        member, wait = body.get("error"), answer.headers.get("retry-after", "")
        if not isinstance(member, dict) or not isinstance(member.get("code"), str):
            return no_answer(f"an answer {answer.status_code} that is none of the service", lost=True)
        replayed = answer.headers.get("idempotency-replayed") == "true"
        seconds = float(wait) if wait.isascii() and wait.isdigit() else None
        return error_of(
            {"request_id": answer.headers.get("x-request-id"), **member}, answer.status_code, seconds, replayed
        )


def _log(hook: Callable[..., None] | None, *seen: Any) -> None:
    """A hook that fails must not hide what became of an order."""
    try:
        if hook is not None:
            hook(*seen)
    except Exception:
        logging.getLogger("trading_proxy_client").exception("a hook failed")


def timing(values: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a call that say how long and how often it is tried; None: as its client does."""
    timeout, retries = values.get("timeout"), values.get("retries")
    return {
        "timeout": None if timeout is None else positive(timeout, "timeout"),
        "retries": None if retries is None else int(positive(retries, "retries")),
    }


def positive(value: Any, name: str) -> float:
    """Seconds, or a count."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 2_147_483:
        raise InvalidArgument(f"{name} must be a number from 0 to 2147483")
    return value
