"""How a method is a call; what it gives is by the kind of its client."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from functools import partial
from typing import Any, Generic, Protocol, TypeVar
from uuid import uuid4

from . import _generated as g
from ._codec import Unreadable, encode, joined, query_of, read, segment
from ._engine import Call, Engine, positive
from ._errors import InvalidArgument, OrderOutcomeUnknown, no_answer
from ._portal import Portal
from ._schema import KeyedOptions
from ._stream import AsyncStream, Stream

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
KEY = re.compile(r"(?!\.{1,2}$)[\x21-\x7e]{1,255}", re.ASCII)
PATH = re.compile(r"/(?!/)(?!(.*/)?(\.|%2e){1,2}(/|$))[!-~]*", re.IGNORECASE)
SUBSCRIPTION = re.compile(r"[^.:]+\.(?P<channel>[^.:]+)(:(?P<ids>.+))?")
ONCE = re.compile("(create|change|remove|resume)Bot|rotateBotKey|(create|revoke)ApiKey|amendOrder")
"""Operations that are sent once: a second one would make something more, or undo what somebody did since."""


class PageOf(Protocol[T_co]):
    """A page of a list."""

    @property
    def data(self) -> tuple[T_co, ...]: ...
    @property
    def next_cursor(self) -> str | None: ...


class AsyncPages(Generic[T]):
    """The items of a list; each page is read when its first item is asked for."""

    def __init__(self, engine: Engine, call: Call) -> None:
        self._engine, self._call = engine, call

    async def pages(self) -> AsyncIterator[PageOf[T]]:
        rest = tuple(pair for pair in self._call.query if pair[0] != "cursor")
        call, told = self._call, {value for name, value in self._call.query if name == "cursor"}
        while True:
            page, _ = await self._engine.run(call)
            yield page
            if not page.next_cursor:
                return
            if page.next_cursor in told:
                raise no_answer("a page names a cursor that was read already", lost=False, retryable=False)
            told.add(page.next_cursor)
            call = replace(call, query=(*rest, ("cursor", page.next_cursor)))

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.data:
                yield item


class Pages(Generic[T]):
    """The items of a list; each page is read when its first item is asked for."""

    def __init__(self, portal: Portal, pages: AsyncPages[T]) -> None:
        self._portal, self._pages = portal, pages

    def pages(self) -> Iterator[PageOf[T]]:
        return self._portal.iterate(self._pages.pages())

    def __iter__(self) -> Iterator[T]:
        return self._portal.iterate(self._pages.__aiter__())


class Runner:
    """Runs calls. `portal`: for threads that wait; `responses`: a value comes with its response."""

    def __init__(self, engine: Engine, portal: Portal | None, responses: bool = False) -> None:
        self.engine, self.portal, self.responses = engine, portal, responses

    def responding(self) -> Runner:
        return Runner(self.engine, self.portal, True)

    def run(self, call: Call, lost: bool = False) -> Any:
        if self.portal is None:
            return self._value(call, lost)
        try:
            return self.portal.run(self._value(call, lost))
        except CancelledError:
            error = no_answer("the client was closed", lost=True, retryable=False)
        raise self.engine.last(call, error, call.places)

    async def _value(self, call: Call, lost: bool) -> Any:
        try:
            value, response = await self.engine.run(call, lost)
        except OrderOutcomeUnknown as unknown:
            unknown._again = partial(self.run, call, True) if call.places else None
            raise
        return (value, response) if self.responses else value

    def pages(self, call: Call) -> Any:
        pages: AsyncPages[Any] = AsyncPages(self.engine, call)
        return pages if self.portal is None else Pages(self.portal, pages)

    def stream(self, path: str, query: Mapping[str, Any], markets: int | None) -> Any:
        events: AsyncStream[Any] = AsyncStream(self.engine, path, query_of(query), markets)
        return events if self.portal is None else Stream(self.portal, events)


class Resource:
    """Methods of one kind of thing, of one exchange where `exchange` is not empty."""

    def __init__(self, runner: Runner, exchange: str = "") -> None:
        self._runner, self._exchange = runner, exchange

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._exchange!r})"

    def _ready(self, name: str, values: Mapping[str, Any]) -> Call:
        """The call of an operation. `values`: the ids of its path, its query or its body, and the options."""
        operation = g.OPERATIONS[name]
        ids: list[str] = [one for one in re.findall(r"{(\w+)}", operation.path) if one != "exchange"]
        rest = {key: each for key, each in values.items() if key not in (*ids, *KeyedOptions.__optional_keys__)}
        return Call(
            operation.method,
            operation.path.format(exchange=self._exchange, **{one: segment(values[one], one) for one in ids}),
            partial(read, operation=operation),
            query=query_of(rest) if operation.body is None else (),
            body=None if operation.body is None else encode(rest, operation.body),
            key=key_of(values.get("idempotency_key")) if operation.keyed else None,
            timeout=values.get("timeout"),
            retries=values.get("retries"),
            repeats="unless_ordered" if name == "cancelOrders" else "no" if ONCE.fullmatch(name) else "yes",
            places=operation.keyed or name == "amendOrder",
            text=operation.answer is None,
        )

    def _call(self, name: str, values: Mapping[str, Any]) -> Any:
        return self._runner.run(self._ready(name, values))

    def _list(self, name: str, values: Mapping[str, Any]) -> Any:
        return self._runner.pages(self._ready(name, values))

    def _stream(self, name: str, market_ids: Sequence[str] | None, **query: Any) -> Any:
        markets = {} if market_ids is None else {"market_id": joined(market_ids, "market_ids")}
        path = g.OPERATIONS[name].path.format(exchange=self._exchange)
        ends = None if market_ids is None or name in ("streamOrders", "streamFills") else len(set(market_ids))
        return self._runner.stream(path, {**markets, **query}, ends)

    def _batch(self, orders: Sequence[Any], options: KeyedOptions) -> Any:
        """Each result is a `BatchOrder` or a `BatchError`, whose key is `<key>#<index>`."""
        key = key_of(options.get("idempotency_key"))
        each: list[Any] = [encode(order, (g.PlainOrder, g.SignedOrder)) for order in orders]
        call = self._ready("createOrders", {**options, "idempotency_key": key, "orders": each})

        def again(index: int) -> Any:
            alone = self._ready("createOrder", {**each[index], "idempotency_key": f"{key}#{index}"})
            return self._runner.run(alone, True)

        def results(body: Any) -> g.BatchResults:
            answer: g.BatchResults = call.read(body)
            if {result.index for result in answer.results} != set(range(len(each))):
                raise Unreadable("a batch of other orders")
            for result in answer.results:
                if isinstance(result, g.BatchOrder):
                    if not isinstance(result.order, g.CreatedOrder) or not result.order.id:
                        raise Unreadable("an order without its id")
                elif isinstance(result.error, OrderOutcomeUnknown):
                    result.error.idempotency_key = f"{key}#{result.index}"
                    result.error._again = partial(again, result.index)
            return answer

        return self._runner.run(replace(call, read=results))

    def _beat(self, ttl_seconds: int, on_miss: str, options: Mapping[str, Any]) -> Any:
        """One beat, with a time-out of a third of its time to live at most; nothing beats by itself."""
        usual = options.get("timeout", self._runner.engine.timeout)
        longest = min(usual, positive(ttl_seconds, "ttl_seconds") / 3)
        return self._call("beat", {**options, "timeout": longest, "ttl_seconds": ttl_seconds, "on_miss": on_miss})


class Root(Resource):
    """What a client has beside its generated methods."""

    def request(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Any = None, **options: Any
    ) -> Any:
        """Any other call; its answer is as on the wire. A read is repeated, another only under a key that is given.

        Options are those of every call, and `idempotency_key`.
        """
        if not isinstance(path, str) or not PATH.fullmatch(path) or re.search(r"[\\?#]", path):
            raise InvalidArgument("path must begin with one /, and hold neither .. nor spaces nor ? # \\")
        verb, key = str(method).upper(), options.pop("idempotency_key", None)
        reads = verb in ("GET", "HEAD")
        call = Call(verb, path, lambda answer: answer, query=query_of(query or {}), body=encode(body), **options)
        if key is not None:
            call = replace(call, key=key_of(key), places=not reads)
        return self._runner.run(replace(call, repeats="yes" if reads or key is not None else "no"))

    def _several(self, subscriptions: Sequence[str]) -> Any:
        found = [SUBSCRIPTION.fullmatch(one) for one in ([] if isinstance(subscriptions, str) else subscriptions)]
        if not found or None in found:
            raise InvalidArgument("subscriptions must be a list like kalshi.orderbooks:ID,ID and polymarket.fills")
        private = any(one is not None and one["channel"] in ("orders", "fills") for one in found)
        named = [one.partition(":") for one in subscriptions]
        markets = len({(channel, market_id) for channel, _, ids in named for market_id in ids.split(",")})
        return self._runner.stream("/stream", {"subscribe": [*subscriptions]}, None if private else markets)


def key_of(given: object) -> str:
    """The Idempotency-Key of a call: the one that is given, else a new one."""
    if given is None:
        return uuid4().hex
    if not isinstance(given, str) or not KEY.fullmatch(given):
        raise InvalidArgument("idempotency_key must be 1 to 255 visible ASCII characters")
    return given
