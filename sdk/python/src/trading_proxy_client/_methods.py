"""The methods of both clients. `node scripts/sdk-methods.mjs` writes this file from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _generated as g
from ._calls import AsyncPages, Pages, Resource, Root, Runner
from ._codec import joined, segment
from ._engine import Response
from ._events import AnyEvent, Closed, Gap, Live, Snapshot, Stale, Update
from ._kinds import Fill, Order, Quote, Trade
from ._schema import KeyedOptions, Options
from ._stream import AsyncStream, Stream

if TYPE_CHECKING:
    from typing_extensions import Unpack


class HourlyEquityInputCall(g.HourlyEquityInput, Options):
    """A `HourlyEquityInput`, and how its call is made."""


class CreateApiKeyCall(g.CreateApiKey, Options):
    """A `CreateApiKey`, and how its call is made."""


class RotateBotKeyCall(g.RotateBotKey, Options):
    """A `RotateBotKey`, and how its call is made."""


class ChangeBotCall(g.ChangeBot, Options):
    """A `ChangeBot`, and how its call is made."""


class CreateBotCall(g.CreateBot, Options):
    """A `CreateBot`, and how its call is made."""


class TransferRequestCall(g.TransferRequest, KeyedOptions):
    """A `TransferRequest`, and how its call is made."""


class AmendOrderCall(g.AmendOrder, Options):
    """A `AmendOrder`, and how its call is made."""


class SignedOrderCall(g.SignedOrder, KeyedOptions):
    """A `SignedOrder`, and how its call is made."""


class PlainOrderCall(g.PlainOrder, KeyedOptions):
    """A `PlainOrder`, and how its call is made."""


class SyncMarkets(Resource):
    def list(self, **values: Unpack[g.ListMarketsQuery]) -> Pages[g.Market]:
        """List markets."""
        return self._list("listMarkets", values)

    def get(self, market_id: str, **values: Unpack[Options]) -> g.MarketAnswer:
        """One market."""
        return self._call("getMarket", {"market_id": market_id, **values})

    def stream(self, market_ids: Sequence[str]) -> Stream[Quote | Stale | Live | Closed]:
        """Quotes as they change."""
        return self._stream("streamMarkets", market_ids)


class SyncEvents(Resource):
    def list(self, **values: Unpack[g.ListEventsQuery]) -> Pages[g.Event]:
        """List events."""
        return self._list("listEvents", values)

    def get(self, event_id: str, **values: Unpack[Options]) -> g.EventAnswer:
        """One event."""
        return self._call("getEvent", {"event_id": event_id, **values})


class SyncOrderbooks(Resource):
    def get(self, market_id: str, **values: Unpack[g.GetOrderbookQuery]) -> g.OrderBookAnswer:
        """The order book of one outcome."""
        return self._call("getOrderbook", {"market_id": market_id, **values})

    def get_batch(self, market_ids: Sequence[str], **values: Unpack[g.GetOrderbooksQuery]) -> g.OrderBooks:
        """The order books of up to 50 markets."""
        return self._call("getOrderbooks", {"market_id": joined(market_ids, "market_ids"), **values})

    def stream(self, market_ids: Sequence[str], *, outcome: str | int | None = None) -> Stream[Snapshot | Update | Stale | Live | Closed]:
        """Order books as they change."""
        return self._stream("streamOrderbooks", market_ids, outcome=outcome)


class SyncTrades(Resource):
    def list(self, market_id: str, **values: Unpack[g.ListTradesQuery]) -> Pages[g.Trade]:
        """Public trades of a market."""
        return self._list("listTrades", {"market_id": market_id, **values})

    def stream(self, market_ids: Sequence[str]) -> Stream[Trade | Stale | Live | Closed]:
        """Public trades as they happen."""
        return self._stream("streamTrades", market_ids)


class SyncCandlesticks(Resource):
    def list(self, market_id: str, **values: Unpack[g.ListCandlesticksQuery]) -> Pages[g.Candlestick]:
        """Candlesticks of one outcome."""
        return self._list("listCandlesticks", {"market_id": market_id, **values})


class SyncOrders(Resource):
    @overload
    def create(self, **values: Unpack[PlainOrderCall]) -> g.CreatedOrder: ...
    @overload
    def create(self, **values: Unpack[SignedOrderCall]) -> g.CreatedOrder: ...
    def create(self, **values: Any) -> Any:
        """Create an order."""
        return self._call("createOrder", values)

    def create_batch(self, orders: Sequence[g.PlainOrder | g.SignedOrder], **values: Unpack[KeyedOptions]) -> g.BatchResults:
        """Create up to 15 orders."""
        return self._batch(orders, values)

    @overload
    def preview(self, **values: Unpack[PlainOrderCall]) -> g.OrderPreview: ...
    @overload
    def preview(self, **values: Unpack[SignedOrderCall]) -> g.OrderPreview: ...
    def preview(self, **values: Any) -> Any:
        """What an order would come to."""
        return self._call("previewOrder", values)

    def get(self, order_id: str, **values: Unpack[Options]) -> g.ReadOrder:
        """One of your orders."""
        return self._call("getOrder", {"order_id": order_id, **values})

    def list(self, **values: Unpack[g.ListOrdersQuery]) -> Pages[g.ReadOrder]:
        """List your orders."""
        return self._list("listOrders", values)

    def cancel(self, order_id: str, **values: Unpack[Options]) -> g.CancelledOrder:
        """Cancel an order."""
        return self._call("cancelOrder", {"order_id": order_id, **values})

    def cancel_all(self, **values: Unpack[g.CancelOrdersQuery]) -> g.CancelledOrders:
        """Cancel your open orders."""
        return self._call("cancelOrders", values)

    def cancel_batch(self, order_ids: Sequence[str], **values: Unpack[Options]) -> g.CancelledOrders:
        """Cancel up to 100 of your orders."""
        return self._call("cancelNamedOrders", {"order_ids": [*order_ids], **values})

    def amend(self, order_id: str, **values: Unpack[AmendOrderCall]) -> g.ReadOrder:
        """Change an order."""
        return self._call("amendOrder", {"order_id": order_id, **values})

    def by_key(self, idempotency_key: str, **values: Unpack[Options]) -> g.KeyFate:
        """What became of a key."""
        return self._call("getOrderByKey", {"idempotency_key": idempotency_key, **values})

    def abandon(self, idempotency_key: str, **values: Unpack[Options]) -> g.AbandonedKey:
        """Abandon a key."""
        return self._call("abandonOrderKey", {"idempotency_key": idempotency_key, **values})

    def stream(self, *, market_ids: Sequence[str] | None = None) -> Stream[Snapshot | Order | Stale | Live | Closed]:
        """Your orders as they change."""
        return self._stream("streamOrders", market_ids)


class SyncFills(Resource):
    def list(self, **values: Unpack[g.ListFillsQuery]) -> Pages[g.ReadFill]:
        """Your fills."""
        return self._list("listFills", values)

    def stream(self, *, market_ids: Sequence[str] | None = None, order_id: str | int | None = None) -> Stream[Fill | Gap | Stale | Live | Closed]:
        """Your fills as they happen."""
        return self._stream("streamFills", market_ids, order_id=order_id)

    def csv(self, **values: Unpack[g.GetFillsCsvQuery]) -> str:
        """Your fills as a CSV file."""
        return self._call("getFillsCsv", values)


class SyncPositions(Resource):
    def list(self, **values: Unpack[g.ListPositionsQuery]) -> Pages[g.Position]:
        """Your positions."""
        return self._list("listPositions", values)


class SyncSettlements(Resource):
    def list(self, **values: Unpack[g.ListSettlementsQuery]) -> Pages[g.Settlement]:
        """What became of your positions."""
        return self._list("listSettlements", values)

    def csv(self, **values: Unpack[g.GetSettlementsCsvQuery]) -> str:
        """What became of your positions, as a CSV file."""
        return self._call("getSettlementsCsv", values)


class SyncBalance(Resource):
    def get(self, **values: Unpack[Options]) -> g.Balance:
        """Your balance."""
        return self._call("getBalance", values)


class SyncTransfers(Resource):
    def create(self, **values: Unpack[TransferRequestCall]) -> g.Transfer:
        """Move money between shards."""
        return self._call("createTransfer", values)

    def list(self, **values: Unpack[g.ListTransfersQuery]) -> Pages[g.Transfer]:
        """List your transfers."""
        return self._list("listTransfers", values)

    def get(self, transfer_id: str, **values: Unpack[Options]) -> g.Transfer:
        """One of your transfers."""
        return self._call("getTransfer", {"transfer_id": transfer_id, **values})


class SyncExchange(Resource):
    def __init__(self, runner: Runner, exchange: str = "") -> None:
        super().__init__(runner, exchange)
        self.markets = SyncMarkets(runner, exchange)
        self.events = SyncEvents(runner, exchange)
        self.orderbooks = SyncOrderbooks(runner, exchange)
        self.trades = SyncTrades(runner, exchange)
        self.candlesticks = SyncCandlesticks(runner, exchange)
        self.orders = SyncOrders(runner, exchange)
        self.fills = SyncFills(runner, exchange)
        self.positions = SyncPositions(runner, exchange)
        self.settlements = SyncSettlements(runner, exchange)
        self.balance = SyncBalance(runner, exchange)
        self.transfers = SyncTransfers(runner, exchange)


class SyncAccountBots(Resource):
    def create(self, **values: Unpack[CreateBotCall]) -> g.CreatedBot:
        """Make a bot."""
        return self._call("createBot", values)

    def list(self, **values: Unpack[Options]) -> g.BotList:
        """List your bots."""
        return self._call("listBots", values)

    def get(self, bot_id: str, **values: Unpack[Options]) -> g.Bot:
        """One of your bots."""
        return self._call("getBot", {"bot_id": bot_id, **values})

    def change(self, bot_id: str, **values: Unpack[ChangeBotCall]) -> g.Bot:
        """Change what a bot may do."""
        return self._call("changeBot", {"bot_id": bot_id, **values})

    def remove(self, bot_id: str, **values: Unpack[Options]) -> g.HaltReport:
        """Remove a bot."""
        return self._call("removeBot", {"bot_id": bot_id, **values})

    def rotate(self, bot_id: str, **values: Unpack[RotateBotKeyCall]) -> g.RotatedBotKey:
        """Give a bot a new key."""
        return self._call("rotateBotKey", {"bot_id": bot_id, **values})

    def halt(self, bot_id: str, **values: Unpack[Options]) -> g.HaltReport:
        """Halt a bot."""
        return self._call("haltBot", {"bot_id": bot_id, **values})

    def halt_all(self, **values: Unpack[Options]) -> g.HaltReportList:
        """Halt all your bots."""
        return self._call("haltBots", values)

    def resume(self, bot_id: str, **values: Unpack[Options]) -> g.Bot:
        """Let a halted bot go on."""
        return self._call("resumeBot", {"bot_id": bot_id, **values})


class SyncAccountApiKeys(Resource):
    def list(self, **values: Unpack[Options]) -> g.ApiKeyList:
        """List your API key."""
        return self._call("listApiKeys", values)

    def create(self, **values: Unpack[CreateApiKeyCall]) -> g.CreatedApiKey:
        """Create your API key."""
        return self._call("createApiKey", values)

    def revoke(self, key_prefix: str, **values: Unpack[Options]) -> g.RevokedApiKey:
        """Revoke your API key."""
        return self._call("revokeApiKey", {"key_prefix": key_prefix, **values})


class SyncAccountOrders(Resource):
    def list(self, **values: Unpack[g.ListAccountOrdersQuery]) -> Pages[g.AccountOrder]:
        """What you asked for."""
        return self._list("listAccountOrders", values)


class SyncAccountActivity(Resource):
    def list(self, **values: Unpack[g.ListActivityQuery]) -> Pages[g.Activity]:
        """Your activity."""
        return self._list("listActivity", values)


class SyncAccountEquity(Resource):
    def get(self, **values: Unpack[g.GetEquityQuery]) -> g.Equity:
        """What you had over time."""
        return self._call("getEquity", values)

    def set(self, **values: Unpack[HourlyEquityInputCall]) -> g.HourlyEquity:
        """Record it each hour."""
        return self._call("setHourlyEquity", values)


class SyncAccount(Resource):
    def __init__(self, runner: Runner, exchange: str = "") -> None:
        super().__init__(runner, exchange)
        self.bots = SyncAccountBots(runner, exchange)
        self.api_keys = SyncAccountApiKeys(runner, exchange)
        self.orders = SyncAccountOrders(runner, exchange)
        self.activity = SyncAccountActivity(runner, exchange)
        self.equity = SyncAccountEquity(runner, exchange)


class SyncClientMarkets(Resource):
    def search(self, **values: Unpack[g.FindMarketsQuery]) -> Pages[g.Market]:
        """Find markets of all exchanges."""
        return self._list("findMarkets", values)


class SyncClientEvents(Resource):
    def search(self, **values: Unpack[g.FindEventsQuery]) -> Pages[g.FoundEvent]:
        """Find events of all exchanges."""
        return self._list("findEvents", values)


class SyncClientPortfolio(Resource):
    def get(self, **values: Unpack[Options]) -> g.Portfolio:
        """What you have at all exchanges."""
        return self._call("getPortfolio", values)


class SyncClientMe(Resource):
    def get(self, **values: Unpack[Options]) -> g.Me:
        """Who am I."""
        return self._call("getMe", values)


class SyncClientBot(Resource):
    def get(self, **values: Unpack[Options]) -> g.Bot:
        """The bot of this key."""
        return self._call("getOwnBot", values)

    def halt(self, **values: Unpack[Options]) -> g.HaltReport:
        """Halt this bot."""
        return self._call("haltOwnBot", values)

    def heartbeat(self, ttl_seconds: int, *, on_miss: Literal["halt", "cancel"] = "halt", **values: Unpack[Options]) -> g.Armed:
        """Beat."""
        return self._beat(ttl_seconds, on_miss, values)

    def stop_heartbeat(self, **values: Unpack[Options]) -> g.Disarmed:
        """Take the switch off."""
        return self._call("stopHeartbeat", values)


class SyncClientBots(Resource):
    def halt(self, **values: Unpack[Options]) -> g.HaltReportList:
        """Halt all bots by the main key."""
        return self._call("haltBotsByKey", values)


class SyncClient(Root):
    def __init__(self, runner: Runner, exchange: str = "") -> None:
        super().__init__(runner, exchange)
        self.markets = SyncClientMarkets(runner, exchange)
        self.events = SyncClientEvents(runner, exchange)
        self.portfolio = SyncClientPortfolio(runner, exchange)
        self.me = SyncClientMe(runner, exchange)
        self.bot = SyncClientBot(runner, exchange)
        self.bots = SyncClientBots(runner, exchange)
        self.kalshi = self.exchange("kalshi")
        self.polymarket = self.exchange("polymarket")
        self.account = SyncAccount(runner)

    def exchange(self, exchange: str) -> SyncExchange:
        """An exchange by its id."""
        return SyncExchange(self._runner, segment(exchange, "exchange"))

    def with_response(self) -> SyncResponseClient:
        """The same client, whose methods give `(value, response)`."""
        return SyncResponseClient(self._runner.responding())

    def stream(self, subscriptions: Sequence[str]) -> Stream[AnyEvent]:
        """Several subscriptions in one stream: `kalshi.orderbooks:ID,ID`, `polymarket.fills`."""
        return self._several(subscriptions)


class AsyncMarkets(Resource):
    def list(self, **values: Unpack[g.ListMarketsQuery]) -> AsyncPages[g.Market]:
        """List markets."""
        return self._list("listMarkets", values)

    def get(self, market_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, g.MarketAnswer]:
        """One market."""
        return self._call("getMarket", {"market_id": market_id, **values})

    def stream(self, market_ids: Sequence[str]) -> AsyncStream[Quote | Stale | Live | Closed]:
        """Quotes as they change."""
        return self._stream("streamMarkets", market_ids)


class AsyncEvents(Resource):
    def list(self, **values: Unpack[g.ListEventsQuery]) -> AsyncPages[g.Event]:
        """List events."""
        return self._list("listEvents", values)

    def get(self, event_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, g.EventAnswer]:
        """One event."""
        return self._call("getEvent", {"event_id": event_id, **values})


class AsyncOrderbooks(Resource):
    def get(self, market_id: str, **values: Unpack[g.GetOrderbookQuery]) -> Coroutine[Any, Any, g.OrderBookAnswer]:
        """The order book of one outcome."""
        return self._call("getOrderbook", {"market_id": market_id, **values})

    def get_batch(self, market_ids: Sequence[str], **values: Unpack[g.GetOrderbooksQuery]) -> Coroutine[Any, Any, g.OrderBooks]:
        """The order books of up to 50 markets."""
        return self._call("getOrderbooks", {"market_id": joined(market_ids, "market_ids"), **values})

    def stream(self, market_ids: Sequence[str], *, outcome: str | int | None = None) -> AsyncStream[Snapshot | Update | Stale | Live | Closed]:
        """Order books as they change."""
        return self._stream("streamOrderbooks", market_ids, outcome=outcome)


class AsyncTrades(Resource):
    def list(self, market_id: str, **values: Unpack[g.ListTradesQuery]) -> AsyncPages[g.Trade]:
        """Public trades of a market."""
        return self._list("listTrades", {"market_id": market_id, **values})

    def stream(self, market_ids: Sequence[str]) -> AsyncStream[Trade | Stale | Live | Closed]:
        """Public trades as they happen."""
        return self._stream("streamTrades", market_ids)


class AsyncCandlesticks(Resource):
    def list(self, market_id: str, **values: Unpack[g.ListCandlesticksQuery]) -> AsyncPages[g.Candlestick]:
        """Candlesticks of one outcome."""
        return self._list("listCandlesticks", {"market_id": market_id, **values})


class AsyncOrders(Resource):
    @overload
    def create(self, **values: Unpack[PlainOrderCall]) -> Coroutine[Any, Any, g.CreatedOrder]: ...
    @overload
    def create(self, **values: Unpack[SignedOrderCall]) -> Coroutine[Any, Any, g.CreatedOrder]: ...
    def create(self, **values: Any) -> Any:
        """Create an order."""
        return self._call("createOrder", values)

    def create_batch(self, orders: Sequence[g.PlainOrder | g.SignedOrder], **values: Unpack[KeyedOptions]) -> Coroutine[Any, Any, g.BatchResults]:
        """Create up to 15 orders."""
        return self._batch(orders, values)

    @overload
    def preview(self, **values: Unpack[PlainOrderCall]) -> Coroutine[Any, Any, g.OrderPreview]: ...
    @overload
    def preview(self, **values: Unpack[SignedOrderCall]) -> Coroutine[Any, Any, g.OrderPreview]: ...
    def preview(self, **values: Any) -> Any:
        """What an order would come to."""
        return self._call("previewOrder", values)

    def get(self, order_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, g.ReadOrder]:
        """One of your orders."""
        return self._call("getOrder", {"order_id": order_id, **values})

    def list(self, **values: Unpack[g.ListOrdersQuery]) -> AsyncPages[g.ReadOrder]:
        """List your orders."""
        return self._list("listOrders", values)

    def cancel(self, order_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, g.CancelledOrder]:
        """Cancel an order."""
        return self._call("cancelOrder", {"order_id": order_id, **values})

    def cancel_all(self, **values: Unpack[g.CancelOrdersQuery]) -> Coroutine[Any, Any, g.CancelledOrders]:
        """Cancel your open orders."""
        return self._call("cancelOrders", values)

    def cancel_batch(self, order_ids: Sequence[str], **values: Unpack[Options]) -> Coroutine[Any, Any, g.CancelledOrders]:
        """Cancel up to 100 of your orders."""
        return self._call("cancelNamedOrders", {"order_ids": [*order_ids], **values})

    def amend(self, order_id: str, **values: Unpack[AmendOrderCall]) -> Coroutine[Any, Any, g.ReadOrder]:
        """Change an order."""
        return self._call("amendOrder", {"order_id": order_id, **values})

    def by_key(self, idempotency_key: str, **values: Unpack[Options]) -> Coroutine[Any, Any, g.KeyFate]:
        """What became of a key."""
        return self._call("getOrderByKey", {"idempotency_key": idempotency_key, **values})

    def abandon(self, idempotency_key: str, **values: Unpack[Options]) -> Coroutine[Any, Any, g.AbandonedKey]:
        """Abandon a key."""
        return self._call("abandonOrderKey", {"idempotency_key": idempotency_key, **values})

    def stream(self, *, market_ids: Sequence[str] | None = None) -> AsyncStream[Snapshot | Order | Stale | Live | Closed]:
        """Your orders as they change."""
        return self._stream("streamOrders", market_ids)


class AsyncFills(Resource):
    def list(self, **values: Unpack[g.ListFillsQuery]) -> AsyncPages[g.ReadFill]:
        """Your fills."""
        return self._list("listFills", values)

    def stream(self, *, market_ids: Sequence[str] | None = None, order_id: str | int | None = None) -> AsyncStream[Fill | Gap | Stale | Live | Closed]:
        """Your fills as they happen."""
        return self._stream("streamFills", market_ids, order_id=order_id)

    def csv(self, **values: Unpack[g.GetFillsCsvQuery]) -> Coroutine[Any, Any, str]:
        """Your fills as a CSV file."""
        return self._call("getFillsCsv", values)


class AsyncPositions(Resource):
    def list(self, **values: Unpack[g.ListPositionsQuery]) -> AsyncPages[g.Position]:
        """Your positions."""
        return self._list("listPositions", values)


class AsyncSettlements(Resource):
    def list(self, **values: Unpack[g.ListSettlementsQuery]) -> AsyncPages[g.Settlement]:
        """What became of your positions."""
        return self._list("listSettlements", values)

    def csv(self, **values: Unpack[g.GetSettlementsCsvQuery]) -> Coroutine[Any, Any, str]:
        """What became of your positions, as a CSV file."""
        return self._call("getSettlementsCsv", values)


class AsyncBalance(Resource):
    def get(self, **values: Unpack[Options]) -> Coroutine[Any, Any, g.Balance]:
        """Your balance."""
        return self._call("getBalance", values)


class AsyncTransfers(Resource):
    def create(self, **values: Unpack[TransferRequestCall]) -> Coroutine[Any, Any, g.Transfer]:
        """Move money between shards."""
        return self._call("createTransfer", values)

    def list(self, **values: Unpack[g.ListTransfersQuery]) -> AsyncPages[g.Transfer]:
        """List your transfers."""
        return self._list("listTransfers", values)

    def get(self, transfer_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, g.Transfer]:
        """One of your transfers."""
        return self._call("getTransfer", {"transfer_id": transfer_id, **values})


class AsyncExchange(Resource):
    def __init__(self, runner: Runner, exchange: str = "") -> None:
        super().__init__(runner, exchange)
        self.markets = AsyncMarkets(runner, exchange)
        self.events = AsyncEvents(runner, exchange)
        self.orderbooks = AsyncOrderbooks(runner, exchange)
        self.trades = AsyncTrades(runner, exchange)
        self.candlesticks = AsyncCandlesticks(runner, exchange)
        self.orders = AsyncOrders(runner, exchange)
        self.fills = AsyncFills(runner, exchange)
        self.positions = AsyncPositions(runner, exchange)
        self.settlements = AsyncSettlements(runner, exchange)
        self.balance = AsyncBalance(runner, exchange)
        self.transfers = AsyncTransfers(runner, exchange)


class AsyncAccountBots(Resource):
    def create(self, **values: Unpack[CreateBotCall]) -> Coroutine[Any, Any, g.CreatedBot]:
        """Make a bot."""
        return self._call("createBot", values)

    def list(self, **values: Unpack[Options]) -> Coroutine[Any, Any, g.BotList]:
        """List your bots."""
        return self._call("listBots", values)

    def get(self, bot_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, g.Bot]:
        """One of your bots."""
        return self._call("getBot", {"bot_id": bot_id, **values})

    def change(self, bot_id: str, **values: Unpack[ChangeBotCall]) -> Coroutine[Any, Any, g.Bot]:
        """Change what a bot may do."""
        return self._call("changeBot", {"bot_id": bot_id, **values})

    def remove(self, bot_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, g.HaltReport]:
        """Remove a bot."""
        return self._call("removeBot", {"bot_id": bot_id, **values})

    def rotate(self, bot_id: str, **values: Unpack[RotateBotKeyCall]) -> Coroutine[Any, Any, g.RotatedBotKey]:
        """Give a bot a new key."""
        return self._call("rotateBotKey", {"bot_id": bot_id, **values})

    def halt(self, bot_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, g.HaltReport]:
        """Halt a bot."""
        return self._call("haltBot", {"bot_id": bot_id, **values})

    def halt_all(self, **values: Unpack[Options]) -> Coroutine[Any, Any, g.HaltReportList]:
        """Halt all your bots."""
        return self._call("haltBots", values)

    def resume(self, bot_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, g.Bot]:
        """Let a halted bot go on."""
        return self._call("resumeBot", {"bot_id": bot_id, **values})


class AsyncAccountApiKeys(Resource):
    def list(self, **values: Unpack[Options]) -> Coroutine[Any, Any, g.ApiKeyList]:
        """List your API key."""
        return self._call("listApiKeys", values)

    def create(self, **values: Unpack[CreateApiKeyCall]) -> Coroutine[Any, Any, g.CreatedApiKey]:
        """Create your API key."""
        return self._call("createApiKey", values)

    def revoke(self, key_prefix: str, **values: Unpack[Options]) -> Coroutine[Any, Any, g.RevokedApiKey]:
        """Revoke your API key."""
        return self._call("revokeApiKey", {"key_prefix": key_prefix, **values})


class AsyncAccountOrders(Resource):
    def list(self, **values: Unpack[g.ListAccountOrdersQuery]) -> AsyncPages[g.AccountOrder]:
        """What you asked for."""
        return self._list("listAccountOrders", values)


class AsyncAccountActivity(Resource):
    def list(self, **values: Unpack[g.ListActivityQuery]) -> AsyncPages[g.Activity]:
        """Your activity."""
        return self._list("listActivity", values)


class AsyncAccountEquity(Resource):
    def get(self, **values: Unpack[g.GetEquityQuery]) -> Coroutine[Any, Any, g.Equity]:
        """What you had over time."""
        return self._call("getEquity", values)

    def set(self, **values: Unpack[HourlyEquityInputCall]) -> Coroutine[Any, Any, g.HourlyEquity]:
        """Record it each hour."""
        return self._call("setHourlyEquity", values)


class AsyncAccount(Resource):
    def __init__(self, runner: Runner, exchange: str = "") -> None:
        super().__init__(runner, exchange)
        self.bots = AsyncAccountBots(runner, exchange)
        self.api_keys = AsyncAccountApiKeys(runner, exchange)
        self.orders = AsyncAccountOrders(runner, exchange)
        self.activity = AsyncAccountActivity(runner, exchange)
        self.equity = AsyncAccountEquity(runner, exchange)


class AsyncClientMarkets(Resource):
    def search(self, **values: Unpack[g.FindMarketsQuery]) -> AsyncPages[g.Market]:
        """Find markets of all exchanges."""
        return self._list("findMarkets", values)


class AsyncClientEvents(Resource):
    def search(self, **values: Unpack[g.FindEventsQuery]) -> AsyncPages[g.FoundEvent]:
        """Find events of all exchanges."""
        return self._list("findEvents", values)


class AsyncClientPortfolio(Resource):
    def get(self, **values: Unpack[Options]) -> Coroutine[Any, Any, g.Portfolio]:
        """What you have at all exchanges."""
        return self._call("getPortfolio", values)


class AsyncClientMe(Resource):
    def get(self, **values: Unpack[Options]) -> Coroutine[Any, Any, g.Me]:
        """Who am I."""
        return self._call("getMe", values)


class AsyncClientBot(Resource):
    def get(self, **values: Unpack[Options]) -> Coroutine[Any, Any, g.Bot]:
        """The bot of this key."""
        return self._call("getOwnBot", values)

    def halt(self, **values: Unpack[Options]) -> Coroutine[Any, Any, g.HaltReport]:
        """Halt this bot."""
        return self._call("haltOwnBot", values)

    def heartbeat(self, ttl_seconds: int, *, on_miss: Literal["halt", "cancel"] = "halt", **values: Unpack[Options]) -> Coroutine[Any, Any, g.Armed]:
        """Beat."""
        return self._beat(ttl_seconds, on_miss, values)

    def stop_heartbeat(self, **values: Unpack[Options]) -> Coroutine[Any, Any, g.Disarmed]:
        """Take the switch off."""
        return self._call("stopHeartbeat", values)


class AsyncClientBots(Resource):
    def halt(self, **values: Unpack[Options]) -> Coroutine[Any, Any, g.HaltReportList]:
        """Halt all bots by the main key."""
        return self._call("haltBotsByKey", values)


class AsyncClient(Root):
    def __init__(self, runner: Runner, exchange: str = "") -> None:
        super().__init__(runner, exchange)
        self.markets = AsyncClientMarkets(runner, exchange)
        self.events = AsyncClientEvents(runner, exchange)
        self.portfolio = AsyncClientPortfolio(runner, exchange)
        self.me = AsyncClientMe(runner, exchange)
        self.bot = AsyncClientBot(runner, exchange)
        self.bots = AsyncClientBots(runner, exchange)
        self.kalshi = self.exchange("kalshi")
        self.polymarket = self.exchange("polymarket")
        self.account = AsyncAccount(runner)

    def exchange(self, exchange: str) -> AsyncExchange:
        """An exchange by its id."""
        return AsyncExchange(self._runner, segment(exchange, "exchange"))

    def with_response(self) -> AsyncResponseClient:
        """The same client, whose methods give `(value, response)`."""
        return AsyncResponseClient(self._runner.responding())

    def stream(self, subscriptions: Sequence[str]) -> AsyncStream[AnyEvent]:
        """Several subscriptions in one stream: `kalshi.orderbooks:ID,ID`, `polymarket.fills`."""
        return self._several(subscriptions)


class SyncResponseMarkets(Resource):
    def list(self, **values: Unpack[g.ListMarketsQuery]) -> Pages[g.Market]:
        """List markets."""
        return self._list("listMarkets", values)

    def get(self, market_id: str, **values: Unpack[Options]) -> tuple[g.MarketAnswer, Response]:
        """One market."""
        return self._call("getMarket", {"market_id": market_id, **values})

    def stream(self, market_ids: Sequence[str]) -> Stream[Quote | Stale | Live | Closed]:
        """Quotes as they change."""
        return self._stream("streamMarkets", market_ids)


class SyncResponseEvents(Resource):
    def list(self, **values: Unpack[g.ListEventsQuery]) -> Pages[g.Event]:
        """List events."""
        return self._list("listEvents", values)

    def get(self, event_id: str, **values: Unpack[Options]) -> tuple[g.EventAnswer, Response]:
        """One event."""
        return self._call("getEvent", {"event_id": event_id, **values})


class SyncResponseOrderbooks(Resource):
    def get(self, market_id: str, **values: Unpack[g.GetOrderbookQuery]) -> tuple[g.OrderBookAnswer, Response]:
        """The order book of one outcome."""
        return self._call("getOrderbook", {"market_id": market_id, **values})

    def get_batch(self, market_ids: Sequence[str], **values: Unpack[g.GetOrderbooksQuery]) -> tuple[g.OrderBooks, Response]:
        """The order books of up to 50 markets."""
        return self._call("getOrderbooks", {"market_id": joined(market_ids, "market_ids"), **values})

    def stream(self, market_ids: Sequence[str], *, outcome: str | int | None = None) -> Stream[Snapshot | Update | Stale | Live | Closed]:
        """Order books as they change."""
        return self._stream("streamOrderbooks", market_ids, outcome=outcome)


class SyncResponseTrades(Resource):
    def list(self, market_id: str, **values: Unpack[g.ListTradesQuery]) -> Pages[g.Trade]:
        """Public trades of a market."""
        return self._list("listTrades", {"market_id": market_id, **values})

    def stream(self, market_ids: Sequence[str]) -> Stream[Trade | Stale | Live | Closed]:
        """Public trades as they happen."""
        return self._stream("streamTrades", market_ids)


class SyncResponseCandlesticks(Resource):
    def list(self, market_id: str, **values: Unpack[g.ListCandlesticksQuery]) -> Pages[g.Candlestick]:
        """Candlesticks of one outcome."""
        return self._list("listCandlesticks", {"market_id": market_id, **values})


class SyncResponseOrders(Resource):
    @overload
    def create(self, **values: Unpack[PlainOrderCall]) -> tuple[g.CreatedOrder, Response]: ...
    @overload
    def create(self, **values: Unpack[SignedOrderCall]) -> tuple[g.CreatedOrder, Response]: ...
    def create(self, **values: Any) -> Any:
        """Create an order."""
        return self._call("createOrder", values)

    def create_batch(self, orders: Sequence[g.PlainOrder | g.SignedOrder], **values: Unpack[KeyedOptions]) -> tuple[g.BatchResults, Response]:
        """Create up to 15 orders."""
        return self._batch(orders, values)

    @overload
    def preview(self, **values: Unpack[PlainOrderCall]) -> tuple[g.OrderPreview, Response]: ...
    @overload
    def preview(self, **values: Unpack[SignedOrderCall]) -> tuple[g.OrderPreview, Response]: ...
    def preview(self, **values: Any) -> Any:
        """What an order would come to."""
        return self._call("previewOrder", values)

    def get(self, order_id: str, **values: Unpack[Options]) -> tuple[g.ReadOrder, Response]:
        """One of your orders."""
        return self._call("getOrder", {"order_id": order_id, **values})

    def list(self, **values: Unpack[g.ListOrdersQuery]) -> Pages[g.ReadOrder]:
        """List your orders."""
        return self._list("listOrders", values)

    def cancel(self, order_id: str, **values: Unpack[Options]) -> tuple[g.CancelledOrder, Response]:
        """Cancel an order."""
        return self._call("cancelOrder", {"order_id": order_id, **values})

    def cancel_all(self, **values: Unpack[g.CancelOrdersQuery]) -> tuple[g.CancelledOrders, Response]:
        """Cancel your open orders."""
        return self._call("cancelOrders", values)

    def cancel_batch(self, order_ids: Sequence[str], **values: Unpack[Options]) -> tuple[g.CancelledOrders, Response]:
        """Cancel up to 100 of your orders."""
        return self._call("cancelNamedOrders", {"order_ids": [*order_ids], **values})

    def amend(self, order_id: str, **values: Unpack[AmendOrderCall]) -> tuple[g.ReadOrder, Response]:
        """Change an order."""
        return self._call("amendOrder", {"order_id": order_id, **values})

    def by_key(self, idempotency_key: str, **values: Unpack[Options]) -> tuple[g.KeyFate, Response]:
        """What became of a key."""
        return self._call("getOrderByKey", {"idempotency_key": idempotency_key, **values})

    def abandon(self, idempotency_key: str, **values: Unpack[Options]) -> tuple[g.AbandonedKey, Response]:
        """Abandon a key."""
        return self._call("abandonOrderKey", {"idempotency_key": idempotency_key, **values})

    def stream(self, *, market_ids: Sequence[str] | None = None) -> Stream[Snapshot | Order | Stale | Live | Closed]:
        """Your orders as they change."""
        return self._stream("streamOrders", market_ids)


class SyncResponseFills(Resource):
    def list(self, **values: Unpack[g.ListFillsQuery]) -> Pages[g.ReadFill]:
        """Your fills."""
        return self._list("listFills", values)

    def stream(self, *, market_ids: Sequence[str] | None = None, order_id: str | int | None = None) -> Stream[Fill | Gap | Stale | Live | Closed]:
        """Your fills as they happen."""
        return self._stream("streamFills", market_ids, order_id=order_id)

    def csv(self, **values: Unpack[g.GetFillsCsvQuery]) -> tuple[str, Response]:
        """Your fills as a CSV file."""
        return self._call("getFillsCsv", values)


class SyncResponsePositions(Resource):
    def list(self, **values: Unpack[g.ListPositionsQuery]) -> Pages[g.Position]:
        """Your positions."""
        return self._list("listPositions", values)


class SyncResponseSettlements(Resource):
    def list(self, **values: Unpack[g.ListSettlementsQuery]) -> Pages[g.Settlement]:
        """What became of your positions."""
        return self._list("listSettlements", values)

    def csv(self, **values: Unpack[g.GetSettlementsCsvQuery]) -> tuple[str, Response]:
        """What became of your positions, as a CSV file."""
        return self._call("getSettlementsCsv", values)


class SyncResponseBalance(Resource):
    def get(self, **values: Unpack[Options]) -> tuple[g.Balance, Response]:
        """Your balance."""
        return self._call("getBalance", values)


class SyncResponseTransfers(Resource):
    def create(self, **values: Unpack[TransferRequestCall]) -> tuple[g.Transfer, Response]:
        """Move money between shards."""
        return self._call("createTransfer", values)

    def list(self, **values: Unpack[g.ListTransfersQuery]) -> Pages[g.Transfer]:
        """List your transfers."""
        return self._list("listTransfers", values)

    def get(self, transfer_id: str, **values: Unpack[Options]) -> tuple[g.Transfer, Response]:
        """One of your transfers."""
        return self._call("getTransfer", {"transfer_id": transfer_id, **values})


class SyncResponseExchange(Resource):
    def __init__(self, runner: Runner, exchange: str = "") -> None:
        super().__init__(runner, exchange)
        self.markets = SyncResponseMarkets(runner, exchange)
        self.events = SyncResponseEvents(runner, exchange)
        self.orderbooks = SyncResponseOrderbooks(runner, exchange)
        self.trades = SyncResponseTrades(runner, exchange)
        self.candlesticks = SyncResponseCandlesticks(runner, exchange)
        self.orders = SyncResponseOrders(runner, exchange)
        self.fills = SyncResponseFills(runner, exchange)
        self.positions = SyncResponsePositions(runner, exchange)
        self.settlements = SyncResponseSettlements(runner, exchange)
        self.balance = SyncResponseBalance(runner, exchange)
        self.transfers = SyncResponseTransfers(runner, exchange)


class SyncResponseAccountBots(Resource):
    def create(self, **values: Unpack[CreateBotCall]) -> tuple[g.CreatedBot, Response]:
        """Make a bot."""
        return self._call("createBot", values)

    def list(self, **values: Unpack[Options]) -> tuple[g.BotList, Response]:
        """List your bots."""
        return self._call("listBots", values)

    def get(self, bot_id: str, **values: Unpack[Options]) -> tuple[g.Bot, Response]:
        """One of your bots."""
        return self._call("getBot", {"bot_id": bot_id, **values})

    def change(self, bot_id: str, **values: Unpack[ChangeBotCall]) -> tuple[g.Bot, Response]:
        """Change what a bot may do."""
        return self._call("changeBot", {"bot_id": bot_id, **values})

    def remove(self, bot_id: str, **values: Unpack[Options]) -> tuple[g.HaltReport, Response]:
        """Remove a bot."""
        return self._call("removeBot", {"bot_id": bot_id, **values})

    def rotate(self, bot_id: str, **values: Unpack[RotateBotKeyCall]) -> tuple[g.RotatedBotKey, Response]:
        """Give a bot a new key."""
        return self._call("rotateBotKey", {"bot_id": bot_id, **values})

    def halt(self, bot_id: str, **values: Unpack[Options]) -> tuple[g.HaltReport, Response]:
        """Halt a bot."""
        return self._call("haltBot", {"bot_id": bot_id, **values})

    def halt_all(self, **values: Unpack[Options]) -> tuple[g.HaltReportList, Response]:
        """Halt all your bots."""
        return self._call("haltBots", values)

    def resume(self, bot_id: str, **values: Unpack[Options]) -> tuple[g.Bot, Response]:
        """Let a halted bot go on."""
        return self._call("resumeBot", {"bot_id": bot_id, **values})


class SyncResponseAccountApiKeys(Resource):
    def list(self, **values: Unpack[Options]) -> tuple[g.ApiKeyList, Response]:
        """List your API key."""
        return self._call("listApiKeys", values)

    def create(self, **values: Unpack[CreateApiKeyCall]) -> tuple[g.CreatedApiKey, Response]:
        """Create your API key."""
        return self._call("createApiKey", values)

    def revoke(self, key_prefix: str, **values: Unpack[Options]) -> tuple[g.RevokedApiKey, Response]:
        """Revoke your API key."""
        return self._call("revokeApiKey", {"key_prefix": key_prefix, **values})


class SyncResponseAccountOrders(Resource):
    def list(self, **values: Unpack[g.ListAccountOrdersQuery]) -> Pages[g.AccountOrder]:
        """What you asked for."""
        return self._list("listAccountOrders", values)


class SyncResponseAccountActivity(Resource):
    def list(self, **values: Unpack[g.ListActivityQuery]) -> Pages[g.Activity]:
        """Your activity."""
        return self._list("listActivity", values)


class SyncResponseAccountEquity(Resource):
    def get(self, **values: Unpack[g.GetEquityQuery]) -> tuple[g.Equity, Response]:
        """What you had over time."""
        return self._call("getEquity", values)

    def set(self, **values: Unpack[HourlyEquityInputCall]) -> tuple[g.HourlyEquity, Response]:
        """Record it each hour."""
        return self._call("setHourlyEquity", values)


class SyncResponseAccount(Resource):
    def __init__(self, runner: Runner, exchange: str = "") -> None:
        super().__init__(runner, exchange)
        self.bots = SyncResponseAccountBots(runner, exchange)
        self.api_keys = SyncResponseAccountApiKeys(runner, exchange)
        self.orders = SyncResponseAccountOrders(runner, exchange)
        self.activity = SyncResponseAccountActivity(runner, exchange)
        self.equity = SyncResponseAccountEquity(runner, exchange)


class SyncResponseClientMarkets(Resource):
    def search(self, **values: Unpack[g.FindMarketsQuery]) -> Pages[g.Market]:
        """Find markets of all exchanges."""
        return self._list("findMarkets", values)


class SyncResponseClientEvents(Resource):
    def search(self, **values: Unpack[g.FindEventsQuery]) -> Pages[g.FoundEvent]:
        """Find events of all exchanges."""
        return self._list("findEvents", values)


class SyncResponseClientPortfolio(Resource):
    def get(self, **values: Unpack[Options]) -> tuple[g.Portfolio, Response]:
        """What you have at all exchanges."""
        return self._call("getPortfolio", values)


class SyncResponseClientMe(Resource):
    def get(self, **values: Unpack[Options]) -> tuple[g.Me, Response]:
        """Who am I."""
        return self._call("getMe", values)


class SyncResponseClientBot(Resource):
    def get(self, **values: Unpack[Options]) -> tuple[g.Bot, Response]:
        """The bot of this key."""
        return self._call("getOwnBot", values)

    def halt(self, **values: Unpack[Options]) -> tuple[g.HaltReport, Response]:
        """Halt this bot."""
        return self._call("haltOwnBot", values)

    def heartbeat(self, ttl_seconds: int, *, on_miss: Literal["halt", "cancel"] = "halt", **values: Unpack[Options]) -> tuple[g.Armed, Response]:
        """Beat."""
        return self._beat(ttl_seconds, on_miss, values)

    def stop_heartbeat(self, **values: Unpack[Options]) -> tuple[g.Disarmed, Response]:
        """Take the switch off."""
        return self._call("stopHeartbeat", values)


class SyncResponseClientBots(Resource):
    def halt(self, **values: Unpack[Options]) -> tuple[g.HaltReportList, Response]:
        """Halt all bots by the main key."""
        return self._call("haltBotsByKey", values)


class SyncResponseClient(Root):
    def __init__(self, runner: Runner, exchange: str = "") -> None:
        super().__init__(runner, exchange)
        self.markets = SyncResponseClientMarkets(runner, exchange)
        self.events = SyncResponseClientEvents(runner, exchange)
        self.portfolio = SyncResponseClientPortfolio(runner, exchange)
        self.me = SyncResponseClientMe(runner, exchange)
        self.bot = SyncResponseClientBot(runner, exchange)
        self.bots = SyncResponseClientBots(runner, exchange)
        self.kalshi = self.exchange("kalshi")
        self.polymarket = self.exchange("polymarket")
        self.account = SyncResponseAccount(runner)

    def exchange(self, exchange: str) -> SyncResponseExchange:
        """An exchange by its id."""
        return SyncResponseExchange(self._runner, segment(exchange, "exchange"))

    def stream(self, subscriptions: Sequence[str]) -> Stream[AnyEvent]:
        """Several subscriptions in one stream: `kalshi.orderbooks:ID,ID`, `polymarket.fills`."""
        return self._several(subscriptions)


class AsyncResponseMarkets(Resource):
    def list(self, **values: Unpack[g.ListMarketsQuery]) -> AsyncPages[g.Market]:
        """List markets."""
        return self._list("listMarkets", values)

    def get(self, market_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.MarketAnswer, Response]]:
        """One market."""
        return self._call("getMarket", {"market_id": market_id, **values})

    def stream(self, market_ids: Sequence[str]) -> AsyncStream[Quote | Stale | Live | Closed]:
        """Quotes as they change."""
        return self._stream("streamMarkets", market_ids)


class AsyncResponseEvents(Resource):
    def list(self, **values: Unpack[g.ListEventsQuery]) -> AsyncPages[g.Event]:
        """List events."""
        return self._list("listEvents", values)

    def get(self, event_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.EventAnswer, Response]]:
        """One event."""
        return self._call("getEvent", {"event_id": event_id, **values})


class AsyncResponseOrderbooks(Resource):
    def get(self, market_id: str, **values: Unpack[g.GetOrderbookQuery]) -> Coroutine[Any, Any, tuple[g.OrderBookAnswer, Response]]:
        """The order book of one outcome."""
        return self._call("getOrderbook", {"market_id": market_id, **values})

    def get_batch(self, market_ids: Sequence[str], **values: Unpack[g.GetOrderbooksQuery]) -> Coroutine[Any, Any, tuple[g.OrderBooks, Response]]:
        """The order books of up to 50 markets."""
        return self._call("getOrderbooks", {"market_id": joined(market_ids, "market_ids"), **values})

    def stream(self, market_ids: Sequence[str], *, outcome: str | int | None = None) -> AsyncStream[Snapshot | Update | Stale | Live | Closed]:
        """Order books as they change."""
        return self._stream("streamOrderbooks", market_ids, outcome=outcome)


class AsyncResponseTrades(Resource):
    def list(self, market_id: str, **values: Unpack[g.ListTradesQuery]) -> AsyncPages[g.Trade]:
        """Public trades of a market."""
        return self._list("listTrades", {"market_id": market_id, **values})

    def stream(self, market_ids: Sequence[str]) -> AsyncStream[Trade | Stale | Live | Closed]:
        """Public trades as they happen."""
        return self._stream("streamTrades", market_ids)


class AsyncResponseCandlesticks(Resource):
    def list(self, market_id: str, **values: Unpack[g.ListCandlesticksQuery]) -> AsyncPages[g.Candlestick]:
        """Candlesticks of one outcome."""
        return self._list("listCandlesticks", {"market_id": market_id, **values})


class AsyncResponseOrders(Resource):
    @overload
    def create(self, **values: Unpack[PlainOrderCall]) -> Coroutine[Any, Any, tuple[g.CreatedOrder, Response]]: ...
    @overload
    def create(self, **values: Unpack[SignedOrderCall]) -> Coroutine[Any, Any, tuple[g.CreatedOrder, Response]]: ...
    def create(self, **values: Any) -> Any:
        """Create an order."""
        return self._call("createOrder", values)

    def create_batch(self, orders: Sequence[g.PlainOrder | g.SignedOrder], **values: Unpack[KeyedOptions]) -> Coroutine[Any, Any, tuple[g.BatchResults, Response]]:
        """Create up to 15 orders."""
        return self._batch(orders, values)

    @overload
    def preview(self, **values: Unpack[PlainOrderCall]) -> Coroutine[Any, Any, tuple[g.OrderPreview, Response]]: ...
    @overload
    def preview(self, **values: Unpack[SignedOrderCall]) -> Coroutine[Any, Any, tuple[g.OrderPreview, Response]]: ...
    def preview(self, **values: Any) -> Any:
        """What an order would come to."""
        return self._call("previewOrder", values)

    def get(self, order_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.ReadOrder, Response]]:
        """One of your orders."""
        return self._call("getOrder", {"order_id": order_id, **values})

    def list(self, **values: Unpack[g.ListOrdersQuery]) -> AsyncPages[g.ReadOrder]:
        """List your orders."""
        return self._list("listOrders", values)

    def cancel(self, order_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.CancelledOrder, Response]]:
        """Cancel an order."""
        return self._call("cancelOrder", {"order_id": order_id, **values})

    def cancel_all(self, **values: Unpack[g.CancelOrdersQuery]) -> Coroutine[Any, Any, tuple[g.CancelledOrders, Response]]:
        """Cancel your open orders."""
        return self._call("cancelOrders", values)

    def cancel_batch(self, order_ids: Sequence[str], **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.CancelledOrders, Response]]:
        """Cancel up to 100 of your orders."""
        return self._call("cancelNamedOrders", {"order_ids": [*order_ids], **values})

    def amend(self, order_id: str, **values: Unpack[AmendOrderCall]) -> Coroutine[Any, Any, tuple[g.ReadOrder, Response]]:
        """Change an order."""
        return self._call("amendOrder", {"order_id": order_id, **values})

    def by_key(self, idempotency_key: str, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.KeyFate, Response]]:
        """What became of a key."""
        return self._call("getOrderByKey", {"idempotency_key": idempotency_key, **values})

    def abandon(self, idempotency_key: str, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.AbandonedKey, Response]]:
        """Abandon a key."""
        return self._call("abandonOrderKey", {"idempotency_key": idempotency_key, **values})

    def stream(self, *, market_ids: Sequence[str] | None = None) -> AsyncStream[Snapshot | Order | Stale | Live | Closed]:
        """Your orders as they change."""
        return self._stream("streamOrders", market_ids)


class AsyncResponseFills(Resource):
    def list(self, **values: Unpack[g.ListFillsQuery]) -> AsyncPages[g.ReadFill]:
        """Your fills."""
        return self._list("listFills", values)

    def stream(self, *, market_ids: Sequence[str] | None = None, order_id: str | int | None = None) -> AsyncStream[Fill | Gap | Stale | Live | Closed]:
        """Your fills as they happen."""
        return self._stream("streamFills", market_ids, order_id=order_id)

    def csv(self, **values: Unpack[g.GetFillsCsvQuery]) -> Coroutine[Any, Any, tuple[str, Response]]:
        """Your fills as a CSV file."""
        return self._call("getFillsCsv", values)


class AsyncResponsePositions(Resource):
    def list(self, **values: Unpack[g.ListPositionsQuery]) -> AsyncPages[g.Position]:
        """Your positions."""
        return self._list("listPositions", values)


class AsyncResponseSettlements(Resource):
    def list(self, **values: Unpack[g.ListSettlementsQuery]) -> AsyncPages[g.Settlement]:
        """What became of your positions."""
        return self._list("listSettlements", values)

    def csv(self, **values: Unpack[g.GetSettlementsCsvQuery]) -> Coroutine[Any, Any, tuple[str, Response]]:
        """What became of your positions, as a CSV file."""
        return self._call("getSettlementsCsv", values)


class AsyncResponseBalance(Resource):
    def get(self, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.Balance, Response]]:
        """Your balance."""
        return self._call("getBalance", values)


class AsyncResponseTransfers(Resource):
    def create(self, **values: Unpack[TransferRequestCall]) -> Coroutine[Any, Any, tuple[g.Transfer, Response]]:
        """Move money between shards."""
        return self._call("createTransfer", values)

    def list(self, **values: Unpack[g.ListTransfersQuery]) -> AsyncPages[g.Transfer]:
        """List your transfers."""
        return self._list("listTransfers", values)

    def get(self, transfer_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.Transfer, Response]]:
        """One of your transfers."""
        return self._call("getTransfer", {"transfer_id": transfer_id, **values})


class AsyncResponseExchange(Resource):
    def __init__(self, runner: Runner, exchange: str = "") -> None:
        super().__init__(runner, exchange)
        self.markets = AsyncResponseMarkets(runner, exchange)
        self.events = AsyncResponseEvents(runner, exchange)
        self.orderbooks = AsyncResponseOrderbooks(runner, exchange)
        self.trades = AsyncResponseTrades(runner, exchange)
        self.candlesticks = AsyncResponseCandlesticks(runner, exchange)
        self.orders = AsyncResponseOrders(runner, exchange)
        self.fills = AsyncResponseFills(runner, exchange)
        self.positions = AsyncResponsePositions(runner, exchange)
        self.settlements = AsyncResponseSettlements(runner, exchange)
        self.balance = AsyncResponseBalance(runner, exchange)
        self.transfers = AsyncResponseTransfers(runner, exchange)


class AsyncResponseAccountBots(Resource):
    def create(self, **values: Unpack[CreateBotCall]) -> Coroutine[Any, Any, tuple[g.CreatedBot, Response]]:
        """Make a bot."""
        return self._call("createBot", values)

    def list(self, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.BotList, Response]]:
        """List your bots."""
        return self._call("listBots", values)

    def get(self, bot_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.Bot, Response]]:
        """One of your bots."""
        return self._call("getBot", {"bot_id": bot_id, **values})

    def change(self, bot_id: str, **values: Unpack[ChangeBotCall]) -> Coroutine[Any, Any, tuple[g.Bot, Response]]:
        """Change what a bot may do."""
        return self._call("changeBot", {"bot_id": bot_id, **values})

    def remove(self, bot_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.HaltReport, Response]]:
        """Remove a bot."""
        return self._call("removeBot", {"bot_id": bot_id, **values})

    def rotate(self, bot_id: str, **values: Unpack[RotateBotKeyCall]) -> Coroutine[Any, Any, tuple[g.RotatedBotKey, Response]]:
        """Give a bot a new key."""
        return self._call("rotateBotKey", {"bot_id": bot_id, **values})

    def halt(self, bot_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.HaltReport, Response]]:
        """Halt a bot."""
        return self._call("haltBot", {"bot_id": bot_id, **values})

    def halt_all(self, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.HaltReportList, Response]]:
        """Halt all your bots."""
        return self._call("haltBots", values)

    def resume(self, bot_id: str, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.Bot, Response]]:
        """Let a halted bot go on."""
        return self._call("resumeBot", {"bot_id": bot_id, **values})


class AsyncResponseAccountApiKeys(Resource):
    def list(self, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.ApiKeyList, Response]]:
        """List your API key."""
        return self._call("listApiKeys", values)

    def create(self, **values: Unpack[CreateApiKeyCall]) -> Coroutine[Any, Any, tuple[g.CreatedApiKey, Response]]:
        """Create your API key."""
        return self._call("createApiKey", values)

    def revoke(self, key_prefix: str, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.RevokedApiKey, Response]]:
        """Revoke your API key."""
        return self._call("revokeApiKey", {"key_prefix": key_prefix, **values})


class AsyncResponseAccountOrders(Resource):
    def list(self, **values: Unpack[g.ListAccountOrdersQuery]) -> AsyncPages[g.AccountOrder]:
        """What you asked for."""
        return self._list("listAccountOrders", values)


class AsyncResponseAccountActivity(Resource):
    def list(self, **values: Unpack[g.ListActivityQuery]) -> AsyncPages[g.Activity]:
        """Your activity."""
        return self._list("listActivity", values)


class AsyncResponseAccountEquity(Resource):
    def get(self, **values: Unpack[g.GetEquityQuery]) -> Coroutine[Any, Any, tuple[g.Equity, Response]]:
        """What you had over time."""
        return self._call("getEquity", values)

    def set(self, **values: Unpack[HourlyEquityInputCall]) -> Coroutine[Any, Any, tuple[g.HourlyEquity, Response]]:
        """Record it each hour."""
        return self._call("setHourlyEquity", values)


class AsyncResponseAccount(Resource):
    def __init__(self, runner: Runner, exchange: str = "") -> None:
        super().__init__(runner, exchange)
        self.bots = AsyncResponseAccountBots(runner, exchange)
        self.api_keys = AsyncResponseAccountApiKeys(runner, exchange)
        self.orders = AsyncResponseAccountOrders(runner, exchange)
        self.activity = AsyncResponseAccountActivity(runner, exchange)
        self.equity = AsyncResponseAccountEquity(runner, exchange)


class AsyncResponseClientMarkets(Resource):
    def search(self, **values: Unpack[g.FindMarketsQuery]) -> AsyncPages[g.Market]:
        """Find markets of all exchanges."""
        return self._list("findMarkets", values)


class AsyncResponseClientEvents(Resource):
    def search(self, **values: Unpack[g.FindEventsQuery]) -> AsyncPages[g.FoundEvent]:
        """Find events of all exchanges."""
        return self._list("findEvents", values)


class AsyncResponseClientPortfolio(Resource):
    def get(self, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.Portfolio, Response]]:
        """What you have at all exchanges."""
        return self._call("getPortfolio", values)


class AsyncResponseClientMe(Resource):
    def get(self, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.Me, Response]]:
        """Who am I."""
        return self._call("getMe", values)


class AsyncResponseClientBot(Resource):
    def get(self, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.Bot, Response]]:
        """The bot of this key."""
        return self._call("getOwnBot", values)

    def halt(self, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.HaltReport, Response]]:
        """Halt this bot."""
        return self._call("haltOwnBot", values)

    def heartbeat(self, ttl_seconds: int, *, on_miss: Literal["halt", "cancel"] = "halt", **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.Armed, Response]]:
        """Beat."""
        return self._beat(ttl_seconds, on_miss, values)

    def stop_heartbeat(self, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.Disarmed, Response]]:
        """Take the switch off."""
        return self._call("stopHeartbeat", values)


class AsyncResponseClientBots(Resource):
    def halt(self, **values: Unpack[Options]) -> Coroutine[Any, Any, tuple[g.HaltReportList, Response]]:
        """Halt all bots by the main key."""
        return self._call("haltBotsByKey", values)


class AsyncResponseClient(Root):
    def __init__(self, runner: Runner, exchange: str = "") -> None:
        super().__init__(runner, exchange)
        self.markets = AsyncResponseClientMarkets(runner, exchange)
        self.events = AsyncResponseClientEvents(runner, exchange)
        self.portfolio = AsyncResponseClientPortfolio(runner, exchange)
        self.me = AsyncResponseClientMe(runner, exchange)
        self.bot = AsyncResponseClientBot(runner, exchange)
        self.bots = AsyncResponseClientBots(runner, exchange)
        self.kalshi = self.exchange("kalshi")
        self.polymarket = self.exchange("polymarket")
        self.account = AsyncResponseAccount(runner)

    def exchange(self, exchange: str) -> AsyncResponseExchange:
        """An exchange by its id."""
        return AsyncResponseExchange(self._runner, segment(exchange, "exchange"))

    def stream(self, subscriptions: Sequence[str]) -> AsyncStream[AnyEvent]:
        """Several subscriptions in one stream: `kalshi.orderbooks:ID,ID`, `polymarket.fills`."""
        return self._several(subscriptions)
