import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Exchange } from '../exchanges/exchange.js';
import { ExchangeRegistry } from '../exchanges/exchange.registry.js';
import type { ListedEvent } from '../exchanges/market-data.contract.js';
import { AppError } from '../platform/errors/app-error.js';
import { Settings } from '../platform/config/settings.js';
import { Tally } from '../platform/metrics/tally.js';
import { randomUuid } from '../platform/secrets/random.js';
import { BackgroundWork } from '../platform/time/background-work.js';
import { withCallContext } from '../platform/upstream/call-context.js';
import { type CatalogueEntry, entryOf, isKeepable } from './catalogue-rows.js';
import { type CataloguePart, CatalogueWalks, type WalkedPage } from './catalogue-walks.repository.js';

/** How often an instance looks whether something is due. */
const LOOK_MS = 1_000;
/** Between two calls, of all exchanges together: at most 2 a second. */
const PAUSE_MS = 510;
/** Who walks is known to be away for so long; a call and its page take less. */
const HOLD_SECONDS = 30;
/** Longer than this nothing is read at a stretch: others use the event loop too. */
const STRETCH_MS = 5;
/** Events of a page, and markets that make a page too long or short. */
const PAGE_EVENTS = { first: 10, least: 1, most: 30 } as const;
const LONG_PAGE = 250;
const SHORT_PAGE = 100;
/** Pages of a walk; a list of more is taken for one without end. */
const MOST_PAGES = 50_000;
/** Markets that are kept of one exchange. */
const MOST_MARKETS = 400_000;
const RETRY_MS = 1_000;
const MOST_RETRY_MS = 300_000;
/** A page that cannot be read so often ends the walk. */
const MOST_FAILURES = 10;
const HOUR_SECONDS = 3_600;

/** Where an exchange is in this instance: when it may be called again, and how long its pages are. */
interface Standing {
  notBefore: number;
  failures: number;
  pageEvents: number;
  /** For how many more markets there was room when this walk was counted. */
  room: { readonly walk: string; left: number } | null;
}

/**
 * Walks the open events of all exchanges, one page after the other, for the catalogue: one instance at a time, behind every other call, at
 * most twice a second, and on from where a walk was cut off (contract.md 5.19).
 */
@Injectable()
export class CatalogueWalk extends BackgroundWork {
  readonly calls = new Tally(['exchange', 'outcome']);
  readonly changes = new Tally(['exchange']);
  readonly #holder = randomUuid();
  readonly #standings = new Map<string, Standing>();
  /** 0: off. */
  readonly everySeconds: number;

  constructor(
    private readonly walks: CatalogueWalks,
    private readonly registry: ExchangeRegistry,
    { catalogueRefreshMs }: Settings,
  ) {
    super({ everyMs: LOOK_MS, failure: 'the catalogue could not be walked, and is later' });
    this.everySeconds = catalogueRefreshMs / 1_000;
  }

  /** False where the catalogue is switched off. */
  get isOn(): boolean {
    return this.everySeconds > 0;
  }

  override onApplicationBootstrap(): void {
    if (this.isOn) super.onApplicationBootstrap();
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    if (this.isOn) await this.walks.letGo(this.#holder).catch(() => undefined);
  }

  /** Walks until nothing is due, or another instance does. */
  async run(): Promise<void> {
    while ((await this.walks.hold(this.#holder, HOLD_SECONDS)) && (await this.#round()));
  }

  /** A page of each exchange; false where none was due. */
  async #round(): Promise<boolean> {
    let hasRead = false;
    for (const exchange of this.registry.all) {
      if (this.hasStopped) return false;
      if (!(await this.#step(exchange))) continue;
      hasRead = true;
      await delay(PAUSE_MS);
    }
    return hasRead;
  }

  /** Reads one page; false where none is due. */
  async #step(exchange: Exchange): Promise<boolean> {
    const standing = this.#standingOf(exchange.id);
    if (performance.now() < standing.notBefore) return false;
    const oldest = Math.max(HOUR_SECONDS, 3 * this.everySeconds);
    const part = await this.walks.takeUp(exchange.id, this.everySeconds, oldest);
    if (part === null) return false;
    try {
      await this.#walkOn(exchange, part, standing);
      standing.failures = 0;
    } catch (error) {
      await this.#failed(part, standing, error);
    }
    return true;
  }

  async #walkOn(exchange: Exchange, part: CataloguePart, standing: Standing): Promise<void> {
    await this.walks.hold(this.#holder, HOLD_SECONDS);
    if (part.isRead) return this.#finish(part);
    const paging = { limit: standing.pageEvents, cursor: part.nextCursor };
    const { items, next } = await withCallContext({ fresh: true, priority: 'background' }, () =>
      exchange.marketData.listOpenEvents(paging),
    );
    this.calls.count(part.exchange, 'read');
    const page = await this.#readPage(items, next);
    const markets = page.entries.reduce((sum, entry) => sum + entry.markets.length, 0);
    standing.pageEvents = nextLength(standing.pageEvents, markets);
    const isEndless = next !== null && (next === part.nextCursor || part.pages + 1 >= MOST_PAGES);
    if (isEndless) {
      this.logger.warn({ exchange: part.exchange, message: 'The list of open events has no end' });
      await this.walks.end(this.#holder, part, false);
      return;
    }
    if ((await this.#keep(part, page, standing)) && next === null) await this.#finish(part);
  }

  /** Keeps a page, what is new only where there is room; false where another instance was faster. */
  async #keep(part: CataloguePart, page: WalkedPage, standing: Standing): Promise<boolean> {
    const { exchange, walk } = part;
    if (standing.room?.walk !== walk) {
      standing.room = { walk, left: MOST_MARKETS - (await this.walks.countMarkets(exchange)) };
      if (standing.room.left <= 0)
        this.logger.warn({ exchange, message: 'The catalogue is full: nothing new is kept' });
    }
    const kept = await this.walks.keep(this.#holder, part, page, standing.room.left > 0);
    if (kept === null) return false;
    standing.room.left -= kept.added;
    this.changes.add(kept.changed, exchange);
    if (kept.refused.length > 0)
      this.logger.warn({ exchange, events: kept.refused, message: 'Events that the database refuses are left out' });
    return true;
  }

  /** Reads the events of a page, and lets others have the event loop in between. Throws where one has not even an id. */
  async #readPage(items: readonly ListedEvent[], next: string | null): Promise<WalkedPage> {
    const entries: CatalogueEntry[] = [];
    const unread: string[] = [];
    let since = 0;
    const breathe = async (): Promise<void> => {
      if (performance.now() - since < STRETCH_MS) return;
      await nextTurn();
      since = performance.now();
    };
    for (const { id, read } of items) {
      await breathe();
      if (id === null) throw new AppError('exchange_error', 'A list of events has one without an id.');
      if (!isKeepable(id)) continue;
      const event = read();
      if (event === null) unread.push(id);
      else entries.push(await entryOf(event, breathe));
    }
    await nextTurn();
    return { entries, unread, next };
  }

  /** Ends a walk of which every page is kept: removes what none of them has shown, unless that is more than half of the markets. */
  async #finish(part: CataloguePart): Promise<void> {
    const { closed, all } = await this.walks.countClosed(part);
    if (closed * 2 > all) {
      const message = 'A walk of the catalogue would remove more than half of an exchange: nothing is removed';
      this.logger.warn({ exchange: part.exchange, closed, message });
      this.calls.count(part.exchange, 'refused');
      await this.walks.end(this.#holder, part, false);
      return;
    }
    do await this.walks.hold(this.#holder, HOLD_SECONDS);
    while ((await this.walks.removeSome(this.#holder, part)) > 0);
    await this.walks.end(this.#holder, part, true);
    this.logger.debug({ exchange: part.exchange, removed: closed, message: 'The catalogue was walked' });
  }

  /** Waits longer each time, at a 429 as long as is asked for; a page that is too large is asked for in smaller parts. */
  async #failed(part: CataloguePart, standing: Standing, error: unknown): Promise<void> {
    const isLimited = error instanceof AppError && error.code === 'exchange_rate_limited';
    this.calls.count(part.exchange, isLimited ? 'rate_limited' : 'failed');
    const told = error instanceof AppError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
    const grown = Math.min(RETRY_MS * 2 ** standing.failures, MOST_RETRY_MS);
    standing.notBefore = performance.now() + Math.max(told, grown);
    standing.pageEvents = Math.max(PAGE_EVENTS.least, Math.floor(standing.pageEvents / 2));
    if (isLimited) return;
    standing.failures += 1;
    this.logger.debug({ err: error, exchange: part.exchange, message: 'A page of the catalogue could not be read' });
    if (standing.failures < MOST_FAILURES) return;
    standing.failures = 0;
    this.logger.warn({ err: error, exchange: part.exchange, message: 'A walk of the catalogue was given up' });
    await this.walks.end(this.#holder, part, false);
  }

  #standingOf(exchange: string): Standing {
    const known = this.#standings.get(exchange) ?? {
      notBefore: 0,
      failures: 0,
      pageEvents: PAGE_EVENTS.first,
      room: null,
    };
    this.#standings.set(exchange, known);
    return known;
  }
}

function nextLength(events: number, markets: number): number {
  if (markets > LONG_PAGE) return Math.max(PAGE_EVENTS.least, Math.floor(events / 2));
  return markets < SHORT_PAGE ? Math.min(PAGE_EVENTS.most, events * 2) : events;
}
