import { USER_AGENT } from '../../../platform/upstream/upstream.constants.js';
import type { PrivateLine, PrivateStream } from '../../feeds.contract.js';
import type { Trading } from '../../trading.contract.js';
import { PolymarketUserLine, type UserReads } from './user-line.js';

const SILENT_MS = 30_000;
const PING_EVERY_MS = 10_000;

/** The user channel of one API key. What it says to that of a session key nobody has seen (streams.md 2.7). */
export class PolymarketUserStream implements PrivateStream {
  readonly name: string;
  readonly silentMs = SILENT_MS;
  readonly ping = { text: 'PING', everyMs: PING_EVERY_MS };
  readonly isProved: boolean;

  constructor(
    private readonly trading: UserReads & Pick<Trading, 'verify'>,
    readonly url: string,
    isOfSessionKey: boolean,
  ) {
    this.name = isOfSessionKey ? 'session key' : 'key';
    this.isProved = !isOfSessionKey;
  }

  /** The channel cuts off without a word whom it does not know: a signed read says whether that is the key. */
  async headers(): Promise<Readonly<Record<string, string>>> {
    await this.trading.verify();
    return { 'user-agent': USER_AGENT };
  }

  line(): PrivateLine {
    return new PolymarketUserLine(this.trading);
  }
}
