import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** One request that a load sends. */
export interface Shot {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How one request ended. */
export interface Hit {
  readonly name: string;
  /** 0 where the connection broke. */
  readonly status: number;
  readonly tookMs: number;
  readonly text: string;
}

/** Sends requests to one service over connections that are kept. */
export class Gun {
  readonly #agent = new Agent({ headersTimeout: 30_000, bodyTimeout: 30_000 });

  constructor(private readonly url: string) {}

  /** Never throws. */
  async shoot({ name, method, path, headers = {}, body }: Shot): Promise<Hit> {
    const startedAt = performance.now();
    try {
      const answer = await request(`${this.url}${path}`, {
        method: method as 'GET',
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body ?? null,
        dispatcher: this.#agent,
      });
      const text = await answer.body.text();
      return { name, status: answer.statusCode, tookMs: performance.now() - startedAt, text };
    } catch (error) {
      return { name, status: 0, tookMs: performance.now() - startedAt, text: String(error) };
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Times of answers in buckets of a millisecond, so that half an hour of them takes no room. */
export class Timings {
  readonly #counts = new Map<number, number>();
  #total = 0;
  #maxMs = 0;

  add(tookMs: number): void {
    const bucket = Math.ceil(tookMs);
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1);
    this.#total += 1;
    this.#maxMs = Math.max(this.#maxMs, tookMs);
  }

  get total(): number {
    return this.#total;
  }

  get maxMs(): number {
    return Math.round(this.#maxMs);
  }

  /** No more than this share of the answers took longer, in ms. */
  percentileMs(share: number): number {
    let left = this.#total * share;
    for (const [ms, count] of [...this.#counts].sort(([a], [b]) => a - b)) {
      left -= count;
      if (left <= 0) return ms;
    }
    return 0;
  }
}

/** Does `act` again and again until `endsAt` (by `performance.now()`), beginning at most every `everyMs`. */
export async function pace(endsAt: number, everyMs: () => number, act: () => Promise<void>): Promise<void> {
  while (performance.now() < endsAt) {
    const next = performance.now() + everyMs();
    await act();
    await delay(Math.max(0, Math.min(next, endsAt) - performance.now()));
  }
}

const STATUS = /^HTTP\/1\.1 (\d{3})[^]*?\r\ncontent-length: (\d+)\r\n[^]*?\r\n\r\n/i;

/** One kept connection that sends the same bytes again and again, at a tenth of what a `Gun` takes of the test's own core. */
export class Hammer {
  #socket: Socket | undefined;
  #rest = '';
  #resolve: (status: number) => void = () => undefined;

  constructor(
    private readonly url: string,
    private readonly text: string,
  ) {}

  /** The status of the answer; 0 where the connection broke. One at a time. */
  strike(): Promise<number> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#connected().write(this.text);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connected(): Socket {
    if (this.#socket !== undefined && !this.#socket.destroyed) return this.#socket;
    const { hostname, port } = new URL(this.url);
    this.#rest = '';
    this.#socket = connect(Number(port), hostname)
      .on('data', (chunk: Buffer) => {
        this.#take(chunk.toString('latin1'));
      })
      .on('error', () => undefined)
      .on('close', () => {
        this.#resolve(0);
      });
    return this.#socket;
  }

  #take(chunk: string): void {
    this.#rest += chunk;
    const [head, status, length] = STATUS.exec(this.#rest) ?? [];
    if (head === undefined || this.#rest.length < head.length + Number(length)) return;
    this.#rest = '';
    this.#resolve(Number(status));
  }
}
