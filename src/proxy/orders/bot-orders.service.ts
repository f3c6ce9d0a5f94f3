import { Injectable } from '@nestjs/common';
import { type ApiKeyPrincipal, botNamed } from '../../access/principal.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { WantedOrders } from '../../exchanges/cancel-walk.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { AppError } from '../../platform/errors/app-error.js';
import { withoutClientAbort } from '../../platform/upstream/call-context.js';
import { type BotUsage, Reservations, type UnsettledOrder } from '../placing/reservations.repository.js';
import { OrderJournal } from './order-journal.js';
import { OrderNotes } from './order-notes.js';
import { OrderProofs } from './order-proofs.js';
import { SentOrders } from './sent-orders.js';

export type { BotUsage, UnsettledOrder };

/** An order of a bot that a cancel was about. */
interface BotsOrder {
  readonly botId: string;
  readonly id: string;
}

/** What a cancel of bots' orders at one exchange came to. */
export interface BotsCancel {
  readonly cancelled: readonly BotsOrder[];
  readonly notCancelled: readonly (BotsOrder & { readonly reason: string })[];
  /** Ids of open orders of which no record here says who has sent them: they are left alone. */
  readonly unknown: readonly string[];
  /** Why there may be more; null where all were seen. */
  readonly failure: AppError | null;
}

/** Whether an order that a bot sent then, in µs by the database's clock, is meant. */
export type IsMeant = (botId: string, sentAt: number) => boolean;

/** Which orders of a user's bots are meant. */
export interface Meant {
  readonly userId: string;
  readonly botIds: readonly string[];
  readonly isMeant: IsMeant;
}

const OTHER_ACCOUNT =
  'Credentials of another account are stored than sent the orders that are not settled: store those again, and halt once more.';

/** What became of orders of bots, and an end to those that rest, for whoever halts bots (contract.md 5.12, 5.13). */
@Injectable()
export class BotOrdersService {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly notes: OrderNotes,
    private readonly journal: OrderJournal,
    private readonly sent: SentOrders,
    private readonly reservations: Reservations,
    private readonly proofs: OrderProofs,
  ) {}

  /** How much of their limits bots use, by id. */
  usageOf(botIds: readonly string[]): Promise<ReadonlyMap<string, BotUsage>> {
    return this.reservations.usageOf(botIds);
  }

  /** Whether an order of a bot is on its way, or unknown while it may still show. */
  isUnsettled(botId: string): Promise<boolean> {
    return this.reservations.isUnsettled(botId);
  }

  /** Orders of these bots that could still be executed, as far as is known. */
  listUnsettled(botIds: readonly string[]): Promise<UnsettledOrder[]> {
    return this.reservations.listUnsettled(botIds);
  }

  /** The exchanges at which these bots have orders of which something is not proved. */
  exchangesOf(botIds: readonly string[]): Promise<string[]> {
    return this.reservations.exchangesOf(botIds);
  }

  /**
   * Cancels what rests of bots of one user; one walk through the open orders of an exchange serves all of them. Throws
   * `credentials_not_configured`, and what keeps the first orders from being seen or cancelled.
   */
  async cancel(exchange: Exchange, { userId, botIds, isMeant }: Meant): Promise<BotsCancel> {
    const trading = await this.credentials.trading(userId, exchange);
    const owners = new Map<string, string>();
    const unknown = new Set<string>();
    const wanted: WantedOrders = async (orders) => {
      const shown = orders.map(({ id, clientOrderId }) => ({ id, client_order_id: clientOrderId }));
      const known = await this.notes.ofPage(callerOf(userId, botIds[0] ?? ''), exchange, shown);
      for (const order of shown) {
        const owner = known.ownerOf(order);
        if (owner === undefined) unknown.add(order.id);
        if (owner != null && botIds.includes(owner) && isMeant(owner, known.sentAt(order))) owners.set(order.id, owner);
      }
      return new Set(owners.keys());
    };
    const { failure = null, ...report } = await withoutClientAbort(() => trading.cancelAllOrders({ wanted }));
    for (const botId of botIds) {
      const own = report.cancelled.filter((id) => owners.get(id) === botId);
      const cancelled = own.map((orderId) => ({ orderId, size: null }));
      await this.journal.noteCancelled(callerOf(userId, botId), exchange.id, cancelled);
    }
    const ofBot = (id: string): BotsOrder => ({ botId: owners.get(id) ?? '', id });
    return {
      cancelled: report.cancelled.map(ofBot),
      notCancelled: report.not_cancelled.map(({ id, reason }) => ({ ...ofBot(id), reason })),
      unknown: [...unknown],
      failure,
    };
  }

  /** Looks at the exchange what became of orders of bots of a user. */
  prove(userId: string, exchange: string): Promise<void> {
    return this.proofs.read(userId, exchange);
  }

  /** Throws `order_outcome_unknown` (`credentials_changed`) where the stored credentials are of another account than sent one of these. */
  async requireAccountOf(userId: string, exchange: Exchange, orders: readonly UnsettledOrder[]): Promise<void> {
    const trading = await this.credentials.trading(userId, exchange);
    if (orders.every(({ account }) => account !== null && trading.forAccount(account) !== null)) return;
    throw new AppError('order_outcome_unknown', OTHER_ACCOUNT, { details: { reason: 'credentials_changed' } });
  }

  /** Looks up what became of orders that no call works on. */
  async settle(orders: readonly UnsettledOrder[]): Promise<void> {
    for (const { placementId, isBusy } of orders) if (!isBusy) await this.sent.settleLeft(placementId);
  }
}

/** What the service does for a bot. */
function callerOf(userId: string, botId: string): ApiKeyPrincipal {
  return { kind: 'api-key', userId, keyPrefix: '', scopes: [], bot: botNamed(botId) };
}
