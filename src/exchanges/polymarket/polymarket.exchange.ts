import { Injectable } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import { UpstreamClients } from '../../platform/upstream/upstream-clients.js';
import type { CredentialFacts, Opened } from '../credentials.contract.js';
import type { Exchange, IdKind } from '../exchange.js';
import type { Fees } from '../fees.contract.js';
import type { Feeds } from '../feeds.contract.js';
import type { MarketData } from '../market-data.contract.js';
import type { OpenedSessionKey, SessionKeys } from '../session-keys.contract.js';
import type { OrderFilters, Trading } from '../trading.contract.js';
import { LongReads } from '../long-reads.js';
import type { CredentialWarning } from '../unified.words.js';
import { PolymarketClient } from './connection/client.js';
import { PolymarketFees } from './fees/fees.js';
import { PolymarketFeeds } from './feeds/feeds.js';
import { MarketDirectory } from './market-data/directory/market-directory.js';
import { MarketFinder } from './market-data/directory/market-finder.js';
import { PolymarketMarketData } from './market-data/market-data.js';
import { VersionCounts } from './market-data/version-counts.js';
import { PolymarketCredentialsDto } from './polymarket.credentials.dto.js';
import { POLYMARKET_DRIFT } from './polymarket.drift.js';
import { POLYMARKET_DOCS } from './polymarket.docs.js';
import { POLYMARKET_ERRORS } from './polymarket.errors.js';
import { POLYMARKET_GEOBLOCK } from './polymarket.geoblock.js';
import { CURRENCY, POLYMARKET_IDS, POLYMARKET } from './polymarket.ids.js';
import { POLYMARKET_PRESENTATION } from './polymarket.presentation.js';
import { CONDITION_ID, wideId } from './position-ids.js';
import { POLYMARKET_SETTINGS } from './polymarket.settings.js';
import { PolymarketSessionKeys } from './session-keys/session-keys.js';
import { checkFilters, checkTerms } from './trading/order-check.js';
import { isPlain, PolymarketOrderDto } from './trading/order.dto.js';
import { PolymarketTrading } from './trading/trading.js';
import { TwoKeyTrading } from './trading/two-key-trading.js';
import { Wallet } from './trading/wallet.js';

/** Polymarket, the international exchange, behind the contract of all exchanges (polymarket.md). */
@Injectable()
export class PolymarketExchange implements Exchange<PolymarketCredentialsDto, PolymarketOrderDto> {
  static readonly id = POLYMARKET;
  static readonly settings = POLYMARKET_SETTINGS;
  static readonly docs = POLYMARKET_DOCS;
  static readonly presentation = POLYMARKET_PRESENTATION;
  static readonly drift = POLYMARKET_DRIFT;
  static readonly shownCredentials = {
    wallet_address: { type: String, example: '0x8ba1f109551bD432803012645Ac136ddd64DBA72' },
  };
  static readonly Credentials = PolymarketCredentialsDto;
  static readonly OrderRequest = PolymarketOrderDto;

  readonly id = POLYMARKET;
  readonly name = POLYMARKET_ERRORS.name;
  readonly Credentials = PolymarketCredentialsDto;
  readonly OrderRequest = PolymarketOrderDto;
  readonly shownCredentials = PolymarketExchange.shownCredentials;
  readonly idPatterns = POLYMARKET_IDS;
  readonly money = { currency: CURRENCY, hasReservedInAvailable: true };
  readonly geoblock = POLYMARKET_GEOBLOCK;
  readonly marketData: MarketData;
  readonly feeds: Feeds;
  readonly fees: Fees;
  readonly sessionKeys: SessionKeys<PolymarketCredentialsDto, PolymarketOrderDto>;

  readonly #client: PolymarketClient;
  readonly #directory: MarketDirectory;
  readonly #versions = new VersionCounts();

  constructor(
    settings: Settings,
    clients: UpstreamClients,
    private readonly longReads: LongReads,
  ) {
    this.#client = new PolymarketClient(settings, clients);
    this.fees = new PolymarketFees(this.#client);
    this.feeds = new PolymarketFeeds(this.#client, settings.extension(POLYMARKET_SETTINGS).POLYMARKET_WS_URL);
    this.sessionKeys = new PolymarketSessionKeys(this.#client, undefined, settings.upstreamTimeoutMs);
    const finder = new MarketFinder(this.#client);
    this.#directory = new MarketDirectory(this.#client, finder);
    this.marketData = new PolymarketMarketData(this.#client, finder, this.#directory, this.#versions);
  }

  get clockSkewMs(): number | null {
    return this.#client.clock.skewMs;
  }

  get marketsLeftOut(): Readonly<Record<string, number>> {
    return this.#versions.leftOut;
  }

  canonicalId(kind: IdKind, id: string): string {
    if (kind === 'order') return id.toLowerCase();
    return kind === 'market' && CONDITION_ID.test(id) ? wideId(id) : id;
  }

  checkOrder(request: PolymarketOrderDto): void {
    checkTerms(request);
  }

  /** Of a signed order that of its outcome. */
  async marketIdOf(request: PolymarketOrderDto): Promise<string> {
    if (isPlain(request)) return request.market_id;
    return (await this.#directory.getToken(request.signed_order?.tokenId ?? '')).marketId;
  }

  checkOrderFilters(filters: OrderFilters): void {
    checkFilters(filters);
  }

  warningsOf({ missingAllowances }: CredentialFacts): CredentialWarning[] {
    return (missingAllowances?.length ?? 0) > 0 ? ['allowance_missing'] : [];
  }

  trading(
    stored: Opened<PolymarketCredentialsDto> | null,
    _facts?: CredentialFacts | null,
    sessionKey: OpenedSessionKey | null = null,
  ): Trading<PolymarketOrderDto> {
    const bySession = sessionKey === null ? null : this.#tradingOf(Wallet.ofSession(sessionKey), sessionKey);
    const byStored = stored === null ? null : this.#tradingOf(new Wallet(stored), null);
    if (bySession === null || byStored === null) return bySession ?? byStored ?? noCredentials();
    return bySession.sharesKey(byStored) ? bySession : new TwoKeyTrading(bySession, byStored);
  }

  #tradingOf(wallet: Wallet, sessionKey: OpenedSessionKey | null): PolymarketTrading {
    return new PolymarketTrading(this.#client, wallet, this.#directory, this.longReads, sessionKey);
  }
}

function noCredentials(): never {
  throw new TypeError('Trading needs stored credentials or a session key.');
}
