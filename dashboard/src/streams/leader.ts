import { Connection, Refusal } from './connection.js';
import type { Told } from './server-events.js';
import { leftOut, type Line, linesOf, nameOf, pauseMs, subscriptionsOf } from './subscriptions.js';

/** How long what is shown has to stay the same before the stream follows it, in milliseconds. */
const SETTLED_MS = 300;
/** How long the stream before stays while the next has not told yet how each line stands, in milliseconds. */
const OVERLAP_MS = 3_000;
/** A connection that lasted so long was a good one, in milliseconds. */
const GOOD_MS = 10_000;
/** How long a line is left out that was refused, and one whose exchange or service has trouble; in milliseconds. */
const REFUSED_MS = 600_000;
const TROUBLE_MS = 30_000;

const BAD_REQUEST = 400;
const UNAUTHORIZED = 401;
const TOO_MANY = 429;
const SERVER_ERROR = 500;

/** Hears what the stream tells; `isSeamless` where nothing was missed before. */
type Say = (told: readonly Told[], isSeamless: boolean) => void;

/** A connection that is not the present one yet. */
interface Next {
  readonly connection: Connection;
  readonly queued: Told[];
  /** Lines that have not said yet how they stand. */
  readonly waiting: Set<string>;
}

function nameOfTold({ exchange = '', channel = '', market_id: marketId = null }: Told): string {
  return nameOf({ exchange, channel: channel as Line['channel'], marketId });
}

/** What is told of lines that are followed no more. */
function gone(lines: readonly Line[]): Told[] {
  return lines.map(({ exchange, channel, marketId }) => ({ type: 'status', exchange, channel, market_id: marketId }));
}

/** The same of lines that the service does not tell of now. */
function stale(lines: readonly Line[], reason: 'unreachable' | 'refused' | 'too_many'): Told[] {
  return gone(lines).map((told) => ({ ...told, state: 'stale', reason, since: new Date().toISOString() }));
}

/** Keeps one stream of what all tabs show. A change opens the next; the one before ends once that is live. */
export class Leader {
  readonly #wanted = new Map<string, readonly Line[]>();
  #current: Connection | null = null;
  #next: Next | null = null;
  #timer = 0;
  #failures = 0;
  #begunAt = 0;
  /** What is shown beyond what one stream follows. */
  #leftOut: readonly Line[] = [];
  /** Until when subscriptions are left out, in milliseconds of this machine's clock. */
  readonly #refused = new Map<string, number>();

  constructor(
    private readonly say: Say,
    /** Behind which fills go on. */
    private lastId: string | null,
  ) {}

  get newestId(): string | null {
    return this.lastId;
  }

  /** A tab shows these now. */
  want(tab: string, lines: readonly Line[]): void {
    this.#wanted.set(tab, lines);
    this.#lookIn(SETTLED_MS);
  }

  /** A tab is gone. */
  drop(tab: string): void {
    this.#wanted.delete(tab);
    this.#lookIn(SETTLED_MS);
  }

  /** What was told lacks something, or no more will come: connects anew. */
  begin(): void {
    const lost = this.#current;
    this.#current = null;
    lost?.close();
    this.#lookIn(0);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#wanted.clear();
    this.#next?.connection.close();
    this.#current?.close();
    this.#next = null;
    this.#current = null;
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#look();
    }, ms);
  }

  /** What is to be followed: all that is shown, but for what was refused, which is asked for again later. */
  #wantedNow(): string[] {
    const now = Date.now();
    const asked = subscriptionsOf([...this.#wanted.values()].flat());
    const refusedUntil = (text: string): number => this.#refused.get(text) ?? 0;
    const left = asked.map(refusedUntil).filter((until) => until > now);
    if (left.length > 0) this.#lookIn(Math.min(...left) - now);
    return asked.filter((text) => refusedUntil(text) <= now);
  }

  /** Says once of what is shown beyond the bounds that it does not move, and nothing more of it when it is shown no more. */
  #leaveOut(): void {
    const wanted = [...this.#wanted.values()].flat();
    const followed = new Set(linesOf(this.#current?.subscriptions ?? []).map(nameOf));
    const left = leftOut(wanted, subscriptionsOf(wanted)).filter((line) => !followed.has(nameOf(line)));
    const [before, now] = [this.#leftOut, left].map((lines) => new Set(lines.map(nameOf)));
    const ended = this.#leftOut.filter((line) => now?.has(nameOf(line)) === false && !followed.has(nameOf(line)));
    this.#leftOut = left;
    this.say(gone(ended), true);
    this.say(
      stale(
        left.filter((line) => before?.has(nameOf(line)) === false),
        'too_many',
      ),
      true,
    );
  }

  #look(): void {
    this.#leaveOut();
    const texts = this.#wantedNow();
    const following = this.#next?.connection ?? this.#current;
    if (texts.join(' ') === (following?.subscriptions.join(' ') ?? '')) return;
    this.#next?.connection.close();
    this.#next = null;
    if (texts.length === 0) this.#become(null, []);
    else if (texts.join(' ') !== this.#current?.subscriptions.join(' ')) void this.#open(texts);
  }

  async #open(texts: readonly string[]): Promise<void> {
    const connection = new Connection(texts);
    const next: Next = { connection, queued: [], waiting: new Set(linesOf(texts).map(nameOf)) };
    this.#next = next;
    try {
      await connection.open(texts.some((text) => text.endsWith('.fills')) ? this.lastId : null, {
        tell: (message) => {
          this.#hear(next, message);
        },
        ended: () => {
          this.#ended(connection);
        },
      });
    } catch (error) {
      if (this.#next === next) await this.#refusedAs(error, texts);
      return;
    }
    if (this.#next !== next) return;
    if (this.#current === null) this.#swap(next);
    else
      setTimeout(() => {
        if (this.#next === next) this.#swap(next);
      }, OVERLAP_MS);
  }

  #hear(next: Next, message: Told): void {
    const { connection, queued, waiting } = next;
    // Whether the session can be renewed is known by the next call.
    if (message.error?.code === 'unauthorized') this.begin();
    if (this.#current === connection) {
      this.lastId = connection.lastId ?? this.lastId;
      this.say([message], false);
      return;
    }
    queued.push(message);
    if (message.type === 'status') waiting.delete(nameOfTold(message));
    if (waiting.size === 0 && this.#next === next) this.#swap(next);
  }

  #swap({ connection, queued }: Next): void {
    this.#next = null;
    this.#begunAt = Date.now();
    this.lastId = connection.lastId ?? this.lastId;
    this.#become(connection, queued);
  }

  /** Takes over a connection, or none; of lines that the one before had nothing was missed. */
  #become(connection: Connection | null, queued: readonly Told[]): void {
    const before = linesOf(this.#current?.subscriptions ?? []);
    const names = new Set(before.map(nameOf));
    const kept = new Set(linesOf(connection?.subscriptions ?? []).map(nameOf));
    this.#current?.close();
    this.#current = connection;
    const left = new Set(this.#leftOut.map(nameOf));
    const ended = before.filter((line) => !kept.has(nameOf(line)));
    this.say(gone(ended.filter((line) => !left.has(nameOf(line)))), true);
    this.say(
      stale(
        ended.filter((line) => left.has(nameOf(line))),
        'too_many',
      ),
      true,
    );
    for (const message of queued) this.say([message], names.has(nameOfTold(message)));
  }

  #ended(connection: Connection): void {
    if (this.#next?.connection === connection) this.#next = null;
    if (this.#current === connection) {
      this.#current = null;
      if (Date.now() - this.#begunAt >= GOOD_MS) this.#failures = 0;
      this.say(stale(linesOf(connection.subscriptions), 'unreachable'), true);
    }
    this.#lookIn(pauseMs(this.#failures, connection.retryMs, Math.random()));
    this.#failures += 1;
  }

  /** Other exchanges, and other lines, do not wait for one that is refused. */
  async #refusedAs(error: unknown, texts: readonly string[]): Promise<void> {
    const { status, retryAfter } = error instanceof Refusal ? error : new Refusal(0, null);
    const next = this.#next;
    // An `id` that is good for nothing is sent once.
    if (status === BAD_REQUEST) this.lastId = null;
    const found = isOfTheLine(status) && (await this.#findRefused(texts, status));
    if (this.#next !== next) return;
    this.#next = null;
    if (this.#current === null) {
      const known = texts.filter((text) => !this.#refused.has(text));
      this.say(stale(linesOf(known), 'unreachable'), true);
    }
    this.#lookIn(found ? 0 : pauseMs(this.#failures, (retryAfter ?? 0) * 1_000, Math.random()));
    if (!found) this.#failures += 1;
  }

  /** Asks for each line alone; whether some were refused. */
  async #findRefused(texts: readonly string[], status: number): Promise<boolean> {
    const statuses = texts.length === 1 ? [status] : await Promise.all(texts.map(statusAlone));
    const refused = texts.filter((_, at) => isOfTheLine(statuses[at] ?? 0));
    for (const text of refused) {
      const pause = (statuses[texts.indexOf(text)] ?? 0) >= SERVER_ERROR ? TROUBLE_MS : REFUSED_MS;
      this.#refused.set(text, Date.now() + pause);
    }
    this.say(stale(linesOf(refused), 'refused'), true);
    return refused.length > 0;
  }
}

/** Whether what is asked for may be the cause, and not who asks or how often. */
function isOfTheLine(status: number): boolean {
  return status !== 0 && status !== UNAUTHORIZED && status !== TOO_MANY;
}

/** What a subscription alone is answered with; 0 where it is begun, or not answered at all. */
async function statusAlone(text: string): Promise<number> {
  const connection = new Connection([text]);
  try {
    await connection.open(null, { tell: () => undefined, ended: () => undefined });
    return 0;
  } catch (error) {
    return error instanceof Refusal ? error.status : 0;
  } finally {
    connection.close();
  }
}
