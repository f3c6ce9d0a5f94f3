import { type StreamLine } from '../../streams/line.js';
import { type StreamSession } from '../../streams/server.js';
import { type Exchange } from '../exchange.js';
import { type Market } from '../market.js';
import { type ApiCredentials, sameText } from '../signing/l2-signature.js';
import { parseUserFrame, type UserFrame } from './frames.js';
import { namesOf } from './messages.js';

const MAX_MARKETS = 5_000;

/** One connection to the user channel: whose it is, and which markets it is about; all of them where it names none. */
export class UserSession implements StreamSession {
  readonly #markets = new Set<string>();
  #credentials: ApiCredentials | undefined;

  constructor(
    private readonly exchange: Exchange,
    private readonly line: StreamLine,
    private readonly forget: (session: UserSession) => void,
  ) {}

  /** The wallet of the API key that opened it; undefined before that, and once the key is revoked. */
  get account(): string | undefined {
    const { apiKey = '', address } = this.#credentials ?? {};
    return this.exchange.accounts.find(apiKey) === undefined ? undefined : address;
  }

  follows(marketId: string): boolean {
    return this.#markets.size === 0 || this.#markets.has(marketId);
  }

  /** Sends a frame, where it is about a market that the client wants. */
  tell(market: Market, frame: object): void {
    const markets = namesOf(market);
    if (!markets.some((name) => this.follows(name))) return;
    this.line.send({ markets, numbered: true, text: () => JSON.stringify(frame) });
  }

  onText(text: string): void {
    if (text === 'PING') {
      this.line.pong('PONG');
      return;
    }
    const frame = parseUserFrame(text);
    if (this.#credentials === undefined) this.#open(frame);
    else this.#change(frame);
  }

  onSlowReader(): void {
    this.line.close(1013, 'slow consumer: send buffer full');
  }

  onClose(): void {
    this.forget(this);
  }

  /** Key, secret and passphrase must fit; else the connection ends without a word. */
  #open(frame: UserFrame | undefined): void {
    const { auth, markets = [] } = frame ?? {};
    const known = auth === undefined ? undefined : this.exchange.accounts.find(auth.apiKey);
    const fits =
      auth !== undefined &&
      known !== undefined &&
      sameText(auth.secret, known.secret) &&
      sameText(auth.passphrase, known.passphrase);
    if (!fits) {
      this.line.cut();
      return;
    }
    this.#credentials = known;
    this.#add(markets);
  }

  #change(frame: UserFrame | undefined): void {
    if (frame?.operation === 'subscribe') this.#add(frame.markets ?? []);
    else if (frame?.operation === 'unsubscribe') for (const id of frame.markets ?? []) this.#markets.delete(id);
    else this.line.reply('INVALID OPERATION');
  }

  #add(markets: readonly string[]): void {
    for (const id of markets.slice(0, MAX_MARKETS - this.#markets.size)) this.#markets.add(id);
  }
}
