import type { PrivateLine, PrivateStream } from '../../feeds.contract.js';
import type { SignedKalshiClient } from '../connection/client.js';
import { KalshiUserLine, type ReadOrder } from './user-line.js';

/** The exchange pings every 10 s (streams.md 1.6). */
const SILENT_MS = 25_000;

/** The private channels of one API key, on one connection for all shards (streams.md 1.1). */
export class KalshiUserStream implements PrivateStream {
  readonly name = 'key';
  readonly silentMs = SILENT_MS;
  readonly ping = null;
  readonly isProved = true;

  constructor(
    private readonly client: SignedKalshiClient,
    private readonly orders: ReadOrder,
    readonly url: string,
  ) {}

  headers(): Promise<Readonly<Record<string, string>>> {
    return this.client.handshake(new URL(this.url).pathname);
  }

  line(): PrivateLine {
    return new KalshiUserLine(this.client.account, this.orders);
  }
}
