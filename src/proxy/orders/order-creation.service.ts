import { Injectable } from '@nestjs/common';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { AppError } from '../../platform/errors/app-error.js';
import { validateAs } from '../../platform/http/validation.js';
import { randomOrderId } from '../../platform/secrets/random.js';
import { outlivingClient } from '../../platform/upstream/call-context.js';
import { ownClientOrderId } from './client-order-id.js';
import { OrderJournal } from './order-journal.js';
import { asUnknown, isDuplicate, isOutcomeUnknown, isTheOrder, type Placement } from './order-outcomes.js';
import { type OrderCall, IdempotentPlacement } from './idempotent-placement.js';
import { OrderFinder } from './order-finder.js';

/** An order as the client asks for it: the body, and the `Idempotency-Key` where there is one. */
interface OrderInput {
  readonly body: unknown;
  readonly key: string | undefined;
}

/** Creates orders with the caller's own stored credentials (DESIGN 5). */
@Injectable()
export class OrderCreationService {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly idempotent: IdempotentPlacement,
    private readonly finder: OrderFinder,
    private readonly journal: OrderJournal,
  ) {}

  /**
   * Checks the body, prepares the order, sends it once, with a key once over all repeats, and notes it in the activity
   * (DESIGN 5, R-12, R-14). Throws `bad_request`, `credentials_not_configured`, what the exchange proved, and
   * `order_outcome_unknown` where the order may exist; with a key also `idempotency_in_progress` and `idempotency_key_reused`.
   */
  async create(caller: ApiKeyPrincipal, exchange: Exchange, { body, key }: OrderInput): Promise<Placement> {
    const request = await validateAs<object>(exchange.OrderRequest, body);
    exchange.checkOrder?.(request);
    const call = { request, trading: await this.credentials.trading(caller.userId, exchange) };
    let placement: Placement;
    try {
      if (key === undefined) placement = await this.#placeOnce(call);
      else placement = await this.idempotent.place({ userId: caller.userId, exchange: exchange.id, key }, call);
    } catch (error) {
      if (isOutcomeUnknown(error)) await this.journal.noteUnknown(caller, exchange.id, error.details);
      throw error;
    }
    await this.journal.notePlacement(caller, exchange.id, placement);
    return placement;
  }

  /** Without a key: sends once. For a duplicate it returns the order that the exchange has. */
  async #placeOnce({ request, trading }: OrderCall): Promise<Placement> {
    const call = this.finder.begin();
    const prepared = await trading.prepareOrder(request, ownClientOrderId(request) ?? randomOrderId());
    try {
      return { order: await outlivingClient(() => prepared.place()), origin: 'made' };
    } catch (error) {
      if (!(error instanceof AppError)) throw asUnknown(error, prepared.reference, 'order_id' in prepared.reference);
      if (!isDuplicate(error)) throw error;
      const found = await this.finder.findDuplicate(prepared, call, error);
      if (!isTheOrder(found, request)) throw error;
      return { order: found.order, origin: 'duplicate' };
    }
  }
}
