import { Injectable, Logger } from '@nestjs/common';
import { ExchangeRegistry } from '../exchanges/exchange.registry.js';
import type { MarketDto } from '../exchanges/unified.market-data.dto.js';
import { outsideCallContext } from '../platform/upstream/call-context.js';
import { ExpiringCache } from '../platform/upstream/expiring-cache.js';
import { CatalogueWalks } from './catalogue-walks.repository.js';

/** Markets of one read, and how often one is made for all searches of an exchange. */
/** Of so few markets an answer may say that all are over. */
const FEW = 3;
const MOST_IDS = 40;
const EVERY_MS = 1_000;
/** A search waits so long for quotes, which others have then. */
const PATIENCE_MS = 300;
const KEPT_MS = 5_000;
const KEPT = { entries: 5_000, bytes: 5_000 };

const QUOTED = ['outcomes', 'tradable', 'description', 'status', 'result', 'updated_at'] as const;
/** What is shown of a market that its exchange leaves out of an answer. */
const ABSENT: Partial<MarketDto> = { tradable: false };

interface Read {
  readonly at: number;
  readonly ids: ReadonlySet<string>;
  readonly ended: Promise<void>;
}

/**
 * Quotes of the markets that searches show: one read a second for all of them (contract.md 5.19). What has closed meanwhile is shown so, and
 * leaves the catalogue.
 */
@Injectable()
export class QuoteReads {
  readonly #logger = new Logger('QuoteReads');
  readonly #kept = new ExpiringCache<Partial<MarketDto>>(KEPT);
  readonly #reads = new Map<string, Read>();

  constructor(
    private readonly registry: ExchangeRegistry,
    private readonly walks: CatalogueWalks,
  ) {}

  /** Returns the markets with what was read of them within 5 s; without quotes where nothing was. Never rejects. */
  async add(markets: readonly MarketDto[]): Promise<MarketDto[]> {
    const missing = markets.filter((market) => this.#kept.get(keyOf(market)) === undefined);
    const exchanges = [...new Set(missing.map(({ exchange }) => exchange))];
    const reads = exchanges.map((exchange) =>
      this.#read(
        exchange,
        missing.filter((market) => market.exchange === exchange).map(({ id }) => id),
      ),
    );
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([Promise.all(reads), patience]);
    clearTimeout(timer);
    return markets.map((market) => Object.assign({}, market, this.#kept.get(keyOf(market))));
  }

  /** Ends when the read that has one of these ids does; at once where none may be made. */
  async #read(exchange: string, ids: readonly string[]): Promise<void> {
    const last = this.#reads.get(exchange);
    if (last !== undefined && performance.now() - last.at < EVERY_MS) {
      if (ids.some((id) => last.ids.has(id))) await last.ended;
      return;
    }
    const wanted = ids.slice(0, MOST_IDS);
    const ended = outsideCallContext(() => this.#readNow(exchange, wanted));
    this.#reads.set(exchange, { at: performance.now(), ids: new Set(wanted), ended });
    await ended;
  }

  async #readNow(exchange: string, ids: readonly string[]): Promise<void> {
    try {
      const { marketData } = this.registry.get(exchange);
      const { value } = await marketData.listMarkets({ ids }, { limit: ids.length, cursor: null });
      const end = performance.now() + KEPT_MS;
      const found = new Map(value.items.map((market) => [market.id, market]));
      const asked = ids.map((id) => found.get(id)).filter((market) => market !== undefined);
      const closed = asked.filter(({ status }) => status === 'closed' || status === 'settled');
      if (isTooMuch(ids.length - asked.length + closed.length, ids.length)) {
        this.#logger.warn({
          exchange,
          message: 'More than half of the found markets would be over: nothing is removed',
        });
        return;
      }
      for (const id of ids) {
        const market = found.get(id);
        const shown = market === undefined ? ABSENT : quotedOf(market);
        this.#kept.set(keyOf({ exchange, id }), shown, { bytes: 1, end });
      }
      if (closed.length > 0)
        await this.walks.removeClosed(
          exchange,
          closed.map(({ id }) => id),
        );
    } catch (error) {
      this.#logger.debug({ err: error, exchange, message: 'Quotes of found markets could not be read' });
    }
  }
}

/** Whether an answer says of so many that they are over that it is rather wrong itself; of a few all may be. */
function isTooMuch(over: number, all: number): boolean {
  return all > FEW && over * 2 > all;
}

function quotedOf(market: MarketDto): Partial<MarketDto> {
  return Object.fromEntries(QUOTED.map((name) => [name, market[name]]));
}

function keyOf({ exchange, id }: Pick<MarketDto, 'exchange' | 'id'>): string {
  return `${exchange} ${id}`;
}
