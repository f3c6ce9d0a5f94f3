"""The methods of both clients. Ids stand by position; filters, members of bodies and options are keywords."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, overload
from uuid import uuid4

from . import _generated as g
from ._calls import Async, AsyncResponse, Listing, M, Method, Resource, Runner, Streaming, Sync, SyncResponse
from ._codec import Unreadable, decode, encode, joined, query_of, segment
from ._engine import Call, Response, positive, timing
from ._errors import InvalidArgument, OrderOutcomeUnknown
from ._events import Closed, Fill, Gap, Live, Order, Quote, Snapshot, Stale, Trade, Update
from ._schema import KeyedOptions, Options
from ._stream import Subscription

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
R_co = TypeVar("R_co", covariant=True)
KEY = re.compile(r"(?!\.{1,2}$)[\x21-\x7e]{1,255}", re.ASCII)


class NewOrder(g.PlainOrder, KeyedOptions):
    """A plain order and how its call is made."""


class NewSignedOrder(g.SignedOrder, KeyedOptions):
    """An order that its trader's own wallet has signed (Polymarket), and how its call is made."""


class SendOrder(Protocol[R_co]):
    """What `create` and `preview` take: an order in plain words, or one that is signed."""

    @overload
    def __call__(self, **order: Unpack[NewOrder]) -> R_co: ...
    @overload
    def __call__(self, **order: Unpack[NewSignedOrder]) -> R_co: ...


class OrderMethod(Generic[T]):
    """A method that takes an order of either kind."""

    def __init__(self, build: Callable[..., Call[T]]) -> None:
        self._build, self._method, self.__doc__ = build, Method(build), build.__doc__

    @overload
    def __get__(self, resource: Resource[Sync], owner: object = None) -> SendOrder[T]: ...
    @overload
    def __get__(self, resource: Resource[Async], owner: object = None) -> SendOrder[Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, resource: Resource[SyncResponse], owner: object = None) -> SendOrder[tuple[T, Response]]: ...
    @overload
    def __get__(
        self, resource: Resource[AsyncResponse], owner: object = None
    ) -> SendOrder[Coroutine[Any, Any, tuple[T, Response]]]: ...
    def __get__(self, resource: Any, owner: object = None) -> Any:
        return self if resource is None else self._method.__get__(resource)


class NewTransfer(g.TransferRequest, KeyedOptions):
    """A transfer and how its call is made."""


class OrderChange(g.AmendOrder, Options):
    """A change of an order and how its call is made."""


class NewBot(g.CreateBot, Options):
    """A bot and how its call is made."""


class BotChange(g.ChangeBot, Options):
    """A change of a bot and how its call is made."""


class Rotation(g.RotateBotKey, Options):
    """A rotation of a bot's key and how its call is made."""


class NewKey(g.CreateApiKey, Options):
    """An API key and how its call is made."""


def key_of(given: object) -> str:
    """The Idempotency-Key of a call: the one that is given, else a new one."""
    if given is None:
        return uuid4().hex
    if not isinstance(given, str) or not KEY.fullmatch(given):
        raise InvalidArgument("idempotency_key must be 1 to 255 visible ASCII characters")
    return given


def call_of(
    resource: Resource[Any],
    name: str,
    answer: type[T],
    values: Mapping[str, Any],
    repeats: Literal["yes", "no", "unless_ordered"] | None = None,
    keyed: bool = False,
    **ids: str,
) -> Call[T]:
    """The call of an operation of the document. `values`: its query or body, and the options."""
    operation = g.OPERATIONS[name]
    assert operation.answer in (answer, None)
    rest = {name: value for name, value in values.items() if name not in KeyedOptions.__optional_keys__}
    path = {"exchange": resource._exchange, **{name: segment(value, name) for name, value in ids.items()}}
    return Call(
        operation.method,
        operation.path.format(**path),
        lambda body: body if operation.answer is None else decode(body, operation.answer),
        query=query_of(rest) if operation.body is None else (),
        body=None if operation.body is None else encode(rest, operation.body),
        key=key_of(values.get("idempotency_key")) if keyed else None,
        **timing(values),
        repeats=repeats or ("yes" if keyed or operation.method == "GET" else "no"),
        places=keyed,
        text=operation.answer is None,
    )


def stream_of(resource: Resource[Any], name: str, ids: Sequence[str] | None, **query: Any) -> Subscription[Any]:
    """The stream of an operation; `ids`: the markets that it follows."""
    path = g.OPERATIONS[name].path.format(exchange=resource._exchange)
    markets = {} if ids is None else {"market_id": joined(ids, "market_ids")}
    ends = ids is not None and name not in ("streamOrders", "streamFills")
    return Subscription(path, query_of({**markets, **query}), len(set(ids)) if ends and ids is not None else None)


class Markets(Resource[M]):
    @Listing
    def list(self, **query: Unpack[g.ListMarketsQuery]) -> Call[g.MarketList]:
        return call_of(self, "listMarkets", g.MarketList, query)

    @Method
    def get(self, market_id: str, **options: Unpack[Options]) -> Call[g.MarketAnswer]:
        return call_of(self, "getMarket", g.MarketAnswer, options, market_id=market_id)

    @Streaming
    def stream(self, market_ids: Sequence[str]) -> Subscription[Quote | Stale | Live | Closed]:
        return stream_of(self, "streamMarkets", market_ids)


class Events(Resource[M]):
    @Listing
    def list(self, **query: Unpack[g.ListEventsQuery]) -> Call[g.EventList]:
        return call_of(self, "listEvents", g.EventList, query)

    @Method
    def get(self, event_id: str, **options: Unpack[Options]) -> Call[g.EventAnswer]:
        return call_of(self, "getEvent", g.EventAnswer, options, event_id=event_id)


class Orderbooks(Resource[M]):
    @Method
    def get(self, market_id: str, **query: Unpack[g.GetOrderbookQuery]) -> Call[g.OrderBookAnswer]:
        return call_of(self, "getOrderbook", g.OrderBookAnswer, {"market_id": market_id, **query})

    @Method
    def get_batch(self, market_ids: Sequence[str], **query: Unpack[g.GetOrderbooksQuery]) -> Call[g.OrderBooks]:
        return call_of(self, "getOrderbooks", g.OrderBooks, {"market_id": joined(market_ids, "market_ids"), **query})

    @Streaming
    def stream(
        self, market_ids: Sequence[str], *, outcome: str | int | None = None
    ) -> Subscription[Snapshot | Update | Stale | Live | Closed]:
        return stream_of(self, "streamOrderbooks", market_ids, outcome=outcome)


class Trades(Resource[M]):
    @Listing
    def list(self, market_id: str, **query: Unpack[g.ListTradesQuery]) -> Call[g.TradeList]:
        return call_of(self, "listTrades", g.TradeList, {"market_id": market_id, **query})

    @Streaming
    def stream(self, market_ids: Sequence[str]) -> Subscription[Trade | Stale | Live | Closed]:
        return stream_of(self, "streamTrades", market_ids)


class Candlesticks(Resource[M]):
    @Listing
    def list(self, market_id: str, **query: Unpack[g.ListCandlesticksQuery]) -> Call[g.CandlestickList]:
        return call_of(self, "listCandlesticks", g.CandlestickList, {"market_id": market_id, **query})


class Orders(Resource[M]):
    @OrderMethod
    def create(self, **order: Any) -> Call[g.CreatedOrder]:
        """Place an order. Raises `OrderOutcomeUnknown` where nobody says whether it was made: `retry()` it."""
        return call_of(self, "createOrder", g.CreatedOrder, order, keyed=True)

    @Method
    def create_batch(
        self, orders: Sequence[g.PlainOrder | g.SignedOrder], **options: Unpack[KeyedOptions]
    ) -> Call[g.BatchResults]:
        """Place 1 to 15 orders. Each result is a `BatchOrder` or a `BatchError`, whose key is `<key>#<index>`."""
        key = key_of(options.get("idempotency_key"))
        each: list[Any] = [encode(order, (g.PlainOrder, g.SignedOrder)) for order in orders]
        call = call_of(
            self, "createOrders", g.BatchResults, {**options, "idempotency_key": key, "orders": each}, keyed=True
        )

        def again(index: int) -> Any:
            values = {**each[index], "idempotency_key": f"{key}#{index}"}
            return self._runner.run(call_of(self, "createOrder", g.CreatedOrder, values, keyed=True), True)

        def read(body: Any) -> g.BatchResults:
            answer = call.read(body)
            if {result.index for result in answer.results} != set(range(len(each))):
                raise Unreadable("a batch of other orders")
            for result in answer.results:
                if isinstance(result, g.BatchError) and isinstance(result.error, OrderOutcomeUnknown):
                    result.error.idempotency_key = f"{key}#{result.index}"
                    result.error._again = partial(again, result.index)
            return answer

        return replace(call, read=read)

    @Method
    def get(self, order_id: str, **options: Unpack[Options]) -> Call[g.ReadOrder]:
        return call_of(self, "getOrder", g.ReadOrder, options, order_id=order_id)

    @Listing
    def list(self, **query: Unpack[g.ListOrdersQuery]) -> Call[g.OrderList]:
        return call_of(self, "listOrders", g.OrderList, query)

    @Method
    def cancel(self, order_id: str, **options: Unpack[Options]) -> Call[g.CancelledOrder]:
        return call_of(self, "cancelOrder", g.CancelledOrder, options, "yes", order_id=order_id)

    @Method
    def cancel_all(self, **query: Unpack[g.CancelOrdersQuery]) -> Call[g.CancelledOrders]:
        """Cancel what is open, of one market where `market_id` names it."""
        return call_of(self, "cancelOrders", g.CancelledOrders, query, "unless_ordered")

    @Method
    def cancel_batch(self, order_ids: Sequence[str], **options: Unpack[Options]) -> Call[g.CancelledOrders]:
        values = {"order_ids": [*order_ids], **options}
        return call_of(self, "cancelNamedOrders", g.CancelledOrders, values, "yes")

    @Method
    def amend(self, order_id: str, **change: Unpack[OrderChange]) -> Call[g.ReadOrder]:
        """Change an order that rests; sent once. Without an answer it is `OrderOutcomeUnknown`."""
        return replace(call_of(self, "amendOrder", g.ReadOrder, change, order_id=order_id), places=True)

    @OrderMethod
    def preview(self, **order: Any) -> Call[g.OrderPreview]:
        """What an order would come to. Nothing is sent to the exchange."""
        return call_of(self, "previewOrder", g.OrderPreview, order, "yes")

    @Method
    def by_key(self, idempotency_key: str, **options: Unpack[Options]) -> Call[g.KeyFate]:
        """What became of a key."""
        return call_of(self, "getOrderByKey", g.KeyFate, options, idempotency_key=idempotency_key)

    @Method
    def abandon(self, idempotency_key: str, **options: Unpack[Options]) -> Call[g.AbandonedKey]:
        """Give a key up: nothing is sent under it any more, and what it made is cancelled."""
        return call_of(self, "abandonOrderKey", g.AbandonedKey, options, "yes", idempotency_key=idempotency_key)

    @Streaming
    def stream(
        self, *, market_ids: Sequence[str] | None = None
    ) -> Subscription[Snapshot | Order | Stale | Live | Closed]:
        return stream_of(self, "streamOrders", market_ids)


class Fills(Resource[M]):
    @Listing
    def list(self, **query: Unpack[g.ListFillsQuery]) -> Call[g.FillList]:
        return call_of(self, "listFills", g.FillList, query)

    @Streaming
    def stream(
        self, *, market_ids: Sequence[str] | None = None, order_id: str | None = None
    ) -> Subscription[Fill | Gap | Stale | Live | Closed]:
        return stream_of(self, "streamFills", market_ids, order_id=order_id)

    @Method
    def csv(self, **query: Unpack[g.GetFillsCsvQuery]) -> Call[str]:
        return call_of(self, "getFillsCsv", str, query)


class Positions(Resource[M]):
    @Listing
    def list(self, **query: Unpack[g.ListPositionsQuery]) -> Call[g.PositionList]:
        return call_of(self, "listPositions", g.PositionList, query)


class Settlements(Resource[M]):
    @Listing
    def list(self, **query: Unpack[g.ListSettlementsQuery]) -> Call[g.SettlementList]:
        return call_of(self, "listSettlements", g.SettlementList, query)

    @Method
    def csv(self, **query: Unpack[g.GetSettlementsCsvQuery]) -> Call[str]:
        return call_of(self, "getSettlementsCsv", str, query)


class Balance(Resource[M]):
    @Method
    def get(self, **options: Unpack[Options]) -> Call[g.Balance]:
        return call_of(self, "getBalance", g.Balance, options)


class Transfers(Resource[M]):
    @Method
    def create(self, **transfer: Unpack[NewTransfer]) -> Call[g.Transfer]:
        return call_of(self, "createTransfer", g.Transfer, transfer, keyed=True)

    @Listing
    def list(self, **query: Unpack[g.ListTransfersQuery]) -> Call[g.TransferList]:
        return call_of(self, "listTransfers", g.TransferList, query)

    @Method
    def get(self, transfer_id: str, **options: Unpack[Options]) -> Call[g.Transfer]:
        return call_of(self, "getTransfer", g.Transfer, options, transfer_id=transfer_id)


class Exchange(Resource[M]):
    """What there is of one exchange."""

    def __init__(self, runner: Runner, exchange: str) -> None:
        super().__init__(runner, segment(exchange, "exchange"))
        of = (runner, self._exchange)
        self.markets: Markets[M] = Markets(*of)
        self.events: Events[M] = Events(*of)
        self.orderbooks: Orderbooks[M] = Orderbooks(*of)
        self.trades: Trades[M] = Trades(*of)
        self.candlesticks: Candlesticks[M] = Candlesticks(*of)
        self.orders: Orders[M] = Orders(*of)
        self.fills: Fills[M] = Fills(*of)
        self.positions: Positions[M] = Positions(*of)
        self.settlements: Settlements[M] = Settlements(*of)
        self.balance: Balance[M] = Balance(*of)
        self.transfers: Transfers[M] = Transfers(*of)


class Portfolio(Resource[M]):
    @Method
    def get(self, **options: Unpack[Options]) -> Call[g.Portfolio]:
        return call_of(self, "getPortfolio", g.Portfolio, options)


class Me(Resource[M]):
    @Method
    def get(self, **options: Unpack[Options]) -> Call[g.Me]:
        return call_of(self, "getMe", g.Me, options)


class OwnBot(Resource[M]):
    """The bot whose key the client has."""

    @Method
    def get(self, **options: Unpack[Options]) -> Call[g.Bot]:
        return call_of(self, "getOwnBot", g.Bot, options)

    @Method
    def halt(self, **options: Unpack[Options]) -> Call[g.HaltReport]:
        return call_of(self, "haltOwnBot", g.HaltReport, options, "yes")

    @Method
    def heartbeat(
        self, ttl_seconds: int, *, on_miss: Literal["halt", "cancel"] = "halt", **options: Unpack[Options]
    ) -> Call[g.Armed]:
        """One beat: without another within `ttl_seconds` the bot is halted, or its orders are cancelled."""
        longest = min(
            options.get("timeout", self._runner.engine.settings.timeout), positive(ttl_seconds, "ttl_seconds") / 3
        )
        values = {**options, "timeout": longest, "ttl_seconds": ttl_seconds, "on_miss": on_miss}
        return call_of(self, "beat", g.Armed, values, "yes")

    @Method
    def stop_heartbeat(self, **options: Unpack[Options]) -> Call[g.Disarmed]:
        return call_of(self, "stopHeartbeat", g.Disarmed, options, "yes")


class Bots(Resource[M]):
    """All bots of the user, by the main key."""

    @Method
    def halt(self, **options: Unpack[Options]) -> Call[g.HaltReportList]:
        return call_of(self, "haltBotsByKey", g.HaltReportList, options, "yes")


class AccountBots(Resource[M]):
    """Bots, by a session."""

    @Method
    def create(self, **bot: Unpack[NewBot]) -> Call[g.CreatedBot]:
        """Make a bot; its key is shown once. Sent once."""
        return call_of(self, "createBot", g.CreatedBot, bot)

    @Method
    def list(self, **options: Unpack[Options]) -> Call[g.BotList]:
        return call_of(self, "listBots", g.BotList, options)

    @Method
    def get(self, bot_id: str, **options: Unpack[Options]) -> Call[g.Bot]:
        return call_of(self, "getBot", g.Bot, options, bot_id=bot_id)

    @Method
    def change(self, bot_id: str, **change: Unpack[BotChange]) -> Call[g.Bot]:
        return call_of(self, "changeBot", g.Bot, change, bot_id=bot_id)

    @Method
    def remove(self, bot_id: str, **options: Unpack[Options]) -> Call[g.HaltReport]:
        return call_of(self, "removeBot", g.HaltReport, options, bot_id=bot_id)

    @Method
    def rotate(self, bot_id: str, **rotation: Unpack[Rotation]) -> Call[g.RotatedBotKey]:
        """Give a bot a new key, which is shown once. Sent once."""
        return call_of(self, "rotateBotKey", g.RotatedBotKey, rotation, bot_id=bot_id)

    @Method
    def halt(self, bot_id: str, **options: Unpack[Options]) -> Call[g.HaltReport]:
        return call_of(self, "haltBot", g.HaltReport, options, "yes", bot_id=bot_id)

    @Method
    def halt_all(self, **options: Unpack[Options]) -> Call[g.HaltReportList]:
        return call_of(self, "haltBots", g.HaltReportList, options, "yes")

    @Method
    def resume(self, bot_id: str, **options: Unpack[Options]) -> Call[g.Bot]:
        return call_of(self, "resumeBot", g.Bot, options, bot_id=bot_id)


class ApiKeys(Resource[M]):
    @Method
    def list(self, **options: Unpack[Options]) -> Call[g.ApiKeyList]:
        return call_of(self, "listApiKeys", g.ApiKeyList, options)

    @Method
    def create(self, **key: Unpack[NewKey]) -> Call[g.CreatedApiKey]:
        """Make an API key, which is shown once. Sent once."""
        return call_of(self, "createApiKey", g.CreatedApiKey, key)

    @Method
    def revoke(self, key_prefix: str, **options: Unpack[Options]) -> Call[g.RevokedApiKey]:
        return call_of(self, "revokeApiKey", g.RevokedApiKey, options, key_prefix=key_prefix)


class AccountOrders(Resource[M]):
    @Listing
    def list(self, **query: Unpack[g.ListAccountOrdersQuery]) -> Call[g.AccountOrderList]:
        return call_of(self, "listAccountOrders", g.AccountOrderList, query)


class Activity(Resource[M]):
    @Listing
    def list(self, **query: Unpack[g.ListActivityQuery]) -> Call[g.ActivityList]:
        return call_of(self, "listActivity", g.ActivityList, query)


class Equity(Resource[M]):
    @Method
    def get(self, **query: Unpack[g.GetEquityQuery]) -> Call[g.Equity]:
        return call_of(self, "getEquity", g.Equity, query)

    @Method
    def set(self, *, hourly: bool, **options: Unpack[Options]) -> Call[g.HourlyEquity]:
        return call_of(self, "setHourlyEquity", g.HourlyEquity, {"hourly": hourly, **options}, "yes")


class Account(Resource[M]):
    """What a session (`token=`) may do with its account."""

    def __init__(self, runner: Runner) -> None:
        super().__init__(runner)
        self.bots: AccountBots[M] = AccountBots(runner)
        self.api_keys: ApiKeys[M] = ApiKeys(runner)
        self.orders: AccountOrders[M] = AccountOrders(runner)
        self.activity: Activity[M] = Activity(runner)
        self.equity: Equity[M] = Equity(runner)
