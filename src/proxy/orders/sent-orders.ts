import { Injectable, Logger } from '@nestjs/common';
import { botNamed } from '../../access/principal.js';
import { ExchangeRegistry } from '../../exchanges/exchange.registry.js';
import type { FindableOrder } from '../../exchanges/orders.contract.js';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import { LookUps } from '../placing/look-ups.js';
import { type OpenOrder, OpenPlacements, type UnwantedOrder } from '../placing/ledger-open.repository.js';
import { hasCode, outcomeUnknown, takenByAnother } from '../placing/outcomes.js';
import { ALL_REFUSED, type Claim } from '../placing/placement.js';
import { doubtOf, keep } from '../placing/settling.js';
import type { LookUp } from '../placing/subject.js';
import { deriveClientOrderId } from './client-order-id.js';
import { LedgerOrder, OrderParts } from './ledger-order.js';
import { nameOf, sentIn } from './order.subject.js';
import { OrdersService } from './orders.service.js';

/** What became of an order: it exists, it does not, or nobody can tell yet. */
export type Settled = { readonly order: OrderDto } | 'none' | 'unknown';

const NOT_SENT = 'The service ended before it could send this. Nothing was sent.';
const NOT_RECEIVED =
  'The exchange does not have this order, and it was sent too long ago to show still: it never arrived. The same call may be repeated.';

/**
 * Learns what became of an order by its row alone, without the call that asked for it: what exists is its answer, and what a whole
 * look-up does not show once `refusal_holds_at` has passed does not exist.
 */
@Injectable()
export class SentOrders {
  readonly #logger = new Logger('SentOrders');

  constructor(
    private readonly parts: OrderParts,
    private readonly lookUps: LookUps,
    private readonly registry: ExchangeRegistry,
    private readonly orders: OrdersService,
    private readonly open: OpenPlacements,
  ) {}

  /** Looks it up within `UPSTREAM_TIMEOUT`, and writes what it has come to; what fails leaves the row as it was. */
  async settle(open: OpenOrder): Promise<Settled> {
    const { claim, sendings } = open;
    const { recorder } = this.parts;
    if (sendings.reference === null) {
      return (await recorder.forget(claim, new AppError('service_unavailable', NOT_SENT))) ? 'none' : 'unknown';
    }
    try {
      return await this.#lookedUp(open);
    } catch (error) {
      if (hasCode(error, 'idempotency_in_progress')) return 'unknown';
      if (!(error instanceof AppError)) this.#logger.error({ err: error, message: 'an order could not be looked up' });
      return this.#left(open);
    }
  }

  /** As `settle`, of a row by its id, unless a call works on it, or it has an end. */
  async settleLeft(placementId: string): Promise<void> {
    const open = await this.open.take(placementId, this.lookUps.busyMs);
    if (open !== null) await this.settle(open);
  }

  /** Whether the exchange has made all the same what it refused: then that is the answer. What cannot be looked up changes nothing. */
  async findRefused(open: OpenOrder): Promise<OrderDto | null> {
    if (open.sendings.refusalHoldsAt === ALL_REFUSED) return null;
    const found = await this.#lookUp(open, 'refused');
    return found?.shown?.placed ?? null;
  }

  async #lookedUp(open: OpenOrder): Promise<Settled> {
    const { claim, sendings } = open;
    const found = await this.#lookUp(open, 'before');
    if (found === null) return this.#left(open);
    if (found.shown !== null) return { order: found.shown.placed };
    const isAbsent = sendings.refusalHolds && found.isWhole;
    if (isAbsent && sendings.refusalHoldsAt === ALL_REFUSED) {
      await this.#left(open);
      return 'none';
    }
    if (found.isAnother === true)
      return this.#none(claim, found.refusal ?? takenByAnother('order', claim.exchange), true);
    if (isAbsent) return this.#none(claim, new AppError('exchange_unavailable', NOT_RECEIVED), false);
    return this.#left(open);
  }

  /** Keeps what it finds as the answer. Null where nobody can look. */
  async #lookUp(open: OpenOrder, when: 'before' | 'refused'): Promise<LookUp<OrderDto> | null> {
    const { claim, sendings } = open;
    const readsUntil = this.lookUps.begin();
    const earlier = { ...sendings, readAt: performance.now() };
    const sent = await this.#sentOrder(open);
    if (sent === null) return null;
    const subject = new LedgerOrder(this.parts, claim, claim.exchange);
    const found: LookUp<OrderDto> = await subject.lookUp(sent, { when, earlier, row: claim, claim, readsUntil });
    const wasRefused = when === 'refused';
    if (found.shown !== null) await keep({ subject, claim }, { name: sent.reference.details }, found.shown, wasRefused);
    return found;
  }

  /** There is no such order, unless somebody else has taken over, who may know it by now. */
  async #none(claim: Claim, refusal: AppError, isVerified: boolean): Promise<Settled> {
    const told = await this.parts.recorder.recordRefused(claim, refusal, isVerified);
    return told === refusal ? 'none' : 'unknown';
  }

  /** Cancels an order that lives although its key was given up. Where that fails, or its end is only assumed, it is tried again. */
  async cancelUnwanted({ id, userId, keyPrefix, botId, exchange, orderId }: UnwantedOrder): Promise<void> {
    const bot = botId === null ? null : botNamed(botId);
    const caller = { kind: 'api-key', userId, keyPrefix, scopes: [], bot } as const;
    const { isAssumed } = await this.orders.cancelSent(caller, this.registry.get(exchange), orderId);
    if (!isAssumed) await this.open.close(id);
  }

  /** Null where the stored credentials are of another account, or the row does not say what was asked. */
  async #sentOrder({ claim, sendings, asked }: OpenOrder): Promise<FindableOrder | null> {
    const sent = sentIn(sendings.reference);
    const trading = await this.parts.credentials.trading(claim.userId, this.registry.get(claim.exchange));
    const account = sendings.account && trading.forAccount(sendings.account);
    if (account === null || asked === null) return null;
    // Without a key it was sent under the random value of its row.
    const clientOrderId = claim.key === null ? claim.nonce : deriveClientOrderId(claim);
    const naming = { clientOrderId, createdAt: claim.createdAt, sentAs: sent };
    return account.sentOrder(asked, naming);
  }

  /** As unknown as it was. */
  async #left({ claim, sendings }: OpenOrder): Promise<'unknown'> {
    const answer = lookedUpInVain(claim, sendings.reference);
    await this.parts.recorder.recordUnknown(claim, answer, doubtOf(sendings));
    return 'unknown';
  }
}

/** The error of an order of unknown fate that could not be found yet. */
function lookedUpInVain(claim: Pick<Claim, 'kind'>, reference: unknown): AppError {
  const sent = sentIn(reference);
  return outcomeUnknown(claim.kind, {
    message: 'The order does not show yet.',
    name: sent === null ? {} : nameOf(sent),
  });
}
