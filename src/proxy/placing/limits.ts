import { AppError } from '../../platform/errors/app-error.js';
import type { ErrorCode } from '../../platform/errors/error-codes.js';
import { within } from '../../platform/time/within.js';
import { hasCode } from './outcomes.js';
import type { BrokenLimit } from './placement.js';

/** Limits that have room again once it is known what became of other orders of the bot. */
const OF_ROOM: ReadonlySet<string> = new Set([
  'max_open_risk',
  'max_daily_risk',
  'max_total_risk',
  'max_position',
  'max_open_orders',
]);

/** Refusals after which no look finds room: the attempt itself was one too many. */
const FINAL = new WeakSet<AppError>();

/** A look at the bot's other orders takes so long at most, in ms. */
const LOOK_MS = 5_000;

const WHY = {
  size_not_bounded: 'How much its money buys is not bounded: at the smallest tick it would be too much.',
  no_reference_price: 'There is no price to compare with: neither a quote of somebody else nor a trade.',
  expiry_too_late: 'It may rest for longer than the limit allows.',
} as const;

/** 403 `limit_exceeded`: nothing was sent (contract.md 5.12). */
export function limitExceeded({ reason, may_look_again: mayLookAgain, ...broken }: BrokenLimit): AppError {
  const why = reason === null ? '' : ` ${WHY[reason]}`;
  const message = `The order would pass the limit ${broken.limit} of this bot. Nothing was sent.${why}`;
  const error = new AppError('limit_exceeded', message, { details: { ...broken, ...(reason !== null && { reason }) } });
  if (!mayLookAgain) FINAL.add(error);
  return error;
}

/** Places an order. A bot whose orders leave no room for the order is refused only after a look at them. */
export async function withRoom<Placed>(
  subject: { findRoom(): Promise<void> },
  place: () => Promise<Placed>,
): Promise<Placed> {
  try {
    return await place();
  } catch (error) {
    if (!lacksRoom(error)) throw error;
    await within(LOOK_MS, subject.findRoom(), () => undefined);
    return place();
  }
}

const OF_BOT: readonly ErrorCode[] = ['limit_exceeded', 'bot_halted', 'rate_limited'];

/** Whether a limit, a halt or a rate of a bot refuses an order: a loop that runs away has any number of them. */
export function isOfBot(error: unknown): boolean {
  return error instanceof AppError && OF_BOT.includes(error.code);
}

/** Whether a look at the bot's other orders may find room for this one. */
function lacksRoom(error: unknown): boolean {
  if (!(error instanceof AppError) || FINAL.has(error)) return false;
  return hasCode(error, 'limit_exceeded') && OF_ROOM.has(error.details?.limit ?? '');
}
