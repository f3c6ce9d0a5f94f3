import { Injectable } from '@nestjs/common';
import { botIdOf, type Principal } from '../../access/principal.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { ERROR_CODES, ERROR_REASONS } from '../../platform/errors/error-codes.js';
import { type KeyRecord, LedgerKeys } from '../placing/ledger-keys.repository.js';
import { refusalIn } from '../placing/outcomes.js';
import { checkKey } from './idempotency.decorator.js';
import { orderIn } from './order-answers.js';
import { OrderNotes, withRequest } from './order-notes.js';
import type { KeyFateDto, KeyRefusalDto } from './orders.dto.js';

const NONE: KeyFateDto = { state: 'none', order: null, error: null, refusal_holds_at: null };

/** What became of the keys of orders, by the ledger alone: nothing is asked of an exchange (contract.md 5). */
@Injectable()
export class OrderKeysService {
  constructor(
    private readonly keys: LedgerKeys,
    private readonly notes: OrderNotes,
  ) {}

  /**
   * Tells what the record of a key of the caller says: of a bot its own, of a session those of the main key. Throws `bad_request` for what
   * is no key.
   */
  async get(caller: Principal, exchange: Exchange, given: string): Promise<KeyFateDto> {
    const key = checkKey('idempotency_key', given);
    const { userId } = caller;
    const record = await this.keys.find({ userId, botId: botIdOf(caller), exchange: exchange.id, kind: 'order', key });
    if (record === null) return NONE;
    const order = orderIn(record.answer);
    return {
      state: record.state,
      order: order && withRequest(order, await this.notes.ofPage(caller, exchange, [order])),
      error: order === null && record.state === 'done' ? refusalOf(record) : null,
      refusal_holds_at: record.refusalHoldsAt?.toISOString() ?? null,
    };
  }
}

/** The refusal that is kept, or of one that its owner may cure what the record says of it. */
function refusalOf({ answer, reason, words }: KeyRecord): KeyRefusalDto | null {
  const kept = refusalIn(answer);
  if (kept !== null) return { code: kept.code, message: kept.message, details: { ...kept.details } };
  if (reason === null) return null;
  const code = codeOf(reason);
  return { code, message: words ?? '', details: code === reason ? {} : { reason } };
}

/** The code that has this reason, where it is not a code itself. */
function codeOf(reason: string): string {
  if (reason in ERROR_CODES) return reason;
  const reasons = Object.entries<readonly string[]>(ERROR_REASONS);
  return reasons.find(([, known]) => known.includes(reason))?.[0] ?? 'exchange_rejected';
}
