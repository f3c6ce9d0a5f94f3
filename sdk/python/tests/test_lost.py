"""Calls whose outcome nobody knows."""

from __future__ import annotations

import pytest

from trading_proxy_client import InvalidArgument, OrderOutcomeUnknown, TradingProxy

from .answers import UNKNOWN, serving


def test_a_keyless_request_of_unknown_outcome_cannot_be_repeated() -> None:
    with serving(POST=[UNKNOWN]) as service, TradingProxy(service.url, api_key="k") as client:
        with pytest.raises(OrderOutcomeUnknown) as caught:
            client.request("POST", "/kalshi/orders", body={})
        assert not caught.value.retryable
        with pytest.raises(InvalidArgument):
            caught.value.retry()
        assert len(service.asked) == 1
