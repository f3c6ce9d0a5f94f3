"""Each case of sdk/conformance, with both clients."""

from __future__ import annotations

import asyncio

import pytest

from trading_proxy_client import AsyncTradingProxy, TradingProxy

from .conftest import Service, case_names
from .player import Player, settings


@pytest.mark.parametrize("kind", ["TradingProxy", "AsyncTradingProxy"])
@pytest.mark.parametrize("name", case_names())
def test_case(service: Service, name: str, kind: str) -> None:
    case = service.load(name)
    made = settings(case, service.url, service.closed_url)

    async def play() -> list[str]:
        if kind == "TradingProxy":
            with TradingProxy(**made) as client:
                player = Player(client, waits=True)
                await player.play(case["steps"])
        else:
            async with AsyncTradingProxy(**made) as own:
                player = Player(own, waits=False)
                await player.play(case["steps"])
        return player.failures

    failures = asyncio.run(play())
    seen = service.seen()
    assert [*failures, *seen["failures"]] == []
    assert seen["left"] == 0
