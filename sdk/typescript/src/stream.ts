import { errorOf } from './answers.js';
import type { TradingProxyError } from './errors.js';
import { EventQueue, type Queued } from './event-queue.js';
import { blocksOf } from './event-source.js';
import { SlowConsumer } from './kinds.js';
import { StreamLines, type Message } from './stream-lines.js';
import { backoff, factsOf, foreign, parsed, sleep, type Query, type Transport } from './transport.js';

/** What is streamed; `lines` of it may be closed, null where it never ends. */
interface Source {
  readonly path: string;
  readonly query: Query;
  readonly lines: number | null;
}

/** The service ended or refused the connection, and wants to be left alone for so long (seconds). */
interface Ended {
  readonly error?: TradingProxyError | null;
  readonly wait?: number | null;
}

/**
 * Events, read by the client itself from now on: `for await (const event of stream)`, which closes it at its end, or `close()`.
 * Connects anew without end (0.2 to 30 s apart); throws the service's errors that are not retryable, SlowConsumer, and ConnectionFailed of a redirect; what is not told as stale by then is told first.
 */
export class Stream<Event extends Pick<Queued, 'type'>> implements AsyncIterable<Event> {
  readonly #queue: EventQueue;
  readonly #lines: StreamLines;
  readonly #closing = new AbortController();
  #lastEventId: string | undefined;

  constructor(
    private readonly transport: Transport,
    private readonly source: Source,
  ) {
    this.#queue = new EventQueue(transport.settings.streams.queue);
    this.#lines = new StreamLines(source.lines, (event) => {
      this.#queue.push(event);
    });
    void this.#read();
  }

  /** Ends it: what waits is dropped. */
  close(): void {
    this.#closing.abort();
    this.#queue.end(undefined, true);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    try {
      for await (const event of this.#queue.events()) yield event as Queued & Event;
    } finally {
      this.close();
    }
  }

  async #read(): Promise<void> {
    const [least, most] = this.transport.settings.streams.reconnect;
    const { signal } = this.#closing;
    try {
      for (let failures = 0; ; failures++) {
        const begun = performance.now();
        const { error, wait } = await this.#connect();
        if (this.#lines.isOver) break;
        if (error?.retryable === false) throw error;
        if (performance.now() - begun > most) failures = 0;
        await sleep(Math.max(backoff(failures, least, most), (wait ?? 0) * 1000), signal);
      }
      this.#queue.end();
    } catch (error) {
      this.#queue.end(signal.aborted ? undefined : error, signal.aborted);
    }
  }

  /** One connection, from its opening to its end; tells what is stale by it. */
  async #connect(): Promise<Ended> {
    const { silence } = this.transport.settings.streams;
    const headers = await this.transport.headers('text/event-stream', { 'last-event-id': this.#lastEventId });
    const { signal } = this.#closing;
    signal.throwIfAborted();
    const connection = new AbortController();
    const stop = connection.abort.bind(connection);
    let timer = setTimeout(stop, silence);
    const onBytes = (): void => {
      clearTimeout(timer);
      timer = setTimeout(stop, silence);
    };
    signal.addEventListener('abort', stop);
    let isSilent = false;
    try {
      const response = await this.transport.fetch(this.source, { headers, signal: connection.signal });
      return await this.#follow(response, onBytes);
    } catch (error) {
      if (error instanceof SlowConsumer || signal.aborted) throw error;
      isSilent = connection.signal.aborted;
      return {};
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      connection.abort();
      if (!this.#lines.isOver && !signal.aborted) this.#lines.lose(isSilent ? 'silent' : 'disconnected');
    }
  }

  async #follow(response: Response, onBytes: () => void): Promise<Ended> {
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return refusalOf(response);
    this.#lines.begin();
    let wait = 0;
    for await (const { data = '{}', id, retry } of blocksOf(response, onBytes)) {
      wait = retry === undefined ? wait : Number(retry) / 1000 || 0;
      const message = JSON.parse(data) as Message;
      if (message.type === 'error') return { error: errorOf(message.error), wait };
      this.#lines.take(message);
      this.#lastEventId = id ?? this.#lastEventId;
      if (this.#lines.isOver) break;
    }
    return {};
  }
}

/** An answer that is no stream. */
async function refusalOf(response: Response): Promise<Ended> {
  const facts = factsOf(response);
  const error = errorOf(parsed(await response.text())?.error, facts);
  return { error: error ?? foreign(response, true), wait: facts.retry_after };
}
