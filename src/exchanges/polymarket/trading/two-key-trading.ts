import type { CancelReport } from '../../cancel-batches.js';
import { sumOf } from '../../decimal.js';
import type { CredentialFacts } from '../../credentials.contract.js';
import type {
  EndedOrder,
  FindableOrder,
  OrderNaming,
  PreparedOrder,
  RecordedOrder,
  SentTerms,
} from '../../orders.contract.js';
import type { PrivateStream } from '../../feeds.contract.js';
import type { Page, Paging } from '../../paging.contract.js';
import type {
  CancelFilters,
  FillFilters,
  Gains,
  OrderFilters,
  PositionFilters,
  SettlementFilters,
  Trading,
} from '../../trading.contract.js';
import { chainPages, mergePages } from '../../merged-pages.js';
import type { ReadPage } from '../../page-walk.js';
import type { BalanceDto, FillDto, OrderDto, PositionDto, SettlementDto } from '../../unified.trading.dto.js';
import { isKeyRefused, isNotFound } from '../../upstream-errors.js';
import { slicePages } from '../../sliced-pages.js';
import { sameAddress } from '../polymarket.credentials.dto.js';
import type { OwnFill } from './fill.mapper.js';
import { cancelOrRecordedEnd } from './recorded-end.js';
import { isSigned, type PolymarketOrderDto, type SignedOrderDto } from './order.dto.js';
import { layerKeyOf } from './order-signature.js';
import type { WireOrder } from './order.wire.js';
import type { PolymarketTrading } from './trading.js';
import { holdingsDigestOf } from './wallet.js';

/**
 * Trading by a session key and by the API key that its owner has stored, as one (contract.md 5.6). Neither sees the other's
 * orders at the exchange (polymarket.md 11.2), so lists show both, and what is not found by the one is asked of the other.
 */
export class TwoKeyTrading implements Trading<PolymarketOrderDto> {
  constructor(
    private readonly session: PolymarketTrading,
    private readonly stored: PolymarketTrading,
  ) {}

  /** Neither key's stream says what the other one does. */
  get privateStreams(): readonly PrivateStream[] {
    return [...this.session.privateStreams, ...this.stored.privateStreams];
  }

  accountDigest(request?: PolymarketOrderDto): Buffer {
    return this.#keyOf(request).accountDigest();
  }

  /** Of each wallet, where there are two. */
  holdingsDigest(): Buffer {
    return holdingsDigestOf([this.session.wallet, this.stored.wallet]);
  }

  async verify(): Promise<void> {
    await this.session.verify();
    await this.stored.verify();
  }

  async readFacts(): Promise<CredentialFacts> {
    const all = await Promise.all([this.session.readFacts(), this.stored.readFacts()]);
    const said = all.flatMap(({ missingAllowances }) => (missingAllowances === null ? [] : [missingAllowances]));
    return { key: null, missingAllowances: said.length === 0 ? null : [...new Set(said.flat())] };
  }

  async isClosedOnly(): Promise<boolean | null> {
    const both = await Promise.all([this.session.isClosedOnly(), this.stored.isClosedOnly()]);
    return both.includes(true) || (both.includes(null) ? null : false);
  }

  async getBalance(): Promise<BalanceDto> {
    const { session, stored } = this;
    if (!session.sharesWallet(stored)) return session.account.getBalance();
    try {
      return await session.account.getBalance(stored.orders);
    } catch (error) {
      if (!isKeyRefused(error)) throw error;
      return stored.account.getBalance(session.orders);
    }
  }

  /** Each wallet's, where there are two. */
  async readBalances(): Promise<readonly BalanceDto[]> {
    const { session, stored } = this;
    return Promise.all(session.sharesWallet(stored) ? [this.getBalance()] : [this.getBalance(), stored.getBalance()]);
  }

  async prepareOrder(request: PolymarketOrderDto, naming: OrderNaming): Promise<PreparedOrder> {
    return this.#keyOf(request).prepareOrder(request, naming);
  }

  forAccount(digest: Buffer): PolymarketTrading | null {
    return this.session.forAccount(digest) ?? this.stored.forAccount(digest);
  }

  /** `forAccount` says which key it is of. */
  sentOrder(asked: SentTerms, naming: OrderNaming): Promise<FindableOrder> {
    return this.session.sentOrder(asked, naming);
  }

  async listOrders(filters: OrderFilters, paging: Paging): Promise<Page<OrderDto>> {
    const { session, stored } = this;
    const [own, others] = await Promise.all([session.openOrders(filters), stored.openOrders(filters)]);
    const read = chainPages([only(own, (order) => !isOf(stored, order)), this.#withoutSessionOrders(others)]);
    const { items, next } = await slicePages(read, paging, () => session.unusable());
    return { items: await session.toOrders(items), next };
  }

  async getOrder(orderId: string, recorded?: RecordedOrder): Promise<OrderDto> {
    return this.#firstFound((key) => key.getOrder(orderId, recorded));
  }

  async cancelOrder(orderId: string, recorded?: RecordedOrder): Promise<EndedOrder> {
    const id = orderId.toLowerCase();
    const cancel = (): Promise<EndedOrder> => this.#firstFound((key) => key.cancels.one(id));
    return cancelOrRecordedEnd(cancel, { orderId: id, recorded, keys: [this.session, this.stored] });
  }

  async cancelAllOrders(filters: CancelFilters = {}): Promise<CancelReport> {
    return this.session.cancelAllBy([this.session.cancels, this.stored.cancels], filters);
  }

  async listFills(filters: FillFilters, paging: Paging): Promise<Page<FillDto>> {
    const { session, stored } = this;
    const [own, others] = await Promise.all([session.ownFills(filters), stored.ownFills(filters)]);
    // Where the two have traded with each other, each is shown the part of the other too.
    const reads = [only(own, (fill) => !isOf(stored, fill)), only(others, (fill) => !isOf(session, fill))];
    const { items, next } = await mergePages(reads, timeOf, paging, () => session.unusable());
    const each = new Map(items.map((fill) => [fill.id, fill]));
    return { items: await session.toFills([...each.values()]), next };
  }

  async listPositions(filters: PositionFilters, paging: Paging): Promise<Page<PositionDto>> {
    const { session, stored } = this;
    if (session.sharesWallet(stored)) return session.listPositions(filters, paging);
    const reads = await Promise.all([session, stored].map(({ account }) => account.positions(filters, paging)));
    return slicePages(chainPages(reads), paging, () => session.unusable());
  }

  async listSettlements(filters: SettlementFilters, paging: Paging): Promise<Page<SettlementDto>> {
    const { session, stored } = this;
    if (session.sharesWallet(stored)) return session.listSettlements(filters, paging);
    const reads = await Promise.all([session, stored].map(({ settlements }) => settlements.pages(filters, paging)));
    return mergePages(
      reads,
      ({ settled_at: at }) => new Date(at),
      paging,
      () => session.unusable(),
    );
  }

  async readGains(): Promise<Gains> {
    const { session, stored } = this;
    if (session.sharesWallet(stored)) return session.readGains();
    const [one, other] = await Promise.all([session.readGains(), stored.readGains()]);
    return {
      realized_pnl: sumOf([one.realized_pnl, other.realized_pnl]),
      fees: sumOf([one.fees, other.fees]),
    };
  }

  /** The key that sends an order: of one that came signed that whose wallet it names, and whose layer, the stored one first. */
  #keyOf(request?: PolymarketOrderDto): PolymarketTrading {
    if (request === undefined || !isSigned(request)) return this.session;
    const named = [this.stored, this.session].filter(({ wallet }) => isNamed(wallet, request.signed_order));
    const layerKey = layerKeyOf(request.signed_order.signature);
    const signer = named.find(
      ({ wallet }) => layerKey !== null && sameAddress(layerKey, wallet.apiCredentials.address.reveal()),
    );
    return signer ?? named[0] ?? this.stored;
  }

  /** Where the session key is refused, only the stored one can tell whether the order is its own. */
  async #firstFound<T>(ask: (key: PolymarketTrading) => Promise<T>): Promise<T> {
    try {
      return await ask(this.session);
    } catch (error) {
      if (!isNotFound(error) && !isKeyRefused(error)) throw error;
      return ask(this.stored).catch((second: unknown) => {
        throw isNotFound(second) ? error : second;
      });
    }
  }

  /** What is not surely the stored key's own may have been shown by the session key before. */
  #withoutSessionOrders(read: ReadPage<WireOrder>): ReadPage<WireOrder> {
    return async (cursor) => {
      const page = await read(cursor);
      if (page.items.every((order) => isOf(this.stored, order))) return page;
      const shown = new Set((await this.session.orders.allOpenIds()).map((id) => id.toLowerCase()));
      return {
        ...page,
        items: page.items.filter((order) => isOf(this.stored, order) || !shown.has(order.id.toLowerCase())),
      };
    };
  }
}

function timeOf({ trade }: OwnFill): Date {
  return trade.match_time;
}

function isOf({ wallet }: PolymarketTrading, { owner }: { readonly owner: string | null }): boolean {
  return owner === wallet.apiCredentials.apiKey.reveal();
}

function isNamed({ account, signatureType }: PolymarketTrading['wallet'], order: SignedOrderDto): boolean {
  return sameAddress(order.maker, account.reveal()) && String(order.signatureType) === signatureType.reveal();
}

function only<T>(read: ReadPage<T>, isWanted: (item: T) => boolean): ReadPage<T> {
  return async (cursor) => {
    const page = await read(cursor);
    return { ...page, items: page.items.filter(isWanted) };
  };
}
