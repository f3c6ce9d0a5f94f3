import { readFills, readMoments } from '../../feeds/account-reads.js';
import type { Trading } from '../../exchanges/trading.contract.js';
import type { FillDto } from '../../exchanges/unified.trading.dto.js';
import { type SavedPosition, shortDigest } from './fill-position.js';
import type { Gap } from './own-texts.js';

/** Fills are read from so long before what was told: lists of the exchanges lag. */
const BEFORE_MS = 60_000;
/** Older ones are not read. */
const OLDEST_MS = 24 * 60 * 60 * 1_000;

/** What was missed of the fills of an account: in the order of their time, some of them told before. */
export interface MissedFills {
  readonly fills: readonly FillDto[];
  /** What is not among them; null where nothing is missing. */
  readonly gap: Gap | null;
}

/**
 * Reads what a client may have missed behind its position: at most 1,000 fills of the last 24 h, of one order or all, and those that were
 * still pending, by their second. Throws as `Trading.listFills`.
 */
export async function readMissed(
  trading: Trading,
  { timeMs, pending }: SavedPosition,
  orderId: string | null,
): Promise<MissedFills> {
  const now = Date.now();
  const sinceMs = Math.max(timeMs - BEFORE_MS, now - OLDEST_MS);
  const { fills, hasMore } = await readFills(trading, sinceMs, orderId ?? undefined);
  const older = pending.filter(([, ms]) => ms < sinceMs);
  const digests = new Set(older.map(([digest]) => digest));
  const moments = older.map(([, ms]) => ({ timeMs: ms }));
  const old = await readMoments(trading, moments, ({ id }) => digests.has(shortDigest(id)));
  const oldest = fills.at(-1);
  const toMs = hasMore && oldest !== undefined ? Date.parse(oldest.timestamp) : sinceMs;
  return { fills: [...old, ...fills.toReversed()], gap: toMs <= timeMs ? null : { fromMs: timeMs, toMs } };
}
