import { Injectable } from '@nestjs/common';
import { botIdOf } from '../../access/principal.js';
import type { ReadOrderDto } from '../orders/orders.dto.js';
import type { Channel, OpenLine, Opener, Subscription } from './channel.contract.js';
import type { OrderedTexts } from './ordered-texts.js';
import { OwnAccounts } from './own-accounts.js';
import type { OwnMessage } from './own-events.js';
import { OwnLine, type OwnTeller } from './own-line.js';
import { ownStatusText, ownText, snapshotText } from './own-texts.js';

/** Orders of one snapshot; those beyond follow one by one, before `live`. */
const MOST_IN_SNAPSHOT = 500;

/** Own orders: the open ones, then each that changes; of a bot its own (contract.md 5.14). */
@Injectable()
export class OrderChannel implements Channel {
  readonly name = 'orders';
  readonly isResumable = false;

  constructor(private readonly accounts: OwnAccounts) {}

  async open(subscription: Subscription, { caller }: Opener): Promise<OpenLine> {
    const account = await this.accounts.hold(caller.userId, subscription.exchange);
    return new OwnLine(account, new OrderTeller(subscription, botIdOf(caller)));
  }
}

/** Own orders for one reader. */
class OrderTeller implements OwnTeller {
  readonly isResumable = false;
  readonly position = null;
  readonly #markets: ReadonlySet<string>;
  readonly #exchange: string;
  #hasBegun = false;

  constructor(
    { exchange, marketIds }: Subscription,
    private readonly botId: string | null,
  ) {
    this.#exchange = exchange.id;
    this.#markets = new Set(marketIds);
  }

  tell(message: OwnMessage, texts: OrderedTexts): void {
    if (message.type === 'orders') this.#snapshot(message.orders, texts);
    else if (message.type === 'status') texts.tell(ownStatusText('orders', this.#exchange, message));
    else if (message.type === 'order' && this.#hasBegun && this.#isWanted(message.order)) texts.tell(ownText(message));
  }

  #snapshot(orders: readonly ReadOrderDto[], texts: OrderedTexts): void {
    const wanted = orders.filter((order) => this.#isWanted(order));
    const reason = this.#hasBegun ? 'resync' : 'initial';
    this.#hasBegun = true;
    texts.forget();
    texts.owe(() => snapshotText(this.#exchange, reason, wanted.slice(0, MOST_IN_SNAPSHOT)));
    for (const order of wanted.slice(MOST_IN_SNAPSHOT)) texts.owe(() => ownText({ type: 'order', order }));
  }

  #isWanted({ bot_id, market_id }: ReadOrderDto): boolean {
    if (this.botId !== null && bot_id !== this.botId) return false;
    return this.#markets.size === 0 || this.#markets.has(market_id);
  }
}
