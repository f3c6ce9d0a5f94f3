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
from typing import Any, Literal
from urllib.parse import urlencode

import httpx2

from ._codec import Unreadable
from ._errors import InvalidArgument, OrderOutcomeUnknown, TradingProxyError, error_of, no_answer

Query = tuple[tuple[str, str], ...]
"""Names and values as they are sent."""
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
class Call:
    """A call, ready to be sent. `query` and `body` are as on the wire; `read` makes the value of the answer."""

    method: str
    path: str
    read: Callable[[Any], Any]
    query: Query = ()
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


@dataclass
class Engine:
    """Sends calls. One belongs to one event loop."""

    base_url: str
    token: Token = field(repr=False)
    timeout: float
    retries: int
    proxy: str | None = field(repr=False)
    on_request: Callable[[Request], None] | None
    on_response: Callable[[Request, int | None, float], None] | None
    silence: float
    """Seconds without a byte after which a stream is stale."""
    reconnect: tuple[float, float]
    queue: int
    _orders = 0

    def __post_init__(self) -> None:
        """The client of HTTP keeps no cookies and asks the environment nothing."""
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=30)
        self.http = httpx2.AsyncClient(trust_env=False, timeout=None, proxy=self.proxy, limits=limits)
        self.http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    async def request_of(
        self, method: str, path: str, query: Query, headers: Mapping[str, str | None], content: bytes | None = None
    ) -> httpx2.Request:
        """A request with the key of now, and the headers that have a value."""
        token = self.token() if callable(self.token) else self.token
        token = await token if inspect.isawaitable(token) else token
        own = {**headers, "authorization": None if token is None else f"Bearer {token}"}
        wanted = {name: value for name, value in own.items() if value is not None}
        url = f"{self.base_url}{path}" + (f"?{urlencode(query)}" if query else "")
        return self.http.build_request(method, url, headers=wanted, content=content)

    async def run(self, call: Call, lost: bool = False) -> tuple[Any, Response]:
        """The value of a call and what came beside it. `lost`: an attempt was made whose outcome is not known."""
        timeout = positive(self.timeout if call.timeout is None else call.timeout, "timeout")
        retries = positive(self.retries if call.retries is None else call.retries, "retries")
        orders, attempt = self._orders, 0
        while True:
            self._orders += call.method in ("POST", "PATCH")
            try:
                return await self._attempt(call, attempt, timeout)
            except TradingProxyError as caught:
                error = caught
            except Exception as broken:
                if not lost:
                    raise
                error = no_answer(f"{type(broken).__name__} before an attempt", lost=False, retryable=False)
            lost = call.places and (lost or error._lost)
            if error._lost and call.repeats == "no" and not call.places:
                error.retryable = False
            wait = max(0.2 * 2**attempt * random.uniform(0.5, 1), error.retry_after or 0)
            again = error.retryable and not error._replayed and attempt < retries and wait <= LONGEST_WAIT
            if again and call.repeats != "no":
                await asyncio.sleep(wait)
            free = call.repeats == "yes" or (call.repeats == "unless_ordered" and orders == self._orders)
            if not again or not free:
                raise self.last(call, error, lost)
            attempt += 1

    def last(self, call: Call, error: TradingProxyError, lost: bool) -> TradingProxyError:
        """What a call without a value ends with."""
        if not lost or error._replayed:
            return error
        unknown = error
        if not isinstance(unknown, OrderOutcomeUnknown):
            unknown = OrderOutcomeUnknown("order_outcome_unknown", f"it may exist ({error})", retryable=True)
            unknown.__cause__, unknown.retry_after = error, error.retry_after
        unknown.idempotency_key = call.key
        return unknown

    async def _attempt(self, call: Call, attempt: int, timeout: float) -> tuple[Any, Response]:
        content = None if call.body is None else json.dumps(call.body, allow_nan=False).encode()
        kind = None if content is None else "application/json"
        headers = {"accept": "application/json, text/csv", "content-type": kind, "idempotency-key": call.key}
        request = await self.request_of(call.method, call.path, call.query, headers, content)
        seen, begun = Request(call.method, call.path, attempt), time.monotonic()
        status: int | None = None
        _log(self.on_request, seen)
        try:
            answer = await asyncio.wait_for(self.http.send(request), timeout)
            status = answer.status_code
            return self._value(call, answer)
        except asyncio.TimeoutError:
            error = no_answer(f"no answer within {timeout} s", lost=True, timed_out=True)
        except httpx2.RequestError as broken:
            # Not its cause: what broke holds the request, and so the key.
            unsent = isinstance(broken, (httpx2.ConnectError, httpx2.ConnectTimeout))
            error = no_answer(f"{type(broken).__name__} at {call.method} {call.path}", lost=not unsent)
        finally:
            _log(self.on_response, seen, status, time.monotonic() - begun)
        raise error

    def _value(self, call: Call, answer: httpx2.Response) -> tuple[Any, Response]:
        response = Response(answer.status_code, dict(answer.headers), answer.headers.get("x-request-id"))
        if answer.is_success and call.text:
            return call.read(answer.text), response
        try:
            return call.read(self.body_of(answer)), response
        except Unreadable as wrong:
            raise no_answer(f"the answer is {wrong}", lost=True) from None

    def body_of(self, answer: httpx2.Response) -> dict[str, Any]:
        """The JSON object of a success. Raises the error that the service answers, or that there is no answer of it."""
        if answer.is_redirect:
            raise no_answer("redirects are not followed", lost=True, retryable=False)
        try:
            body = json.loads(answer.content, parse_float=Decimal)
        except (ValueError, RecursionError):
            body = None
        member = body.get("error") if isinstance(body, dict) else None
        if isinstance(body, dict) and answer.is_success:
            return body
        if not isinstance(member, dict) or not isinstance(member.get("code"), str):
            raise no_answer(f"an answer {answer.status_code} that is none of the service", lost=True)
        wait = answer.headers.get("retry-after", "")
        error = error_of({"request_id": answer.headers.get("x-request-id"), **member})
        error.status, error._replayed = answer.status_code, answer.headers.get("idempotency-replayed") == "true"
        error.retry_after = float(wait) if wait.isascii() and wait.isdigit() else None
        raise error


def _log(hook: Callable[..., None] | None, *seen: Any) -> None:
    """A hook that fails must not hide what became of an order."""
    try:
        if hook is not None:
            hook(*seen)
    except Exception:
        logging.getLogger("trading_proxy_client").exception("a hook failed")


def positive(value: Any, name: str) -> float:
    """Seconds, or a count."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 2_147_483:
        raise InvalidArgument(f"{name} must be a number from 0 to 2147483")
    return value
