import { type StreamLine } from '../../streams/line.js';
import { type StreamSession } from '../../streams/server.js';
import { type Token } from '../catalogue.js';
import { type Exchange } from '../exchange.js';
import { type Market, OUTCOMES } from '../market.js';
import { bookFrame, namesOf } from './messages.js';
import { type MarketFrame, parseMarketFrame } from './frames.js';

/** Above so many tokens of one connection no first books come any more, only changes (streams.md 2). */
const MAX_BOOKS = 500;
/** Ours: so many ids are remembered; the exchange names no limit. */
const MAX_IDS = 5_000;

/** One connection to the market channel: the tokens that it follows. There are no acknowledgements and no errors. */
export class MarketSession implements StreamSession {
  readonly #ids = new Set<string>();
  #isStarted = false;
  #customFeatures = false;

  constructor(
    private readonly exchange: Exchange,
    private readonly line: StreamLine,
    private readonly forget: (session: MarketSession) => void,
  ) {}

  get wantsCustomFeatures(): boolean {
    return this.#customFeatures;
  }

  follows(marketId: string): boolean {
    if (this.#ids.has(marketId)) return true;
    return [...this.#ids].some((id) => {
      const market = this.exchange.catalogue.findToken(id)?.market;
      return market !== undefined && namesOf(market).includes(marketId);
    });
  }

  /** The tokens of a market that this connection follows. */
  tokensOf(market: Market): Token[] {
    return OUTCOMES.filter((outcome) => this.#ids.has(market.tokenIds[outcome])).map((outcome) => ({
      market,
      outcome,
    }));
  }

  /** Sends one frame about a market. */
  tell(market: Market, frame: object, numbered = false): void {
    this.line.send({ markets: namesOf(market), numbered, text: () => JSON.stringify(frame) });
  }

  /** Closes where a market that is over was the last one that this connection followed. */
  endIfAllResolved(): void {
    const tokens = [...this.#ids].flatMap((id) => this.exchange.catalogue.findToken(id) ?? []);
    if (tokens.length > 0 && tokens.every(({ market }) => !market.hasBook))
      this.line.close(1000, 'all subscribed assets resolved');
  }

  onText(text: string): void {
    if (text === 'PING') {
      this.line.pong('PONG');
      return;
    }
    const frame = parseMarketFrame(text);
    if (frame?.operation === 'unsubscribe') this.#unsubscribe(frame);
    else if (frame?.operation === 'subscribe' || this.#isFirst(frame)) this.#subscribe(frame);
    else this.line.reply('INVALID OPERATION');
  }

  onSlowReader(): void {
    this.line.close(1013, 'slow consumer: send buffer full');
  }

  onClose(): void {
    this.#ids.clear();
    this.forget(this);
  }

  /** The form with `type` opens a connection, once. */
  #isFirst(frame: MarketFrame | undefined): frame is MarketFrame {
    const isFirst = !this.#isStarted && frame?.type?.toLowerCase() === 'market';
    if (isFirst) this.#isStarted = true;
    return isFirst;
  }

  #subscribe({ assets_ids = [], custom_feature_enabled, initial_dump = true }: MarketFrame): void {
    this.#customFeatures = custom_feature_enabled ?? this.#customFeatures;
    const fresh = [...new Set(assets_ids)].filter((id) => !this.#ids.has(id));
    if (fresh.length === 0) {
      this.line.reply('NO NEW ASSETS');
      return;
    }
    const room = Math.max(0, MAX_BOOKS - this.#ids.size);
    for (const id of fresh.slice(0, MAX_IDS - this.#ids.size)) this.#ids.add(id);
    if (initial_dump) this.#sendBooks(fresh.slice(0, room));
  }

  /** One array; what is settled or unknown is left out of it. */
  #sendBooks(ids: readonly string[]): void {
    const live = ids
      .flatMap((id) => this.exchange.catalogue.findToken(id) ?? [])
      .filter(({ market }) => market.hasBook && !this.line.isSilenced(namesOf(market)));
    this.line.send({
      markets: live.flatMap(({ market }) => namesOf(market)),
      numbered: false,
      text: () => JSON.stringify(live.map((token) => bookFrame(token, true))),
    });
  }

  #unsubscribe({ assets_ids = [] }: MarketFrame): void {
    for (const id of assets_ids) this.#ids.delete(id);
  }
}
