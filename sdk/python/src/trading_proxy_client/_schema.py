"""What the generated types are made of."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple, TypedDict

DecimalInput = Decimal | str | int
"""A decimal that is sent: never a float, whose digits are not those that were written."""


class Operation(NamedTuple):
    """A call of the service: how it is sent, and what its body and its answer are."""

    method: str
    path: str
    body: Any
    answer: Any


class Options(TypedDict, total=False):
    """How one call is made: `timeout`, seconds of each attempt; `retries` beyond the first attempt."""

    timeout: float
    retries: int


class KeyedOptions(Options, total=False):
    """`idempotency_key`: under it the service makes an order or transfer once. Left out, the client makes one."""

    idempotency_key: str
