import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';

/** One message of a stream, with its `id` where it had one. */
export interface Told {
  readonly type: string;
  readonly id: string | null;
  readonly market_id?: string | null;
  readonly state?: string;
  readonly reason?: string | null;
  readonly data?: unknown;
  readonly error?: { readonly code: string; readonly details?: { readonly reason?: string } };
  readonly [member: string]: unknown;
}

const WAIT_MS = 20_000;

/** Reads a stream as any client of server-sent events would. */
export class StreamReader {
  readonly messages: Told[] = [];
  status = 0;
  headers: IncomingMessage['headers'] = {};
  /** The whole text of the answer so far. */
  text = '';
  /** `end` as an answer ends, `reset` where the connection was cut; null while it is open. */
  over: 'end' | 'reset' | null = null;
  #rest = '';
  readonly #request: ClientRequest;
  #response: IncomingMessage | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(url: string, path: string, key: string, headers: Record<string, string> = {}) {
    this.#request = httpRequest(`${url}${path}`, {
      headers: { authorization: `Bearer ${key}`, ...headers },
      agent: false,
    });
    this.#request.on('response', (response) => {
      this.#response = response;
      this.status = response.statusCode ?? 0;
      this.headers = response.headers;
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        this.#take(part);
      });
      response.on('end', () => {
        this.#end('end');
      });
      response.on('error', () => {
        this.#end('reset');
      });
      this.#wake();
    });
    this.#request.on('error', () => {
      this.#end('reset');
    });
    this.#request.end();
  }

  /** Waits until the answer has begun. */
  async opened(): Promise<this> {
    await this.until(() => this.status !== 0);
    return this;
  }

  /** Waits for a message, also one that has come; returns it. */
  async message(wanted: (message: Told) => boolean, from = 0): Promise<Told> {
    await this.until(() => this.messages.slice(from).some(wanted));
    const found = this.messages.slice(from).find(wanted);
    if (found === undefined) throw new Error('there is no such message');
    return found;
  }

  async until(holds: () => boolean): Promise<void> {
    const late = setTimeout(() => {
      this.#wake();
    }, WAIT_MS);
    const from = performance.now();
    try {
      while (!holds()) {
        if (performance.now() - from >= WAIT_MS) throw new Error(`waited in vain; told: ${this.text.slice(-2_000)}`);
        await new Promise<void>((resolve) => this.#waiting.add(resolve));
      }
    } finally {
      clearTimeout(late);
    }
  }

  /** Reads no more, and leaves the connection open. */
  stop(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  close(): void {
    this.#request.destroy();
  }

  #take(part: string): void {
    this.text += part;
    const blocks = (this.#rest + part).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) this.#block(block);
    this.#wake();
  }

  #block(block: string): void {
    const lines = block.split('\n');
    const valueOf = (name: string): string | null =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
    const data = valueOf('data');
    if (data !== null) this.messages.push({ ...(JSON.parse(data) as Told), id: valueOf('id') });
  }

  #end(how: 'end' | 'reset'): void {
    this.over ??= how;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
