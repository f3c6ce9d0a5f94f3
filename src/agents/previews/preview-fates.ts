import { Injectable } from '@nestjs/common';
import type { Exchange } from '../../exchanges/exchange.js';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { AppError } from '../../platform/errors/app-error.js';
import { OrderKeysService } from '../../proxy/orders/order-keys.service.js';
import type { CreatedOrderDto, KeyRefusalDto, ReadOrderDto } from '../../proxy/orders/orders.dto.js';
import { OrdersService } from '../../proxy/orders/orders.service.js';
import type { BotCaller } from '../tool.js';
import { KeptPreviews, type PreviewStanding, type UnsettledOther } from './kept-previews.repository.js';

/**
 * `not_placed`: it can be placed. `expired`: it was not placed in time. `unsettled`: another order on the market has no known end, so that this one is not
 * placed. `in_progress`: a call places it. `unknown`: the order may exist. `placed`: it was made. `refused`: it was not made. `not_sent`: its placing
 * ended before anything was sent. `abandoned`: its key was given up.
 */
export const PREVIEW_STATES = [
  'not_placed',
  'expired',
  'unsettled',
  'in_progress',
  'unknown',
  'placed',
  'refused',
  'not_sent',
  'abandoned',
] as const;

/** The tool to call next. */
export const NEXT_TOOLS = ['get_order', 'place_order', 'preview_order'] as const;

/** What became of a preview. */
export interface PreviewFate {
  readonly state: (typeof PREVIEW_STATES)[number];
  /** The preview to ask for next: of `unsettled` that of the other order, where it came from one. */
  readonly preview_id: string;
  readonly order: ReadOrderDto | CreatedOrderDto | null;
  /** Why it was refused, or, where that is told, why it is unknown. */
  readonly error: KeyRefusalDto | null;
  /** Of `placed` its id; of `unsettled` that of the other order, where the exchange has told one. */
  readonly order_id: string | null;
  readonly expires_at: string | null;
  readonly message: string;
  /** Null where nothing is left to do. */
  readonly next: (typeof NEXT_TOOLS)[number] | null;
}

/** 404 of what is not the bot's, or kept no longer. */
export function noSuchPreview(): AppError {
  return new AppError('not_found', 'There is no preview of yours with this id. Ask list_orders what you have placed.');
}

const NOTHING = { order: null, error: null, order_id: null, expires_at: null, next: null } as const;

export function inProgress(id: string): PreviewFate {
  const message = 'A call places this preview. Ask get_order with this preview_id; do not preview the order again.';
  return { ...NOTHING, state: 'in_progress', preview_id: id, message, next: 'get_order' };
}

/** `why` where a call was told. */
export function unknownOutcome(id: string, why: AppError | null = null): PreviewFate {
  const message =
    'The exchange may have the order: it is looked up until that is known. Ask get_order with this preview_id in 5 seconds; ' +
    'do not preview the order again.';
  // What a create says speaks of its key, which an agent does not have.
  const isTold = why?.details?.reason === 'credentials_changed';
  const said = isTold ? why.message : 'No answer proves whether the exchange took the order.';
  const error = why && { code: why.code, message: said, details: { ...why.details } };
  return { ...NOTHING, state: 'unknown', preview_id: id, error, message, next: 'get_order' };
}

/** `other` blocks the market. */
export function unsettledFate(id: string, { previewId, orderId }: UnsettledOther): PreviewFate {
  const message =
    'Nothing was sent: what became of another order of yours on this market is not known yet. Ask get_order with the preview_id ' +
    'here until it is; do not place another order there.';
  return {
    ...NOTHING,
    state: 'unsettled',
    preview_id: previewId ?? id,
    order_id: orderId,
    message,
    next: 'get_order',
  };
}

export function placedFate(id: string, orderId: string, order: PreviewFate['order']): PreviewFate {
  const message = 'The order was made, once.';
  return { ...NOTHING, state: 'placed', preview_id: id, order_id: orderId, order, message };
}

const MADE: ReadonlySet<string> = new Set(['made', 'closed']);

/** Says what became of previews, and sends nothing (contract.md 5.21). */
@Injectable()
export class PreviewFates {
  constructor(
    private readonly kept: KeptPreviews,
    private readonly exchanges: ExchangeRegistry,
    private readonly keys: OrderKeysService,
    private readonly orders: OrdersService,
  ) {}

  /** Throws `not_found` for what is not the bot's, or kept no longer. */
  async get(caller: BotCaller, id: string): Promise<PreviewFate> {
    const standing = await this.kept.find({ userId: caller.userId, botId: caller.bot.id }, id);
    if (standing === null) throw noSuchPreview();
    if (standing.wasPlaced || standing.fate !== null) return this.#placed(caller, id, standing);
    return unplaced(id, standing);
  }

  async #placed(caller: BotCaller, id: string, standing: PreviewStanding): Promise<PreviewFate> {
    const { isBusy, fate } = standing;
    const exchange = this.exchanges.get(standing.exchange);
    const { state, order, error } = await this.keys.get(caller, exchange, id);
    if (order !== null) return placedFate(id, order.id, await this.#now(caller, exchange, order.id, order));
    if (error !== null || fate === 'refused') return refused(id, standing, error);
    if (!isBusy && (fate === null || fate === 'begun')) return notSent(id, standing);
    if (isBusy || state === 'sending') return inProgress(id);
    return this.#unanswered(caller, id, standing);
  }

  /** Its record has no answer. */
  async #unanswered(
    caller: BotCaller,
    id: string,
    { fate, orderId, ...standing }: PreviewStanding,
  ): Promise<PreviewFate> {
    if (fate === 'abandoned') return abandoned(id);
    // Its key has ended: only the id is known.
    if (orderId === null || fate === null || !MADE.has(fate)) return unknownOutcome(id);
    const exchange = this.exchanges.get(standing.exchange);
    return placedFate(id, orderId, await this.#now(caller, exchange, orderId, null));
  }

  /** The order as it stands; what is known of it where the exchange does not say. */
  async #now<Known>(
    caller: BotCaller,
    exchange: Exchange,
    orderId: string,
    known: Known,
  ): Promise<ReadOrderDto | Known> {
    try {
      return await this.orders.get(caller, exchange, orderId);
    } catch (error) {
      if (error instanceof AppError) return known;
      throw error;
    }
  }
}

function unplaced(id: string, { verdict, other, expiresAt }: PreviewStanding): PreviewFate {
  const base = { ...NOTHING, preview_id: id, expires_at: expiresAt.toISOString() };
  if (verdict === 'unsettled' && other !== null) {
    const message = 'Not placed: another order of yours on this market is not settled yet. Ask again in 5 seconds.';
    return { ...base, state: 'unsettled', order_id: other.orderId, message, next: 'get_order' };
  }
  if (verdict === 'expired') {
    const message = 'It was not placed in time, and nothing was sent. Preview the order again if it is still wanted.';
    return { ...base, state: 'expired', message, next: 'preview_order' };
  }
  return { ...base, state: 'not_placed', message: 'It can be placed until expires_at.', next: 'place_order' };
}

function refused(id: string, { verdict, wasRefusedForNow }: PreviewStanding, error: KeyRefusalDto | null): PreviewFate {
  const base = { ...NOTHING, state: 'refused', preview_id: id, error } as const;
  if (wasRefusedForNow !== true || verdict !== 'go')
    return { ...base, message: 'The order was not made: error says why.' };
  const message =
    'The order was not made: error says why. Where that is cured, place_order sends it again, within 10 minutes of its first placing.';
  return { ...base, message, next: 'place_order' };
}

function notSent(id: string, { verdict }: PreviewStanding): PreviewFate {
  const message = 'Nothing was sent of it: the placing was refused, or cut off, before that.';
  return { ...NOTHING, state: 'not_sent', preview_id: id, message, next: verdict === 'go' ? 'place_order' : null };
}

function abandoned(id: string): PreviewFate {
  const message = 'Its key was given up: nothing is sent of it any more.';
  return { ...NOTHING, state: 'abandoned', preview_id: id, message };
}
