import { compare } from '../../exchanges/decimal.js';
import type { SignedTransfers, TransferTerms } from '../../exchanges/transfers.contract.js';
import { CLOCK_SLACK_MS } from '../../exchanges/order-search.js';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';

const PAGE_SIZE = 100;
const MOST_PAGES = 10;

/** How far the exchange's clock, where we know it, may differ from the clock that stamps its history, in ms. */
const KNOWN_CLOCK_SLACK_MS = 10_000;

/**
 * Transfers of an account's history that may be one whose answer was lost. The history does not show the id that a transfer was
 * sent under.
 */
export interface LikeTransfers {
  /**
   * Transfers with the same shards and amount that were made after the first sending, oldest first; then those made before it
   * within the slack of the clocks, newest first.
   */
  readonly since: readonly TransferDto[];
  /**
   * Transfers with the same shards and amount that were made up to five minutes earlier: the lost one is among them only where
   * clocks differ by so much.
   */
  readonly before: readonly TransferDto[];
  /** Whether the whole history since the first sending was read. */
  readonly isWhole: boolean;
}

/** A look through the history of transfers. */
export interface HistorySearch {
  readonly terms: TransferTerms;
  /** When the transfer was first sent, by the exchange's clock, with an error of at most five minutes. */
  readonly firstSentAt: Date;
  /** Whether the exchange's clock is known. */
  readonly isClockKnown: boolean;
  /** The search awaits it before each page, and ends with the error that it throws. */
  readonly beforePage: () => Promise<void>;
}

/** Reads the newest 1,000 transfers of the history at most. Throws the error of a page that cannot be read. */
export async function findLikeTransfers(transfers: SignedTransfers, search: HistorySearch): Promise<LikeTransfers> {
  const oldest = before(search.firstSentAt, CLOCK_SLACK_MS);
  const alike: TransferDto[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    await search.beforePage();
    const { items, next }: { items: readonly TransferDto[]; next: string | null } = await transfers.list({
      limit: PAGE_SIZE,
      cursor,
    });
    alike.push(...items.filter((item) => isLike(item, search.terms)));
    const isBehind = items.some(({ created_at }) => created_at !== null && created_at < oldest);
    if (next === null || isBehind) {
      return { ...sorted(alike, search), isWhole: alike.every(({ created_at }) => created_at !== null) };
    }
    cursor = next;
  }
  return { ...sorted(alike, search), isWhole: false };
}

/** Sorts transfers into `since` and `before` by when they were made; leaves out those without an id or a time. */
function sorted(
  newestFirst: readonly TransferDto[],
  { firstSentAt, isClockKnown }: HistorySearch,
): Pick<LikeTransfers, 'since' | 'before'> {
  const [sent, oldest] = [firstSentAt.toISOString(), before(firstSentAt, CLOCK_SLACK_MS)];
  const near = isClockKnown ? before(firstSentAt, KNOWN_CLOCK_SLACK_MS) : oldest;
  const madeBetween = (from: string, until: string): TransferDto[] =>
    newestFirst.filter(({ id, created_at: at }) => id !== null && at !== null && from <= at && at < until);
  return {
    since: [...madeBetween(sent, '~').reverse(), ...madeBetween(near, sent)],
    before: madeBetween(oldest, near),
  };
}

function before(time: Date, ms: number): string {
  return new Date(time.getTime() - ms).toISOString();
}

function isLike(transfer: TransferDto, { from_shard, to_shard, amount }: TransferTerms): boolean {
  const isSameWay = transfer.from_shard === from_shard && transfer.to_shard === to_shard;
  return isSameWay && compare(transfer.amount, amount) === 0;
}
