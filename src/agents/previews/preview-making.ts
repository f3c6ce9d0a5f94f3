import { Injectable } from '@nestjs/common';
import { ActivityService } from '../../activity/activity.service.js';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import type { OutcomeRefDto } from '../../exchanges/unified.market-data.dto.js';
import type { AskedOrder } from '../../exchanges/orders.contract.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { OrderPreviewDto, PreviewedOrderDto } from '../../proxy/orders/order-previews.dto.js';
import { OrderPreviews } from '../../proxy/orders/order-previews.service.js';
import type { BotCaller } from '../tool.js';
import { KeptPreviews, MOST_A_MINUTE, type SameTerms } from './kept-previews.repository.js';

/** An order like the one that was previewed, which may be the same twice. */
interface PreviewWarning {
  readonly code: 'same_terms';
  readonly message: string;
  /** Null where it came from no preview. */
  readonly preview_id: string | null;
  /** Null where the exchange has told none. */
  readonly order_id: string | null;
  readonly asked_at: string;
}

/** A preview that can be placed until `expires_at`; both are null where there is no order to place, as `would_be_refused` says. */
export interface BotPreview extends Omit<OrderPreviewDto, 'order'> {
  readonly order: (PreviewedOrderDto & { readonly outcome: OutcomeRefDto | null }) | null;
  readonly preview_id: string | null;
  readonly expires_at: string | null;
  readonly warnings: readonly PreviewWarning[];
}

/** Previews orders of bots, and keeps what may be placed of them (contract.md 5.21). */
@Injectable()
export class PreviewMaking {
  constructor(
    private readonly previews: OrderPreviews,
    private readonly kept: KeptPreviews,
    private readonly exchanges: ExchangeRegistry,
    private readonly activity: ActivityService,
  ) {}

  /** Throws as `OrderPreviews.preview` does, and `rate_limited` past 60 a minute. */
  async make(caller: BotCaller, exchangeId: string, body: object): Promise<BotPreview> {
    const exchange = this.exchanges.get(exchangeId);
    const { shown: preview, outcome, placeable } = await this.previews.toPlace(caller, exchange, body);
    const order = preview.order && Object.assign({ outcome }, preview.order);
    const shown = Object.assign({}, preview, { order });
    if (placeable === null) return Object.assign({ preview_id: null, expires_at: null, warnings: [] }, shown);
    const { body: request, asked, previewed } = placeable;
    const scope = { userId: caller.userId, botId: caller.bot.id };
    const same = await this.kept.sameTerms(scope, exchange.id, asked);
    const kept = { exchange: exchange.id, marketId: asked.market_id, request, previewed: previewed ?? null };
    const made = await this.kept.make(scope.botId, kept, (id) => this.#noteOf(caller, exchange.id, asked, id));
    if (made.expiresAt === null) throw tooMany(made.waitSeconds);
    const { id: preview_id, expiresAt } = made;
    return Object.assign({ preview_id, expires_at: expiresAt.toISOString(), warnings: same.map(warningOf) }, shown);
  }

  #noteOf({ userId, keyPrefix, bot }: BotCaller, exchange: string, asked: AskedOrder, id: string): string {
    const { market_id, outcome_index, side, price, size, time_in_force, post_only } = asked;
    const details = { preview_id: id, market_id, outcome_index, side, price, size, time_in_force, post_only };
    return this.activity.prepare({ type: 'order_previewed', userId, keyPrefix, botId: bot.id, exchange, details });
  }
}

function warningOf({ previewId, orderId, askedAt }: SameTerms): PreviewWarning {
  return {
    code: 'same_terms',
    message: 'You have sent an order of the same terms within 10 minutes. Placing this preview makes another one.',
    preview_id: previewId,
    order_id: orderId,
    asked_at: askedAt.toISOString(),
  };
}

function tooMany(waitSeconds: number): AppError {
  return new AppError('rate_limited', `A bot makes at most ${MOST_A_MINUTE} previews a minute.`, {
    details: { reason: 'previews' },
    retryAfterSeconds: waitSeconds,
  });
}
