"""Types and paths of the service. `node scripts/sdk-python.mjs` writes this file from the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, TypedDict

from ._errors import TradingProxyError
from ._schema import DecimalInput, Operation, Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    status: Literal["ok", "unavailable", "draining"] | str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    id: str
    email: str
    name: str
    avatar_url: str | None
    email_verified: bool
    providers: tuple[Literal["email", "google", "github"] | str, ...]
    created_at: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    message: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignUpPending:
    message: str
    user_id: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    id: str
    email: str
    name: str
    avatar_url: str | None
    role: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    access_token: str = field(repr=False)
    user: User
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    id: Literal["google", "github"] | str
    authorization_url: str
    client_id: str
    scope: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderList:
    providers: tuple[Provider, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    id: str
    created_at: str
    last_used_at: str
    expires_at: str
    ip: str
    user_agent: str | None
    current: bool
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionList:
    sessions: tuple[Session, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedSession:
    message: str
    id: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeHost:
    exchange: Literal["kalshi", "polymarket"] | str
    host: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeHostList:
    exchanges: tuple[ExchangeHost, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    prefix: str
    name: str
    scopes: tuple[Literal["read", "trade", "admin"] | str, ...]
    created_at: str
    last_used_at: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKeyList:
    keys: tuple[ApiKey, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedApiKey:
    key: str = field(repr=False)
    prefix: str
    name: str
    scopes: tuple[Literal["read", "trade", "admin"] | str, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokedApiKey:
    message: str
    prefix: str
    revoked_at: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotMarket:
    exchange: Literal["kalshi", "polymarket"] | str
    market_id: str | None = field(default=None)
    event_id: str | None = field(default=None)
    series_id: str | None = field(default=None)
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownBotLimits:
    max_order_risk: Decimal | None
    max_open_risk: Decimal | None
    max_daily_risk: Decimal | None
    max_total_risk: Decimal | None
    max_position: Decimal | None
    max_open_orders: int | None
    max_orders_per_minute: int | None
    max_requests_per_minute: int | None
    max_price_distance: Decimal | None
    max_order_seconds: int | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotHalt:
    at: str
    reason: Literal["owner", "operator", "bot", "heartbeat_missed", "all_bots", "expired", "restored"] | str
    by: str
    complete: bool
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotKey:
    prefix: str
    created_at: str
    last_used_at: str | None
    valid_until: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    ttl_seconds: int
    on_miss: Literal["halt", "cancel"] | str
    last_beat_at: str | None
    expires_at: str | None
    missed_since: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotUsage:
    open_risk: Mapping[str, Decimal]
    daily_risk: Mapping[str, Decimal]
    total_risk: Mapping[str, Decimal]
    open_orders: int
    orders_last_minute: int
    unsettled_orders: int
    as_of: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bot:
    id: str
    name: str
    scopes: tuple[Literal["read", "trade"] | str, ...]
    exchanges: tuple[Literal["kalshi", "polymarket"] | str, ...] | None
    markets: tuple[BotMarket, ...] | None
    limits: ShownBotLimits
    allowed_networks: tuple[str, ...] | None
    expires_at: str | None
    state: Literal["active", "halted", "expired", "removed"] | str
    halted: BotHalt | None
    keys: tuple[BotKey, ...]
    heartbeat: Heartbeat | None
    usage: BotUsage
    created_at: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedBot:
    bot: Bot
    key: str = field(repr=False)
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotList:
    bots: tuple[Bot, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCancelled:
    id: str
    reason: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsettledOrder:
    order_id: str | None
    client_order_id: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HaltError:
    code: str
    message: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeHalt:
    exchange: Literal["kalshi", "polymarket"] | str
    cancelled: tuple[str, ...]
    not_cancelled: tuple[NotCancelled, ...]
    unsettled: tuple[UnsettledOrder, ...]
    error: HaltError | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HaltReport:
    bot_id: str
    halted_at: str
    reason: Literal["owner", "operator", "bot", "heartbeat_missed", "all_bots", "expired", "restored"] | str
    exchanges: tuple[ExchangeHalt, ...]
    complete: bool
    removed: bool
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HaltReportList:
    bots: tuple[HaltReport, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RotatedBotKey:
    key: str = field(repr=False)
    prefix: str
    previous_valid_until: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Armed:
    ttl_seconds: int
    on_miss: Literal["halt", "cancel"] | str
    expires_at: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Disarmed:
    expires_at: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MyExchange:
    id: Literal["kalshi", "polymarket"] | str
    configured: bool
    session_key_valid_until: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    requests: int
    seconds: int
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    api: Limit
    cancel: Limit
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MyBot:
    id: str
    name: str
    state: Literal["active", "halted", "expired", "removed"] | str
    heartbeat: Heartbeat | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Me:
    user_id: str
    key_prefix: str
    scopes: tuple[Literal["read", "trade", "admin"] | str, ...]
    mode: Literal["sandbox", "live"] | str
    exchanges: tuple[MyExchange, ...]
    limits: Limits | None
    bot: MyBot | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialKey:
    scopes: tuple[str, ...] | None
    subaccount: str | None
    attestation_expires_at: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKeyStatus:
    address: str
    state: Literal["pending", "active", "expired"] | str
    valid_until: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialStatus:
    key: CredentialKey | None
    session_key: SessionKeyStatus | None
    pending_session_key: SessionKeyStatus | None = field(default=None)
    warnings: tuple[Literal["can_transfer", "cannot_trade", "cannot_read", "attestation_missing", "attestation_expiring", "allowance_missing", "session_key_expiring"] | str, ...]
    configured: bool
    wallet_address: str | None = field(default=None)
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialList:
    exchanges: Mapping[str, CredentialStatus]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCredential:
    key: CredentialKey | None
    session_key: SessionKeyStatus | None
    pending_session_key: SessionKeyStatus | None = field(default=None)
    warnings: tuple[Literal["can_transfer", "cannot_trade", "cannot_read", "attestation_missing", "attestation_expiring", "allowance_missing", "session_key_expiring"] | str, ...]
    configured: bool
    wallet_address: str | None = field(default=None)
    exchange: Literal["kalshi", "polymarket"] | str
    updated_at: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedCredential:
    key: CredentialKey | None
    session_key: SessionKeyStatus | None
    pending_session_key: SessionKeyStatus | None = field(default=None)
    warnings: tuple[Literal["can_transfer", "cannot_trade", "cannot_read", "attestation_missing", "attestation_expiring", "allowance_missing", "session_key_expiring"] | str, ...]
    exchange: Literal["kalshi", "polymarket"] | str
    verified: bool
    checked_at: str
    clock_skew_ms: int | None
    missing_allowances: tuple[str, ...] | None = field(default=None)
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedCredential:
    exchange: Literal["kalshi", "polymarket"] | str
    configured: bool
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKey:
    address: str
    wallet_address: str
    state: Literal["pending", "active"] | str
    valid_until: str | None
    created_at: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKeyAuthorization:
    wallet_address: str
    session_address: str
    chain_id: int
    scopes: tuple[str, ...]
    command: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedSessionKey:
    exchange: Literal["kalshi", "polymarket"] | str
    session_key: SessionKey
    authorization: SessionKeyAuthorization
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKeyAnswer:
    exchange: Literal["kalshi", "polymarket"] | str
    session_key: SessionKey
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedSessionKey:
    exchange: Literal["kalshi", "polymarket"] | str
    removed: bool
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountOrder:
    id: str
    exchange: Literal["kalshi", "polymarket"] | str
    kind: Literal["order", "transfer"] | str
    state: Literal["begun", "sending", "unknown", "made", "refused", "abandoned", "closed"] | str
    reason: str | None
    words: str | None
    order_id: str | None
    client_order_id: str | None
    market_id: str | None
    outcome_index: int | None
    side: str | None
    price: Decimal | None
    size: Decimal | None
    time_in_force: str | None
    post_only: bool | None
    cost: Decimal | None
    currency: str | None
    filled_size: Decimal | None
    key_prefix: str | None
    bot_id: str | None
    request_ids: tuple[str, ...]
    created_at: str
    first_sent_at: str | None
    refusal_holds_at: str | None
    updated_at: str
    idempotency_key: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountOrderList:
    next_cursor: str | None
    data: tuple[AccountOrder, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TradedOutcome:
    id: str
    index: Literal[0, 1] | int | None
    label: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    outcome_index: Literal[0, 1] | int
    side: Literal["buy", "sell"] | str
    price: Decimal
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOrder:
    exchange: str
    id: str
    client_order_id: str | None
    market_id: str
    outcome: TradedOutcome
    side: Literal["buy", "sell"] | str
    type: Literal["limit", "market"] | str
    time_in_force: Literal["gtc", "gtd", "ioc", "fok"] | str | None
    post_only: bool | None
    price: Decimal
    size: Decimal
    filled_size: Decimal
    remaining_size: Decimal
    average_fill_price: Decimal | None
    fees: Decimal | None
    currency: str
    status: Literal["open", "partially_filled", "filled", "cancelled", "expired", "rejected", "pending"] | str
    status_reason: str | None
    created_at: str | None
    updated_at: str | None
    expires_at: str | None
    trade_ids: tuple[str, ...] | None
    bot_id: str | None
    requested: Requested | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    id: str
    index: Literal[0, 1] | int
    label: str
    bid: Decimal | None
    ask: Decimal | None
    last_price: Decimal | None
    bid_size: Decimal | None
    ask_size: Decimal | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketResult:
    outcome_index: Literal[0, 1] | int | None
    settlement_price: Decimal | None
    settled_at: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRange:
    start: Decimal
    end: Decimal
    step: Decimal
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketFees:
    type: str
    taker_rate: Decimal | None
    exponent: Decimal | None
    taker_only: bool | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketRefs:
    ticker: str | None = field(default=None)
    series_ticker: str | None = field(default=None)
    exchange_index: int | None = field(default=None)
    gamma_id: str | None = field(default=None)
    slug: str | None = field(default=None)
    condition_id: str | None = field(default=None)
    neg_risk: bool | None = field(default=None)
    protocol: str | None = field(default=None)
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Market:
    exchange: str
    id: str
    event_id: str | None
    series_id: str | None
    title: str
    subtitle: str | None
    description: str | None
    category: str | None
    tags: tuple[str, ...]
    status: Literal["unopened", "open", "paused", "closed", "settled"] | str
    tradable: bool
    outcomes: tuple[Outcome, ...]
    result: MarketResult | None
    open_time: str | None
    close_time: str | None
    expected_resolution_time: str | None
    created_at: str | None
    updated_at: str | None
    volume: Decimal | None
    volume_24h: Decimal | None
    open_interest: Decimal | None
    liquidity: Decimal | None
    volume_unit: Literal["contracts", "currency"] | str
    price_ranges: tuple[PriceRange, ...]
    min_order_size: Decimal | None
    size_step: Decimal
    mutually_exclusive_group_id: str | None
    currency: str
    fees: MarketFees | None
    url: str | None
    refs: MarketRefs
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMarketList:
    next_cursor: str | None
    as_of: Mapping[str, str | None]
    data: tuple[Market, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionSource:
    name: str | None
    url: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRefs:
    ticker: str | None = field(default=None)
    slug: str | None = field(default=None)
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEvent:
    exchange: str
    id: str
    series_id: str | None
    title: str
    subtitle: str | None
    description: str | None
    category: str | None
    tags: tuple[str, ...]
    status: Literal["unopened", "open", "paused", "closed", "settled"] | str
    mutually_exclusive: bool | None
    start_time: str | None
    end_time: str | None
    updated_at: str | None
    volume: Decimal | None
    volume_24h: Decimal | None
    open_interest: Decimal | None
    liquidity: Decimal | None
    volume_unit: Literal["contracts", "currency"] | str
    resolution_sources: tuple[ResolutionSource, ...]
    url: str | None
    refs: EventRefs
    markets: tuple[Market, ...] | None
    market_ids: tuple[str, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEventList:
    next_cursor: str | None
    as_of: Mapping[str, str | None]
    data: tuple[FoundEvent, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketList:
    timestamp: str
    timestamp_source: Literal["exchange", "received"] | str
    next_cursor: str | None
    data: tuple[Market, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketAnswer:
    exchange: str
    id: str
    event_id: str | None
    series_id: str | None
    title: str
    subtitle: str | None
    description: str | None
    category: str | None
    tags: tuple[str, ...]
    status: Literal["unopened", "open", "paused", "closed", "settled"] | str
    tradable: bool
    outcomes: tuple[Outcome, ...]
    result: MarketResult | None
    open_time: str | None
    close_time: str | None
    expected_resolution_time: str | None
    created_at: str | None
    updated_at: str | None
    volume: Decimal | None
    volume_24h: Decimal | None
    open_interest: Decimal | None
    liquidity: Decimal | None
    volume_unit: Literal["contracts", "currency"] | str
    price_ranges: tuple[PriceRange, ...]
    min_order_size: Decimal | None
    size_step: Decimal
    mutually_exclusive_group_id: str | None
    currency: str
    fees: MarketFees | None
    url: str | None
    refs: MarketRefs
    timestamp: str
    timestamp_source: Literal["exchange", "received"] | str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRef:
    id: str
    index: Literal[0, 1] | int
    label: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    price: Decimal
    size: Decimal
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderBookAnswer:
    exchange: str
    market_id: str
    outcome: OutcomeRef
    bids: tuple[Level, ...]
    asks: tuple[Level, ...]
    hash: str | None
    tick_size: Decimal | None
    min_order_size: Decimal | None
    last_price: Decimal | None
    timestamp: str
    timestamp_source: Literal["exchange", "received"] | str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingBook:
    market_id: str
    error: TradingProxyError
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderBooks:
    data: tuple[OrderBookAnswer | MissingBook, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    exchange: str
    id: str
    series_id: str | None
    title: str
    subtitle: str | None
    description: str | None
    category: str | None
    tags: tuple[str, ...]
    status: Literal["unopened", "open", "paused", "closed", "settled"] | str
    mutually_exclusive: bool | None
    start_time: str | None
    end_time: str | None
    updated_at: str | None
    volume: Decimal | None
    volume_24h: Decimal | None
    open_interest: Decimal | None
    liquidity: Decimal | None
    volume_unit: Literal["contracts", "currency"] | str
    resolution_sources: tuple[ResolutionSource, ...]
    markets: tuple[Market, ...] | None
    url: str | None
    refs: EventRefs
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventList:
    timestamp: str
    timestamp_source: Literal["exchange", "received"] | str
    next_cursor: str | None
    data: tuple[Event, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventAnswer:
    exchange: str
    id: str
    series_id: str | None
    title: str
    subtitle: str | None
    description: str | None
    category: str | None
    tags: tuple[str, ...]
    status: Literal["unopened", "open", "paused", "closed", "settled"] | str
    mutually_exclusive: bool | None
    start_time: str | None
    end_time: str | None
    updated_at: str | None
    volume: Decimal | None
    volume_24h: Decimal | None
    open_interest: Decimal | None
    liquidity: Decimal | None
    volume_unit: Literal["contracts", "currency"] | str
    resolution_sources: tuple[ResolutionSource, ...]
    markets: tuple[Market, ...] | None
    url: str | None
    refs: EventRefs
    timestamp: str
    timestamp_source: Literal["exchange", "received"] | str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trade:
    exchange: str
    id: str
    market_id: str
    outcome: OutcomeRef
    side: Literal["buy", "sell"] | str
    price: Decimal
    size: Decimal
    notional: Decimal
    timestamp: str
    taker_side: Literal["buy", "sell"] | str
    is_block_trade: bool | None
    transaction_hash: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeList:
    timestamp: str
    timestamp_source: Literal["exchange", "received"] | str
    next_cursor: str | None
    data: tuple[Trade, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ohlc:
    open: Decimal | None
    high: Decimal | None
    low: Decimal | None
    close: Decimal | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candlestick:
    open: Decimal | None
    high: Decimal | None
    low: Decimal | None
    close: Decimal | None
    exchange: str
    market_id: str
    outcome: OutcomeRef
    interval: Literal["1m", "1h", "1d"] | str
    start: str
    end: str
    mean: Decimal | None
    previous_close: Decimal | None
    volume: Decimal | None
    open_interest: Decimal | None
    bid: Ohlc | None
    ask: Ohlc | None
    trade_count: int | None
    source: Literal["trades", "price_points"] | str
    samples: int | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandlestickList:
    timestamp: str
    timestamp_source: Literal["exchange", "received"] | str
    next_cursor: str | None
    data: tuple[Candlestick, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewedOrder:
    market_id: str
    outcome_index: Literal[0, 1] | int | None
    side: Literal["buy", "sell"] | str
    price: Decimal
    size: Decimal
    time_in_force: Literal["gtc", "gtd", "ioc", "fok"] | str | None
    post_only: bool | None
    expires_at: str | None
    money: Decimal | None
    shares: Decimal | None
    currency: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewedBook:
    bid: Level | None
    ask: Level | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewedFills:
    size: Decimal
    average_price: Decimal | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewedLimit:
    limit: str
    allowed: Decimal | int
    used: Decimal | int
    asked: Decimal | int | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewedRefusal:
    code: str
    reason: str | None
    message: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPreview:
    order: PreviewedOrder | None
    risk: Decimal | None
    cost: Decimal | None
    fee_estimate: Decimal | None
    fee_source: str | None
    book: PreviewedBook | None
    fills_now: PreviewedFills | None
    limits: tuple[PreviewedLimit, ...]
    would_be_refused: PreviewedRefusal | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedOrder:
    exchange: str
    id: str
    client_order_id: str | None
    market_id: str
    outcome: TradedOutcome
    side: Literal["buy", "sell"] | str
    type: Literal["limit", "market"] | str
    time_in_force: Literal["gtc", "gtd", "ioc", "fok"] | str | None
    post_only: bool | None
    price: Decimal
    size: Decimal
    filled_size: Decimal
    remaining_size: Decimal
    average_fill_price: Decimal | None
    fees: Decimal | None
    currency: str
    status: Literal["open", "partially_filled", "filled", "cancelled", "expired", "rejected", "pending"] | str
    status_reason: str | None
    created_at: str | None
    updated_at: str | None
    expires_at: str | None
    trade_ids: tuple[str, ...] | None
    bot_id: str | None
    requested: Requested | None
    replayed: bool
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOrder:
    index: int
    order: CreatedOrder
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchError:
    index: int
    error: TradingProxyError
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResults:
    results: tuple[BatchOrder | BatchError, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderList:
    next_cursor: str | None
    data: tuple[ReadOrder, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelledOrders:
    cancelled: tuple[str, ...]
    not_cancelled: tuple[NotCancelled, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRefusal:
    code: str
    message: str
    details: Mapping[str, Any]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFate:
    state: Literal["none", "sending", "unknown", "done", "abandoned"] | str
    order: ReadOrder | None
    error: KeyRefusal | None
    refusal_holds_at: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AbandonedKey:
    state: Literal["none", "cancelled", "closed"] | str
    order: ReadOrder | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelledOrder:
    exchange: str
    id: str
    status: Literal["cancelled", "filled", "expired", "rejected"] | str
    cancelled_size: Decimal | None
    filled_size: Decimal | None
    timestamp: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BalancePart:
    key: str
    label: str
    available: Decimal
    reserved: Decimal | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    exchange: str
    currency: str
    available: Decimal
    reserved: Decimal | None
    total: Decimal | None
    portfolio_value: Decimal | None
    breakdown: tuple[BalancePart, ...]
    updated_at: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFill:
    exchange: str
    id: str
    order_id: str
    market_id: str
    outcome: TradedOutcome
    side: Literal["buy", "sell"] | str
    price: Decimal
    size: Decimal
    fee: Decimal | None
    role: Literal["maker", "taker"] | str
    status: Literal["pending", "confirmed", "failed"] | str
    timestamp: str
    transaction_hash: str | None
    bot_id: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FillList:
    next_cursor: str | None
    data: tuple[ReadFill, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    exchange: str
    market_id: str
    event_id: str | None
    outcome: TradedOutcome
    size: Decimal
    average_price: Decimal | None
    cost_basis: Decimal | None
    current_price: Decimal | None
    market_value: Decimal | None
    unrealized_pnl: Decimal | None
    realized_pnl: Decimal | None
    fees_paid: Decimal | None
    currency: str
    status: Literal["open", "redeemable", "settled"] | str
    title: str | None
    updated_at: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionList:
    next_cursor: str | None
    data: tuple[Position, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    exchange: str
    market_id: str
    title: str | None
    outcome: TradedOutcome | None
    size: Decimal
    cost: Decimal | None
    payout: Decimal | None
    fees: Decimal | None
    realized_pnl: Decimal | None
    settled_at: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementList:
    next_cursor: str | None
    data: tuple[Settlement, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangePortfolio:
    exchange: str
    balance: Balance | None
    positions_value: Decimal | None
    redeemable_value: Decimal | None
    unrealized_pnl: Decimal | None
    realized_pnl: Decimal | None
    fees: Decimal | None
    open_orders: int | None
    error: TradingProxyError | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PortfolioTotal:
    currency: str
    cash: Decimal | None
    reserved: Decimal | None
    positions_value: Decimal | None
    equity: Decimal | None
    unrealized_pnl: Decimal | None
    realized_pnl: Decimal | None
    partial: bool
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Portfolio:
    exchanges: tuple[ExchangePortfolio, ...]
    totals: tuple[PortfolioTotal, ...]
    as_of: str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EquityPoint:
    at: str
    gap: bool
    other_accounts: tuple[str, ...]
    totals: tuple[PortfolioTotal, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Equity:
    hourly: bool
    data: tuple[EquityPoint, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HourlyEquity:
    hourly: bool
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    exchange: str
    id: str | None
    from_shard: str
    to_shard: str
    amount: Decimal
    currency: str
    status: Literal["pending", "complete"] | str
    created_at: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferList:
    next_cursor: str | None
    data: tuple[Transfer, ...]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    id: str
    type: Literal["signup", "email_verified", "login", "login_failed", "logout", "refresh_reuse", "password_reset_requested", "password_changed", "oauth_linked", "account_taken_over", "api_key_created", "api_key_revoked", "credentials_stored", "credentials_removed", "session_key_created", "session_key_activated", "session_key_removed", "scope_refused", "order_previewed", "order_created", "order_amended", "order_cancelled", "order_settled", "transfer_created", "bot_created", "bot_changed", "bot_key_rotated", "bot_halted", "bot_resumed", "bot_removed", "limit_refused"] | str
    created_at: str
    ip: str | None
    user_agent: str | None
    key_prefix: str | None
    session_id: str | None
    bot_id: str | None
    exchange: str | None
    request_id: str | None
    details: Mapping[str, Any]
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityList:
    data: tuple[Activity, ...]
    next_cursor: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BookChanges:
    bids: tuple[Level, ...]
    asks: tuple[Level, ...]
    timestamp: str
    timestamp_source: Literal["exchange", "received"] | str
    hash: str | None
    last_price: Decimal | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketQuote:
    market_id: str
    status: Literal["unopened", "open", "paused", "closed", "settled"] | str
    tradable: bool
    outcomes: tuple[Outcome, ...]
    volume: Decimal | None
    volume_24h: Decimal | None
    open_interest: Decimal | None
    result: MarketResult | None
    timestamp: str
    timestamp_source: Literal["exchange", "received"] | str
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedTrade:
    exchange: str
    id: str | None
    market_id: str
    outcome: OutcomeRef
    side: Literal["buy", "sell"] | str
    price: Decimal
    size: Decimal
    notional: Decimal
    timestamp: str
    taker_side: Literal["buy", "sell"] | str
    is_block_trade: bool | None
    transaction_hash: str | None
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


class ProfileChanges(TypedDict, total=False):
    display_name: str
    avatar_url: str | None


class PasswordConfirmation(TypedDict):
    password: str


class ProviderConfirmation(TypedDict):
    code: str
    code_verifier: str
    redirect_uri: str
    provider: Literal["google", "github"]


class ChangePassword(TypedDict):
    current_password: str
    new_password: str


class DeleteAccount(TypedDict):
    password: str


class SignUp(TypedDict):
    email: str
    password: str
    name: str


class _VerifyEmail(TypedDict):
    token: str


class VerifyEmail(_VerifyEmail, total=False):
    replace_session: bool


class LogIn(TypedDict):
    email: str
    password: str


class OAuthCallback(TypedDict):
    code: str
    code_verifier: str
    redirect_uri: str


class ForgotPassword(TypedDict):
    email: str


class _ResetPassword(TypedDict):
    token: str
    new_password: str


class ResetPassword(_ResetPassword, total=False):
    revoke_api_keys: bool


class CreateApiKey(TypedDict, total=False):
    name: str
    scopes: list[Literal["read", "trade", "admin"]]


class _BotMarketInput(TypedDict):
    exchange: Literal["kalshi", "polymarket"]


class BotMarketInput(_BotMarketInput, total=False):
    market_id: str
    event_id: str
    series_id: str


class BotLimits(TypedDict, total=False):
    max_order_risk: DecimalInput | None
    max_open_risk: DecimalInput | None
    max_daily_risk: DecimalInput | None
    max_total_risk: DecimalInput | None
    max_position: DecimalInput | None
    max_open_orders: int | None
    max_orders_per_minute: int | None
    max_requests_per_minute: int | None
    max_price_distance: DecimalInput | None
    max_order_seconds: int | None


class _CreateBot(TypedDict):
    name: str


class CreateBot(_CreateBot, total=False):
    scopes: list[Literal["read", "trade"]]
    exchanges: list[Literal["kalshi", "polymarket"]] | None
    markets: list[BotMarketInput] | None
    limits: BotLimits | None
    allowed_networks: list[str] | None
    expires_at: str | None


class ChangeBot(TypedDict, total=False):
    name: str
    scopes: list[Literal["read", "trade"]]
    exchanges: list[Literal["kalshi", "polymarket"]] | None
    markets: list[BotMarketInput] | None
    limits: BotLimits | None
    allowed_networks: list[str] | None
    expires_at: str | None


class RotateBotKey(TypedDict, total=False):
    overlap_seconds: int


class _Beat(TypedDict):
    ttl_seconds: int


class Beat(_Beat, total=False):
    on_miss: Literal["halt", "cancel"]


class KalshiCredentials(TypedDict):
    access_key: str
    private_key: str


class _PolymarketCredentials(TypedDict):
    wallet_address: str


class PolymarketCredentials(_PolymarketCredentials, total=False):
    api_key: str
    secret: str
    passphrase: str
    signer_address: str
    signature_type: Literal[0, 1, 2, 3]
    session_key: str


class NewSessionKey(TypedDict):
    wallet_address: str


class SessionKeyActivation(TypedDict, total=False):
    valid_until: str


class AmendOrder(TypedDict, total=False):
    price: DecimalInput
    size: DecimalInput
    expires_at: str


class _PlainOrder(TypedDict):
    market_id: str
    outcome: str | Literal[0, 1]
    side: Literal["buy", "sell"]
    price: DecimalInput
    size: DecimalInput


class PlainOrder(_PlainOrder, total=False):
    time_in_force: Literal["gtc", "gtd", "ioc", "fok"]
    post_only: bool
    expires_at: str
    reduce_only: bool
    client_order_id: str


class SignedOrderDto(TypedDict):
    salt: int | str
    maker: str
    signer: str
    tokenId: str
    makerAmount: str
    takerAmount: str
    side: Literal["BUY", "SELL"]
    signatureType: Literal[0, 1, 2, 3]
    timestamp: str
    expiration: str
    metadata: str
    builder: str
    signature: str


class _SignedOrder(TypedDict):
    signed_order: SignedOrderDto


class SignedOrder(_SignedOrder, total=False):
    time_in_force: Literal["gtc", "gtd", "ioc", "fok"]
    post_only: bool


class CancelNamed(TypedDict):
    order_ids: list[str]


class HourlyEquityInput(TypedDict):
    hourly: bool


class TransferRequest(TypedDict):
    from_shard: str
    to_shard: str
    amount: DecimalInput


class ReplaceCredentialsQuery(Options, total=False):
    verify: Literal["True", "false"]


class ListAccountOrdersQuery(Options, total=False):
    limit: int
    cursor: str
    state: Literal["begun", "sending", "unknown", "made", "refused", "abandoned", "closed"]
    exchange: Literal["kalshi", "polymarket"]
    id: str
    bot_id: str
    market_id: str
    order_id: str
    client_order_id: str
    request_id: str
    start: str
    end: str


class StreamOrderbooksQuery(Options, total=False):
    outcome: Literal["0", "1", "yes", "no"]


class StreamOrdersQuery(Options, total=False):
    market_id: str


class StreamFillsQuery(Options, total=False):
    market_id: str
    order_id: str


class FindMarketsQuery(Options, total=False):
    limit: int
    cursor: str
    search: str
    exchange: Literal["kalshi", "polymarket"]
    category: str
    status: Literal["unopened", "open", "paused", "closed", "settled"]
    closes_after: str
    closes_before: str
    min_volume_24h: DecimalInput
    sort: Literal["relevance", "volume_24h", "closes_at", "newest"]


class FindEventsQuery(Options, total=False):
    limit: int
    cursor: str
    search: str
    exchange: Literal["kalshi", "polymarket"]
    category: str
    status: Literal["unopened", "open", "paused", "closed", "settled"]
    closes_after: str
    closes_before: str
    min_volume_24h: DecimalInput
    sort: Literal["relevance", "volume_24h", "closes_at", "newest"]


class ListMarketsQuery(Options, total=False):
    limit: int
    cursor: str
    status: Literal["unopened", "open", "paused", "closed", "settled"]
    search: str
    category: str
    series_id: str
    event_id: str
    ids: str
    sort: Literal["volume_24h", "-volume_24h", "volume", "-volume", "liquidity", "-liquidity", "close_time", "-close_time"]


class GetOrderbookQuery(Options, total=False):
    outcome: str
    depth: int


class GetOrderbooksQuery(Options, total=False):
    outcome: str
    depth: int


class ListEventsQuery(Options, total=False):
    limit: int
    cursor: str
    status: Literal["unopened", "open", "paused", "closed", "settled"]
    search: str
    category: str
    series_id: str


class ListTradesQuery(Options, total=False):
    limit: int
    cursor: str
    start: str
    end: str


class ListCandlesticksQuery(Options, total=False):
    outcome: str
    interval: Literal["1m", "1h", "1d"]
    start: str
    end: str


class ListOrdersQuery(Options, total=False):
    limit: int
    cursor: str
    status: Literal["open", "closed"]
    market_id: str
    client_order_id: str


class CancelOrdersQuery(Options, total=False):
    market_id: str


class ListFillsQuery(Options, total=False):
    limit: int
    cursor: str
    market_id: str
    order_id: str
    start: str
    end: str


class ListPositionsQuery(Options, total=False):
    limit: int
    cursor: str
    market_id: str


class ListSettlementsQuery(Options, total=False):
    limit: int
    cursor: str
    start: str
    end: str


class GetFillsCsvQuery(Options, total=False):
    market_id: str
    start: str
    end: str


class GetSettlementsCsvQuery(Options, total=False):
    market_id: str
    start: str
    end: str


class GetEquityQuery(Options, total=False):
    start: str
    end: str


class ListTransfersQuery(Options, total=False):
    limit: int
    cursor: str


class ListActivityQuery(Options, total=False):
    limit: int
    cursor: str
    bot_id: str
    order_id: str


FIELDS: dict[Any, dict[str, Any]] = {
    Health: {
        "status": None,
    },
    Profile: {
        "id": None,
        "email": None,
        "name": None,
        "avatar_url": None,
        "email_verified": None,
        "providers": [None],
        "created_at": None,
    },
    Message: {
        "message": None,
    },
    SignUpPending: {
        "message": None,
        "user_id": None,
    },
    User: {
        "id": None,
        "email": None,
        "name": None,
        "avatar_url": None,
        "role": None,
    },
    SignedIn: {
        "access_token": None,
        "user": User,
    },
    Provider: {
        "id": None,
        "authorization_url": None,
        "client_id": None,
        "scope": None,
    },
    ProviderList: {
        "providers": [Provider],
    },
    Session: {
        "id": None,
        "created_at": None,
        "last_used_at": None,
        "expires_at": None,
        "ip": None,
        "user_agent": None,
        "current": None,
    },
    SessionList: {
        "sessions": [Session],
    },
    EndedSession: {
        "message": None,
        "id": None,
    },
    ExchangeHost: {
        "exchange": None,
        "host": None,
    },
    ExchangeHostList: {
        "exchanges": [ExchangeHost],
    },
    ApiKey: {
        "prefix": None,
        "name": None,
        "scopes": [None],
        "created_at": None,
        "last_used_at": None,
    },
    ApiKeyList: {
        "keys": [ApiKey],
    },
    CreatedApiKey: {
        "key": None,
        "prefix": None,
        "name": None,
        "scopes": [None],
    },
    RevokedApiKey: {
        "message": None,
        "prefix": None,
        "revoked_at": None,
    },
    BotMarket: {
        "exchange": None,
        "market_id": None,
        "event_id": None,
        "series_id": None,
    },
    ShownBotLimits: {
        "max_order_risk": Decimal,
        "max_open_risk": Decimal,
        "max_daily_risk": Decimal,
        "max_total_risk": Decimal,
        "max_position": Decimal,
        "max_open_orders": None,
        "max_orders_per_minute": None,
        "max_requests_per_minute": None,
        "max_price_distance": Decimal,
        "max_order_seconds": None,
    },
    BotHalt: {
        "at": None,
        "reason": None,
        "by": None,
        "complete": None,
    },
    BotKey: {
        "prefix": None,
        "created_at": None,
        "last_used_at": None,
        "valid_until": None,
    },
    Heartbeat: {
        "ttl_seconds": None,
        "on_miss": None,
        "last_beat_at": None,
        "expires_at": None,
        "missed_since": None,
    },
    BotUsage: {
        "open_risk": {str: Decimal},
        "daily_risk": {str: Decimal},
        "total_risk": {str: Decimal},
        "open_orders": None,
        "orders_last_minute": None,
        "unsettled_orders": None,
        "as_of": None,
    },
    Bot: {
        "id": None,
        "name": None,
        "scopes": [None],
        "exchanges": [None],
        "markets": [BotMarket],
        "limits": ShownBotLimits,
        "allowed_networks": [None],
        "expires_at": None,
        "state": None,
        "halted": BotHalt,
        "keys": [BotKey],
        "heartbeat": Heartbeat,
        "usage": BotUsage,
        "created_at": None,
    },
    CreatedBot: {
        "bot": Bot,
        "key": None,
    },
    BotList: {
        "bots": [Bot],
    },
    NotCancelled: {
        "id": None,
        "reason": None,
    },
    UnsettledOrder: {
        "order_id": None,
        "client_order_id": None,
    },
    HaltError: {
        "code": None,
        "message": None,
    },
    ExchangeHalt: {
        "exchange": None,
        "cancelled": [None],
        "not_cancelled": [NotCancelled],
        "unsettled": [UnsettledOrder],
        "error": HaltError,
    },
    HaltReport: {
        "bot_id": None,
        "halted_at": None,
        "reason": None,
        "exchanges": [ExchangeHalt],
        "complete": None,
        "removed": None,
    },
    HaltReportList: {
        "bots": [HaltReport],
    },
    RotatedBotKey: {
        "key": None,
        "prefix": None,
        "previous_valid_until": None,
    },
    Armed: {
        "ttl_seconds": None,
        "on_miss": None,
        "expires_at": None,
    },
    Disarmed: {
        "expires_at": None,
    },
    MyExchange: {
        "id": None,
        "configured": None,
        "session_key_valid_until": None,
    },
    Limit: {
        "requests": None,
        "seconds": None,
    },
    Limits: {
        "api": Limit,
        "cancel": Limit,
    },
    MyBot: {
        "id": None,
        "name": None,
        "state": None,
        "heartbeat": Heartbeat,
    },
    Me: {
        "user_id": None,
        "key_prefix": None,
        "scopes": [None],
        "mode": None,
        "exchanges": [MyExchange],
        "limits": Limits,
        "bot": MyBot,
    },
    CredentialKey: {
        "scopes": [None],
        "subaccount": None,
        "attestation_expires_at": None,
    },
    SessionKeyStatus: {
        "address": None,
        "state": None,
        "valid_until": None,
    },
    CredentialStatus: {
        "key": CredentialKey,
        "session_key": SessionKeyStatus,
        "pending_session_key": SessionKeyStatus,
        "warnings": [None],
        "configured": None,
        "wallet_address": None,
    },
    CredentialList: {
        "exchanges": {str: CredentialStatus},
    },
    StoredCredential: {
        "key": CredentialKey,
        "session_key": SessionKeyStatus,
        "pending_session_key": SessionKeyStatus,
        "warnings": [None],
        "configured": None,
        "wallet_address": None,
        "exchange": None,
        "updated_at": None,
    },
    VerifiedCredential: {
        "key": CredentialKey,
        "session_key": SessionKeyStatus,
        "pending_session_key": SessionKeyStatus,
        "warnings": [None],
        "exchange": None,
        "verified": None,
        "checked_at": None,
        "clock_skew_ms": None,
        "missing_allowances": [None],
    },
    RemovedCredential: {
        "exchange": None,
        "configured": None,
    },
    SessionKey: {
        "address": None,
        "wallet_address": None,
        "state": None,
        "valid_until": None,
        "created_at": None,
    },
    SessionKeyAuthorization: {
        "wallet_address": None,
        "session_address": None,
        "chain_id": None,
        "scopes": [None],
        "command": None,
    },
    CreatedSessionKey: {
        "exchange": None,
        "session_key": SessionKey,
        "authorization": SessionKeyAuthorization,
    },
    SessionKeyAnswer: {
        "exchange": None,
        "session_key": SessionKey,
    },
    RemovedSessionKey: {
        "exchange": None,
        "removed": None,
    },
    AccountOrder: {
        "id": None,
        "exchange": None,
        "kind": None,
        "state": None,
        "reason": None,
        "words": None,
        "order_id": None,
        "client_order_id": None,
        "market_id": None,
        "outcome_index": None,
        "side": None,
        "price": Decimal,
        "size": Decimal,
        "time_in_force": None,
        "post_only": None,
        "cost": Decimal,
        "currency": None,
        "filled_size": Decimal,
        "key_prefix": None,
        "bot_id": None,
        "request_ids": [None],
        "created_at": None,
        "first_sent_at": None,
        "refusal_holds_at": None,
        "updated_at": None,
        "idempotency_key": None,
    },
    AccountOrderList: {
        "next_cursor": None,
        "data": [AccountOrder],
    },
    TradedOutcome: {
        "id": None,
        "index": None,
        "label": None,
    },
    Requested: {
        "outcome_index": None,
        "side": None,
        "price": Decimal,
    },
    ReadOrder: {
        "exchange": None,
        "id": None,
        "client_order_id": None,
        "market_id": None,
        "outcome": TradedOutcome,
        "side": None,
        "type": None,
        "time_in_force": None,
        "post_only": None,
        "price": Decimal,
        "size": Decimal,
        "filled_size": Decimal,
        "remaining_size": Decimal,
        "average_fill_price": Decimal,
        "fees": Decimal,
        "currency": None,
        "status": None,
        "status_reason": None,
        "created_at": None,
        "updated_at": None,
        "expires_at": None,
        "trade_ids": [None],
        "bot_id": None,
        "requested": Requested,
    },
    Outcome: {
        "id": None,
        "index": None,
        "label": None,
        "bid": Decimal,
        "ask": Decimal,
        "last_price": Decimal,
        "bid_size": Decimal,
        "ask_size": Decimal,
    },
    MarketResult: {
        "outcome_index": None,
        "settlement_price": Decimal,
        "settled_at": None,
    },
    PriceRange: {
        "start": Decimal,
        "end": Decimal,
        "step": Decimal,
    },
    MarketFees: {
        "type": None,
        "taker_rate": Decimal,
        "exponent": Decimal,
        "taker_only": None,
    },
    MarketRefs: {
        "ticker": None,
        "series_ticker": None,
        "exchange_index": None,
        "gamma_id": None,
        "slug": None,
        "condition_id": None,
        "neg_risk": None,
        "protocol": None,
    },
    Market: {
        "exchange": None,
        "id": None,
        "event_id": None,
        "series_id": None,
        "title": None,
        "subtitle": None,
        "description": None,
        "category": None,
        "tags": [None],
        "status": None,
        "tradable": None,
        "outcomes": [Outcome],
        "result": MarketResult,
        "open_time": None,
        "close_time": None,
        "expected_resolution_time": None,
        "created_at": None,
        "updated_at": None,
        "volume": Decimal,
        "volume_24h": Decimal,
        "open_interest": Decimal,
        "liquidity": Decimal,
        "volume_unit": None,
        "price_ranges": [PriceRange],
        "min_order_size": Decimal,
        "size_step": Decimal,
        "mutually_exclusive_group_id": None,
        "currency": None,
        "fees": MarketFees,
        "url": None,
        "refs": MarketRefs,
    },
    FoundMarketList: {
        "next_cursor": None,
        "as_of": None,
        "data": [Market],
    },
    ResolutionSource: {
        "name": None,
        "url": None,
    },
    EventRefs: {
        "ticker": None,
        "slug": None,
    },
    FoundEvent: {
        "exchange": None,
        "id": None,
        "series_id": None,
        "title": None,
        "subtitle": None,
        "description": None,
        "category": None,
        "tags": [None],
        "status": None,
        "mutually_exclusive": None,
        "start_time": None,
        "end_time": None,
        "updated_at": None,
        "volume": Decimal,
        "volume_24h": Decimal,
        "open_interest": Decimal,
        "liquidity": Decimal,
        "volume_unit": None,
        "resolution_sources": [ResolutionSource],
        "url": None,
        "refs": EventRefs,
        "markets": [Market],
        "market_ids": [None],
    },
    FoundEventList: {
        "next_cursor": None,
        "as_of": None,
        "data": [FoundEvent],
    },
    MarketList: {
        "timestamp": None,
        "timestamp_source": None,
        "next_cursor": None,
        "data": [Market],
    },
    MarketAnswer: {
        "exchange": None,
        "id": None,
        "event_id": None,
        "series_id": None,
        "title": None,
        "subtitle": None,
        "description": None,
        "category": None,
        "tags": [None],
        "status": None,
        "tradable": None,
        "outcomes": [Outcome],
        "result": MarketResult,
        "open_time": None,
        "close_time": None,
        "expected_resolution_time": None,
        "created_at": None,
        "updated_at": None,
        "volume": Decimal,
        "volume_24h": Decimal,
        "open_interest": Decimal,
        "liquidity": Decimal,
        "volume_unit": None,
        "price_ranges": [PriceRange],
        "min_order_size": Decimal,
        "size_step": Decimal,
        "mutually_exclusive_group_id": None,
        "currency": None,
        "fees": MarketFees,
        "url": None,
        "refs": MarketRefs,
        "timestamp": None,
        "timestamp_source": None,
    },
    OutcomeRef: {
        "id": None,
        "index": None,
        "label": None,
    },
    Level: {
        "price": Decimal,
        "size": Decimal,
    },
    OrderBookAnswer: {
        "exchange": None,
        "market_id": None,
        "outcome": OutcomeRef,
        "bids": [Level],
        "asks": [Level],
        "hash": None,
        "tick_size": Decimal,
        "min_order_size": Decimal,
        "last_price": Decimal,
        "timestamp": None,
        "timestamp_source": None,
    },
    MissingBook: {
        "market_id": None,
        "error": TradingProxyError,
    },
    OrderBooks: {
        "data": [(OrderBookAnswer, MissingBook)],
    },
    Event: {
        "exchange": None,
        "id": None,
        "series_id": None,
        "title": None,
        "subtitle": None,
        "description": None,
        "category": None,
        "tags": [None],
        "status": None,
        "mutually_exclusive": None,
        "start_time": None,
        "end_time": None,
        "updated_at": None,
        "volume": Decimal,
        "volume_24h": Decimal,
        "open_interest": Decimal,
        "liquidity": Decimal,
        "volume_unit": None,
        "resolution_sources": [ResolutionSource],
        "markets": [Market],
        "url": None,
        "refs": EventRefs,
    },
    EventList: {
        "timestamp": None,
        "timestamp_source": None,
        "next_cursor": None,
        "data": [Event],
    },
    EventAnswer: {
        "exchange": None,
        "id": None,
        "series_id": None,
        "title": None,
        "subtitle": None,
        "description": None,
        "category": None,
        "tags": [None],
        "status": None,
        "mutually_exclusive": None,
        "start_time": None,
        "end_time": None,
        "updated_at": None,
        "volume": Decimal,
        "volume_24h": Decimal,
        "open_interest": Decimal,
        "liquidity": Decimal,
        "volume_unit": None,
        "resolution_sources": [ResolutionSource],
        "markets": [Market],
        "url": None,
        "refs": EventRefs,
        "timestamp": None,
        "timestamp_source": None,
    },
    Trade: {
        "exchange": None,
        "id": None,
        "market_id": None,
        "outcome": OutcomeRef,
        "side": None,
        "price": Decimal,
        "size": Decimal,
        "notional": Decimal,
        "timestamp": None,
        "taker_side": None,
        "is_block_trade": None,
        "transaction_hash": None,
    },
    TradeList: {
        "timestamp": None,
        "timestamp_source": None,
        "next_cursor": None,
        "data": [Trade],
    },
    Ohlc: {
        "open": Decimal,
        "high": Decimal,
        "low": Decimal,
        "close": Decimal,
    },
    Candlestick: {
        "open": Decimal,
        "high": Decimal,
        "low": Decimal,
        "close": Decimal,
        "exchange": None,
        "market_id": None,
        "outcome": OutcomeRef,
        "interval": None,
        "start": None,
        "end": None,
        "mean": Decimal,
        "previous_close": Decimal,
        "volume": Decimal,
        "open_interest": Decimal,
        "bid": Ohlc,
        "ask": Ohlc,
        "trade_count": None,
        "source": None,
        "samples": None,
    },
    CandlestickList: {
        "timestamp": None,
        "timestamp_source": None,
        "next_cursor": None,
        "data": [Candlestick],
    },
    PreviewedOrder: {
        "market_id": None,
        "outcome_index": None,
        "side": None,
        "price": Decimal,
        "size": Decimal,
        "time_in_force": None,
        "post_only": None,
        "expires_at": None,
        "money": Decimal,
        "shares": Decimal,
        "currency": None,
    },
    PreviewedBook: {
        "bid": Level,
        "ask": Level,
    },
    PreviewedFills: {
        "size": Decimal,
        "average_price": Decimal,
    },
    PreviewedLimit: {
        "limit": None,
        "allowed": Decimal,
        "used": Decimal,
        "asked": Decimal,
    },
    PreviewedRefusal: {
        "code": None,
        "reason": None,
        "message": None,
    },
    OrderPreview: {
        "order": PreviewedOrder,
        "risk": Decimal,
        "cost": Decimal,
        "fee_estimate": Decimal,
        "fee_source": None,
        "book": PreviewedBook,
        "fills_now": PreviewedFills,
        "limits": [PreviewedLimit],
        "would_be_refused": PreviewedRefusal,
    },
    CreatedOrder: {
        "exchange": None,
        "id": None,
        "client_order_id": None,
        "market_id": None,
        "outcome": TradedOutcome,
        "side": None,
        "type": None,
        "time_in_force": None,
        "post_only": None,
        "price": Decimal,
        "size": Decimal,
        "filled_size": Decimal,
        "remaining_size": Decimal,
        "average_fill_price": Decimal,
        "fees": Decimal,
        "currency": None,
        "status": None,
        "status_reason": None,
        "created_at": None,
        "updated_at": None,
        "expires_at": None,
        "trade_ids": [None],
        "bot_id": None,
        "requested": Requested,
        "replayed": None,
    },
    BatchOrder: {
        "index": None,
        "order": CreatedOrder,
    },
    BatchError: {
        "index": None,
        "error": TradingProxyError,
    },
    BatchResults: {
        "results": [(BatchOrder, BatchError)],
    },
    OrderList: {
        "next_cursor": None,
        "data": [ReadOrder],
    },
    CancelledOrders: {
        "cancelled": [None],
        "not_cancelled": [NotCancelled],
    },
    KeyRefusal: {
        "code": None,
        "message": None,
        "details": None,
    },
    KeyFate: {
        "state": None,
        "order": ReadOrder,
        "error": KeyRefusal,
        "refusal_holds_at": None,
    },
    AbandonedKey: {
        "state": None,
        "order": ReadOrder,
    },
    CancelledOrder: {
        "exchange": None,
        "id": None,
        "status": None,
        "cancelled_size": Decimal,
        "filled_size": Decimal,
        "timestamp": None,
    },
    BalancePart: {
        "key": None,
        "label": None,
        "available": Decimal,
        "reserved": Decimal,
    },
    Balance: {
        "exchange": None,
        "currency": None,
        "available": Decimal,
        "reserved": Decimal,
        "total": Decimal,
        "portfolio_value": Decimal,
        "breakdown": [BalancePart],
        "updated_at": None,
    },
    ReadFill: {
        "exchange": None,
        "id": None,
        "order_id": None,
        "market_id": None,
        "outcome": TradedOutcome,
        "side": None,
        "price": Decimal,
        "size": Decimal,
        "fee": Decimal,
        "role": None,
        "status": None,
        "timestamp": None,
        "transaction_hash": None,
        "bot_id": None,
    },
    FillList: {
        "next_cursor": None,
        "data": [ReadFill],
    },
    Position: {
        "exchange": None,
        "market_id": None,
        "event_id": None,
        "outcome": TradedOutcome,
        "size": Decimal,
        "average_price": Decimal,
        "cost_basis": Decimal,
        "current_price": Decimal,
        "market_value": Decimal,
        "unrealized_pnl": Decimal,
        "realized_pnl": Decimal,
        "fees_paid": Decimal,
        "currency": None,
        "status": None,
        "title": None,
        "updated_at": None,
    },
    PositionList: {
        "next_cursor": None,
        "data": [Position],
    },
    Settlement: {
        "exchange": None,
        "market_id": None,
        "title": None,
        "outcome": TradedOutcome,
        "size": Decimal,
        "cost": Decimal,
        "payout": Decimal,
        "fees": Decimal,
        "realized_pnl": Decimal,
        "settled_at": None,
    },
    SettlementList: {
        "next_cursor": None,
        "data": [Settlement],
    },
    ExchangePortfolio: {
        "exchange": None,
        "balance": Balance,
        "positions_value": Decimal,
        "redeemable_value": Decimal,
        "unrealized_pnl": Decimal,
        "realized_pnl": Decimal,
        "fees": Decimal,
        "open_orders": None,
        "error": TradingProxyError,
    },
    PortfolioTotal: {
        "currency": None,
        "cash": Decimal,
        "reserved": Decimal,
        "positions_value": Decimal,
        "equity": Decimal,
        "unrealized_pnl": Decimal,
        "realized_pnl": Decimal,
        "partial": None,
    },
    Portfolio: {
        "exchanges": [ExchangePortfolio],
        "totals": [PortfolioTotal],
        "as_of": None,
    },
    EquityPoint: {
        "at": None,
        "gap": None,
        "other_accounts": [None],
        "totals": [PortfolioTotal],
    },
    Equity: {
        "hourly": None,
        "data": [EquityPoint],
    },
    HourlyEquity: {
        "hourly": None,
    },
    Transfer: {
        "exchange": None,
        "id": None,
        "from_shard": None,
        "to_shard": None,
        "amount": Decimal,
        "currency": None,
        "status": None,
        "created_at": None,
    },
    TransferList: {
        "next_cursor": None,
        "data": [Transfer],
    },
    Activity: {
        "id": None,
        "type": None,
        "created_at": None,
        "ip": None,
        "user_agent": None,
        "key_prefix": None,
        "session_id": None,
        "bot_id": None,
        "exchange": None,
        "request_id": None,
        "details": None,
    },
    ActivityList: {
        "data": [Activity],
        "next_cursor": None,
    },
    BookChanges: {
        "bids": [Level],
        "asks": [Level],
        "timestamp": None,
        "timestamp_source": None,
        "hash": None,
        "last_price": Decimal,
    },
    MarketQuote: {
        "market_id": None,
        "status": None,
        "tradable": None,
        "outcomes": [Outcome],
        "volume": Decimal,
        "volume_24h": Decimal,
        "open_interest": Decimal,
        "result": MarketResult,
        "timestamp": None,
        "timestamp_source": None,
    },
    StreamedTrade: {
        "exchange": None,
        "id": None,
        "market_id": None,
        "outcome": OutcomeRef,
        "side": None,
        "price": Decimal,
        "size": Decimal,
        "notional": Decimal,
        "timestamp": None,
        "taker_side": None,
        "is_block_trade": None,
        "transaction_hash": None,
    },
    ProfileChanges: {
        "display_name": None,
        "avatar_url": None,
    },
    PasswordConfirmation: {
        "password": None,
    },
    ProviderConfirmation: {
        "code": None,
        "code_verifier": None,
        "redirect_uri": None,
        "provider": None,
    },
    ChangePassword: {
        "current_password": None,
        "new_password": None,
    },
    DeleteAccount: {
        "password": None,
    },
    SignUp: {
        "email": None,
        "password": None,
        "name": None,
    },
    VerifyEmail: {
        "token": None,
        "replace_session": None,
    },
    LogIn: {
        "email": None,
        "password": None,
    },
    OAuthCallback: {
        "code": None,
        "code_verifier": None,
        "redirect_uri": None,
    },
    ForgotPassword: {
        "email": None,
    },
    ResetPassword: {
        "token": None,
        "new_password": None,
        "revoke_api_keys": None,
    },
    CreateApiKey: {
        "name": None,
        "scopes": [None],
    },
    BotMarketInput: {
        "exchange": None,
        "market_id": None,
        "event_id": None,
        "series_id": None,
    },
    BotLimits: {
        "max_order_risk": Decimal,
        "max_open_risk": Decimal,
        "max_daily_risk": Decimal,
        "max_total_risk": Decimal,
        "max_position": Decimal,
        "max_open_orders": None,
        "max_orders_per_minute": None,
        "max_requests_per_minute": None,
        "max_price_distance": Decimal,
        "max_order_seconds": None,
    },
    CreateBot: {
        "name": None,
        "scopes": [None],
        "exchanges": [None],
        "markets": [BotMarketInput],
        "limits": BotLimits,
        "allowed_networks": [None],
        "expires_at": None,
    },
    ChangeBot: {
        "name": None,
        "scopes": [None],
        "exchanges": [None],
        "markets": [BotMarketInput],
        "limits": BotLimits,
        "allowed_networks": [None],
        "expires_at": None,
    },
    RotateBotKey: {
        "overlap_seconds": None,
    },
    Beat: {
        "ttl_seconds": None,
        "on_miss": None,
    },
    KalshiCredentials: {
        "access_key": None,
        "private_key": None,
    },
    PolymarketCredentials: {
        "api_key": None,
        "secret": None,
        "passphrase": None,
        "wallet_address": None,
        "signer_address": None,
        "signature_type": None,
        "session_key": None,
    },
    NewSessionKey: {
        "wallet_address": None,
    },
    SessionKeyActivation: {
        "valid_until": None,
    },
    AmendOrder: {
        "price": Decimal,
        "size": Decimal,
        "expires_at": None,
    },
    PlainOrder: {
        "market_id": None,
        "outcome": None,
        "side": None,
        "price": Decimal,
        "size": Decimal,
        "time_in_force": None,
        "post_only": None,
        "expires_at": None,
        "reduce_only": None,
        "client_order_id": None,
    },
    SignedOrderDto: {
        "salt": None,
        "maker": None,
        "signer": None,
        "tokenId": None,
        "makerAmount": None,
        "takerAmount": None,
        "side": None,
        "signatureType": None,
        "timestamp": None,
        "expiration": None,
        "metadata": None,
        "builder": None,
        "signature": None,
    },
    SignedOrder: {
        "signed_order": SignedOrderDto,
        "time_in_force": None,
        "post_only": None,
    },
    CancelNamed: {
        "order_ids": [None],
    },
    HourlyEquityInput: {
        "hourly": None,
    },
    TransferRequest: {
        "from_shard": None,
        "to_shard": None,
        "amount": Decimal,
    },
}


OPERATIONS = {
    "getLiveness": Operation("GET", "/health/live", None, Health, "status", False),
    "getReadiness": Operation("GET", "/health/ready", None, Health, "status", False),
    "getProfile": Operation("GET", "/account/profile", None, Profile, "id", False),
    "changeProfile": Operation("PATCH", "/account/profile", ProfileChanges, Profile, "id", False),
    "confirmSession": Operation("POST", "/account/confirm", (PasswordConfirmation, ProviderConfirmation), Message, "message", False),
    "changePassword": Operation("POST", "/account/password", ChangePassword, Message, "message", False),
    "requestVerificationMail": Operation("POST", "/account/verification", None, Message, "message", False),
    "deleteAccount": Operation("DELETE", "/account", DeleteAccount, Message, "message", False),
    "signUp": Operation("POST", "/auth/signup", SignUp, (SignUpPending, SignedIn), "", False),
    "verifyEmail": Operation("POST", "/auth/verify-email", VerifyEmail, SignedIn, "access_token", False),
    "logIn": Operation("POST", "/auth/login", LogIn, SignedIn, "access_token", False),
    "listProviders": Operation("GET", "/auth/providers", None, ProviderList, "providers", False),
    "signInWithGoogle": Operation("POST", "/auth/google/callback", OAuthCallback, SignedIn, "access_token", False),
    "signInWithGithub": Operation("POST", "/auth/github/callback", OAuthCallback, SignedIn, "access_token", False),
    "requestPasswordReset": Operation("POST", "/auth/forgot-password", ForgotPassword, Message, "message", False),
    "resetPassword": Operation("POST", "/auth/reset-password", ResetPassword, Message, "message", False),
    "refreshSession": Operation("POST", "/auth/refresh", None, SignedIn, "access_token", False),
    "logOut": Operation("POST", "/auth/logout", None, Message, "message", False),
    "listSessions": Operation("GET", "/account/sessions", None, SessionList, "sessions", False),
    "revokeOtherSessions": Operation("DELETE", "/account/sessions", None, Message, "message", False),
    "revokeSession": Operation("DELETE", "/account/sessions/{id}", None, EndedSession, "id", False),
    "listExchangeHosts": Operation("GET", "/account/exchange-hosts", None, ExchangeHostList, "exchanges", False),
    "listApiKeys": Operation("GET", "/account/api-keys", None, ApiKeyList, "keys", False),
    "createApiKey": Operation("POST", "/account/api-keys", CreateApiKey, CreatedApiKey, "key", False),
    "revokeApiKey": Operation("DELETE", "/account/api-keys/{key_prefix}", None, RevokedApiKey, "message", False),
    "createBot": Operation("POST", "/account/bots", CreateBot, CreatedBot, "bot", False),
    "listBots": Operation("GET", "/account/bots", None, BotList, "bots", False),
    "haltBots": Operation("POST", "/account/bots/halt", None, HaltReportList, "bots", False),
    "getBot": Operation("GET", "/account/bots/{bot_id}", None, Bot, "id", False),
    "changeBot": Operation("PATCH", "/account/bots/{bot_id}", ChangeBot, Bot, "id", False),
    "removeBot": Operation("DELETE", "/account/bots/{bot_id}", None, HaltReport, "bot_id", False),
    "rotateBotKey": Operation("POST", "/account/bots/{bot_id}/rotate", RotateBotKey, RotatedBotKey, "key", False),
    "haltBot": Operation("POST", "/account/bots/{bot_id}/halt", None, HaltReport, "bot_id", False),
    "resumeBot": Operation("POST", "/account/bots/{bot_id}/resume", None, Bot, "id", False),
    "getOwnBot": Operation("GET", "/bot", None, Bot, "id", False),
    "haltOwnBot": Operation("POST", "/bot/halt", None, HaltReport, "bot_id", False),
    "haltBotsByKey": Operation("POST", "/bots/halt", None, HaltReportList, "bots", False),
    "beat": Operation("PUT", "/bot/heartbeat", Beat, Armed, "on_miss", False),
    "stopHeartbeat": Operation("DELETE", "/bot/heartbeat", None, Disarmed, "", False),
    "getMe": Operation("GET", "/me", None, Me, "user_id", False),
    "listCredentials": Operation("GET", "/account/credentials", None, CredentialList, "exchanges", False),
    "replaceCredentials": Operation("PUT", "/account/credentials/{exchange}", (KalshiCredentials, PolymarketCredentials), StoredCredential, "warnings", False),
    "removeCredentials": Operation("DELETE", "/account/credentials/{exchange}", None, RemovedCredential, "exchange", False),
    "verifyCredentials": Operation("POST", "/account/credentials/{exchange}/verify", None, VerifiedCredential, "warnings", False),
    "createSessionKey": Operation("POST", "/account/credentials/{exchange}/session-key", NewSessionKey, CreatedSessionKey, "exchange", False),
    "removeSessionKeys": Operation("DELETE", "/account/credentials/{exchange}/session-key", None, RemovedSessionKey, "exchange", False),
    "activateSessionKey": Operation("POST", "/account/credentials/{exchange}/session-key/activate", SessionKeyActivation, SessionKeyAnswer, "exchange", False),
    "listAccountOrders": Operation("GET", "/account/orders", None, AccountOrderList, "data", False),
    "amendOrder": Operation("PATCH", "/{exchange}/orders/{order_id}", AmendOrder, ReadOrder, "id", False),
    "getOrder": Operation("GET", "/{exchange}/orders/{order_id}", None, ReadOrder, "id", False),
    "cancelOrder": Operation("DELETE", "/{exchange}/orders/{order_id}", None, CancelledOrder, "id", False),
    "stream": Operation("GET", "/stream", None, None, "", False),
    "streamOrderbooks": Operation("GET", "/{exchange}/orderbooks/stream", None, None, "", False),
    "streamMarkets": Operation("GET", "/{exchange}/markets/stream", None, None, "", False),
    "streamTrades": Operation("GET", "/{exchange}/trades/stream", None, None, "", False),
    "streamOrders": Operation("GET", "/{exchange}/orders/stream", None, None, "", False),
    "streamFills": Operation("GET", "/{exchange}/fills/stream", None, None, "", False),
    "findMarkets": Operation("GET", "/markets", None, FoundMarketList, "data", False),
    "findEvents": Operation("GET", "/events", None, FoundEventList, "data", False),
    "listMarkets": Operation("GET", "/{exchange}/markets", None, MarketList, "data", False),
    "getMarket": Operation("GET", "/{exchange}/markets/{market_id}", None, MarketAnswer, "id", False),
    "getOrderbook": Operation("GET", "/{exchange}/orderbooks", None, OrderBookAnswer, "exchange", False),
    "getOrderbooks": Operation("GET", "/{exchange}/orderbooks/batch", None, OrderBooks, "data", False),
    "listEvents": Operation("GET", "/{exchange}/events", None, EventList, "data", False),
    "getEvent": Operation("GET", "/{exchange}/events/{event_id}", None, EventAnswer, "id", False),
    "listTrades": Operation("GET", "/{exchange}/trades", None, TradeList, "data", False),
    "listCandlesticks": Operation("GET", "/{exchange}/candlesticks", None, CandlestickList, "data", False),
    "previewOrder": Operation("POST", "/{exchange}/orders/preview", (PlainOrder, SignedOrder), OrderPreview, "limits", False),
    "createOrder": Operation("POST", "/{exchange}/orders", (PlainOrder, SignedOrder), CreatedOrder, "id", True),
    "listOrders": Operation("GET", "/{exchange}/orders", None, OrderList, "data", False),
    "cancelOrders": Operation("DELETE", "/{exchange}/orders", None, CancelledOrders, "cancelled", False),
    "createOrders": Operation("POST", "/{exchange}/orders/batch", {"orders": [(PlainOrder, SignedOrder)]}, BatchResults, "results", True),
    "cancelNamedOrders": Operation("POST", "/{exchange}/orders/batch-cancel", CancelNamed, CancelledOrders, "cancelled", False),
    "getOrderByKey": Operation("GET", "/{exchange}/orders/by-key/{idempotency_key}", None, KeyFate, "state", False),
    "abandonOrderKey": Operation("DELETE", "/{exchange}/orders/by-key/{idempotency_key}", None, AbandonedKey, "state", False),
    "getBalance": Operation("GET", "/{exchange}/balance", None, Balance, "exchange", False),
    "listFills": Operation("GET", "/{exchange}/fills", None, FillList, "data", False),
    "listPositions": Operation("GET", "/{exchange}/positions", None, PositionList, "data", False),
    "listSettlements": Operation("GET", "/{exchange}/settlements", None, SettlementList, "data", False),
    "getFillsCsv": Operation("GET", "/{exchange}/fills.csv", None, None, "", False),
    "getSettlementsCsv": Operation("GET", "/{exchange}/settlements.csv", None, None, "", False),
    "getPortfolio": Operation("GET", "/portfolio", None, Portfolio, "exchanges", False),
    "getEquity": Operation("GET", "/account/equity", None, Equity, "data", False),
    "setHourlyEquity": Operation("PUT", "/account/equity", HourlyEquityInput, HourlyEquity, "", False),
    "createTransfer": Operation("POST", "/{exchange}/transfers", TransferRequest, Transfer, "exchange", True),
    "listTransfers": Operation("GET", "/{exchange}/transfers", None, TransferList, "data", False),
    "getTransfer": Operation("GET", "/{exchange}/transfers/{transfer_id}", None, Transfer, "exchange", False),
    "listActivity": Operation("GET", "/account/activity", None, ActivityList, "data", False),
}
