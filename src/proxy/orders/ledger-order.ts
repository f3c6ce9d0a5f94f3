import { Injectable } from '@nestjs/common';
import type { ActivityEvent } from '../../activity/activity.service.js';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { FindableOrder, FoundOrder } from '../../exchanges/orders.contract.js';
import { OrderSearch } from '../../exchanges/order-search.js';
import type { OrderDto } from '../../exchanges/unified.trading.dto.js';
import { LookUps } from '../placing/look-ups.js';
import { Ledger } from '../placing/ledger.repository.js';
import { orderOfAnother, type Origin, type Placement } from '../placing/outcomes.js';
import { OutcomeRecorder } from '../placing/outcome-recorder.js';
import { isInDoubt } from '../placing/settling.js';
import type { Kept, LookUp, Shown, Sought } from '../placing/subject.js';
import { BotLimits } from './bot-limits.js';
import { cameToNothing, isEndUnknown } from './order-answers.js';
import { OrderJournal, type Sender } from './order-journal.js';

const ABSENT: LookUp<OrderDto> = { shown: null, isWhole: true };
const UNCLEAR: LookUp<OrderDto> = { shown: null, isWhole: false };
const ANOTHER: LookUp<OrderDto> = { shown: null, isWhole: true, isAnother: true };

/**
 * Whether what was found is the order by itself: nobody else can have used a name of ours, so that a difference is the owner's
 * later change.
 */
function isTheOrder({ isAsAsked }: FoundOrder, { reference }: FindableOrder): boolean {
  return isAsAsked || reference.isOurs;
}

function shownOf({ order, isProvisional, isAbsent = false }: FoundOrder, origin: Origin): Shown<OrderDto> {
  const mayChange = isProvisional === true || isEndUnknown(order);
  return { placed: order, origin, isKept: false, isProvisional: mayChange, isAbsent };
}

/** What orders are placed with. */
@Injectable()
export class OrderParts {
  constructor(
    readonly credentials: CredentialsService,
    readonly records: Ledger,
    readonly recorder: OutcomeRecorder,
    readonly journal: OrderJournal,
    readonly lookUps: LookUps,
    readonly limits: BotLimits,
  ) {}
}

/** An order of the ledger: how it is looked up at its exchange, and kept as the answer of its record. */
export class LedgerOrder implements Kept<OrderDto> {
  readonly recorder: OutcomeRecorder;

  constructor(
    protected readonly parts: OrderParts,
    protected readonly sender: Sender,
    readonly exchange: string,
  ) {
    this.recorder = parts.recorder;
  }

  answerOf(order: OrderDto): object {
    return { order };
  }

  noteOf(placement: Placement<OrderDto>): Promise<ActivityEvent | null> {
    return this.parts.journal.noteOf(this.sender, this.exchange, placement);
  }

  note(placement: Placement<OrderDto>): Promise<void> {
    return this.parts.journal.notePlacement(this.sender, this.exchange, placement);
  }

  /** Looks it up, and says whether what is found is this very order. Throws as `LookUps.find` does. */
  async lookUp(order: FindableOrder, sought: Sought): Promise<LookUp<OrderDto>> {
    const found = await this.#find(order, sought);
    if (found === null) return ABSENT;
    if (await this.#isOfAnotherSender(found, order, sought)) return { ...ANOTHER, refusal: orderOfAnother() };
    return this.#identified(found, order, sought);
  }

  async #identified(found: FoundOrder, order: FindableOrder, sought: Sought): Promise<LookUp<OrderDto>> {
    const isIt = isTheOrder(found, order) || (await this.#isIts(found, sought));
    if (sought.when === 'refused') {
      if (cameToNothing(found.order)) return ANOTHER;
      if (!isIt && found.isOnSide) return UNCLEAR;
    }
    if (!isIt) return ANOTHER;
    const origin = sought.earlier === null && !order.reference.isOurs ? 'duplicate' : 'found';
    return { shown: shownOf(found, origin), isWhole: true };
  }

  /** Nobody else uses a name of ours. */
  async #isOfAnotherSender({ order }: FoundOrder, { reference }: FindableOrder, sought: Sought): Promise<boolean> {
    if (reference.isOurs) return false;
    const mayHaveMade = sought.earlier !== null && isInDoubt(sought.earlier);
    return this.parts.records.isOfAnotherSender(sought.row, order, mayHaveMade);
  }

  /**
   * Under a name that the client chose an order that is not as asked is the order of this key where a sending under the key may have made
   * it, market and side are, and no other record has it.
   */
  async #isIts({ order, isOnSide }: FoundOrder, { when, earlier, claim }: Sought): Promise<boolean> {
    if (when === 'refused' || earlier === null || claim === null) return false;
    if (!isOnSide || !isInDoubt(earlier)) return false;
    return !(await this.parts.records.isAnswerOfAnother(claim, order.id));
  }

  async #find(order: FindableOrder, sought: Sought): Promise<FoundOrder | null> {
    const { when, earlier } = sought;
    const { parts, exchange, sender } = this;
    const account = { userId: sender.userId, exchange };
    const isCancelled = await parts.journal.wasCancelled(account, order.reference.details.order_id);
    // Of a duplicate everything is searched, however old.
    const sentMsAgo = when === 'duplicate' ? null : (earlier?.firstSentMsAgo ?? null);
    const absentMs = when === 'duplicate' ? null : (earlier?.absentMs ?? null);
    const mayShare = when === 'before' || when === 'refused';
    return parts.lookUps.find(sought, parts.records, (beforeCall) =>
      order.find(new OrderSearch(sentMsAgo, beforeCall, { absentMs, isCancelled, mayShare })),
    );
  }
}
