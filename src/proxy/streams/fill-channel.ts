import { Injectable } from '@nestjs/common';
import { botIdOf } from '../../access/principal.js';
import { canonicalId, type Exchange } from '../../exchanges/exchange.js';
import type { AccountStatus } from '../../feeds/private-messages.js';
import type { ReadFillDto } from '../trading/holdings.dto.js';
import type { Channel, OpenLine, Opener, Subscription } from './channel.contract.js';
import { FillPosition, readPosition, type SavedPosition, shortDigest } from './fill-position.js';
import { readMissed } from './fill-resumption.js';
import type { OrderedTexts } from './ordered-texts.js';
import { type OwnAccount, OwnAccounts } from './own-accounts.js';
import type { OwnMessage } from './own-events.js';
import { OwnLine, type OwnTeller } from './own-line.js';
import { StreamMetrics } from './stream-metrics.js';
import { type Gap, ownStatusText, ownText } from './own-texts.js';

/** A line may have been silent for so long before its loss is seen. */
const SILENT_MS = 35_000;

/** Own fills as they happen, of a bot those of its orders; they go on behind `Last-Event-ID` (contract.md 5.14). */
@Injectable()
export class FillChannel implements Channel {
  readonly name = 'fills';
  readonly isResumable = true;

  constructor(
    private readonly accounts: OwnAccounts,
    private readonly metrics: StreamMetrics,
  ) {}

  async open(subscription: Subscription, { caller, position }: Opener): Promise<OpenLine> {
    const saved = readPosition(position);
    const account = await this.accounts.hold(caller.userId, subscription.exchange);
    let line: OwnLine | undefined;
    try {
      const digest = await account.read((trading) => Promise.resolve(trading.accountDigest().toString('base64url')));
      const noteTime = (timeMs: number): void => {
        this.metrics.noteAge(subscription.exchange.id, 'fills', timeMs);
      };
      const teller = new FillTeller(subscription, botIdOf(caller), shortDigest(digest), saved, noteTime);
      line = new OwnLine(account, teller);
      await teller.readMissed(account);
      return line;
    } catch (error) {
      if (line === undefined) account.release();
      else line.close();
      throw error;
    }
  }
}

/** Own fills for one reader. */
class FillTeller implements OwnTeller {
  readonly isResumable = true;
  readonly #markets: ReadonlySet<string>;
  readonly #exchange: Exchange;
  readonly #orderId: string | null;
  readonly #filters: string;
  readonly #told: FillPosition;
  /** What was missed before the line began, and is told first; by id and status it is not told again. */
  #missed: readonly ReadFillDto[] = [];
  readonly #missedStates = new Map<string, ReadFillDto['status']>();
  #gap: Gap | null = null;
  /** Before this time all was told, Unix milliseconds; null while all is, until now. */
  #sureMs: number | null;

  constructor(
    { exchange, marketIds, orderId }: Subscription,
    private readonly botId: string | null,
    private readonly account: string,
    private readonly saved: SavedPosition | null,
    private readonly noteTime: (timeMs: number) => void,
  ) {
    this.#exchange = exchange;
    this.#markets = new Set(marketIds);
    this.#orderId = orderId;
    this.#filters = shortDigest(JSON.stringify([marketIds.toSorted(), orderId]));
    this.#told = new FillPosition(account, this.#filters, saved);
    this.#sureMs = saved?.timeMs ?? this.#nowMs;
  }

  get position(): object {
    return this.#told.at(this.#sureMs ?? this.#nowMs);
  }

  /** By the exchange's clock, which its list of fills goes by, whichever instance reads that. */
  get #nowMs(): number {
    return Date.now() + this.#skewMs;
  }

  get #skewMs(): number {
    return this.#exchange.clockSkewMs ?? 0;
  }

  /** Reads what the client missed, while what happens meanwhile is kept. Throws as signed reads do. */
  async readMissed(account: OwnAccount): Promise<void> {
    const { saved } = this;
    if (saved === null) return;
    if (saved.account !== this.account || saved.filters !== this.#filters) {
      this.#gap = { fromMs: saved.timeMs, toMs: this.#nowMs };
      return;
    }
    const { fills, gap } = await account.read((trading) => readMissed(trading, saved, this.#orderId));
    const named = await account.events.named(fills);
    this.#gap = gap;
    this.#missed = named.filter((fill) => this.#isWanted(fill) && !this.#told.hasTold(fill));
  }

  begin(texts: OrderedTexts): void {
    for (const fill of this.#missed) {
      this.#missedStates.set(fill.id, fill.status);
      const text = (): string => ownText({ type: 'fill', fill });
      texts.owe(text, () => {
        this.#told.note(fill);
      });
    }
    this.#missed = [];
  }

  tell(message: OwnMessage, texts: OrderedTexts): void {
    if (message.type === 'status') this.#status(message, texts);
    else if (message.type === 'gap') this.#gap = { fromMs: this.#gap?.fromMs ?? message.fromMs, toMs: message.toMs };
    else if (message.type === 'fill' && this.#isWanted(message.fill) && !this.#wasMissed(message.fill)) {
      const { fill } = message;
      texts.tell(ownText(message, this.noteTime), () => {
        this.#told.note(fill);
      });
    }
  }

  #status(status: AccountStatus, texts: OrderedTexts): void {
    const isLive = status.state === 'live';
    const text = ownStatusText('fills', this.#exchange.id, status, isLive ? this.#gap : null);
    if (isLive) this.#gap = null;
    texts.tell(text, () => {
      this.#sureMs = isLive ? null : Math.min(this.#sureMs ?? Infinity, status.sinceMs + this.#skewMs - SILENT_MS);
    });
  }

  /** Whether a fill is among those that were told as missed, in this state or a later one. */
  #wasMissed({ id, status }: ReadFillDto): boolean {
    const missed = this.#missedStates.get(id);
    return missed === status || (missed !== undefined && status === 'pending');
  }

  #isWanted({ bot_id, market_id, order_id }: ReadFillDto): boolean {
    if (this.botId !== null && bot_id !== this.botId) return false;
    if (this.#orderId !== null && canonicalId(this.#exchange, 'order', order_id) !== this.#orderId) return false;
    return this.#markets.size === 0 || this.#markets.has(market_id);
  }
}
