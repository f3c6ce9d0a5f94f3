"""How a method is a call: written once, it gives its value in the synchronous client and a coroutine in the other."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from ._engine import Call, Engine, Response
from ._errors import OrderOutcomeUnknown, no_answer
from ._events import Event
from ._portal import Portal
from ._stream import AsyncStream, Stream, Subscription

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
E = TypeVar("E", bound=Event)


class Sync:
    """A client whose methods give values."""


class Async:
    """A client whose methods are awaited."""


class SyncResponse:
    """A client whose methods give a value and its response."""


class AsyncResponse:
    """A client whose methods are awaited, and give a value and its response."""


M = TypeVar("M", Sync, Async, SyncResponse, AsyncResponse)


class Runner:
    """Runs calls. `portal`: for threads that wait; `responses`: a value comes with its response."""

    def __init__(self, engine: Engine, portal: Portal | None, responses: bool = False) -> None:
        self.engine, self.portal, self.responses = engine, portal, responses

    def run(self, call: Call[Any], lost: bool = False) -> Any:
        if self.portal is None:
            return self._value(call, lost)
        try:
            return self.portal.run(self._value(call, lost))
        except CancelledError:
            error = no_answer("the client was closed", lost=True, retryable=False)
        raise self.engine.last(call, error, call.places)

    async def _value(self, call: Call[Any], lost: bool) -> Any:
        try:
            value, response = await self.engine.run(call, lost)
        except OrderOutcomeUnknown as unknown:
            unknown._again = (lambda: self.run(call, True)) if call.places else None
            raise
        return (value, response) if self.responses else value


class Resource(Generic[M]):
    """Methods of one kind of thing, of one exchange where `exchange` is not empty."""

    def __init__(self, runner: Runner, exchange: str = "") -> None:
        self._runner, self._exchange = runner, exchange

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._exchange!r})"


class PageOf(Protocol[T_co]):
    """A page of a list."""

    @property
    def data(self) -> tuple[T_co, ...]: ...
    @property
    def next_cursor(self) -> str | None: ...


class Pages(Generic[T]):
    """The items of a list; each page is read when its first item is asked for."""

    def __init__(self, runner: Runner, call: Call[PageOf[T]]) -> None:
        self._runner, self._call = runner, call

    def pages(self) -> Iterator[PageOf[T]]:
        assert self._runner.portal is not None
        call: Call[PageOf[T]] | None = self._call
        told = {value for name, value in self._call.query if name == "cursor"}
        while call is not None:
            page, _ = self._runner.portal.run(self._runner.engine.run(call))
            yield page
            call = _after(call, page, told)

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data


class AsyncPages(Generic[T]):
    """The items of a list; each page is read when its first item is asked for."""

    def __init__(self, runner: Runner, call: Call[PageOf[T]]) -> None:
        self._runner, self._call = runner, call

    async def pages(self) -> AsyncIterator[PageOf[T]]:
        call: Call[PageOf[T]] | None = self._call
        told = {value for name, value in self._call.query if name == "cursor"}
        while call is not None:
            page, _ = await self._runner.engine.run(call)
            yield page
            call = _after(call, page, told)

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.data:
                yield item


def _after(call: Call[PageOf[T]], page: PageOf[T], told: set[str]) -> Call[PageOf[T]] | None:
    """The call of the next page. `told`: the cursors of the pages so far."""
    if page.next_cursor in told:
        raise no_answer("a page names a cursor that was read already", lost=False, retryable=False)
    told.add(page.next_cursor or "")
    query = tuple(pair for pair in call.query if pair[0] != "cursor")
    return replace(call, query=(*query, ("cursor", page.next_cursor))) if page.next_cursor else None


class Method(Generic[P, T]):
    """A method that makes a call; what it gives depends on its client."""

    def __init__(self, build: Callable[Concatenate[Any, P], Call[T]]) -> None:
        self._build = build
        self.__doc__ = build.__doc__

    @overload
    def __get__(self, resource: Resource[Sync], owner: object = None) -> Callable[P, T]: ...
    @overload
    def __get__(self, resource: Resource[Async], owner: object = None) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, resource: Resource[SyncResponse], owner: object = None) -> Callable[P, tuple[T, Response]]: ...
    @overload
    def __get__(
        self, resource: Resource[AsyncResponse], owner: object = None
    ) -> Callable[P, Coroutine[Any, Any, tuple[T, Response]]]: ...
    def __get__(self, resource: Any, owner: object = None) -> Any:
        return self if resource is None else _bound(self._build, resource, resource._runner.run)


class Listing(Generic[P, T]):
    """A method that makes a list."""

    def __init__(self, build: Callable[Concatenate[Any, P], Call[PageOf[T]]]) -> None:
        self._build = build
        self.__doc__ = build.__doc__

    @overload
    def __get__(
        self, resource: Resource[Sync] | Resource[SyncResponse], owner: object = None
    ) -> Callable[P, Pages[T]]: ...
    @overload
    def __get__(
        self, resource: Resource[Async] | Resource[AsyncResponse], owner: object = None
    ) -> Callable[P, AsyncPages[T]]: ...
    def __get__(self, resource: Any, owner: object = None) -> Any:
        if resource is None:
            return self
        kind: Any = AsyncPages if resource._runner.portal is None else Pages
        return _bound(self._build, resource, functools.partial(kind, resource._runner))


class Streaming(Generic[P, E]):
    """A method that makes a stream of events `E`."""

    def __init__(self, build: Callable[Concatenate[Any, P], Subscription[E]]) -> None:
        self._build = build
        self.__doc__ = build.__doc__

    @overload
    def __get__(
        self, resource: Resource[Sync] | Resource[SyncResponse], owner: object = None
    ) -> Callable[P, Stream[E]]: ...
    @overload
    def __get__(
        self, resource: Resource[Async] | Resource[AsyncResponse], owner: object = None
    ) -> Callable[P, AsyncStream[E]]: ...
    def __get__(self, resource: Any, owner: object = None) -> Any:
        return self if resource is None else _bound(self._build, resource, functools.partial(_stream, resource._runner))


def _stream(runner: Runner, subscription: Subscription[Any]) -> Any:
    events: AsyncStream[Any] = AsyncStream(runner.engine, subscription)
    return events if runner.portal is None else Stream(runner.portal, events)


def _bound(build: Callable[..., Any], resource: Any, use: Callable[[Any], Any]) -> Callable[..., Any]:
    @functools.wraps(build)
    def method(*args: Any, **values: Any) -> Any:
        return use(build(resource, *args, **values))

    return method
