"""Streams: one reader each, in the loop of its client, that goes on whatever its consumer does."""

from __future__ import annotations

import asyncio
import json
import math
import random
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Generic, TypeVar

import httpx2

from ._codec import Unreadable
from ._engine import Engine
from ._errors import ConnectionFailed, SlowConsumer, TradingProxyError
from ._events import AnyEvent, BookEvent, Closed, Event, Fold, Hole, Quote, Stale, Status
from ._portal import Portal

E = TypeVar("E", bound=Event)
CONFLATED = ("orderbooks", "markets")


@dataclass(frozen=True)
class Subscription(Generic[E]):
    """A stream that is to be opened. `markets`: after so many that closed it is over; None: never."""

    path: str
    query: tuple[tuple[str, str], ...]
    markets: int | None


class Lines:
    """Server-sent events out of bytes."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []
        self._id: str | None = None
        self.retry: float | None = None

    def feed(self, chunk: bytes) -> Iterator[tuple[str, str | None]]:
        """Each message that is complete: its data and its id."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for raw in lines:
            name, _, value = raw.removesuffix(b"\r").decode("utf-8", "replace").partition(":")
            value = value.removeprefix(" ")
            if name == "data":
                self._data.append(value)
            elif name == "id":
                self._id = value
            elif name == "retry" and value.isdecimal():
                self.retry = int(value) / 1000
            elif name == "" and value == "" and self._data:
                yield "\n".join(self._data), self._id
                self._data, self._id = [], None


class Waiting:
    """Events that wait for their consumer: the newest of each book and quote, all others up to a bound."""

    def __init__(self, bound: int) -> None:
        self._bound, self._count, self._queued = bound, 0, 0
        self._events: OrderedDict[Any, AnyEvent] = OrderedDict()

    def __len__(self) -> int:
        return len(self._events)

    def add(self, event: AnyEvent, trusted: bool) -> bool:
        """Whether there was room. `trusted`: the book of the event is to be told with it."""
        market = (event.channel, event.exchange, event.market_id)
        if event.channel in CONFLATED:
            kind = "data" if isinstance(event, (BookEvent, Quote)) else event.type
            if kind in ("stale", "closed"):
                for waiting in ("data", "live", "stale"):
                    self._events.pop((market, waiting, True), None)
                    self._events.pop((market, waiting, False), None)
            key = (market, kind, trusted)
            self._events.pop(key, None)
            self._events[key] = event
            if kind == "stale":
                self._events.move_to_end(key, last=False)
            return True
        bound = not isinstance(event, (Stale, Closed))
        if bound and self._queued >= self._bound:
            return False
        self._count += 1
        self._queued += bound
        self._events[self._count] = event
        return True

    def take(self) -> tuple[AnyEvent, bool]:
        key, event = self._events.popitem(last=False)
        self._queued -= event.channel not in CONFLATED and not isinstance(event, (Stale, Closed))
        return event, isinstance(key, tuple) and key[2]


class AsyncStream(Generic[E]):
    """Events, as `async for` reads them; `async with` ends the stream. It reconnects by itself, without end."""

    def __init__(self, engine: Engine, subscription: Subscription[E]) -> None:
        self._engine, self._subscription = engine, subscription
        self._fold, self._waiting = Fold(), Waiting(engine.settings.queue)
        self._lines = Lines()
        self._last_id: str | None = None
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()

    async def __aenter__(self) -> AsyncStream[E]:
        self._start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __aiter__(self) -> AsyncIterator[E]:
        return self

    async def __anext__(self) -> E:
        event = await self.next()
        if event is None:
            raise StopAsyncIteration
        return event

    async def next(self, timeout: float | None = None) -> E | None:
        """The next event; None where the stream is over. Raises `asyncio.TimeoutError` after `timeout` seconds."""
        task = self._start()
        while not self._waiting:
            if task.done():
                return None if task.cancelled() else task.result()
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), timeout)
        event, trusted = self._waiting.take()
        if trusted and isinstance(event, (BookEvent, Status)):
            event = replace(event, book=self._fold.book((event.channel, event.exchange, event.market_id)))
        return event  # type: ignore[return-value]

    async def close(self) -> None:
        """End the stream. What waits may still be read."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _start(self) -> asyncio.Task[None]:
        if self._task is None:
            self._task = asyncio.create_task(self._read())
            self._task.add_done_callback(self._ended)
        return self._task

    def _ended(self, _: object) -> None:
        self._fold.begin()  # Nobody keeps a book any more: what waits of it has none.
        self._news.set()

    def _tell(self, event: AnyEvent) -> None:
        key = (event.channel, event.exchange, event.market_id)
        trusted = not isinstance(event, (Stale, Closed)) and key in self._fold.books and key not in self._fold.stale
        if not self._waiting.add(event, trusted):
            raise SlowConsumer("slow_consumer", "too many events wait to be read")
        self._news.set()

    def _over(self) -> bool:
        return self._subscription.markets is not None and len(self._fold.closed) >= self._subscription.markets

    async def _read(self) -> None:
        least, most = self._engine.settings.reconnect
        failures = 0
        while not self._over():
            self._opened = math.inf
            reason, wait, fatal = await self._end()
            lived = bool(self._fold.live) or time.monotonic() - self._opened >= 5  # Else the next waits longer.
            for event in self._fold.ended(reason):
                if event.channel in CONFLATED or not isinstance(fatal, SlowConsumer):
                    self._tell(event)
            if fatal is not None:
                raise fatal
            failures = 1 if lived else failures + 1
            if not self._over():
                backoff = min(most, least * 2 ** min(failures - 1, 20)) * random.uniform(0.5, 1)
                await asyncio.sleep(max(backoff, wait or 0))

    async def _end(self) -> tuple[str, float | None, Exception | None]:
        """One connection: why it ended, how long the next is to wait, and what forbids a next one."""
        wait: float | None = None
        fatal: Exception | None = None
        try:
            await self._connection()
        except httpx2.ReadTimeout:
            return "silent", None, None
        except (httpx2.RequestError, Unreadable, json.JSONDecodeError, RecursionError, Hole):
            pass
        except TradingProxyError as error:
            if not isinstance(error, ConnectionFailed):
                wait = self._lines.retry if error.status is None else error.retry_after
            fatal = None if error.retryable else error
        except Exception as error:  # Of a token function, say.
            fatal = error
        return "disconnected", wait, fatal

    async def _connection(self) -> None:
        """One connection, until it ends."""
        settings, engine = self._engine.settings, self._engine
        headers = {"accept": "text/event-stream, application/json"}
        if self._last_id is not None:
            headers["last-event-id"] = self._last_id
        request = await engine.request_of("GET", self._subscription.path, self._subscription.query, headers)
        limits = httpx2.Timeout(settings.timeout, read=settings.silence)
        request.extensions["timeout"] = limits.as_dict()
        answer = await engine.http.send(request, stream=True)
        try:
            if not answer.is_success or not answer.headers.get("content-type", "").startswith("text/event-stream"):
                await answer.aread()
                raise engine.refusal(answer, engine.body_of(answer))
            lines, self._opened = Lines(), time.monotonic()
            async for chunk in answer.aiter_bytes():
                for data, number in lines.feed(chunk):
                    self._lines = lines
                    for event in self._fold.message(json.loads(data, parse_float=Decimal)):
                        self._tell(event)
                    self._last_id = number or self._last_id
                if self._over():
                    return
        finally:
            await answer.aclose()


class Stream(Generic[E]):
    """Events, as `for` reads them; `with` ends the stream. A thread reads, and reconnects by itself, without end."""

    def __init__(self, portal: Portal, events: AsyncStream[E]) -> None:
        self._portal, self._events = portal, events

    def __enter__(self) -> Stream[E]:
        self._portal.run(self._events.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[E]:
        return self

    def __next__(self) -> E:
        event = self.next()
        if event is None:
            raise StopIteration
        return event

    def next(self, timeout: float | None = None) -> E | None:
        """The next event; None where the stream is over. Raises `TimeoutError` after `timeout` seconds without one."""
        try:
            return self._portal.run(self._events.next(timeout))
        except asyncio.TimeoutError:
            raise TimeoutError("no event in time") from None

    def close(self) -> None:
        """End the stream."""
        self._portal.run(self._events.close())
