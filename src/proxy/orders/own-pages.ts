import { botIdOf, type Principal } from '../../access/principal.js';
import type { Page, Paging } from '../../exchanges/paging.contract.js';

/** A bot's page is filled up by so many reads, and none is begun after so many ms. */
const MOST_READS = 10;
const MOST_MS = 5_000;

/** Whose list it is, for cursors: a bot goes on with none of its siblings' lists. */
export function listOwnerOf(caller: Principal): string {
  return botIdOf(caller) ?? caller.userId;
}

/**
 * A page of what the caller may see, which `shown` makes of a page of the exchange. To a bot most of that may be another's: its page is
 * filled up with what follows, in a few reads, and may be short, even empty, while `next` is set.
 */
export async function ownPage<Item, Shown>(
  caller: Principal,
  paging: Paging,
  read: (paging: Paging) => Promise<Page<Item>>,
  shown: (items: readonly Item[]) => Promise<Shown[]>,
): Promise<Page<Shown>> {
  const mostReads = botIdOf(caller) === null ? 1 : MOST_READS;
  const startedAt = performance.now();
  const items: Shown[] = [];
  let next = paging.cursor;
  for (let reads = 0; reads < mostReads && items.length < paging.limit; reads += 1) {
    if (performance.now() - startedAt > MOST_MS) break;
    const page = await read({ cursor: next, limit: paging.limit - items.length });
    items.push(...(await shown(page.items)));
    next = page.next;
    if (next === null) break;
  }
  return { items, next };
}
