import { KalshiTrader } from '../../sandbox/kalshi/trader.js';
import { type NewAccount } from '../../sandbox/polymarket/sandbox.js';
import { request, PolymarketTrader } from '../../sandbox/polymarket/trader.js';
import { orderHash } from '../../sandbox/polymarket/signing/typed-data.js';
import { type Sandbox } from '../../sandbox/sandbox.js';
import { type DocumentName } from '../support/openapi.js';

/** What came back of a call. */
export interface Answer {
  status: number;
  body: unknown;
  /** Where the client that made the call keeps them. */
  headers?: Headers;
}

/** One call of the table and what it should come to. */
export interface Call {
  document: DocumentName;
  /** As the document writes it: `GET /markets/{ticker}`. */
  operation: string;
  status: number;
  /** What is special about it; empty for the plain call. */
  note: string;
  /** Name of a list in the body that must not be empty, `.` for the body itself. */
  holds?: string;
  run: (stand: Stand) => Promise<Answer>;
}

/** A market that rests, matches and pays fees, and the same in another event. */
export const TICKER = 'KXHIGHNY-TODAY-B55.5';
export const ALIENS = {
  conditionId: '0x747dc809fb79e1b05be09c42d6179459a58de2ef3e40f02484a4e1260f741f75',
  id: '703257',
  slug: 'will-the-us-confirm-that-aliens-exist-789-924-249',
  tokens: [
    '107505882767731489358349912513945399560393482969656700824895970500493757150417',
    '7305630249804085635496399869905769372294302716159034447326228509068694952392',
  ],
} as const;
const LOST_TOKEN = '38304894346029195822242785095213694817662275988449391178572340951802778647900';

/** The sandbox with traders who have done everything there is to read about. */
export class Stand {
  readonly kalshi: KalshiTrader;
  readonly holder: PolymarketTrader;
  readonly maker: PolymarketTrader;
  /** Of `holder`: open orders for as long as nobody cancels them. */
  restingHash = '';
  restingId = '';
  #ticks = 0;

  constructor(
    readonly sandbox: Sandbox,
    readonly clock: () => Date,
  ) {
    this.kalshi = new KalshiTrader(sandbox.kalshi.account, () => clock().getTime());
    const [, no] = ALIENS.tokens;
    const shares = { [ALIENS.tokens[0]]: '50', [no]: '50', [LOST_TOKEN]: '12' };
    this.holder = new PolymarketTrader(this.urls.clob_url, sandbox.polymarket.addAccount({ shares }), clock);
    this.maker = new PolymarketTrader(this.urls.clob_url, sandbox.polymarket.addAccount(), clock);
  }

  get urls(): { clob_url: string; gamma_url: string; data_url: string } {
    return this.sandbox.polymarket.account;
  }

  /** Address of the API that a document describes. */
  urlOf(document: DocumentName): string {
    const { clob_url, gamma_url, data_url } = this.urls;
    const urls = {
      kalshi: this.sandbox.kalshi.account.api_url,
      'polymarket-clob': clob_url,
      'polymarket-gamma': gamma_url,
      'polymarket-data-v2': data_url,
    };
    return urls[document];
  }

  /** Orders that rest, fill as taker and as maker, are cancelled; shares that are sold out. */
  async trade(): Promise<void> {
    await this.#tradeOnKalshi();
    await this.#tradeOnPolymarket();
  }

  async #tradeOnKalshi(): Promise<void> {
    this.restingId = await this.restKalshi();
    await this.kalshi.order({ price: '0.6000', expiration_time: Math.floor(this.clock().getTime() / 1_000) + 3_600 });
    await this.kalshi.order({ side: 'ask', count: '3.50', price: '0.3000' });
    await this.kalshi.order({ ticker: 'KXFEDDECISION-NEXT-C26', side: 'ask', price: '0.0110', count: '25.00' });
    await this.kalshi.call('DELETE', `/portfolio/events/orders/${await this.restKalshi()}`);
  }

  async #tradeOnPolymarket(): Promise<void> {
    this.restingHash = await this.restPolymarket();
    const [yes, no] = ALIENS.tokens;
    await this.maker.post(this.maker.sign({ tokenId: yes, side: 'BUY', price: '0.085', size: '20' }));
    await this.holder.post(this.holder.sign({ tokenId: yes, side: 'SELL', price: '0.085', size: '20' }));
    await this.maker.post(this.maker.sign({ tokenId: yes, side: 'SELL', price: '0.085', size: '20' }));
    await this.holder.post(this.holder.sign({ tokenId: yes, side: 'BUY', price: '0.086', size: '20' }));
    await this.holder.post(this.holder.sign({ tokenId: no, side: 'SELL', price: '0.9', size: '50' }));
  }

  /** A Kalshi order below the market; resolves to its id. */
  async restKalshi(): Promise<string> {
    return textOf((await this.kalshi.order({ price: '0.0500' })).body, 'order_id');
  }

  /** An order of `holder` below the market, each at a price of its own; resolves to its hash. */
  async restPolymarket(): Promise<string> {
    this.#ticks += 1;
    const price = (this.#ticks / 1_000).toFixed(3);
    const order = this.holder.sign({ tokenId: ALIENS.tokens[0], side: 'BUY', price, size: '10' });
    await this.holder.post(order);
    return orderHash(order, false);
  }

  /** A further funded Polymarket trader, who has done nothing yet. */
  another(options: NewAccount = {}): PolymarketTrader {
    return new PolymarketTrader(this.urls.clob_url, this.sandbox.polymarket.addAccount(options), this.clock);
  }

  clob(path: string, init: RequestInit = {}): Promise<Answer> {
    return request(`${this.urls.clob_url}${path}`, init);
  }

  gamma(path: string): Promise<Answer> {
    return request(`${this.urls.gamma_url}${path}`);
  }

  data(path: string): Promise<Answer> {
    return request(`${this.urls.data_url}${path}`);
  }

  /** Seconds of the exchange's clock, some hours ago. */
  secondsAgo(hours: number): number {
    return Math.floor(this.clock().getTime() / 1_000) - hours * 3_600;
  }
}

function textOf(body: unknown, name: string): string {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
  if (typeof value !== 'string') throw new Error(`no ${name} in ${JSON.stringify(body)}`);
  return value;
}
