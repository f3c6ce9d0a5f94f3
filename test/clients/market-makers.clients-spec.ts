import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exchangeAddresses, streamKeys } from '../../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { type WayTrader, wayTraders } from '../chaos/orders-in-flight.js';
import { aBot } from '../support/bots.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type Instance, startInstance } from '../support/instance.js';
import { freePort } from '../support/loopback.js';
import { rounds } from '../support/long.js';

const KILLS = rounds(6, 100);
/** A life of a market maker before it is killed, in ms: from before its first intent to amid its later ones. */
const LIFE_MS = [200, rounds(5_000, 9_000)] as const;
/** After its last kill it lives until all that it meant has an outcome, so often at most. */
const LAST_LIVES = 5;
const LAST_LIFE_MS = 6_000;
/** Each so many lives the service is killed too. */
const RESTART_EVERY = 5;
/** One answer in so many is dropped by the exchange, after it acted. */
const DROPPED = 20;
const MOVE_MS = 20;
const SAMPLE_MS = 50;
/** How much of the time in which the service is up both sides are quoted, at least. */
const QUOTED = 0.8;

type ExchangeName = 'kalshi' | 'polymarket';

/** A market that the makers quote, and where its orders go. */
const MARKETS: Readonly<Record<ExchangeName, readonly [id: string, path: string]>> = {
  kalshi: ['KXHIGHNY-TODAY-T58', '/portfolio/events/orders'],
  polymarket: ['will-bitcoin-reach-130k-this-year', '/order'],
};

/** What a market maker meant, and what became of it. */
interface Intent {
  readonly side: number;
  orderId?: string;
  refused?: string;
}

/** A line of a state file: both clients write the same. */
interface Line {
  readonly key: string;
  readonly order?: { readonly outcome: number };
  readonly order_id?: string;
  readonly refused?: string;
  readonly ended?: string;
}

interface Maker {
  readonly client: string;
  readonly exchange: ExchangeName;
  readonly command: (market: string, state: string) => readonly string[];
}

const PYTHON: Pick<Maker, 'client' | 'command'> = {
  client: 'Python',
  command: (market, state) => {
    const { CLIENTS_PYTHON: python = resolve('sdk/python/.venv/bin/python') } = process.env;
    return [
      python,
      resolve('sdk/python/examples/market_maker.py'),
      'EXCHANGE',
      market,
      '--refresh',
      '1',
      '--state',
      state,
    ];
  },
};

const TYPESCRIPT: typeof PYTHON = {
  client: 'TypeScript',
  command: (market, state) => {
    const { CLIENTS_TYPESCRIPT: made = '' } = process.env;
    return [process.execPath, made, '--exchange', 'EXCHANGE', '--markets', market, '--refresh', '2', '--state', state];
  },
};

/** Those whose client is there: `npm run test:clients` installs both and says what it could not. */
const MAKERS: readonly Maker[] = [
  ...(process.env.CLIENTS_TYPESCRIPT === undefined ? [] : [{ ...TYPESCRIPT, exchange: 'polymarket' as const }]),
  ...(process.env.CLIENTS_PYTHON === undefined ? [] : [{ ...PYTHON, exchange: 'kalshi' as const }]),
];

/** What the state file says; a line that was cut off was not acted upon. */
function intentsIn(file: string): Map<string, Intent> {
  const intents = new Map<string, Intent>();
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const whole = text.split('\n').slice(0, -1).filter((line) => line.endsWith('}')); // prettier-ignore
  for (const { key, order, order_id: orderId, refused, ended } of whole.map((line) => JSON.parse(line) as Line)) {
    const intent = order === undefined ? intents.get(key) : { side: order.outcome };
    if (intent === undefined) throw new Error(`an outcome of ${key}, which nobody meant`);
    const outcome = { orderId, refused: refused ?? ((intent.orderId ?? orderId) ? undefined : ended) };
    const told = Object.entries(outcome).filter(([, value]) => value !== undefined);
    intents.set(key, { ...intent, ...(Object.fromEntries(told) as Partial<Intent>) });
  }
  return intents;
}

const pendingIn = (intents: ReadonlyMap<string, Intent>): string[] =>
  [...intents].flatMap(([key, { orderId, refused }]) => (orderId === undefined && refused === undefined ? [key] : []));

describe('market makers that are killed (issue: examples of the clients)', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let dataDir: string;
  let service: Instance | null;
  let port: number;
  let traders: WayTrader[];

  const start = async (): Promise<Instance> =>
    startInstance(
      { database, dataDir },
      {
        ...exchangeAddresses(sandbox.addresses),
        ...streamKeys(sandbox.addresses),
        PORT: String(port),
        UPSTREAM_TIMEOUT: '2s',
      },
    );

  beforeAll(async () => {
    [sandbox, database, port] = await Promise.all([startSandbox(), createTestDatabase(), freePort()]);
    dataDir = await mkdtemp(join(tmpdir(), 'trading-proxy-makers-'));
    service = await start();
    traders = await wayTraders(service, sandbox);
  });

  afterAll(async () => {
    await service?.close();
    await sandbox.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** A trader's orders at the exchange, by id, and whether each rests. */
  const held = ({ way, wallet }: WayTrader): Map<string, boolean> => {
    const { kalshi, polymarket } = sandbox;
    if (way.id === 'polymarket')
      return new Map(polymarket.ordersOf(wallet).map(({ id, status }) => [id, status === 'LIVE']));
    const members = [...kalshi.exchange.accounts.values()].filter(({ unlimited }) => !unlimited);
    const orders = members.flatMap((member) => [...member.orders.values()]);
    return new Map(orders.map(({ id, status }) => [id, status === 'resting']));
  };

  it.each(MAKERS)(
    '$client at $exchange: each intent exists once or is refused, none is dropped, and both sides are quoted',
    async ({ client, exchange, command }) => {
      // At Polymarket the last one trades by a session key, with which the service signs plain orders.
      const trader = traders.findLast(({ way }) => way.id === exchange);
      if (trader === undefined) throw new Error(`nobody trades at ${exchange}`);
      const [market, path] = MARKETS[exchange];
      const url = `http://127.0.0.1:${port}`;
      const bot = await aBot({ url }, trader.user);
      const file = join(dataDir, `${client}.jsonl`);
      const [program = '', ...args] = command(market, file).map((word) => (word === 'EXCHANGE' ? exchange : word));
      const before = new Set(held(trader).keys());
      let output = '';

      const live = (): { kill: () => Promise<void> } => {
        const env = {
          PATH: process.env.PATH,
          PYTHONPATH: resolve('sdk/python/src'),
          TRADING_PROXY_URL: url,
          TRADING_PROXY_API_KEY: bot.key,
        };
        const child = spawn(program, args, { cwd: dataDir, env, stdio: ['ignore', 'pipe', 'pipe'] });
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-5_000)));
        const over = new Promise((done) => child.once('exit', done));
        const kill = async (): Promise<void> => {
          if (child.exitCode !== null) throw new Error(`the market maker ended by itself: ${output}`);
          child.kill('SIGKILL');
          await over;
        };
        return { kill };
      };

      const samples: (readonly string[])[] = [];
      const sampling = setInterval(() => {
        if (service === null || !existsSync(file)) return;
        samples.push([...held(trader)].flatMap(([id, rests]) => (rests ? [id] : [])));
      }, SAMPLE_MS);
      const mover = exchange === 'kalshi' ? sandbox.kalshi.mover() : sandbox.polymarket.mover();
      const moving = setInterval(() => {
        mover.step();
      }, MOVE_MS);
      let last = 0;
      try {
        for (let life = 1; life <= KILLS; life += 1) {
          const after = Math.floor(Math.random() * 2 * DROPPED);
          sandbox.faults.add({ exchange, method: '*', path, fault: 'reset_after', times: 1, after });
          const maker = live();
          await delay(LIFE_MS[0] + Math.random() * (LIFE_MS[1] - LIFE_MS[0]));
          if (life % RESTART_EVERY === 0) {
            const gone = service;
            service = null;
            await gone?.kill();
            service = await start();
          }
          await maker.kill();
        }
        sandbox.faults.clear();
        do {
          last += 1;
          const maker = live();
          await delay(LAST_LIFE_MS);
          await maker.kill();
        } while (pendingIn(intentsIn(file)).length > 0 && last < LAST_LIVES);
      } finally {
        clearInterval(sampling);
        clearInterval(moving);
      }

      const intents = intentsIn(file);
      const made = [...intents.values()].flatMap(({ orderId }) => orderId ?? []);
      const refused = [...intents.values()].flatMap((intent) => intent.refused ?? []);
      const sideOf = new Map([...intents.values()].map(({ orderId, side }) => [orderId, side]));
      const quoted = samples.filter((ids) => [0, 1].every((side) => ids.some((id) => sideOf.get(id) === side)));
      const share = quoted.length / samples.length;
      process.stdout.write(
        `${client} at ${exchange}: ${KILLS + last} kills, ${made.length} orders made, ${refused.length} refused, ` +
          `both sides quoted ${(100 * share).toFixed(1)} % of the time\n`,
      );
      expect([pendingIn(intents), made.length + refused.length]).toEqual([[], intents.size]);
      // What was made exists, once each, and nothing else does.
      expect([...held(trader).keys()].filter((id) => !before.has(id)).sort()).toEqual([...made].sort());
      expect(made.length).toBeGreaterThanOrEqual(KILLS * rounds(1, 3));
      expect(share).toBeGreaterThanOrEqual(QUOTED);
    },
    KILLS * 30_000 + 120_000,
  );
});
