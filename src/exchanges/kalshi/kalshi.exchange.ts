import { Injectable } from '@nestjs/common';
import { Settings } from '../../platform/config/settings.js';
import type { UpstreamClient } from '../../platform/upstream/upstream-client.js';
import { UpstreamClients } from '../../platform/upstream/upstream-clients.js';
import type { CredentialFacts } from '../credentials.contract.js';
import type { FieldDocs } from '../docs.contract.js';
import type { Exchange, ShardState } from '../exchange.js';
import type { Fees } from '../fees.contract.js';
import type { Feeds } from '../feeds.contract.js';
import type { MarketData } from '../market-data.contract.js';
import type { Transfers } from '../transfers.contract.js';
import { LongReads } from '../long-reads.js';
import type { CredentialWarning } from '../unified.words.js';
import { KalshiArchive } from './connection/archive.js';
import { KalshiClient } from './connection/client.js';
import { KalshiShards } from './connection/shards.js';
import { KalshiTicks } from './connection/ticks.js';
import { KalshiFees } from './fees/fees.js';
import { KalshiFeeds } from './feeds/feeds.js';
import { KALSHI_ERRORS } from './kalshi.errors.js';
import { type KalshiCredentials, KalshiCredentialsDto } from './kalshi.credentials.dto.js';
import { KALSHI_DRIFT } from './kalshi.drift.js';
import { KALSHI_DOCS } from './kalshi.docs.js';
import { CURRENCY, KALSHI, KALSHI_IDS } from './kalshi.ids.js';
import { KALSHI_PRESENTATION } from './kalshi.presentation.js';
import { KALSHI_SETTINGS } from './kalshi.settings.js';
import { fastForm } from './kalshi.signer.js';
import { warningsOf } from './kalshi.warnings.js';
import { KalshiMarketData } from './market-data/market-data.js';
import { checkTerms } from './trading/order-check.js';
import { KalshiOrderRequestDto } from './trading/order.dto.js';
import { checkTransferTerms } from './trading/transfer.mapper.js';
import { KalshiTrading } from './trading/trading.js';

/** Kalshi behind the unified contract (unified-schema.md, kalshi.md). */
@Injectable()
export class KalshiExchange implements Exchange<KalshiCredentialsDto, KalshiOrderRequestDto> {
  static readonly id = KALSHI;
  static readonly settings = KALSHI_SETTINGS;
  static readonly docs = KALSHI_DOCS;
  static readonly presentation = KALSHI_PRESENTATION;
  static readonly drift = KALSHI_DRIFT;
  static readonly shownCredentials: FieldDocs = {};
  static readonly Credentials = KalshiCredentialsDto;
  static readonly OrderRequest = KalshiOrderRequestDto;

  readonly id = KALSHI;
  readonly name = KALSHI_ERRORS.name;
  readonly Credentials = KalshiCredentialsDto;
  readonly OrderRequest = KalshiOrderRequestDto;
  readonly shownCredentials = KalshiExchange.shownCredentials;
  readonly idPatterns = KALSHI_IDS;
  readonly money = { currency: CURRENCY, hasReservedInAvailable: false };
  readonly transfers: Transfers = { check: checkTransferTerms };
  readonly canAmend = true;
  readonly marketData: MarketData;
  readonly feeds: Feeds;
  readonly fees: Fees;
  readonly #upstream: UpstreamClient;
  readonly #client: KalshiClient;
  readonly #archive: KalshiArchive;
  readonly #shards: KalshiShards;
  readonly #ticks: KalshiTicks;
  readonly #streamUrl: string;

  constructor(
    settings: Settings,
    clients: UpstreamClients,
    private readonly longReads: LongReads,
  ) {
    const own = settings.extension(KALSHI_SETTINGS);
    const baseUrl = own.KALSHI_API_URL;
    this.#upstream = clients.create({ name: KALSHI, baseUrl, readFault: KALSHI_ERRORS.readFault });
    this.#client = new KalshiClient(this.#upstream, baseUrl);
    this.#archive = new KalshiArchive(this.#client);
    this.#shards = new KalshiShards(this.#client);
    this.#ticks = new KalshiTicks(this.#client);
    this.marketData = new KalshiMarketData(this.#client, this.#archive, this.#shards, this.#ticks);
    this.fees = new KalshiFees(this.#client);
    this.feeds = new KalshiFeeds(this.#client, own);
    this.#streamUrl = own.KALSHI_WS_URL;
  }

  get clockSkewMs(): number | null {
    return this.#upstream.clock.skewMs;
  }

  checkOrder(request: KalshiOrderRequestDto): void {
    checkTerms(request);
  }

  marketIdOf({ market_id }: KalshiOrderRequestDto): Promise<string> {
    return Promise.resolve(market_id);
  }

  warningsOf(facts: CredentialFacts, now: Date): CredentialWarning[] {
    return warningsOf(facts, now);
  }

  listShards(): Promise<ShardState[]> {
    return this.#shards.readStates();
  }

  /** A key as PEM takes about as long to import as to sign with. */
  async derivedCredentials({ private_key }: KalshiCredentialsDto): Promise<Readonly<Record<string, string>>> {
    const signing_key = await fastForm(private_key);
    return signing_key === null ? {} : { signing_key };
  }

  trading(credentials: KalshiCredentials, facts: CredentialFacts | null = null): KalshiTrading {
    const client = this.#client.signedWith(credentials, facts);
    const markets = { shards: this.#shards, ticks: this.#ticks };
    return new KalshiTrading(client, this.#archive, markets, this.longReads, this.#streamUrl);
  }
}
