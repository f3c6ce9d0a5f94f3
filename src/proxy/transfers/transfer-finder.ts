import { compare } from '../../exchanges/decimal.js';
import type { Trading, TransferTerms } from '../../exchanges/exchange.js';
import { CLOCK_SLACK_MS } from '../../exchanges/order-search.js';
import type { TransferDto } from '../../exchanges/unified.trading.dto.js';

const PAGE_SIZE = 100;
const MOST_PAGES = 10;

/** What the history of an account shows of a transfer whose answer was lost; it does not show under which id one was sent. */
export interface LikeTransfers {
  /** Of the same shards and amount, made since it was first sent, oldest first. */
  readonly transfers: readonly TransferDto[];
  /** Whether the whole history since then was seen. */
  readonly isWhole: boolean;
}

/** A look through the history of transfers. */
export interface HistorySearch {
  readonly terms: TransferTerms;
  /** By the exchange's clock; clocks may lie apart by five minutes. */
  readonly firstSentAt: Date;
  /** Awaited before each page; what it throws ends the search. */
  readonly beforePage: () => Promise<void>;
}

/** Reads the history, newest first, at most 1,000 transfers of it. Throws what reading it throws. */
export async function findLikeTransfers(trading: Trading, search: HistorySearch): Promise<LikeTransfers> {
  const since = new Date(search.firstSentAt.getTime() - CLOCK_SLACK_MS).toISOString();
  const transfers: TransferDto[] = [];
  let cursor: string | null = null;
  let isDated = true;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    await search.beforePage();
    const { items, next }: { items: readonly TransferDto[]; next: string | null } = await trading.listTransfers({
      limit: PAGE_SIZE,
      cursor,
    });
    const alike = items.filter((item) => isLike(item, search.terms));
    isDated &&= alike.every(({ created_at }) => created_at !== null);
    transfers.push(...alike.filter(({ id, created_at }) => id !== null && created_at !== null && created_at >= since));
    const isBehind = items.some(({ created_at }) => created_at !== null && created_at < since);
    if (next === null || isBehind) return { transfers: transfers.reverse(), isWhole: isDated };
    cursor = next;
  }
  return { transfers: transfers.reverse(), isWhole: false };
}

function isLike(transfer: TransferDto, { from_shard, to_shard, amount }: TransferTerms): boolean {
  const isSameWay = transfer.from_shard === from_shard && transfer.to_shard === to_shard;
  return isSameWay && compare(transfer.amount, amount) === 0;
}
