"""What is sent and received, by the schemas of the document: never by how a value looks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import Any
from urllib.parse import quote

from . import _generated as g
from ._errors import InvalidArgument, TradingProxyError, error_of
from ._generated import FIELDS

PLAIN = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
PROOF: dict[Any, tuple[str, type]] = {
    **dict.fromkeys((g.CreatedOrder, g.ReadOrder, g.CancelledOrder), ("id", str)),
    **dict.fromkeys((g.AbandonedKey, g.KeyFate), ("state", str)),
    g.Transfer: ("amount", Decimal),
    g.CancelledOrders: ("cancelled", tuple),
    g.BatchResults: ("results", tuple),
    g.BatchOrder: ("order", g.CreatedOrder),
    g.BatchError: ("error", TradingProxyError),
}
"""The member without which an object that says what became of orders is not the service's."""


class Unreadable(Exception):
    """An answer that is not what its schema says."""


@cache
def _names(spec: Any) -> frozenset[str]:
    """Names of the members of a generated class."""
    fields = getattr(spec, "__dataclass_fields__", None)
    if fields is not None:
        return frozenset(fields) - {"extra"}
    return frozenset(getattr(spec, "__required_keys__", ())) | frozenset(getattr(spec, "__optional_keys__", ()))


def _fitting(spec: Any, value: Any) -> Any:
    """Of several schemas the one that `value` has most members of; a text is a decimal where one of them is."""
    if not isinstance(spec, tuple):
        return spec
    if isinstance(value, Mapping):
        return max((one for one in spec if one is not Decimal), key=lambda one: len(_names(one) & value.keys()))
    return Decimal if isinstance(value, str) and Decimal in spec else None


def _member(spec: Any, name: str) -> Any:
    members: Mapping[Any, Any] = spec if isinstance(spec, dict) else FIELDS.get(spec, {})
    return members.get(name, members.get(str))


def decimal_text(value: Any, name: str) -> str:
    """A decimal as it is sent."""
    if isinstance(value, (bool, float)) or not isinstance(value, (Decimal, str, int)):
        raise InvalidArgument(f"{name} must be a Decimal, a text or an int, not {type(value).__name__}")
    text = format(value, "f") if isinstance(value, Decimal) else str(value)
    if not PLAIN.fullmatch(text):
        raise InvalidArgument(f"{name} is no plain decimal: {text[:40]!r}")
    return text


def encode(value: Any, spec: Any = None, name: str = "body") -> Any:
    """`value` as JSON; decimals become text."""
    spec = _fitting(spec, value)
    if value is not None and (spec is Decimal or isinstance(value, (Decimal, float))):
        return decimal_text(value, name)
    if isinstance(value, Mapping):
        return {key: encode(each, _member(spec, key), key) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [encode(each, spec[0] if isinstance(spec, list) else None, name) for each in value]
    if value is None or isinstance(value, (str, int)):
        return value
    raise InvalidArgument(f"{name} cannot be sent: {type(value).__name__}")


def decode(value: Any, spec: Any) -> Any:
    """JSON as what its schema says. Unknown members are in `extra`, those that are left out are None."""
    spec = _fitting(spec, value)
    if value is None or spec is None or (spec is Decimal and not isinstance(value, str)):
        return value
    if spec is Decimal:
        if not PLAIN.fullmatch(value):
            raise Unreadable("a decimal that is none")
        return Decimal(value)
    kind: Any = list if isinstance(spec, list) else dict
    if not isinstance(value, kind):
        raise Unreadable("a list or an object that is none")
    if isinstance(spec, list):
        return tuple(decode(each, spec[0]) for each in value)
    if isinstance(spec, dict):
        return {key: decode(each, _member(spec, key)) for key, each in value.items()}
    if spec is not TradingProxyError:
        return _instance(value, spec)
    if not isinstance(value.get("code"), str):
        raise Unreadable("an error without its code")
    return error_of(value)


def _instance(value: dict[str, Any], spec: Any) -> Any:
    """An object of a generated class."""
    names, fields = _names(spec), FIELDS.get(spec, {})
    known = {name: decode(value[name], fields.get(name)) for name in names if name in value}
    name, kind = PROOF.get(spec, ("", object))
    if not known or not isinstance(known.get(name), kind) or known.get(name) == "":
        raise Unreadable("an object of another kind")
    extra = {key: each for key, each in value.items() if key not in names}
    return spec(**{**dict.fromkeys(names), **known, "extra": extra})


def segment(value: Any, name: str) -> str:
    """An id as one segment of a path."""
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise InvalidArgument(f"{name} must be a text that names something")
    try:
        return quote(value, safe="")
    except UnicodeEncodeError:
        raise InvalidArgument(f"{name} is no text that can be sent") from None


def query_of(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The members of `values` that are not None, as texts; a list is repeated."""
    pairs = [(key, one) for key, each in values.items() for one in (each if isinstance(each, list) else [each])]
    return tuple((key, _query_text(key, each)) for key, each in pairs if each is not None)


def _query_text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value if isinstance(value, str) else decimal_text(value, name)
    if "\ud800" <= max(text, default="") <= "\udfff":
        raise InvalidArgument(f"{name} is no text that can be sent")
    return text


def joined(ids: Any, name: str) -> str:
    """Ids as one parameter."""
    if isinstance(ids, str) or not all(isinstance(one, str) and one and "," not in one for one in ids):
        raise InvalidArgument(f"{name} must be a list of ids")
    return ",".join(ids)
