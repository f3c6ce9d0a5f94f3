"""Record books as they change, one line of JSON each.

    TRADING_PROXY_URL=… TRADING_PROXY_API_KEY=… python record_books.py kalshi KXHIGHNY-TODAY-T58 … --to books.jsonl

Each line has the time of this machine, the market, what was told and the best `--depth` levels of each side; `bids` and
`asks` are null while the book may not be trusted, so that nobody takes an old one for a new one.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from trading_proxy_client import Closed, Live, Snapshot, Stale, TradingProxy, Update
from trading_proxy_client.types import Level


def levels(side: tuple[Level, ...], depth: int) -> list[list[str]]:
    """Price and size of the best levels, as texts: JSON has no decimals."""
    return [[format(level.price, "f"), format(level.size, "f")] for level in side[:depth]]


def line(event: Snapshot | Update | Stale | Live | Closed, depth: int) -> str:
    """What is written of an event."""
    book = event.book
    said = {
        "at": time.time(),
        "market_id": event.market_id,
        "type": event.type,
        "reason": getattr(event, "reason", None),
    }
    sides = (None, None) if book is None else (levels(book.bids, depth), levels(book.asks, depth))
    return json.dumps({**said, "bids": sides[0], "asks": sides[1]})


def main() -> None:
    arguments = argparse.ArgumentParser(description="Record books as they change.")
    arguments.add_argument("exchange")
    arguments.add_argument("market_ids", nargs="+")
    arguments.add_argument("--to", type=Path, default=Path("books.jsonl"))
    arguments.add_argument("--depth", type=int, default=10)
    arguments.add_argument("--events", type=int, help="end after so many")
    given = arguments.parse_args()
    with (
        TradingProxy() as client,
        client.exchange(given.exchange).orderbooks.stream(given.market_ids) as books,
        given.to.open("a", encoding="utf-8") as file,
    ):
        for number, event in enumerate(books, 1):
            print(line(event, given.depth), file=file, flush=True)
            if number == given.events:
                break


if __name__ == "__main__":
    main()
