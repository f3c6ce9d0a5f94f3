"""What is sent and received, by the schemas of the document: never by how a value looks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from ._errors import InvalidArgument, TradingProxyError, error_of
from ._generated import FIELDS
from ._schema import Operation

PLAIN = re.compile(r"-?\d+(\.\d+)?", re.ASCII)


class Unreadable(ValueError):
    """An answer that is not what its schema says."""


def _fitting(spec: Any, value: Any) -> Any:
    """Of several schemas the one that `value` has most members of; a text is a decimal where one of them is."""
    if not isinstance(spec, tuple):
        return spec
    if isinstance(value, Mapping):
        return max((one for one in spec if one is not Decimal), key=lambda one: len(FIELDS[one].keys() & value.keys()))
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
    fields = FIELDS[spec]
    known = {name: decode(value[name], each) for name, each in fields.items() if name in value}
    if not known:
        raise Unreadable("an object of another kind")
    extra = {key: each for key, each in value.items() if key not in fields}
    return spec(**{**dict.fromkeys(fields), **known, "extra": extra})


def read(answer: Any, operation: Operation) -> Any:
    """The value of an operation's answer: a JSON object, or a text."""
    if operation.answer is None:
        return answer
    proof = answer.get(operation.proof)
    if operation.proof and (proof == "" or not isinstance(proof, (str, list, dict))):
        raise Unreadable("an object of another kind")
    return decode(answer, operation.answer)


def segment(value: Any, name: str) -> str:
    """An id as one segment of a path."""
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise InvalidArgument(f"{name} must be a text that names something")
    return quote(_sendable(value, name), safe="")


def _sendable(text: str, name: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidArgument(f"{name} is no text that can be sent") from None
    return text


def query_of(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The members of `values` that are not None, as texts; a list is repeated."""
    pairs = [(key, one) for key, each in values.items() for one in (each if isinstance(each, list) else [each])]
    return tuple((key, _query_text(key, each)) for key, each in pairs if each is not None)


def _query_text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _sendable(value, name) if isinstance(value, str) else decimal_text(value, name)


def joined(ids: Any, name: str) -> str:
    """Ids as one parameter."""
    if isinstance(ids, str) or not all(isinstance(one, str) and one and "," not in one for one in ids):
        raise InvalidArgument(f"{name} must be a list of ids")
    return ",".join(ids)
