/** What one `subscribe` of `GET /stream` may name, and how many of these; the address as a whole stays below what proxies take. */
const MARKETS_A_LINE = 50;
const MOST_LINES = 20;
const MOST_LETTERS = 7_000;

/** What of the service a browser follows: own orders or fills of an exchange, or something of one market. */
export interface Line {
  readonly exchange: string;
  readonly channel: 'orders' | 'fills' | 'orderbooks' | 'trades' | 'markets';
  /** Null of own orders and fills. */
  readonly marketId: string | null;
}

/** What matters most to whoever looks comes first: it is within the bounds. */
const RANK: readonly Line['channel'][] = ['orders', 'fills', 'orderbooks', 'trades', 'markets'];

/** The `subscribe` of these lines, each once, in an order that is always the same; what is beyond the bounds is left out. */
export function subscriptionsOf(lines: Iterable<Line>): string[] {
  const ids = new Map<string, Set<string>>();
  const ranked = [...lines].sort((a, b) => RANK.indexOf(a.channel) - RANK.indexOf(b.channel));
  for (const { exchange, channel, marketId } of ranked) {
    const name = `${exchange}.${channel}`;
    const some = ids.get(name) ?? new Set();
    ids.set(name, marketId === null ? some : some.add(marketId));
  }
  const all = [...ids].flatMap(([name, some]) =>
    chunks([...some].sort()).map((chunk) => [name, chunk].join(chunk === '' ? '' : ':')),
  );
  let letters = 0;
  return all.slice(0, MOST_LINES).filter((text) => (letters += text.length + 11) <= MOST_LETTERS);
}

/** Those that subscriptions do not follow. */
export function leftOut(lines: Iterable<Line>, subscriptions: readonly string[]): Line[] {
  const followed = new Set(linesOf(subscriptions).map(nameOf));
  return [...new Map([...lines].map((line) => [nameOf(line), line])).values()].filter(
    (line) => !followed.has(nameOf(line)),
  );
}

/** Lists of market ids as a subscription names them; one that names none where there are none. */
function chunks(ids: readonly string[]): string[] {
  if (ids.length === 0) return [''];
  const count = Math.ceil(ids.length / MARKETS_A_LINE);
  return Array.from({ length: count }, (_, index) =>
    ids.slice(index * MARKETS_A_LINE, (index + 1) * MARKETS_A_LINE).join(','),
  );
}

/** The lines of subscriptions as `subscriptionsOf` writes them. */
export function linesOf(subscriptions: readonly string[]): Line[] {
  return subscriptions.flatMap((text) => {
    const [name = '', ids] = text.split(':');
    const [exchange, channel] = name.split('.') as [string, Line['channel']];
    return (ids?.split(',') ?? [null]).map((marketId) => ({ exchange, channel, marketId }));
  });
}

/** What tells a line from all others. */
export function nameOf({ exchange, channel, marketId }: Line): string {
  return `${exchange}.${channel}:${marketId ?? ''}`;
}

/** Shortest and longest pause before the next connection, in milliseconds. */
const SHORTEST_MS = 200;
const LONGEST_MS = 30_000;

/**
 * How long to wait before the next connection, in milliseconds: what the service asked for, or 0.2 s, twice as long after each failure,
 * at most 30 s; `chance` (0 to 1) makes it up to a quarter longer, so that not all browsers come at once.
 */
export function pauseMs(failures: number, askedMs: number | null, chance: number): number {
  const first = Math.max(SHORTEST_MS, askedMs ?? 0);
  return Math.min(LONGEST_MS, first * 2 ** Math.min(failures, 10) * (1 + chance / 4));
}
