"""Calls whose outcome nobody knows."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from trading_proxy_client import ConnectionFailed, InvalidArgument, OrderOutcomeUnknown, TradingProxy

from .answers import UNKNOWN, serving

ORDER: Any = {"market_id": "M", "outcome": "yes", "side": "buy", "price": "0.05", "size": 1}


def test_a_keyless_request_of_unknown_outcome_cannot_be_repeated() -> None:
    with serving(POST=[UNKNOWN]) as service, TradingProxy(service.url, api_key="k") as client:
        with pytest.raises(OrderOutcomeUnknown) as caught:
            client.request("POST", "/kalshi/orders", body={})
        assert not caught.value.retryable
        with pytest.raises(InvalidArgument):
            caught.value.retry()
        assert len(service.asked) == 1


def nested() -> bytes:
    return b'{"id":' + b"[" * 100_000


@pytest.mark.parametrize("wrong", [UNKNOWN, None, (200, nested())])
def test_a_token_function_that_fails_after_a_lost_attempt_leaves_the_outcome_unknown(wrong: Any) -> None:
    tokens = iter(["first"])
    with serving(POST=[wrong]) as service, TradingProxy(service.url, token=lambda: next(tokens)) as client:
        with pytest.raises(OrderOutcomeUnknown) as caught:
            client.kalshi.orders.create(**ORDER, idempotency_key="own")
        assert caught.value.idempotency_key == "own"
        with pytest.raises(OrderOutcomeUnknown):
            caught.value.retry()
        assert len(service.asked) == 1
        with pytest.raises(RuntimeError):
            client.kalshi.orders.create(**ORDER)


@pytest.mark.parametrize("orders", [True, False])
def test_a_client_that_is_closed_meanwhile_leaves_the_outcome_unknown(orders: bool) -> None:
    """A read is a failed connection."""
    answers: dict[str, Any] = {"POST" if orders else "GET": [0.5]}
    with serving(**answers) as service, TradingProxy(service.url, api_key="k") as client:

        def close() -> None:
            while not service.asked:
                time.sleep(0.01)
            client.close()

        ending = threading.Thread(target=close)
        ending.start()
        with pytest.raises(OrderOutcomeUnknown if orders else ConnectionFailed) as caught:
            if orders:
                client.kalshi.orders.create(**ORDER, idempotency_key="own")
            client.me.get()
        ending.join()
        if isinstance(caught.value, OrderOutcomeUnknown):
            assert caught.value.idempotency_key == "own"


def test_an_answer_that_is_nested_too_deeply_is_none() -> None:
    with serving(POST=[(200, nested())]) as service, TradingProxy(service.url, api_key="k", retries=1) as client:
        with pytest.raises(OrderOutcomeUnknown):
            client.kalshi.orders.create(**ORDER)
        assert len(service.asked) == 2


def test_what_became_of_a_key_is_not_said_by_something_between() -> None:
    with (
        serving(GET=[(200, {"status": "ok"})]) as service,
        TradingProxy(service.url, api_key="k", retries=0) as client,
        pytest.raises(ConnectionFailed),
    ):
        client.kalshi.orders.by_key("own")


def test_what_has_not_left_may_be_repeated_whatever_it_is() -> None:
    with TradingProxy("http://127.0.0.1:1", token="t") as client, pytest.raises(ConnectionFailed) as caught:
        client.account.bots.create(name="b")
    assert caught.value.retryable


def test_a_change_whose_outcome_the_service_does_not_know_may_be_said_again() -> None:
    with serving(PATCH=[UNKNOWN]) as service, TradingProxy(service.url, api_key="k") as client:
        with pytest.raises(OrderOutcomeUnknown) as caught:
            client.kalshi.orders.amend("o1", price="0.06")
        assert caught.value.retryable
        with pytest.raises(OrderOutcomeUnknown):
            caught.value.retry()
        assert len(service.asked) == 2
