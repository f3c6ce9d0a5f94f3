import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { freePort } from './support/loopback.js';
import { type Series, selectedFrom, seriesIn, sumOf } from './support/scrape.js';

/** Prometheus gives up a scrape after that; a test's machine may be busy. */
const SCRAPE_LIMIT_MS = 10_000;
const FIGURES = ['orders_unknown', 'mail_outbox_oldest_age_seconds', 'session_keys_ending'];

/** Passes connections on to the socket of a server, or does not. */
class Forwarder {
  readonly #sockets = new Set<Socket>();
  #state: 'on' | 'cut' | 'stalled' = 'on';

  private constructor(
    private readonly path: string,
    private readonly server: Server,
  ) {
    server.on('connection', (socket) => {
      this.#take(socket);
    });
  }

  static async to(path: string, port: number): Promise<Forwarder> {
    const server = createServer();
    const forwarder = new Forwarder(path, server);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return forwarder;
  }

  on(): void {
    this.#state = 'on';
    this.#destroyAll();
  }

  /** Ends all connections; new ones end too. */
  cut(): void {
    this.#state = 'cut';
    this.#destroyAll();
  }

  /** Nothing gets through any more, and nothing ends. */
  stall(): void {
    this.#state = 'stalled';
    for (const socket of this.#sockets) socket.pause();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.cut();
    await closed;
  }

  #take(client: Socket): void {
    if (this.#state === 'cut') {
      client.destroy();
      return;
    }
    this.#add(client);
    if (this.#state === 'stalled') {
      client.pause();
      return;
    }
    const server = connect(this.path);
    this.#add(server);
    client.pipe(server).pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  #add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  #destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe('metrics while the database is away (R-5, R-24)', () => {
  let database: TestDatabase;
  let forwarder: Forwarder;
  let app: TestApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { pathname, searchParams, username } = new URL(database.url);
    const port = await freePort();
    const [directory, serverPort] = [searchParams.get('host') ?? '', searchParams.get('port') ?? '5432'];
    forwarder = await Forwarder.to(`${directory}/.s.PGSQL.${serverPort}`, port);
    const user = searchParams.get('user') ?? username;
    app = await startTestApp({ DATABASE_URL: `postgresql://${user}@127.0.0.1:${port}${pathname}` }, database);
  });

  afterAll(async () => {
    forwarder.on();
    await app.close();
    await forwarder.close();
    await database.drop();
  });

  async function scrape(): Promise<Series[]> {
    const before = performance.now();
    const { text } = await request(app.url).get('/metrics').expect(200);
    expect(performance.now() - before).toBeLessThan(SCRAPE_LIMIT_MS);
    const all = seriesIn(text);
    // One moment, also right when it comes and goes: figures all or none, and none of a database that is away.
    expect([[], FIGURES]).toContainEqual(figuresIn(all));
    expect(figuresIn(all).length > 0 && sumOf(all, 'trading_proxy_database_up') !== 1).toBe(false);
    return all;
  }

  function figuresIn(all: readonly Series[]): string[] {
    return FIGURES.filter((name) => selectedFrom(all, `trading_proxy_${name}`).length > 0);
  }

  /** Scrapes until the state is told as it is now: what was found out half a second ago still stands. */
  async function scrapeUntil(up: 0 | 1, figures: readonly string[]): Promise<Series[]> {
    for (;;) {
      const all = await scrape();
      const isTold = sumOf(all, 'trading_proxy_database_up') === up && figuresIn(all).length === figures.length;
      if (isTold) return all;
    }
  }

  it.each(['cut', 'stall'] as const)(
    'R-24 a scrape works while the database is away (%s): it says so, shows no figure of it, and all again afterwards',
    async (fault) => {
      const before = await scrape();
      expect([sumOf(before, 'trading_proxy_database_up'), figuresIn(before)]).toEqual([1, FIGURES]);
      forwarder[fault]();
      const during = await scrapeUntil(0, []);
      expect(sumOf(during, 'trading_proxy_http_requests_total')).toBeGreaterThan(0);
      forwarder.on();
      const after = await scrapeUntil(1, FIGURES);
      expect(figuresIn(after)).toEqual(FIGURES);
    },
    60_000,
  );
});
