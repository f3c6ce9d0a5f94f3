"""Events of streams, and what is held of each stream to make them: messages in, events out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from ._codec import Unreadable, decode
from ._errors import error_of
from ._generated import FIELDS, Level, MarketQuote, OrderBookAnswer, ReadFill, ReadOrder, StreamedTrade

Key = tuple[str, str, str | None]
"""Channel, exchange and market of what is held."""
TOLD = 10_000
"""So many of the newest trades, fills or orders are known again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What each event has. `market_id` is None where an event is of all orders or fills."""

    type: ClassVar[str]
    channel: str
    exchange: str
    market_id: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BookEvent(Event):
    """`book` is the whole book, best prices first. It never changes; it is None while it may not be trusted."""

    book: OrderBookAnswer | None = None
    sequence: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(BookEvent):
    """A book as it begins, or (`data`) your open orders, which replace all that were told."""

    type: ClassVar[Literal["snapshot"]] = "snapshot"
    data: tuple[ReadOrder, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Update(BookEvent):
    """A book has changed."""

    type: ClassVar[Literal["update"]] = "update"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status(Event):
    """How far what was told may be trusted, why and since when."""

    reason: str | None = None
    since: str | None = None
    book: OrderBookAnswer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale(Status):
    """Do not trade on what was told: pull your quotes."""

    type: ClassVar[Literal["stale"]] = "stale"


@dataclass(frozen=True, slots=True, kw_only=True)
class Live(Status):
    """What is told may be traded on."""

    type: ClassVar[Literal["live"]] = "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed(Status):
    """No more of this market will come."""

    type: ClassVar[Literal["closed"]] = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap(Event):
    """Fills between these times were not told: read them by `fills.list(start=…, end=…)`."""

    type: ClassVar[Literal["gap"]] = "gap"
    from_: str
    to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote(Event):
    """What is quoted of a market has changed."""

    type: ClassVar[Literal["quote"]] = "quote"
    data: MarketQuote


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade(Event):
    """A trade of anybody."""

    type: ClassVar[Literal["trade"]] = "trade"
    data: StreamedTrade


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(Event):
    """An order of yours as it is now."""

    type: ClassVar[Literal["order"]] = "order"
    data: ReadOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill(Event):
    """A fill of yours; one that was `pending` comes again as `confirmed` or `failed`."""

    type: ClassVar[Literal["fill"]] = "fill"
    data: ReadFill


AnyEvent = Snapshot | Update | Quote | Trade | Order | Fill | Stale | Live | Closed | Gap
STATES: dict[str, type[Stale] | type[Live] | type[Closed]] = {"stale": Stale, "live": Live, "closed": Closed}
ITEMS: dict[str, tuple[type[Quote] | type[Trade] | type[Order] | type[Fill], type]] = {
    "quote": (Quote, MarketQuote),
    "trade": (Trade, StreamedTrade),
    "order": (Order, ReadOrder),
    "fill": (Fill, ReadFill),
}


class Hole(Exception):
    """An update does not follow what is held: all is to be read anew."""


class Book:
    """The levels of one book by their prices."""

    def __init__(self, whole: OrderBookAnswer, sequence: Any) -> None:
        self.whole, self.sequence = whole, sequence
        self.sides = {"bids": {one.price: one for one in whole.bids}, "asks": {one.price: one for one in whole.asks}}

    def change(self, data: Mapping[str, Any], sequence: Any) -> None:
        for side, levels in self.sides.items():
            for level in decode(data.get(side, []), [Level]):
                levels.pop(level.price, None)
                if level.size != 0:
                    levels[level.price] = level
        names = [name for name in ("timestamp", "timestamp_source", "hash", "last_price") if name in data]
        fields = FIELDS[OrderBookAnswer]
        self.whole = replace(self.whole, **{name: decode(data[name], fields.get(name)) for name in names})
        self.sequence = sequence

    def now(self) -> OrderBookAnswer:
        """The whole, as it is now."""
        bids = sorted(self.sides["bids"].values(), key=lambda level: level.price, reverse=True)
        asks = sorted(self.sides["asks"].values(), key=lambda level: level.price)
        return replace(self.whole, bids=tuple(bids), asks=tuple(asks))


class Fold:
    """What is held of a stream. `told` outlives a connection, the rest does not."""

    def __init__(self) -> None:
        self.told: dict[tuple[str, str], Any] = {}
        self.closed: set[Key] = set()
        self.begin()

    def begin(self) -> None:
        """A new connection."""
        self.books: dict[Key, Book] = {}
        self.live: set[Key] = set()
        self.stale: set[Key] = set()

    def book(self, key: Key) -> OrderBookAnswer | None:
        held = self.books.get(key)
        return None if held is None or key in self.stale else held.now()

    def ended(self, reason: str) -> Iterator[AnyEvent]:
        """`stale` of all that was live, as the connection is lost."""
        for channel, exchange, market_id in sorted(self.live, key=str):
            yield Stale(channel=channel, exchange=exchange, market_id=market_id, reason=reason)
        self.begin()

    def message(self, message: Any) -> Iterator[AnyEvent]:
        """The events of one message; an unknown one has none. Raises what an `error` says, `Hole` and `Unreadable`."""
        if not isinstance(message, dict) or not isinstance(message.get("error", {}), dict):
            raise Unreadable("a message that is none")
        kind, data = message.get("type"), message.get("data")
        if kind == "error":
            raise error_of(message.get("error", {}))
        key = (str(message.get("channel")), str(message.get("exchange")), message.get("market_id"))
        common: dict[str, Any] = {"channel": key[0], "exchange": key[1], "market_id": key[2]}
        if key in self.closed and (kind == "status" or key[0] not in ("orders", "fills")):
            return
        if kind == "status":
            yield from self._status(message, key, common)
        elif kind == "snapshot":
            common.update(reason=message.get("reason"), sequence=message.get("sequence"))
            yield self._snapshot(message, key, common)
        elif kind == "update" and isinstance(data, dict):
            yield from self._update(message, key, common)
        elif kind in ITEMS:
            event, schema = ITEMS[kind]
            item = decode(data, schema)
            if item is None:
                raise Unreadable("an event without its data")
            self.live.add(key if kind in ("quote", "trade") else (key[0], key[1], None))
            if kind == "quote" or self._news(key[0], item):
                yield event(**common, data=item)

    def _news(self, channel: str, item: Any) -> bool:
        """Whether this was not told yet: trades once, fills once a status, orders where anything has changed."""
        if item.id is None:
            return True
        told = item if channel == "orders" else getattr(item, "status", None)
        known = (channel, f"{item.exchange}:{item.id}")
        news = known not in self.told or self.told.pop(known) != told
        self.told[known] = told
        if len(self.told) > TOLD:
            del self.told[next(iter(self.told))]
        return news

    def _snapshot(self, message: Mapping[str, Any], key: Key, common: dict[str, Any]) -> Snapshot:
        if key not in self.stale:
            self.live.add(key)
        if key[0] == "orders":
            orders = decode(message.get("data"), [ReadOrder]) or ()
            for order in orders:
                self._news(key[0], order)
            return Snapshot(**common, data=orders)
        whole = decode(message.get("data"), OrderBookAnswer)
        if whole is None:
            raise Unreadable("a snapshot without its book")
        self.books[key] = Book(whole, message.get("sequence"))
        return Snapshot(**common)

    def _update(self, message: Mapping[str, Any], key: Key, common: dict[str, Any]) -> Iterator[AnyEvent]:
        held = self.books.get(key)
        if held is None or message.get("previous_sequence") != held.sequence:
            self.live.discard(key)
            yield Stale(**common, reason="sequence_gap")
            raise Hole
        held.change(message["data"], message.get("sequence"))
        yield Update(**common, sequence=held.sequence)

    def _status(self, message: Mapping[str, Any], key: Key, common: dict[str, Any]) -> Iterator[AnyEvent]:
        state, reason = message.get("state"), message.get("reason")
        if state not in STATES:
            return
        self.live.discard(key)
        self.stale.discard(key)
        if state == "live":
            self.live.add(key)
        elif state == "stale":
            self.stale.add(key)
        else:
            self.closed.add(key)
            self.books.pop(key, None)
        if state == "live" and reason == "gap":
            yield Gap(**common, from_=str(message.get("from")), to=str(message.get("to")))
        yield STATES[state](**common, reason=reason, since=message.get("since"))
