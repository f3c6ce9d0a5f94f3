/** One message of a stream (contract.md 5.14), with the newest `id` that stood above it. */
export interface Told {
  readonly type: string;
  readonly channel?: string;
  readonly exchange?: string;
  /** Null of own orders and fills as a whole. */
  readonly market_id?: string | null;
  readonly state?: 'live' | 'stale' | 'closed';
  readonly reason?: string | null;
  /** Of a state, as ISO 8601. */
  readonly since?: string;
  readonly sequence?: number;
  readonly previous_sequence?: number | null;
  readonly data?: unknown;
  /** Of the last message, where the service ends the stream. */
  readonly error?: { readonly code: string };
}

/** Reads the text of server-sent events, in whatever parts it comes. Throws SyntaxError where a message is no JSON. */
export class ServerEvents {
  #rest = '';
  #retryMs: number | null = null;
  #lastId: string | null = null;

  /** What the service last asked to wait before the next connection, in milliseconds; null before. */
  get retryMs(): number | null {
    return this.#retryMs;
  }

  /** The `id` behind which a stream can go on; null before the first. */
  get lastId(): string | null {
    return this.#lastId;
  }

  /** The messages that are whole with this part. */
  take(part: string): Told[] {
    const lines = (this.#rest + part).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  #line(line: string): Told[] {
    const colon = line.indexOf(':');
    const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    switch (line.slice(0, Math.max(colon, 0))) {
      case 'data':
        // One message is one line.
        return [JSON.parse(value) as Told];
      case 'id':
        this.#lastId = value;
        return [];
      case 'retry':
        if (/^\d+$/.test(value)) this.#retryMs = Number(value);
        return [];
      default:
        return [];
    }
  }
}
