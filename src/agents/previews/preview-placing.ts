import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import { AppError } from '../../platform/errors/app-error.js';
import { toAppError } from '../../platform/http/to-app-error.js';
import { currentCallContext } from '../../platform/upstream/call-context.js';
import { OrdersService } from '../../proxy/orders/orders.service.js';
import type { BotCaller } from '../tool.js';
import {
  KeptPreviews,
  MOST_WAIT_MS,
  PLACEABLE_SECONDS,
  type PreviewScope,
  type BegunPlacing,
  type PreviewStanding,
} from './kept-previews.repository.js';
import {
  inProgress,
  noSuchPreview,
  placedFate,
  type PreviewFate,
  PreviewFates,
  unknownOutcome,
  unsettledFate,
} from './preview-fates.js';

const FIRST_LOOK_MS = 100;
const LONGEST_LOOK_MS = 1_000;
/** Under these fates an order may exist. */
const MAY_EXIST: ReadonlySet<string> = new Set(['sending', 'unknown', 'made', 'closed']);

/** How a call waits for its turn. */
interface Turn {
  /** By `performance.now()`. */
  readonly until: number;
  /** Whether another call was at the placing. */
  readonly isUnderWay: boolean;
}

/**
 * Places previews of bots: the id of a preview is the `Idempotency-Key` of an ordinary placing, so that however often it is called, and wherever,
 * one order is made (contract.md 5.21, R-14).
 */
@Injectable()
export class PreviewPlacing {
  readonly #logger = new Logger('PreviewPlacing');

  constructor(
    private readonly kept: KeptPreviews,
    private readonly fates: PreviewFates,
    private readonly exchanges: ExchangeRegistry,
    private readonly orders: OrdersService,
  ) {}

  /**
   * Throws what refuses the order, `preview_expired` where its time is over and nothing was sent, and `not_found` for what is not the bot's. What is not
   * known is a result, never an error: an error would invite another order.
   */
  async place(caller: BotCaller, id: string): Promise<PreviewFate> {
    const until = performance.now() + MOST_WAIT_MS;
    let isUnderWay = false;
    for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(2 * lookMs, LONGEST_LOOK_MS)) {
      const fate = await this.#try(caller, id, { until, isUnderWay });
      if (fate !== null) return fate;
      if (performance.now() + lookMs >= until || currentCallContext()?.signal?.aborted === true) return inProgress(id);
      isUnderWay = true;
      await delay(lookMs);
    }
  }

  /** Null while another call is at it. */
  async #try(caller: BotCaller, id: string, turn: Turn): Promise<PreviewFate | null> {
    const begun = await this.#begin({ userId: caller.userId, botId: caller.bot.id }, id, turn);
    if (begun === 'held_up') return inProgress(id);
    if (begun?.verdict !== 'go') return this.#unplaced(caller, id, begun);
    try {
      return await this.#place(caller, id, begun);
    } catch (error) {
      // What keeps this call from going on says nothing of the order that an earlier one has sent.
      if (!(error instanceof AppError) || !MAY_EXIST.has(begun.fate ?? '')) throw error;
    } finally {
      await this.#end(id, begun.turn);
    }
    return this.fates.get(caller, id);
  }

  /** As `KeptPreviews.beginPlacing`; `held_up` where this call does not get so far, and an earlier one may have sent the order. */
  async #begin(scope: PreviewScope, id: string, { until, isUnderWay }: Turn): Promise<BegunPlacing | 'held_up' | null> {
    let wasPlaced = isUnderWay;
    try {
      const known = await this.kept.find(scope, id);
      if (known?.verdict !== 'go') return known && { ...known, turn: null };
      wasPlaced ||= known.wasPlaced;
      return await this.kept.beginPlacing(scope, id, until);
    } catch (error) {
      if (!toAppError(error).retryable) throw error;
      if (wasPlaced || (await this.kept.find(scope, id))?.wasPlaced === true) return 'held_up';
      throw error;
    }
  }

  async #unplaced(caller: BotCaller, id: string, standing: PreviewStanding | null): Promise<PreviewFate | null> {
    if (standing === null) throw noSuchPreview();
    const { verdict, other } = standing;
    if (verdict === 'expired') throw expired();
    if (verdict === 'unsettled' && other !== null) return unsettledFate(id, other);
    return verdict === 'look' ? this.fates.get(caller, id) : null;
  }

  async #place(
    caller: BotCaller,
    id: string,
    { exchange, request, previewed }: PreviewStanding,
  ): Promise<PreviewFate | null> {
    try {
      const way = { key: id, previewed };
      const order = await this.orders.create(caller, this.exchanges.get(exchange), request, way);
      return placedFate(id, order.id, order);
    } catch (error) {
      if (error instanceof AppError) return asFate(id, error);
      this.#logger.error({ err: error, message: 'a preview could not be placed, or what became of it not be told' });
      return unknownOutcome(id);
    }
  }

  /** What cannot be written lapses. */
  async #end(id: string, turn: string | null): Promise<void> {
    if (turn === null) return;
    try {
      await this.kept.endPlacing(id, turn);
    } catch (error) {
      this.#logger.warn({ err: error, message: 'the end of a placing could not be written, and is in some seconds' });
    }
  }
}

function expired(): AppError {
  const message = `This preview was to be placed within ${PLACEABLE_SECONDS} seconds. Nothing was sent: preview the order again.`;
  return new AppError('preview_expired', message);
}

/** What an error of a create says of it; null where another call is at it. Throws what is certain, and what may be tried again. */
function asFate(id: string, error: AppError): PreviewFate | null {
  if (error.code === 'idempotency_in_progress') return null;
  if (error.code === 'order_outcome_unknown') return unknownOutcome(id, error);
  if (error.code === 'idempotency_key_abandoned')
    throw error.retold('This preview was given up, so nothing is sent of it. Preview the order again.');
  throw error.retryable ? error.retold(`${error.message} Call place_order again with the same preview_id.`) : error;
}
