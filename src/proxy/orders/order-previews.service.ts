import { Injectable } from '@nestjs/common';
import type { ApiKeyPrincipal, Principal } from '../../access/principal.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { Execution, FeeEstimate } from '../../exchanges/fees.contract.js';
import { readOptional } from '../../exchanges/optional-read.js';
import { type OrderProspect, prospectOf, totalOf } from '../../exchanges/order-prospect.js';
import type { AskedOrder, OrderNaming, PreparedOrder } from '../../exchanges/orders.contract.js';
import type { Trading } from '../../exchanges/trading.contract.js';
import type { MarketDto, OrderBookDto, OutcomeDto } from '../../exchanges/unified.market-data.dto.js';
import type { AppError } from '../../platform/errors/app-error.js';
import { validateAs } from '../../platform/http/validation.js';
import { currentCallContext, withCallContext } from '../../platform/upstream/call-context.js';
import { LookUps } from '../placing/look-ups.js';
import type { KnownLimit } from '../placing/previews.repository.js';
import { type Preview, Previews } from '../placing/previews.js';
import { OrderParts } from './ledger-order.js';
import type { OrderPreviewDto, PreviewedLimitDto, PreviewedOrderDto } from './order-previews.dto.js';
import { OrderSubject } from './order.subject.js';

const NO_FEE: FeeEstimate = { amount: null, source: null };

/** Reads what the market is like now, on behalf of who asks. */
function readFresh<T>(read: () => Promise<T>): Promise<T> {
  return withCallContext({ ...currentCallContext(), fresh: true }, read);
}

/** Who sends nothing has no key: a person previews as the main key would. */
function asSender(caller: Principal): ApiKeyPrincipal {
  if (caller.kind === 'api-key') return caller;
  return { kind: 'api-key', userId: caller.userId, keyPrefix: '', scopes: ['trade'], bot: null };
}

/** An order that is prepared as one that is sent, after a look at its market, which tells its ticks where the order alone does not. */
class PreviewedOrder extends OrderSubject {
  market: MarketDto | null = null;
  order: PreparedOrder | null = null;

  protected override async prepareOrder(
    trading: Trading,
    request: object,
    naming: OrderNaming,
  ): Promise<PreparedOrder> {
    const { at } = this;
    const marketId = await at.marketIdOf(request);
    this.market = (await readFresh(() => at.marketData.getMarket(marketId))).value;
    this.order = await super.prepareOrder(trading, request, naming);
    return this.order;
  }
}

/** What is known of an order that could be prepared. */
interface Known {
  readonly market: MarketDto;
  readonly order: PreparedOrder;
  readonly book: OrderBookDto | null;
  readonly prospect: OrderProspect | null;
}

/** A preview of an order that can be placed by its terms. */
export interface PlaceablePreview {
  readonly shown: OrderPreviewDto;
  /** The outcome of the order; null where it is not known. */
  readonly outcome: OutcomeDto | null;
  /** The order as it was asked for; null where it could not be prepared. */
  readonly placeable: {
    /** The body of its create: what was validated, with the one id of its market, and the index of its outcome. */
    readonly body: Readonly<Record<string, unknown>>;
    readonly asked: AskedOrder;
    /** As `OrderNaming`. */
    readonly previewed: OrderNaming['previewed'];
  } | null;
}

/** Says what an order would come to, and sends, records, reserves and counts nothing (contract.md 5). */
@Injectable()
export class OrderPreviews {
  constructor(
    private readonly parts: OrderParts,
    private readonly previews: Previews,
    private readonly lookUps: LookUps,
  ) {}

  /** Throws as `OrdersService.create` does, but for what refuses the order alone: that is in the answer. */
  async preview(caller: Principal, exchange: Exchange, body: unknown): Promise<OrderPreviewDto> {
    return (await this.toPlace(caller, exchange, body)).shown;
  }

  /** As `preview`, with what its placing keeps to. */
  toPlace(caller: Principal, exchange: Exchange, body: unknown): Promise<PlaceablePreview> {
    // Nothing is sent, so that no order waits behind these reads.
    const context = { fresh: false, ...currentCallContext(), priority: 'read' } as const;
    return withCallContext(context, () => this.#preview(caller, exchange, body));
  }

  async #preview(caller: Principal, exchange: Exchange, body: unknown): Promise<PlaceablePreview> {
    const request = await validateAs<object>(exchange.OrderRequest, body);
    exchange.checkOrder?.(request);
    const subject = new PreviewedOrder(this.parts, asSender(caller), exchange, request);
    const readsUntil = this.lookUps.begin();
    const preview = await this.previews.of(subject, readsUntil);
    const { market, order } = subject;
    const read = async (): Promise<OrderPreviewDto> => {
      if (market === null || order === null) return withoutOrder(preview, await bookOf(exchange, market, request));
      const outcome = order.asked.outcome_index;
      const book = await bookOf(exchange, market, { outcome });
      const prospect = book && prospectOf(order.asked, book);
      return told(preview, exchange, { market, order, book, prospect });
    };
    const outcome = market?.outcomes.find(({ index }) => index === order?.asked.outcome_index) ?? null;
    return {
      shown: await this.lookUps.beforeSending(readsUntil, read),
      outcome,
      placeable: placeableOf(request, order),
    };
  }
}

/** A label may be given to the other outcome later, and a market be spelled in several ways. */
function placeableOf(request: object, order: PreparedOrder | null): PlaceablePreview['placeable'] {
  if (order === null) return null;
  const { asked, reference } = order;
  const isPlain = 'outcome' in request && request.outcome !== undefined && asked.outcome_index !== null;
  const named = isPlain ? { market_id: asked.market_id, outcome: asked.outcome_index } : {};
  return { body: { ...request, ...named }, asked, previewed: reference.terms ?? null };
}

/** Null where the order names no outcome by itself, and where the book cannot be read. */
async function bookOf(exchange: Exchange, market: MarketDto | null, named: object): Promise<OrderBookDto | null> {
  const outcome = 'outcome' in named ? named.outcome : null;
  if (market === null || (typeof outcome !== 'string' && typeof outcome !== 'number')) return null;
  const query = { market_id: market.id, outcome: String(outcome) };
  const read = readFresh(() => exchange.marketData.getOrderBook(query));
  return (await readOptional(read, null))?.value ?? null;
}

async function told(preview: Preview, exchange: Exchange, known: Known): Promise<OrderPreviewDto> {
  const { market, order, book, prospect } = known;
  const { asked } = order;
  const executions = prospect === null ? [] : executionsOf(prospect);
  const fee = prospect === null ? NO_FEE : await feeOf(exchange, market, asked, executions);
  const refusal = preview.refusal ?? (await refusalOf(known, executions, fee));
  return {
    order: shown(asked),
    risk: preview.risk ?? asked.cost,
    cost: asked.cost,
    fee_estimate: fee.amount,
    fee_source: fee.source,
    book: bestOf(book),
    fills_now: prospect && totalOf(prospect.taken),
    limits: preview.limits.map(limitOf),
    would_be_refused: toldRefusal(refusal),
  };
}

function withoutOrder({ refusal, limits }: Preview, book: OrderBookDto | null): OrderPreviewDto {
  return {
    ...{ order: null, risk: null, cost: null, fee_estimate: null, fee_source: null, fills_now: null },
    book: bestOf(book),
    limits: limits.map(limitOf),
    would_be_refused: toldRefusal(refusal),
  };
}

function executionsOf({ taken, rest }: OrderProspect): Execution[] {
  return rest === null ? [...taken] : [...taken, rest];
}

function feeOf(
  { fees }: Exchange,
  market: MarketDto,
  { side }: AskedOrder,
  executions: readonly Execution[],
): Promise<FeeEstimate> {
  return fees?.estimate(market, side, executions) ?? Promise.resolve(NO_FEE);
}

/** What the exchange would say, in the order in which exchanges look: the market, the book, the funds, and whether it fills. */
async function refusalOf(
  { market, order, prospect }: Known,
  executions: readonly Execution[],
  { amount }: FeeEstimate,
): Promise<AppError | null> {
  if (!market.tradable) return order.refusedAs('market_closed');
  if (prospect?.wouldCross === true) return order.refusedAs('would_cross');
  const lack = prospect === null ? null : await order.findLackOfFunds(executions, amount ?? '0');
  if (lack !== null || prospect?.notFilled !== true) return lack;
  return order.refusedAs('not_filled');
}

function shown(asked: AskedOrder): PreviewedOrderDto {
  const { market_id, outcome_index, side, price, size, time_in_force, post_only } = asked;
  const { expires_at, money, shares, currency } = asked;
  return { market_id, outcome_index, side, price, size, time_in_force, post_only, expires_at, money, shares, currency };
}

function bestOf(book: OrderBookDto | null): OrderPreviewDto['book'] {
  return book && { bid: book.bids[0] ?? null, ask: book.asks[0] ?? null };
}

function limitOf({ limit, allowed, used, asked }: KnownLimit): PreviewedLimitDto {
  return { limit, allowed, used, asked };
}

function toldRefusal(refusal: AppError | null): OrderPreviewDto['would_be_refused'] {
  return refusal && { code: refusal.code, reason: refusal.details?.reason ?? null, message: refusal.message };
}
