"""Quote both sides of one market, and never lose sight of an order.

    TRADING_PROXY_URL=… TRADING_PROXY_API_KEY=… python market_maker.py kalshi KXHIGHNY-TODAY-T58 --state quotes.jsonl

The state file says what is meant before it is done. One line of JSON each, on disk before the next step; the maker
in TypeScript writes the same:

    {"key": key, "order": {…}, "at": milliseconds}                      before an order is sent
    {"key": key, "order_id": id}   {"key": key, "refused": code}        what became of it
    {"key": key, "ended": status}                                       it rests no more

After an end at any moment (kill -9, power), the next start goes on from there: an intent without an outcome is sent
again under its key, which makes it once. Where an earlier sending may have made what a later one was refused, its key
is given up, which cancels it. Both sides buy, "bid" the first outcome and "ask" the second, so that neither
needs shares: a quote to sell the first at 0.60 is one to buy the second at 0.40. The next quote of a side is made
before the last one is pulled, so that a side has two for a moment; after a kill, until the next start. With the key of
a bot it sends heartbeats, so that the service cancels its quotes where it does not come back.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from pathlib import Path
from typing import Any, Literal

from trading_proxy_client import Closed, Live, NotFound, Order, Snapshot, Stale, TradingProxy, TradingProxyError, Update
from trading_proxy_client.types import MarketAnswer, OrderBookAnswer, PlainOrder

KEPT_SECONDS = 23 * 3600
"""A key is kept for 24 h: an older intent is never sent again, and what may rest of it is cancelled."""
CALL_SECONDS = 10
"""An attempt to create or cancel takes no longer."""
BLIND_SECONDS = 3
"""For so long quotes rest while a stream begins (anew). Where the service says that a book is stale, not at all."""
OVER = ("filled", "cancelled", "expired", "rejected")
SIDES: tuple[Literal["bid", "ask"], ...] = ("bid", "ask")


@dataclass
class Quote:
    """An order that is meant (`order_id` is None), or rests."""

    key: str
    side: str
    at: float
    order: PlainOrder
    order_id: str | None = None
    tries: int = 0


class State:
    """The state file, and the quotes that are meant or rest, by their keys."""

    def __init__(self, path: Path) -> None:
        self.quotes: dict[str, Quote] = {}
        whole = path.read_bytes() if path.exists() else b""
        whole = whole[: whole.rfind(b"\n") + 1]  # A line that was cut off was not acted upon.
        for line in whole.splitlines():
            self._apply(json.loads(line))
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if not whole and hasattr(os, "O_DIRECTORY"):
            folder = os.open(path.parent, os.O_DIRECTORY)
            os.fsync(folder)  # A new file is in its folder only when that is on disk.
            os.close(folder)
        os.ftruncate(self._file, len(whole))
        os.lseek(self._file, 0, os.SEEK_END)
        for quote in self.quotes.values():
            quote.tries = 1  # Whether it was sent is not known.

    def note(self, **line: Any) -> None:
        """Write a line, and go on only when it is on disk."""
        text = json.dumps(line).encode() + b"\n"
        while text:
            text = text[os.write(self._file, text) :]
        os.fsync(self._file)
        self._apply(line)

    def _apply(self, line: dict[str, Any]) -> None:
        key = line["key"]
        if "order" in line:
            side = "bid" if line["order"]["outcome"] == 0 else "ask"
            self.quotes[key] = Quote(key, side, line["at"] / 1000, line["order"])
        if "order_id" in line and key in self.quotes:
            self.quotes[key].order_id = line["order_id"]
        if "refused" in line or "ended" in line:
            self.quotes.pop(key, None)

    def of(self, side: str) -> list[Quote]:
        """The quotes of a side, the newest last."""
        return [quote for quote in self.quotes.values() if quote.side == side]


class Maker:
    """Keeps one quote on each side of a market."""

    def __init__(self, client: TradingProxy, market: MarketAnswer, state: State, size: int, refresh: float) -> None:
        self.exchange, self.market, self.state = client.exchange(market.exchange), market, state
        self.size, self.refresh = size, refresh
        self.book: OrderBookAnswer | None = None
        self.blind_at = time.monotonic() + BLIND_SECONDS
        self.rests = dict.fromkeys(SIDES, 0.0)

    def step(self) -> None:
        """Both sides, neither of which waits for what ails the other."""
        wanted = self.prices()
        for side in SIDES:
            if self.rests[side] > time.monotonic() and side in wanted:
                continue
            try:
                self.quote(side, wanted.get(side))
            except TradingProxyError as error:
                print(f"{side}: {error}", flush=True)
                self.rests[side] = time.monotonic() + min(error.retry_after or 0.5, 5)

    def quote(self, side: Literal["bid", "ask"], price: Decimal | None) -> None:
        """Settle what is meant, quote what is missing, then pull what is not wanted: so a side is never empty.

        Without a price, pull first. What ails one quote keeps none from being pulled; it is raised at the end.
        """
        blind = price is None and time.monotonic() < self.blind_at
        failed = [] if blind or price is not None else self.each(self.pull, self.state.of(side))
        failed += self.each(self.settle, self.state.of(side))
        right = [one for one in self.state.of(side) if price is not None and Decimal(one.order["price"]) == price]
        if not failed:
            right = [one for one in right if time.time() - one.at < self.refresh][-1:]
            if price is not None and not right:
                right = [self.mean(side, price)]
                failed = self.each(self.settle, right)
                if right[0].key not in self.state.quotes:  # The book was newer than the quote, or the bot is halted.
                    self.rests[side] = time.monotonic() + 1
        if not blind:
            failed += self.each(self.pull, [one for one in self.state.of(side) if one not in right])
        if failed:
            raise failed[-1]

    def each(self, work: Callable[[Quote], None], quotes: list[Quote]) -> list[TradingProxyError]:
        """Do so for each quote, whatever ails another; returns what failed."""
        failed = []
        for quote in quotes:
            try:
                work(quote)
            except TradingProxyError as error:
                failed.append(error)
        return failed

    def see(self, event: Snapshot | Update | Stale | Live | Closed) -> None:
        """The book as it is now; None while it may not be trusted."""
        if isinstance(event, (Stale, Closed)):
            lost = event.reason in ("disconnected", "silent", "sequence_gap") and event.since is None
            self.blind_at = time.monotonic() + (BLIND_SECONDS if lost else 0)
        self.book = event.book

    def prices(self) -> dict[str, Decimal]:
        """Where to quote: two ticks to each side of the middle. Nowhere while the book may not be trusted."""
        book = self.book
        if book is None or not book.bids or not book.asks:
            return {}
        middle = (book.bids[0].price + book.asks[0].price) / 2
        tick = next((one.step for one in self.market.price_ranges if one.start <= middle <= one.end), Decimal("0.01"))
        bid = (middle / tick - 1).quantize(Decimal(1), ROUND_DOWN) * tick
        ask = ((1 - middle) / tick - 1).quantize(Decimal(1), ROUND_DOWN) * tick
        return {side: price for side, price in (("bid", bid), ("ask", ask)) if price > 0}

    def mean(self, side: Literal["bid", "ask"], price: Decimal) -> Quote:
        """Note an intent."""
        order: PlainOrder = {
            "market_id": self.market.id,
            "outcome": 0 if side == "bid" else 1,
            "side": "buy",
            "price": str(price),
            "size": str(self.size),
            "post_only": True,
        }
        key = f"mm-{side}-{time.time_ns()}"
        self.state.note(key=key, order=order, at=time.time_ns() // 1_000_000)
        return self.state.quotes[key]

    def settle(self, quote: Quote) -> None:
        """Send an intent, once more where need be, until it is known what became of it."""
        if quote.order_id is not None:
            return
        if time.time() - quote.at >= KEPT_SECONDS:
            self.forget(quote)
            return
        quote.tries += 1
        try:
            order = self.exchange.orders.create(**quote.order, idempotency_key=quote.key, timeout=CALL_SECONDS)
            self.state.note(key=quote.key, order_id=order.id)
            return
        except TradingProxyError as error:
            if error.retryable or error.status is None:
                raise
            code = error.code
        if quote.tries > 1:  # A former attempt may have made it, or may still arrive, whatever this one says.
            fate = self.exchange.orders.abandon(quote.key, timeout=CALL_SECONDS)
            if fate.order is not None:
                self.state.note(key=quote.key, order_id=fate.order.id, ended=fate.order.status)
                return
        self.state.note(key=quote.key, refused=code)
        print(f"{quote.key} refused: {code}", flush=True)

    def forget(self, quote: Quote) -> None:
        """End an intent that is too old for its key: what may rest of it can only be cancelled with its market."""
        left = self.exchange.orders.cancel_all(market_id=self.market.id, timeout=CALL_SECONDS)
        for order_id in left.cancelled:
            self.told(order_id, "cancelled")
        if left.not_cancelled:
            raise TradingProxyError("not_cancelled", f"{left.not_cancelled[0].id}: {left.not_cancelled[0].reason}")
        self.state.note(key=quote.key, ended="forgotten")

    def pull(self, quote: Quote) -> None:
        if quote.order_id is None:
            return
        try:
            status: str = self.exchange.orders.cancel(quote.order_id, timeout=CALL_SECONDS).status
        except NotFound:
            status = "gone"
        self.state.note(key=quote.key, ended=status)

    def told(self, order_id: str, status: str) -> None:
        """An order is told: one that is over makes room for the next."""
        for quote in [*self.state.quotes.values()]:
            if quote.order_id == order_id and status in OVER:
                self.state.note(key=quote.key, ended=status)

    def check(self) -> None:
        """Read the quotes that should rest, as they may have ended while nobody listened."""
        for quote in [*self.state.quotes.values()]:
            if quote.order_id is None:
                continue
            try:
                self.told(quote.order_id, self.exchange.orders.get(quote.order_id).status)
            except NotFound:
                self.state.note(key=quote.key, ended="gone")


def beat(client: TradingProxy, ttl_seconds: int, end: threading.Event) -> None:
    """Heartbeats, three in each time to live. Only bots have them."""
    while not end.is_set():
        try:
            client.bot.heartbeat(ttl_seconds, on_miss="cancel")
        except TradingProxyError as error:
            print(f"heartbeat: {error}", flush=True)
            if error.reason == "bot_key_required":
                return
        end.wait(ttl_seconds / 3)


def run(client: TradingProxy, maker: Maker, seconds: float) -> None:
    """Follow the book and the own orders, and act at most five times a second."""
    until, unsure = time.monotonic() + seconds, True
    exchange, market_id = maker.market.exchange, maker.market.id
    with client.stream([f"{exchange}.orderbooks:{market_id}", f"{exchange}.orders:{market_id}"]) as events:
        while time.monotonic() < until:
            ready = time.monotonic() + 0.2
            while (left := ready - time.monotonic()) > 0:
                try:
                    event = events.next(timeout=left)
                except TimeoutError:
                    break
                if event is None:
                    return
                if isinstance(event, Order):
                    maker.told(event.data.id, event.data.status)
                elif isinstance(event, (Snapshot, Update, Stale, Live, Closed)) and event.channel == "orderbooks":
                    maker.see(event)
                unsure = (
                    unsure or isinstance(event, Stale) or (isinstance(event, Snapshot) and event.channel == "orders")
                )
            try:
                if unsure:
                    maker.check()
                    unsure = False
            except TradingProxyError as error:
                print(error, flush=True)
            maker.step()


def main() -> None:
    arguments = argparse.ArgumentParser(description="Quote both sides of one market.")
    arguments.add_argument("exchange")
    arguments.add_argument("market_id")
    arguments.add_argument("--state", type=Path, default=Path("market_maker.jsonl"))
    arguments.add_argument("--size", type=int, default=10)
    arguments.add_argument("--ttl", type=int, default=30, help="seconds after which the service cancels for us")
    arguments.add_argument("--refresh", type=float, default=60, help="seconds after which a quote is made anew")
    arguments.add_argument("--seconds", type=float, default=float("inf"))
    given = arguments.parse_args()
    end = threading.Event()
    with TradingProxy() as client:
        state = State(given.state)
        market = client.exchange(given.exchange).markets.get(given.market_id, retries=8)
        maker = Maker(client, market, state, given.size, given.refresh)
        threading.Thread(target=beat, args=(client, given.ttl, end), daemon=True).start()
        try:
            run(client, maker, given.seconds)
        except KeyboardInterrupt:
            pass
        finally:
            end.set()
            for work in (maker.pull, maker.settle, maker.pull):
                for error in maker.each(work, [*state.quotes.values()]):
                    print(error, flush=True)


if __name__ == "__main__":
    main()
