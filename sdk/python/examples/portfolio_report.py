"""What the account is worth at both exchanges, and what it holds.

    TRADING_PROXY_URL=… TRADING_PROXY_API_KEY=… python portfolio_report.py [--csv positions.csv]

What is not known is a dash, never 0. `--csv` needs pandas: pip install "trading-proxy-client[pandas]".
"""

from __future__ import annotations

import argparse
from decimal import Decimal
from pathlib import Path

from trading_proxy_client import TradingProxy, TradingProxyError
from trading_proxy_client.types import Position


def money(value: Decimal | None) -> str:
    return "-" if value is None else format(value.quantize(Decimal("0.01")), ",f")


def report(client: TradingProxy) -> list[Position]:
    """Print totals and positions; returns the positions."""
    portfolio = client.portfolio.get()
    for total in portfolio.totals:
        incomplete = " (incomplete)" if total.partial else ""
        print(f"{total.currency:5} equity {money(total.equity):>12}  cash {money(total.cash):>12}", end="  ")
        print(f"positions {money(total.positions_value):>12}  realised {money(total.realized_pnl):>10}{incomplete}")
    held: list[Position] = []
    for part in portfolio.exchanges:
        print(f"\n{part.exchange}: {'-' if part.open_orders is None else part.open_orders} open orders")
        if part.error is not None:
            print(f"  {part.error}")
        try:
            positions = list(client.exchange(part.exchange).positions.list())
        except TradingProxyError as error:
            print(f"  {error}")
            continue
        held += positions
        for one in positions:
            title = (one.title or one.market_id)[:48]
            print(f"  {title:48} {one.outcome.label or '':8} {one.size:>10f} at {money(one.average_price):>6}", end="")
            print(f"  now {money(one.market_value):>10}  {money(one.unrealized_pnl):>10}")
    return held


def main() -> None:
    arguments = argparse.ArgumentParser(description="What the account is worth at both exchanges.")
    arguments.add_argument("--csv", type=Path)
    given = arguments.parse_args()
    with TradingProxy() as client:
        held = report(client)
    if given.csv is not None:
        from trading_proxy_client.frames import frame

        frame(held).to_csv(given.csv, index=False)


if __name__ == "__main__":
    main()
