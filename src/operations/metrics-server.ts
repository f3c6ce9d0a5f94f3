import { createServer, type RequestListener, type Server } from 'node:http';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '../platform/config/settings.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { answerScrape } from './metrics-answer.js';
import { METRICS_PATH } from './metrics.middleware.js';

/** As long as a scrape may take, and some more; a scraper has few connections. */
const LIMITS = { headersTimeout: 5_000, requestTimeout: 10_000, maxHeaderSize: 16_384 } as const;
const MAX_CONNECTIONS = 100;

/** Why we cannot listen, by the code of the operating system. */
const CANNOT_LISTEN: Readonly<Record<string, string>> = {
  EACCES: 'METRICS_PORT may not be used by this user: set one above 1023',
  EADDRINUSE: 'METRICS_PORT is taken by another program: stop that one, or set another METRICS_PORT',
  EADDRNOTAVAIL: 'HOST is not an address of this machine: set one that is',
};

function explained(error: unknown): Error {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return new Error(CANNOT_LISTEN[code] ?? 'METRICS_PORT cannot be used', { cause: error });
}

/** The own port of `/metrics`, on HOST, where METRICS_PORT names one (contract.md 8, R-24). It answers until the drain is over. */
@Injectable()
export class MetricsServer implements OnApplicationShutdown {
  readonly #logger = new Logger('Metrics');
  #server: Server | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly metrics: Metrics,
  ) {}

  /** Listens, where there is a port to listen on. Throws an Error that names the setting. */
  async listen(): Promise<void> {
    const { host, port, metricsPort } = this.settings;
    if (metricsPort === undefined) return;
    if (metricsPort === port) throw new Error('METRICS_PORT must be another port than PORT');
    this.metrics.watchProcess();
    const server = createServer(LIMITS, this.#answer);
    server.maxConnections = MAX_CONNECTIONS;
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => {
        reject(explained(error));
      });
      server.listen({ host, port: metricsPort }, resolve);
    });
    server.on('error', (error) => {
      this.#logger.error({ err: error, message: 'the port of the metrics failed' });
    });
  }

  async onApplicationShutdown(): Promise<void> {
    const server = this.#server;
    if (server?.listening !== true) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  readonly #answer: RequestListener = (request, response) => {
    const [path] = (request.url ?? '').split('?', 1);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (path !== METRICS_PATH || !isRead) {
      const headers = path === METRICS_PATH ? { Allow: 'GET, HEAD' } : {};
      response.writeHead(path === METRICS_PATH ? 405 : 404, headers).end();
      return;
    }
    answerScrape(this.metrics, response).catch((error: unknown) => {
      this.#logger.error({ err: error, message: 'the metrics could not be read' });
      response.destroy();
    });
  };
}
