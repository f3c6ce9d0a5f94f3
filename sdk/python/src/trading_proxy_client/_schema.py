"""What the generated types are made of."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, NamedTuple, TypedDict

DecimalInput = Decimal | str | int
"""A decimal that is sent: never a float, whose digits are not those that were written."""


class Operation(NamedTuple):
    """A call of the service: how it is sent, and what its body and its answer are."""

    method: str
    path: str
    body: Any
    answer: Any
    proof: str
    """The member without which an answer is not the service's; empty where there is none."""
    keyed: bool


@dataclass(frozen=True, kw_only=True)
class Event:
    """What each event has. `market_id` is None where an event is of all orders or fills."""

    type: ClassVar[str]
    """The class in lower case."""
    channel: str
    exchange: str
    market_id: str | None

    def __init_subclass__(cls) -> None:
        cls.type = cls.__name__.lower()


class Options(TypedDict, total=False):
    """How one call is made: `timeout`, seconds of each attempt; `retries` beyond the first attempt."""

    timeout: float
    retries: int


class KeyedOptions(Options, total=False):
    """`idempotency_key`: under it the service makes an order or transfer once. Left out, the client makes one."""

    idempotency_key: str
