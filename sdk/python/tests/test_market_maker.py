"""What the market maker does where calls fail. That it survives kills is tested in test/clients."""

from __future__ import annotations

import importlib.util
import json
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from trading_proxy_client import OrderOutcomeUnknown, TradingProxy, TradingProxyError
from trading_proxy_client._codec import decode
from trading_proxy_client.types import MarketAnswer

from .answers import REFUSED, UNKNOWN, Answers, serving
from .conftest import CONFORMANCE

EXAMPLES: dict[str, Any] = json.loads((CONFORMANCE / "examples.json").read_text())
MISSING = 404, {"error": {"code": "not_found", "message": "None.", "retryable": False}}
ORDER = {"market_id": "M", "outcome": 0, "side": "buy", "price": "0.05", "size": "1", "post_only": True}


def _load() -> Any:
    file = Path(__file__).parents[1] / "examples" / "market_maker.py"
    spec = importlib.util.spec_from_file_location("market_maker", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["market_maker"] = module
    spec.loader.exec_module(module)
    return module


MAKER = _load()


def like(name: str, **members: Any) -> tuple[int, dict[str, Any]]:
    return 200, {**EXAMPLES[name], **members}


def meant(key: str, age: float = 0, side: str = "bid") -> dict[str, Any]:
    order = {**ORDER, "outcome": 0 if side == "bid" else 1}
    return {"key": key, "order": order, "at": (time.time() - age) * 1000}


def made(key: str, order_id: str, side: str = "bid") -> list[dict[str, Any]]:
    return [meant(key, side=side), {"key": key, "order_id": order_id}]


@contextmanager
def making(folder: Path, *lines: dict[str, Any], **answers: Any) -> Iterator[tuple[Any, Answers]]:
    """A maker with this state file, at a service with these answers."""
    file = folder / "state.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    market = decode({**EXAMPLES["getMarket"], "id": "M", "exchange": "kalshi"}, MarketAnswer)
    with serving(**answers) as service, TradingProxy(service.url, api_key="k", retries=0) as client:
        maker = MAKER.Maker(client, market, MAKER.State(file), 1, 60)
        maker.blind_at = 0.0
        yield maker, service


def written(folder: Path, skip: int) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "state.jsonl").read_text().splitlines()[skip:]]


def test_an_old_intent_is_never_sent_again(tmp_path: Path) -> None:
    left = [
        like("cancelOrders", cancelled=[], not_cancelled=[{"id": "o9", "reason": "timeout"}]),
        like("cancelOrders", cancelled=["o1"], not_cancelled=[]),
    ]
    with making(tmp_path, meant("old", 23.5 * 3600), *made("k1", "o1", "ask"), DELETE=left) as (maker, service):
        (failed,) = maker.each(maker.settle, [maker.state.quotes["old"]])
        assert isinstance(failed, TradingProxyError) and written(tmp_path, 3) == []
        assert maker.each(maker.settle, [maker.state.quotes["old"]]) == []
        assert service.asked == [("DELETE", "/kalshi/orders?market_id=M")] * 2
    assert written(tmp_path, 3) == [{"key": "k1", "ended": "cancelled"}, {"key": "old", "ended": "forgotten"}]


@pytest.mark.parametrize("trusted", [True, False])
def test_quotes_are_pulled_although_an_intent_is_unsettled(tmp_path: Path, trusted: bool) -> None:
    lines = [meant("k0"), *made("k1", "o1")]
    answers = {"POST": [UNKNOWN], "DELETE": [like("cancelOrder", id="o1", status="cancelled")]}
    with making(tmp_path, *lines, **answers) as (maker, service):
        with pytest.raises(OrderOutcomeUnknown):
            maker.quote("bid", Decimal("0.30") if trusted else None)
        asked = [("POST", "/kalshi/orders"), ("DELETE", "/kalshi/orders/o1")]
        assert service.asked == (asked if trusted else asked[::-1])
    assert written(tmp_path, 3) == [{"key": "k1", "ended": "cancelled"}]


def test_a_side_that_rests_after_a_failure_is_pulled_all_the_same(tmp_path: Path) -> None:
    with making(tmp_path, *made("k1", "o1"), DELETE=[like("cancelOrder", id="o1", status="cancelled")]) as (maker, _):
        maker.rests["bid"] = time.monotonic() + 60
        maker.step()
    assert written(tmp_path, 2) == [{"key": "k1", "ended": "cancelled"}]


def test_a_quote_that_is_right_stays_while_an_intent_is_unsettled(tmp_path: Path) -> None:
    with making(tmp_path, meant("k0"), *made("k1", "o1"), POST=[UNKNOWN]) as (maker, service):
        with pytest.raises(OrderOutcomeUnknown):
            maker.quote("bid", Decimal("0.05"))
        assert service.asked == [("POST", "/kalshi/orders")]


@pytest.mark.parametrize(
    ("state", "noted"),
    [
        ("none", [{"key": "k0", "refused": "exchange_rejected"}]),
        ("cancelled", [{"key": "k0", "order_id": "o1", "ended": "cancelled"}]),
    ],
)
def test_what_is_refused_after_a_lost_attempt_is_given_up(tmp_path: Path, state: str, noted: Any) -> None:
    order = None if state == "none" else {**EXAMPLES["getOrder"], "id": "o1", "status": "cancelled"}
    given = [UNKNOWN, (200, {"state": state, "order": order})]
    with making(tmp_path, meant("k0"), POST=[REFUSED], DELETE_key=given) as (maker, service):
        quote = maker.state.quotes["k0"]
        assert len(maker.each(maker.settle, [quote])) == 1 and written(tmp_path, 1) == []
        assert maker.each(maker.settle, [quote]) == []
        assert service.asked == [("POST", "/kalshi/orders"), ("DELETE", "/kalshi/orders/by-key/k0")] * 2
    assert written(tmp_path, 1) == noted


def test_a_first_refusal_is_one(tmp_path: Path) -> None:
    with making(tmp_path, POST=[REFUSED]) as (maker, service):
        maker.quote("bid", Decimal("0.05"))
        assert service.asked == [("POST", "/kalshi/orders")]
    assert written(tmp_path, 1)[0]["refused"] == "exchange_rejected"


def test_what_is_gone_is_noted_and_the_others_are_read(tmp_path: Path) -> None:
    answers = [MISSING, like("getOrder", id="o2", status="filled")]
    with making(tmp_path, *made("k1", "o1"), *made("k2", "o2"), GET=answers) as (maker, _):
        maker.check()
    assert written(tmp_path, 4) == [{"key": "k1", "ended": "gone"}, {"key": "k2", "ended": "filled"}]


def test_a_new_state_file_is_on_disk_with_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bool] = []
    sync = os.fsync

    def seen(file: int) -> None:
        synced.append(stat.S_ISDIR(os.fstat(file).st_mode))
        sync(file)

    monkeypatch.setattr(os, "fsync", seen)
    MAKER.State(tmp_path / "new.jsonl")
    assert synced == [True]
