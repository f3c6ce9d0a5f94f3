"""Streams: one reader each, in the loop of its client, that goes on whatever its consumer does."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from decimal import Decimal
from typing import Any, Generic, TypeVar

import httpx2

from ._codec import Unreadable
from ._engine import Engine, Query
from ._events import AnyEvent, Closed, Fold, Live, Stale
from ._kinds import SlowConsumer
from ._portal import Portal
from ._schema import Event

__all__ = ["AsyncStream", "Stream"]

E = TypeVar("E", bound=Event)
CONFLATED = ("orderbooks", "markets")


async def blocks_of(answer: httpx2.Response) -> AsyncIterator[dict[str, str]]:
    """The fields of each block of server-sent events. The service writes each `data` in one line."""
    rest = b""
    async for chunk in answer.aiter_bytes():
        *blocks, rest = (rest + chunk).replace(b"\r\n", b"\n").split(b"\n\n")
        for block in blocks:
            fields = [line.partition(":") for line in block.decode("utf-8", "replace").split("\n")]
            yield {name: value.removeprefix(" ") for name, _, value in fields}


class Waiting:
    """Events that wait for their consumer: the newest of each book and quote, all others up to a bound."""

    def __init__(self, bound: int) -> None:
        self._bound, self._queued = bound, 0
        self._events: OrderedDict[Any, AnyEvent] = OrderedDict()

    def __len__(self) -> int:
        return len(self._events)

    def add(self, event: AnyEvent) -> None:
        """Raises SlowConsumer where there is no room; what ends trust is told all the same."""
        ends = isinstance(event, (Stale, Closed))
        if event.channel not in CONFLATED:
            if not ends and self._queued >= self._bound:
                raise SlowConsumer("slow_consumer", "too many events wait to be read")
            self._queued += not ends
            self._events[object()] = event
            return
        market = (event.channel, event.exchange, event.market_id)
        kind = event.type if ends or isinstance(event, Live) else "data"
        for old in ("data", "live", "stale") if ends else (kind,):
            self._events.pop((market, old), None)
        self._events[market, kind] = event
        if kind == "stale":
            self._events.move_to_end((market, kind), last=False)

    def take(self) -> AnyEvent:
        _, event = self._events.popitem(last=False)
        self._queued -= event.channel not in CONFLATED and not isinstance(event, (Stale, Closed))
        return event


class AsyncStream(Generic[E]):
    """Events, as `async for` reads them; `async with` ends the stream. It reconnects by itself, without end."""

    def __init__(self, engine: Engine, path: str, query: Query, markets: int | None) -> None:
        """After so many `markets` that closed it is over; None: never."""
        self._engine, self._path, self._query, self._markets = engine, path, query, markets
        self._fold, self._waiting = Fold(), Waiting(engine.queue)
        self._last_id: str | None = None
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()

    async def __aenter__(self) -> AsyncStream[E]:
        self._start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def __aiter__(self) -> AsyncIterator[E]:
        while (event := await self.next()) is not None:
            yield event

    async def next(self, timeout: float | None = None) -> E | None:
        """The next event; None where the stream is over. Raises `asyncio.TimeoutError` after `timeout` seconds."""
        task = self._start()
        while not self._waiting:
            if task.done():
                return None if task.cancelled() else task.result()
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), timeout)
        return self._waiting.take()  # type: ignore[return-value]

    async def close(self) -> None:
        """End the stream: what waits is dropped."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._waiting = Waiting(0)

    def _start(self) -> asyncio.Task[None]:
        if self._task is None:
            self._task = asyncio.create_task(self._read())
            self._task.add_done_callback(lambda _: self._news.set())
        return self._task

    def _tell(self, event: AnyEvent) -> None:
        self._waiting.add(event)
        self._news.set()

    @property
    def _over(self) -> bool:
        return self._fold.closed == self._markets

    async def _read(self) -> None:
        least, most = self._engine.reconnect
        failures = 0
        while not self._over:
            begun, self._retry, reason = time.monotonic(), 0.0, "disconnected"
            fatal: Exception | None = None
            try:
                await self._connection()
            except httpx2.ReadTimeout:
                reason = "silent"
            except (httpx2.RequestError, ValueError, RecursionError):
                pass  # Messages that cannot be read, or do not follow.
            except Exception as error:  # Of the service, or of a token function.
                self._retry = getattr(error, "retry_after", None) or self._retry
                fatal = None if getattr(error, "retryable", False) else error
            for event in self._fold.ended(reason):
                self._tell(event)
            if fatal is not None:
                raise fatal
            failures = 0 if time.monotonic() - begun > most else failures + 1
            if not self._over:
                backoff = min(most, least * 2 ** min(failures, 20)) * random.uniform(0.5, 1)
                await asyncio.sleep(max(backoff, self._retry))

    async def _connection(self) -> None:
        """One connection, until it ends."""
        engine = self._engine
        headers = {"accept": "text/event-stream, application/json", "last-event-id": self._last_id}
        request = await engine.request_of("GET", self._path, self._query, headers)
        limits = httpx2.Timeout(engine.timeout, read=engine.silence)
        request.extensions["timeout"] = limits.as_dict()
        async with aclosing(await engine.http.send(request, stream=True)) as answer:
            if not answer.is_success or not answer.headers.get("content-type", "").startswith("text/event-stream"):
                await answer.aread()
                engine.body_of(answer)
                raise Unreadable("a success that is no stream")
            async for block in blocks_of(answer):
                if block.get("retry", "").isdecimal():
                    self._retry = int(block["retry"]) / 1000
                for event in self._fold.message(json.loads(block.get("data", "{}"), parse_float=Decimal)):
                    self._tell(event)
                self._last_id = block.get("id", self._last_id)
                if self._over:
                    return


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
        return self._portal.iterate(self._events.__aiter__())

    def next(self, timeout: float | None = None) -> E | None:
        """The next event; None where the stream is over. Raises `TimeoutError` after `timeout` seconds without one."""
        try:
            return self._portal.run(self._events.next(timeout))
        except asyncio.TimeoutError:
            raise TimeoutError("no event in time") from None

    def close(self) -> None:
        """End the stream."""
        self._portal.run(self._events.close())
