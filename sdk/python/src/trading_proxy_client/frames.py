"""Answers as a pandas DataFrame: `pip install "trading-proxy-client[pandas]"`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

import pandas


def _row(item: Any, before: str = "") -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name in (field.name for field in fields(item) if field.name != "extra"):
        value = getattr(item, name)
        row.update(_row(value, f"{before}{name}.") if is_dataclass(value) else {f"{before}{name}": value})
    return row


def frame(items: Iterable[Any]) -> pandas.DataFrame:
    """One row an item, such as those of a list. Decimals stay decimals; members of members are `outcome.label`."""
    return pandas.DataFrame([_row(item) for item in items])
