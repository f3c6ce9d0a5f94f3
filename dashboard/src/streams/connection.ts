import { Failure } from '../api/failure.js';
import { session } from '../session/session.js';
import { ServerEvents, type Told } from './server-events.js';

/** Nothing for so long, not even a heartbeat, means that the connection is dead, in milliseconds. */
const DEAD_MS = 35_000;

/** What a stream was refused with, before its first byte. */
export class Refusal extends Error {
  constructor(
    /** Of HTTP; 0 where no answer came. */
    readonly status: number,
    /** Seconds that the service asks to wait; null where it names none. */
    readonly retryAfter: number | null,
  ) {
    super(`the stream was refused: ${status}`);
  }
}

interface Reader {
  /** Hears each message. */
  readonly tell: (message: Told) => void;
  /** Hears once that no more will come; not after `close`. */
  readonly ended: () => void;
}

function addressOf(subscriptions: readonly string[]): string {
  // Commas and colons are letters of a query like any others: as such an address is a third as long.
  const texts = subscriptions.map((text) => encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%3A', ':'));
  return `${location.origin}/stream?${texts.map((text) => `subscribe=${text}`).join('&')}`;
}

/** One answer of `GET /stream`, from its request to its end. */
export class Connection {
  readonly #events = new ServerEvents();
  readonly #abort = new AbortController();
  #isClosed = false;

  constructor(readonly subscriptions: readonly string[]) {}

  get retryMs(): number | null {
    return this.#events.retryMs;
  }

  /** The `id` behind which the next connection can go on; null where none came. */
  get lastId(): string | null {
    return this.#events.lastId;
  }

  /** Asks for it, behind `lastId` where there is one. Throws Refusal; once it resolves, all lines are sure to tell something. */
  async open(lastId: string | null, reader: Reader): Promise<void> {
    const headers = lastId === null ? {} : { 'Last-Event-ID': lastId };
    let answer: Response;
    try {
      answer = await session.send(new Request(addressOf(this.subscriptions), { headers }), this.#abort.signal);
    } catch {
      throw new Refusal(0, null);
    }
    if (!answer.ok || answer.body === null) {
      const body: unknown = await answer.json().catch(() => null);
      throw new Refusal(answer.status, Failure.of(body, answer).retryAfter);
    }
    void this.#read(answer.body, reader);
  }

  /** Ends it, without another word. */
  close(): void {
    this.#isClosed = true;
    this.#abort.abort();
  }

  async #read(body: ReadableStream<Uint8Array>, { tell, ended }: Reader): Promise<void> {
    const texts = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
    let timer = 0;
    try {
      for (;;) {
        clearTimeout(timer);
        timer = setTimeout(() => {
          this.#abort.abort();
        }, DEAD_MS);
        const { value, done } = await texts.read();
        if (done || this.#isClosed) break;
        for (const message of this.#events.take(value)) tell(message);
      }
    } catch {
      // Cut, silent or no JSON: the next connection tells all anew.
    }
    clearTimeout(timer);
    if (this.#isClosed) return;
    this.close();
    ended();
  }
}
