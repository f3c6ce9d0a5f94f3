"""README's code, the examples, and what the client does with the real service, against the demo.

`npm run test:clients` starts the demo and says where it is: TRADING_PROXY_URL, TRADING_PROXY_API_KEY (the main key),
DEMO_LOG_IN (JSON), DEMO_CONTROL_URL (of its sandbox).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from trading_proxy_client import NotFound, OrderOutcomeUnknown, TradingProxy

FOLDER = Path(__file__).parents[1]
MARKET = "KXHIGHNY-TODAY-T58"


@pytest.fixture(scope="module")
def bot_key() -> Iterator[str]:
    """The key of a bot, as a session makes it."""
    with TradingProxy(api_key=None) as client:
        session = client.request("POST", "/auth/login", body=json.loads(os.environ["DEMO_LOG_IN"]))
    with TradingProxy(token=session["access_token"]) as client:
        made = client.account.bots.create(name=f"tests-{time.time_ns()}", scopes=["trade"])
        assert client.account.bots.get(made.bot.id).state == "active"
        yield made.key
        client.account.bots.remove(made.bot.id)


def fault(kind: str, **more: Any) -> None:
    """The next order fails at the exchange."""
    body = {"exchange": "kalshi", "method": "POST", "path": "/portfolio/events/orders", "fault": kind, **more}
    assert httpx2.post(f"{os.environ['DEMO_CONTROL_URL']}/faults", json=body, trust_env=False).status_code == 201


def example(name: str, *arguments: str, key: str | None = None) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(FOLDER / "src"),
        **({} if key is None else {"TRADING_PROXY_API_KEY": key}),
    }
    command = [sys.executable, str(FOLDER / "examples" / name), *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def said_by(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0, output
    return output


@pytest.mark.parametrize("number", [0, 1])
def test_code_of_the_readme(number: int) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    assert len(blocks) == 2
    code = blocks[number].replace('"http://127.0.0.1:3000"', "")
    exec(compile(code, f"README.md block {number + 1}", "exec"), {})


def test_records_books(tmp_path: Path) -> None:
    said_by(example("record_books.py", "kalshi", MARKET, "--to", str(tmp_path / "books"), "--events", "3"))
    lines = [json.loads(line) for line in (tmp_path / "books").read_text().splitlines()]
    assert [line["type"] for line in lines] == ["snapshot", "live", "update"]
    assert all(line["bids"] and line["asks"] for line in lines)


def test_reports_the_portfolio(tmp_path: Path) -> None:
    with TradingProxy() as client:
        client.kalshi.orders.create(
            market_id=MARKET, outcome="yes", side="buy", price="0.30", size=5, time_in_force="ioc"
        )
    output = said_by(example("portfolio_report.py", "--csv", str(tmp_path / "positions")))
    assert re.search(r"USD +equity +[\d,.]+ ", output)
    assert MARKET in (tmp_path / "positions").read_text()


@pytest.mark.parametrize("kind", ["reset_after", "reset_before", "broken_body", "hang"])
def test_an_order_is_made_once_whatever_its_exchange_does(kind: str) -> None:
    with TradingProxy() as client:
        before = {order.id for order in client.kalshi.orders.list(market_id=MARKET)}
        fault(kind)
        key = f"once-{kind}-{time.time_ns()}"
        order = None
        while order is None:
            try:
                order = client.kalshi.orders.create(
                    market_id=MARKET, outcome="yes", side="buy", price="0.02", size=1, idempotency_key=key
                )
            except OrderOutcomeUnknown as unknown:
                assert unknown.idempotency_key == key
        assert {one.id for one in client.kalshi.orders.list(market_id=MARKET)} - before == {order.id}
        fate = client.kalshi.orders.by_key(key)
        assert fate.order is not None and fate.order.id == order.id
        assert client.kalshi.orders.cancel(order.id).status == "cancelled"
        with pytest.raises(NotFound):
            client.kalshi.orders.get("00000000-0000-4000-8000-000000000000")


def test_a_market_maker_that_ends_leaves_no_quote(tmp_path: Path, bot_key: str) -> None:
    """That it survives kills is tested in test/clients, for both languages."""
    state = tmp_path / "quotes.jsonl"
    said_by(example("market_maker.py", "kalshi", MARKET, "--state", str(state), "--seconds", "5", key=bot_key))
    lines = [json.loads(line) for line in state.read_text().splitlines()]
    made = {line["key"]: line["order_id"] for line in lines if "order_id" in line}
    assert len({line["order"]["outcome"] for line in lines if "order" in line}) == 2
    with TradingProxy(api_key=bot_key) as client:
        assert [*client.kalshi.orders.list(market_id=MARKET)] == []
        assert {order.id for order in client.kalshi.orders.list(status="closed", market_id=MARKET)} == set(
            made.values()
        )
