import { compare } from '../../exchanges/decimal.js';
import type { SignedTransfers, TransferTerms } from '../../exchanges/transfers.contract.js';
import { CLOCK_SLACK_MS } from '../../exchanges/order-search.js';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';

const PAGE_SIZE = 100;
const MOST_PAGES = 10;

/** Where the exchange's clock is known, it may lie apart from the one that stamps its history by so much, in ms. */
const KNOWN_CLOCK_SLACK_MS = 10_000;

/** What the history of an account shows of a transfer whose answer was lost; it does not show under which id one was sent. */
export interface LikeTransfers {
  /** Of the same shards and amount, made since it was first sent, oldest first; then those within the slack, newest first. */
  readonly since: readonly TransferDto[];
  /** Others like it that were made up to five minutes before: none is it unless the clocks lie far apart. */
  readonly before: readonly TransferDto[];
  /** Whether the whole history since then was seen. */
  readonly isWhole: boolean;
}

/** A look through the history of transfers. */
export interface HistorySearch {
  readonly terms: TransferTerms;
  /** By the exchange's clock; clocks may lie apart by five minutes. */
  readonly firstSentAt: Date;
  /** Whether the exchange's clock is known. */
  readonly isClockKnown: boolean;
  /** Awaited before each page; what it throws ends the search. */
  readonly beforePage: () => Promise<void>;
}

/** Reads the history, newest first, at most 1,000 transfers of it. Throws what reading it throws. */
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

/** `newestFirst` by when they were made; what has no id or time is left out. */
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
