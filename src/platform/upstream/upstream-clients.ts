import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { Bulkhead } from './bulkhead.js';
import { MAX_IN_FLIGHT, MAX_WAITING } from './upstream.constants.js';
import { HttpUpstreamClient, type UpstreamClientOptions, type UpstreamStatus } from './http-upstream-client.js';
import type { UpstreamClient } from './upstream-client.js';

/** The options of one client; the rest follows the settings. */
export type UpstreamOptions = Pick<
  UpstreamClientOptions,
  'name' | 'baseUrl' | 'maxBodyBytes' | 'readFault' | 'resetHeader' | 'callsPerSecond'
> & {
  /** `UPSTREAM_TIMEOUT` where left out. */
  readonly timeoutMs?: number;
  /** Clients of one group are one exchange: together at most 50 calls in flight (contract.md 5, R-11). */
  readonly group?: string;
};

/** Is called for each request that went out: with the names of exchange and server, and how long it took, in seconds. */
type SentListener = (exchange: string, server: string, seconds: number) => void;

/** Makes the clients of other servers, one for each base address, and closes them when the service has drained. */
@Injectable()
export class UpstreamClients implements OnApplicationShutdown {
  readonly #clients: HttpUpstreamClient[] = [];
  #listener: SentListener = () => undefined;
  readonly #groups = new Map<string, Bulkhead>();

  constructor(private readonly settings: Settings) {}

  create({ group, ...options }: UpstreamOptions): UpstreamClient {
    const { upstreamTimeoutMs, marketDataCacheTtlMs, traceUpstream } = this.settings;
    const exchange = group ?? options.name;
    const client = new HttpUpstreamClient({
      ...options,
      exchange,
      onSent: (seconds) => {
        this.#listener(exchange, options.name, seconds);
      },
      timeoutMs: options.timeoutMs ?? upstreamTimeoutMs,
      cacheTtlMs: marketDataCacheTtlMs,
      isTraced: traceUpstream,
      ...(group === undefined ? {} : { bulkhead: this.#bulkheadOf(group) }),
    });
    this.#clients.push(client);
    return client;
  }

  #bulkheadOf(group: string): Bulkhead {
    const bulkhead = this.#groups.get(group) ?? new Bulkhead(MAX_IN_FLIGHT, MAX_WAITING);
    this.#groups.set(group, bulkhead);
    return bulkhead;
  }

  /** Sets the function that is called for each request. */
  onSent(listener: SentListener): void {
    this.#listener = listener;
  }

  /** One line per client, for `/metrics`. */
  status(): UpstreamStatus[] {
    return this.#clients.map((client) => client.status);
  }

  /** After the last request has been answered: `onModuleDestroy` comes before the server stops accepting. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }
}
