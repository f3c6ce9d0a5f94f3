import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exchangeAddresses, exchangeCredentials } from '../../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import type { Environment } from '../../src/platform/config/environment.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { type Instance, startInstance } from './instance.js';
import { freePort } from './loopback.js';
import { TestNginx } from './nginx.js';
import { TestRedis } from './redis.js';
import { storeCredentials, type Trader } from './sandbox.js';
import { anApiKey, aUser } from './users.js';

/** One instance at its place behind the balancer: a later one takes the same port. */
interface Place {
  readonly port: number;
  instance: Instance;
}

/** Two processes of the service on one database and one Redis, behind nginx, in front of the sandbox exchanges. */
export class Deployment {
  private constructor(
    readonly sandbox: Sandbox,
    readonly database: TestDatabase,
    readonly dataDir: string,
    readonly nginx: TestNginx,
    private readonly redis: TestRedis,
    private readonly places: readonly [Place, Place],
    private readonly settings: Environment,
  ) {}

  static async start(overrides: Environment = {}): Promise<Deployment> {
    const [sandbox, database, redis] = await Promise.all([startSandbox(), createTestDatabase(), TestRedis.start()]);
    const dataDir = await mkdtemp(join(tmpdir(), 'trading-proxy-test-'));
    const settings = {
      ...exchangeAddresses(sandbox.addresses),
      REDIS_URL: redis.url,
      TRUST_PROXY: '1',
      API_KEY_CACHE_TTL: '1s',
      ...overrides,
    };
    const start = async (): Promise<Place> => {
      const port = await freePort();
      return { port, instance: await startInstance({ database, dataDir }, { ...settings, PORT: String(port) }) };
    };
    const places = await Promise.all([start(), start()]);
    const nginx = await TestNginx.start(places.map(({ port }) => port));
    return new Deployment(sandbox, database, dataDir, nginx, redis, places, settings);
  }

  /** Behind the balancer. */
  get url(): string {
    return this.nginx.url;
  }

  get first(): Instance {
    return this.places[0].instance;
  }

  get second(): Instance {
    return this.places[1].instance;
  }

  /** Stops one instance by SIGTERM and starts it anew on the same port; ends when the new one is ready. */
  async restart(which: 'first' | 'second'): Promise<void> {
    const { dataDir, database, settings } = this;
    const place = this.places[which === 'first' ? 0 : 1];
    await place.instance.close();
    place.instance = await startInstance({ database, dataDir }, { ...settings, PORT: String(place.port) });
  }

  /** A user with a key, whose stored credentials are the sandbox's own funded accounts. */
  async aTrader(): Promise<Trader> {
    const user = await aUser(this);
    for (const [exchange, body] of Object.entries(exchangeCredentials(this.sandbox.addresses))) {
      await storeCredentials(this, user, exchange, body);
    }
    return { user, key: await anApiKey(this, user) };
  }

  /** Client order ids of the orders that reached Kalshi, in turn, as far back as the sandbox keeps requests. */
  sentOrders(): string[] {
    return this.sandbox.log
      .list('kalshi')
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/portfolio/events/orders'))
      .map(({ body }) => (JSON.parse(body) as { client_order_id: string }).client_order_id);
  }

  async close(): Promise<void> {
    await Promise.all([this.nginx.stop(), ...this.places.map(({ instance }) => instance.close())]);
    await Promise.all([this.sandbox.close(), this.redis.stop(), this.database.drop()]);
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
