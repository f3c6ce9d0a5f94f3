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
/** Refusals because the book was too old by the time that the order could be sent. */
const STALE = new WeakSet<AppError>();

/** A look at the bot's other orders takes so long at most, in ms. */
const LOOK_MS = 5_000;
/** How often an order is tried with a newer book. */
const MOST_BOOKS = 3;

const WHY = {
  size_not_bounded: 'How much its money buys is not bounded: at the smallest tick it would be too much.',
  no_reference_price: 'There is no price to compare with: neither a quote of somebody else nor a trade.',
  expiry_too_late: 'It may rest for longer than the limit allows.',
} as const;

/** 403 `limit_exceeded`: nothing was sent (contract.md 5.12). */
export function limitExceeded({
  reason,
  may_look_again: mayLookAgain,
  is_stale: isStale,
  ...broken
}: BrokenLimit): AppError {
  const why = reason === null ? '' : ` ${WHY[reason]}`;
  const message = `The order would pass the limit ${broken.limit} of this bot. Nothing was sent.${why}`;
  const error = new AppError('limit_exceeded', message, { details: { ...broken, ...(reason !== null && { reason }) } });
  if (!mayLookAgain) FINAL.add(error);
  if (isStale) STALE.add(error);
  return error;
}

/**
 * Places an order. A bot whose orders leave no room for the order is refused only after a look at them; one whose book has become too old
 * while the order waited, after a few newer ones.
 */
export async function withRoom<Placed>(
  subject: { findRoom(): Promise<void> },
  renewFacts: (() => Promise<void>) | undefined,
  place: () => Promise<Placed>,
): Promise<Placed> {
  let hasLooked = false;
  let books = 0;
  for (;;) {
    try {
      return await place();
    } catch (error) {
      if (lacksRoom(error) && !hasLooked) {
        hasLooked = true;
        await within(LOOK_MS, subject.findRoom(), () => undefined);
      } else if (error instanceof AppError && STALE.has(error) && renewFacts !== undefined && books < MOST_BOOKS) {
        books += 1;
        await renewFacts();
      } else throw error;
    }
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
