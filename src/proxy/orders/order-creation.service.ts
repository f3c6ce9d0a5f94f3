import { Injectable } from '@nestjs/common';
import type { ApiKeyPrincipal } from '../../access/principal.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import { validateAs } from '../../platform/http/validation.js';
import type { Idempotency } from './idempotency.decorator.js';
import { OrderJournal } from './order-journal.js';
import { OrderPlacementService } from './order-placement.service.js';

/** An order as it was asked for. */
interface OrderCall {
  readonly body: unknown;
  readonly idempotency: Idempotency;
}

/** Creates orders with the caller's own stored credentials (DESIGN 5). */
@Injectable()
export class OrderCreationService {
  constructor(
    private readonly credentials: CredentialsService,
    private readonly placement: OrderPlacementService,
    private readonly journal: OrderJournal,
  ) {}

  /** Checks the body, prepares the order and sends it once; with a key also once over all repeats (DESIGN 5, R-12, R-14). */
  async create(caller: ApiKeyPrincipal, exchange: Exchange, { body, idempotency }: OrderCall): Promise<OrderDto> {
    const request = await validateAs<object>(exchange.OrderRequest, body);
    exchange.checkOrder?.(request);
    const trading = await this.credentials.trading(caller.userId, exchange);
    const call = { request, trading };
    const { order, origin } = await this.journal.ofCreation(caller, exchange.id, () => {
      if (idempotency.key === undefined) return this.placement.placeOnce(call);
      return this.placement.place({ userId: caller.userId, exchange: exchange.id, key: idempotency.key }, call);
    });
    if (origin === 'replayed') idempotency.markReplayed();
    return order;
  }
}
