"""Plays a case of sdk/conformance with either client, and judges what the client gave."""

from __future__ import annotations

import asyncio
import time
import traceback
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from trading_proxy_client import AsyncTradingProxy, InvalidArgument, TradingProxy, TradingProxyError

KEY = "svc_sk_test_conformance"
MISSING = object()
MANY = ("stream", ".list", ".search")
"""Calls that give items."""
IDLE_MS = 10_000
"""After so long without an event a stream has no more, where the case does not say."""


def values(given: Any) -> Any:
    """What a case writes, as values of Python."""
    if isinstance(given, list):
        return [values(one) for one in given]
    if not isinstance(given, dict):
        return given
    if "$float" in given:
        return float(given["$float"])
    if "$decimal" in given:
        return Decimal(given["$decimal"])
    return {name: values(one) for name, one in given.items()}


def settings(case: Mapping[str, Any], url: str, closed_url: str) -> dict[str, Any]:
    """What the client of a case is made with."""
    given = dict(case.get("client", {}))
    address = given.pop("url", url)
    made: dict[str, Any] = {"base_url": closed_url if address == "$closed" else address}
    for name, scaled in (("timeout_ms", "timeout"), ("silence_ms", "silence")):
        if name in given:
            made[scaled] = given.pop(name) / 1000
    if "reconnect_ms" in given:
        least, most = given.pop("reconnect_ms")
        made["reconnect"] = (least / 1000, most / 1000)
    if "token" not in given:
        given.setdefault("api_key", KEY)
    return {**made, **given}


@dataclass
class Outcome:
    """What a step gave: a value, or what was iterated and how that ended."""

    value: Any = None
    items: list[Any] = field(default_factory=list)
    error: Exception | None = None
    seconds: float = 0.0


def plain(value: Any) -> Any:
    return format(value, "f") if isinstance(value, Decimal) else value


def member(value: Any, name: str) -> Any:
    """A member of a value as it is called on the wire."""
    if isinstance(value, (tuple, list)):
        return value[int(name)] if int(name) < len(value) else MISSING
    if isinstance(value, Mapping):
        return value.get(name, MISSING)
    if isinstance(value, TradingProxyError) and name == "class":
        return type(value).__name__
    if isinstance(value, TradingProxyError) and name == "cause":
        return value.__cause__
    found = getattr(value, f"{name}_" if name == "from" else name, MISSING)
    return getattr(value, "extra", {}).get(name, MISSING) if found is MISSING else found


def at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = member(value, name)
    return value


def differences(found: Any, expected: Any, where: str) -> list[str]:
    """Where `found` lacks something of `expected`."""
    if expected == "$any":
        return [] if isinstance(found, str) and found else [f"{where}: {found!r} is no text"]
    if isinstance(expected, dict):
        if found is None or found is MISSING or isinstance(found, (str, int, Decimal)):
            return [f"{where}: {found!r} has no members"]
        return [line for name, one in expected.items() for line in _of_member(found, name, one, where)]
    if isinstance(expected, list):
        if not isinstance(found, (tuple, list)) or len(found) != len(expected):
            return [f"{where}: {found!r} is not {len(expected)} long"]
        pairs = zip(found, expected, strict=True)
        return [line for n, (one, wanted) in enumerate(pairs) for line in differences(one, wanted, f"{where}.{n}")]
    same = plain(found) == expected and isinstance(found, bool) == isinstance(expected, bool)
    return [] if same else [f"{where}: {found!r} is not {expected!r}"]


def _of_member(found: Any, name: str, expected: Any, where: str) -> list[str]:
    if name == "message_has":
        return [] if expected in found.message else [f"{where}: {found.message!r} lacks {expected!r}"]
    return differences(member(found, name), expected, f"{where}.{name}")


class Player:
    """One client and the steps of one case."""

    def __init__(self, client: TradingProxy | AsyncTradingProxy, waits: bool) -> None:
        self.client, self.waits = client, waits
        self.error: Any = None
        self.failures: list[str] = []

    async def play(self, steps: list[dict[str, Any]]) -> None:
        begun = []
        for number, step in enumerate(steps):
            if "wait_ms" in step and "call" not in step:
                await asyncio.sleep(step["wait_ms"] / 1000)
            elif step.get("background"):
                begun.append((number, step, asyncio.create_task(self.outcome(step))))
                await asyncio.sleep(0.02)
            else:
                self.judge(f"step {number + 1}", step, await self.outcome(step))
        for number, step, task in begun:
            self.judge(f"step {number + 1}", step, await task)

    async def outcome(self, step: dict[str, Any]) -> Outcome:
        made = Outcome()
        begun = time.monotonic()
        try:
            await self._perform(step, made)
        except (TradingProxyError, InvalidArgument) as error:
            made.error = error
            self.error = error
        made.seconds = time.monotonic() - begun
        return made

    async def _perform(self, step: dict[str, Any], made: Outcome) -> None:
        if step["call"] == "$repr":
            trace = "".join(traceback.format_exception(self.error)) if self.error is not None else ""
            shown = [self.client, self.client.kalshi.orders, self.error, vars(self.error) if self.error else None]
            made.value = " ".join([repr(shown), str(shown), trace, repr(self.client._runner.engine)])
            return
        options = dict(step.get("options", {}))
        if "timeout_ms" in options:
            options["timeout"] = options.pop("timeout_ms") / 1000
        target: Any = self.client.with_response() if step.get("with_response") else self.client
        if step["call"] == "$retry":
            made.value = await self._result(self.error.retry)
            return
        for name in step["call"].split("."):
            target = getattr(target, name)
        arguments, keywords = values(step.get("args", [])), {**values(step.get("params", {})), **options}
        if step["call"].endswith(MANY):
            await self._iterate(step, target(*arguments, **keywords), made)
        else:
            made.value = await self._result(lambda: target(*arguments, **keywords))

    async def _result(self, call: Callable[[], Any]) -> Any:
        return await asyncio.to_thread(call) if self.waits else await call()

    async def _iterate(self, step: dict[str, Any], source: Any, made: Outcome) -> None:
        """Items of a list or events of a stream, until `take` or `idle_ms` ends it."""
        if step["call"].endswith("stream"):
            await self._result(source.__enter__ if self.waits else source.__aenter__)
            try:
                await asyncio.sleep(step.get("read_after_ms", 0) / 1000)
                await self._collect(step, self._events(source, step.get("idle_ms")), made)
            finally:
                await self._result(source.close)
        else:
            await self._collect(step, self._items(source.pages() if step.get("pages") else source), made)

    async def _collect(self, step: dict[str, Any], items: AsyncIterator[Any], made: Outcome) -> None:
        take = step.get("take")
        async for item in items:
            made.items.append(item)
            if take is not None and len(made.items) == take:
                return

    async def _items(self, source: Any) -> AsyncIterator[Any]:
        if not self.waits:
            async for item in source:
                yield item
            return
        iterator = iter(source)
        while (item := await asyncio.to_thread(next, iterator, MISSING)) is not MISSING:
            yield item

    async def _events(self, source: Any, idle_ms: float | None) -> AsyncIterator[Any]:
        idle = (IDLE_MS if idle_ms is None else idle_ms) / 1000
        while True:
            try:
                event = await self._result(lambda: source.next(timeout=idle))
            except (TimeoutError, asyncio.TimeoutError):
                return
            if event is None:
                return
            yield event

    def judge(self, where: str, step: dict[str, Any], made: Outcome) -> None:
        expected = dict(step.get("expect", {}))
        found: Any = made.items if step["call"].endswith(MANY) else made.value
        lines: list[str] = []
        if step.get("with_response"):
            value, response = made.value if made.value is not None else (None, None)
            lines += differences(response, expected.pop("response", {}), f"{where}.response")
            found = value
        lines += self._ending(where, expected, made)
        for name in ("value", "items", "pages", "events"):
            if name in expected:
                lines += differences(found, expected.pop(name), where)
        if "last_event" in expected:
            lines += differences(made.items[-1] if made.items else None, expected.pop("last_event"), f"{where}.last")
        if len(made.items) > expected.pop("at_most", len(made.items)):
            lines.append(f"{where}: {len(made.items)} events are too many")
        lines += [f"{where}: shows {one!r}" for one in expected.pop("lacks", []) if one in str(made.value)]
        if made.seconds * 1000 < expected.pop("least_ms", 0):
            lines.append(f"{where}: took {made.seconds} s only")
        for name, test in (("decimals", Decimal), ("strings", str), ("is_null", type(None))):
            for path in expected.pop(name, []):
                if not isinstance(at(found, path), test):
                    lines.append(f"{where}: {path} is {at(found, path)!r}")
        lines += [f"{where}: the runner does not know {name}" for name in expected]
        self.failures += lines

    def _ending(self, where: str, expected: dict[str, Any], made: Outcome) -> list[str]:
        """How the step ended, against how it should have."""
        if expected.pop("invalid", False):
            return (
                [] if isinstance(made.error, InvalidArgument) else [f"{where}: {made.error!r} is not InvalidArgument"]
            )
        error = expected.pop("error", None)
        if error is None:
            return [] if made.error is None else [f"{where}: raised {made.error!r} {made.error.__cause__!r}"]
        if made.error is None:
            return [f"{where}: raised nothing, gave {made.value!r}"]
        return differences(made.error, error, f"{where}.error")
