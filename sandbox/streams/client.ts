import { WebSocket } from 'ws';
import { isRecord, type Json, parseJson } from '../wire/json.js';

/** How long a client waits for what must come. */
const PATIENCE_MS = 10_000;

/** How a connection ended; the code is 1006 where there was no close frame. */
export interface End {
  code: number;
  reason: string;
}

/** A client of a stream that keeps what it gets and waits for what it wants; for tests. */
export class StreamClient {
  /** Texts of frames in the order in which they came; a binary one reads `<binary>`. */
  readonly texts: string[] = [];
  /** All objects that came, those of arrays one by one. */
  readonly messages: Json[] = [];
  readonly ended: Promise<End>;
  #wake: () => void = () => undefined;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data, isBinary) => {
      const text = isBinary || !Buffer.isBuffer(data) ? '<binary>' : data.toString('utf8');
      const parsed = parseJson(text);
      this.texts.push(text);
      this.messages.push(...(Array.isArray(parsed) ? (parsed as unknown[]) : [parsed]).filter(isRecord));
      this.#wake();
    });
    socket.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        resolve({ code, reason: reason.toString('utf8') });
      });
    });
  }

  /** Resolves once the handshake is done; rejects with the status where it is refused. */
  static async open(url: string, headers: Record<string, string> = {}): Promise<StreamClient> {
    const client = new StreamClient(new WebSocket(url, { headers, perMessageDeflate: false }));
    await new Promise<void>((resolve, reject) => {
      client.socket.once('open', resolve);
      client.socket.once('error', reject);
    });
    return client;
  }

  /** Forgets what came until now. */
  clear(): void {
    this.texts.length = 0;
    this.messages.length = 0;
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** The first `count` messages that fit, however early they came. Throws where they do not come. */
  async find(fits: (message: Json) => boolean, count = 1): Promise<Json[]> {
    const found = (): Json[] => this.messages.filter(fits);
    await this.#until(() => found().length >= count);
    return found().slice(0, count);
  }

  /** Waits for a text frame. */
  async findText(text: string): Promise<void> {
    await this.#until(() => this.texts.includes(text));
  }

  async close(): Promise<void> {
    this.socket.terminate();
    await this.ended;
  }

  async #until(isThere: () => boolean): Promise<void> {
    const limit = Date.now() + PATIENCE_MS;
    while (!isThere()) {
      const left = limit - Date.now();
      if (left <= 0) throw new Error(`it did not come; there were: ${this.texts.join('\n').slice(0, 5_000)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
