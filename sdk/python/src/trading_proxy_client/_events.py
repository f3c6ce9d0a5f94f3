"""Events of streams, and what is held of a stream to make them: messages in, events out. No clock, no network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ._codec import Unreadable, decode
from ._errors import error_of
from ._generated import FIELDS, Level, OrderBookAnswer, ReadOrder
from ._kinds import ITEMS, Fill, Order, Quote, Trade
from ._schema import Event

__all__ = ["Closed", "Event", "Gap", "Live", "Snapshot", "Stale", "Update"]


@dataclass(frozen=True, kw_only=True)
class BookEvent(Event):
    """`book` is the whole book, best prices first. It never changes; it is None while it may not be trusted."""

    book: OrderBookAnswer | None = None
    sequence: int | None = None
    """The version of the book, where one is told."""
    reason: str | None = None
    """Why it is told."""


@dataclass(frozen=True, kw_only=True)
class Snapshot(BookEvent):
    """A book as it begins, or (`data`) your open orders, which replace all that were told."""

    data: tuple[ReadOrder, ...] = ()


class Update(BookEvent):
    """A book has changed."""


@dataclass(frozen=True, kw_only=True)
class Status(BookEvent):
    """How far what was told may be trusted, why and since when."""

    since: str | None = None


class Stale(Status):
    """Do not trade on what was told: pull your quotes."""


class Live(Status):
    """What is told may be traded on."""


class Closed(Status):
    """No more of this market will come."""


@dataclass(frozen=True, kw_only=True)
class Gap(Event):
    """Fills between these times were not told: read them by `fills.list(start=…, end=…)`."""

    from_: str
    to: str


AnyEvent = Snapshot | Update | Quote | Trade | Order | Fill | Stale | Live | Closed | Gap
TOLD = 10_000
"""So many of the newest trades, fills or orders are known again."""
STATES: dict[Any, type[Stale | Live | Closed]] = {"stale": Stale, "live": Live, "closed": Closed}


@dataclass
class Line:
    """What is known of one market of a channel; of own orders and fills, of all of them."""

    head: dict[str, Any]
    state: type[Event] | None = None
    """The last status; None in a connection that has not told one."""
    held: OrderBookAnswer | None = None
    sequence: Any = None

    @property
    def book(self) -> OrderBookAnswer | None:
        return self.held if self.state in (None, Live) else None


def _changed(levels: tuple[Level, ...], changes: Any, best_is_high: bool) -> tuple[Level, ...]:
    """The levels with the changes in place, best first; a size of zero removes one."""
    held = {level.price: level for level in (*levels, *decode(changes or [], [Level]))}
    left = (level for level in held.values() if level.size != 0)
    return tuple(sorted(left, key=lambda level: level.price, reverse=best_is_high))


class Fold:
    """Turns messages into events: holds the books, folds what comes twice, says what is stale."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, str, str | None], Line] = {}
        self._told: dict[tuple[str, str], Any] = {}

    @property
    def closed(self) -> int:
        """How many lines are closed."""
        return sum(line.state is Closed for line in self._lines.values())

    def ended(self, reason: str) -> Iterator[AnyEvent]:
        """The connection is lost: `stale` of each line that was not; what is not closed begins anew."""
        lost = [line for line in self._lines.values() if line.state not in (Stale, Closed)]
        self._lines = {key: line for key, line in self._lines.items() if line.state is Closed}
        for line in lost:
            yield Stale(**line.head, reason=reason)

    def message(self, message: Any) -> Iterator[AnyEvent]:
        """The events of one message; an unknown one has none. Raises what an `error` says, and `Unreadable`."""
        if not isinstance(message, dict) or not isinstance(message.get("error", {}), dict):
            raise Unreadable("a message that is none")
        kind = str(message.get("type"))
        if kind == "error":
            raise error_of(message.get("error", {}))
        tell = {"status": self._status, "snapshot": self._snapshot, "update": self._update}.get(kind)
        if tell is None and kind not in ITEMS:
            return
        line = self._line(message)
        if line.state is not Closed:
            yield from self._item(line, kind, message) if tell is None else tell(line, message)

    def _item(self, line: Line, kind: str, message: Mapping[str, Any]) -> Iterator[AnyEvent]:
        event, schema = ITEMS[kind]
        item = decode(message.get("data"), schema)
        if item is None:
            raise Unreadable("an event without its data")
        if kind == "quote" or self._news(kind, item):
            yield event(**{**line.head, "market_id": message.get("market_id")}, data=item)

    def _snapshot(self, line: Line, message: Mapping[str, Any]) -> Iterator[AnyEvent]:
        orders = line.head["channel"] == "orders"
        data = decode(message.get("data"), [ReadOrder] if orders else OrderBookAnswer)
        if data is None:
            raise Unreadable("a snapshot without its data")
        if orders:
            for order in data:
                self._news("order", order)
            yield Snapshot(**line.head, data=data, reason=message.get("reason"))
        else:
            line.held, line.sequence = data, message.get("sequence")
            yield Snapshot(**line.head, book=line.book, sequence=line.sequence, reason=message.get("reason"))

    def _line(self, message: Mapping[str, Any]) -> Line:
        channel, exchange = str(message.get("channel")), str(message.get("exchange"))
        market_id = None if channel in ("orders", "fills") else message.get("market_id")
        head = {"channel": channel, "exchange": exchange, "market_id": market_id}
        return self._lines.setdefault((channel, exchange, market_id), Line(head))

    def _status(self, line: Line, message: Mapping[str, Any]) -> Iterator[AnyEvent]:
        state, reason = STATES.get(message.get("state")), message.get("reason")
        if state is None:
            return
        line.state = state
        if state is Live and reason == "gap":
            yield Gap(**line.head, from_=str(message.get("from")), to=str(message.get("to")))
        yield state(**line.head, reason=reason, since=message.get("since"), book=line.book)

    def _update(self, line: Line, message: Mapping[str, Any]) -> Iterator[AnyEvent]:
        data = message.get("data") or {}
        if line.held is None or message.get("previous_sequence") != line.sequence:
            line.state = Stale
            yield Stale(**line.head, reason="sequence_gap")
            raise Unreadable("an update that does not follow what is held")
        names = [name for name in ("timestamp", "timestamp_source", "hash", "last_price") if name in data]
        fields = {name: decode(data[name], FIELDS[OrderBookAnswer].get(name)) for name in names}
        bids = _changed(line.held.bids, data.get("bids"), True)
        line.held = replace(line.held, bids=bids, asks=_changed(line.held.asks, data.get("asks"), False), **fields)
        line.sequence = message.get("sequence")
        yield Update(**line.head, book=line.book, sequence=line.sequence)

    def _news(self, kind: str, item: Any) -> bool:
        """Whether this was not told yet: trades once, fills once a status, orders where anything has changed."""
        told = item if kind == "order" else getattr(item, "status", None)
        known = (kind, f"{item.exchange}:{item.id}")
        news = item.id is None or known not in self._told or self._told.pop(known) != told
        self._told[known] = told
        if len(self._told) > TOLD:
            del self._told[next(iter(self._told))]
        return news
