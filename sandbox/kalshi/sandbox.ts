import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { DAY } from '../times.js';
import { StreamFaults } from '../streams/faults.js';
import { toUnits } from '../units.js';
import { Router } from '../wire/router.js';
import { WireServer, type Wiring } from '../wire/server.js';
import { type Account } from './account.js';
import { Exchange } from './exchange.js';
import { type Scope } from './keys/scopes.js';
import { quoteMarkets } from './market-maker.js';
import { KalshiMover } from './mover.js';
import { Races } from './races.js';
import { errorBody, refusal } from './refusals.js';
import { kalshiRoutes } from './routes.js';
import { seedHistory } from './seeds/history.js';
import { KalshiStreams, STREAM_PATH } from './streams/streams.js';

const BASE_PATH = '/trade-api/v2';

/** Dollars of the first account beside those on shard 0. There are none on shard 1, so that its refusal can be seen. */
const FUNDED_SHARDS = { 2: '2500.00', 3: '1500.00' };

/** Of the subaccount that one of the keys is bound to: shard and dollars. */
const SUBACCOUNT_MONEY = [
  [0, '500.00'],
  [2, '250.00'],
] as const;

const ATTESTATION_AGE = 90 * DAY;

interface KalshiSandboxOptions extends Wiring {
  /** Of the first account; RSA, as most traders have, when left out. */
  keyType?: NewAccount['keyType'];
  /** None can be armed where left out. */
  streamFaults?: StreamFaults;
  /** A thousand markets beside the few that tests know. */
  many?: boolean;
}

/** What a trader stores at the service to trade on this exchange; `private_key` is a PEM. */
export interface KalshiAccount extends KeyPair {
  api_url: string;
  /** The WebSocket API, whole; its path is what handshakes sign. */
  ws_url: string;
}

interface KeyPair {
  access_key: string;
  private_key: string;
}

/** A further key of the first account, by what it may do. */
export interface NamedKey extends KeyPair {
  name: string;
}

interface NewKey {
  name?: string;
  /** RSA of 2048 bits when left out. */
  keyType?: 'rsa' | 'ed25519';
  /** PEM of that type; made when left out. */
  private_key?: string | undefined;
  /** Full access when left out. */
  scopes?: readonly Scope[];
  /** Binds the key to one subaccount. */
  subaccount?: number;
}

interface NewAccount extends Omit<NewKey, 'subaccount'> {
  /** Dollars on shard 0, decimal; 10000.00 when left out. */
  balanceDollars?: string;
  /** Dollars on further shards, decimal; none when left out, so that orders there are refused. */
  shards?: Readonly<Record<number, string>>;
  /** When the location attestation lapses; in 90 days when left out, null for an account that never attested. */
  attestedUntil?: Date | null;
  /** A member by way of a broker: its balance is in whole cents. */
  isCleared?: boolean;
}

/** The keys of the first account beside the one of full access (kalshi.md 2.2). */
const NAMED_KEYS: readonly (NewKey & { name: string })[] = [
  { name: 'read', scopes: ['read'] },
  { name: 'read_trade', scopes: ['read', 'write::trade'] },
  { name: 'read_trade_transfer', scopes: ['read', 'write::trade', 'write::transfer'] },
  { name: 'trade', scopes: ['write::trade'] },
  { name: 'subaccount', scopes: ['read', 'write'], subaccount: 1 },
];

/** The Kalshi stand-in: REST API under `/trade-api/v2` on a loopback port, with a market maker and a funded account. */
export class KalshiSandbox {
  /** For tests that fill an order of somebody. */
  readonly races: Races;

  private constructor(
    /** For tests that move the exchange itself: pause, settle, stop trading. */
    readonly exchange: Exchange,
    /** Its keys are made anew at each start. */
    readonly account: KalshiAccount,
    readonly keys: readonly NamedKey[],
    private readonly server: WireServer,
    private readonly clock: () => Date,
  ) {
    this.races = new Races(exchange);
  }

  static async start({
    keyType = 'rsa',
    streamFaults = new StreamFaults(),
    many = false,
    ...wiring
  }: KalshiSandboxOptions): Promise<KalshiSandbox> {
    const { clock } = wiring;
    const exchange = new Exchange(clock().getTime(), many);
    quoteMarkets(exchange);
    const router = new Router(kalshiRoutes(exchange), {
      basePath: BASE_PATH,
      refuse: (status) => refusal(status, status === 404 ? 'not_found' : 'method_not_allowed'),
      decodesPaths: true,
    });
    const server = new WireServer({
      ...wiring,
      exchange: 'kalshi',
      handler: (request) => {
        exchange.advance(request.receivedAt.getTime());
        const who = exchange.keys.find(String(request.headers['kalshi-access-key']));
        if (who !== undefined && !exchange.limits.admits(who.account, request, BASE_PATH))
          return { status: 429, body: errorBody(429) };
        return router.handle(request);
      },
      basePath: BASE_PATH,
      errorBody,
      upgrades: new KalshiStreams(exchange, () => clock().getTime(), streamFaults),
    });
    const origin = await server.listen();
    const urls = { api_url: `${origin}${BASE_PATH}`, ws_url: `${origin.replace('http', 'ws')}${STREAM_PATH}` };
    const private_key = keyType === 'rsa' ? await firstRsaKey() : undefined;
    const { account, pair } = await openAccount(exchange, clock, { keyType, private_key, shards: FUNDED_SHARDS });
    const now = clock().getTime();
    for (const [shard, dollars] of SUBACCOUNT_MONEY) account.openSubaccount(1, now).pay(shard, toUnits(dollars), now);
    seedHistory(exchange, account);
    // One after the other: the exchange lists them in the order in which they were made.
    const keys: NamedKey[] = [];
    for (const key of NAMED_KEYS) {
      keys.push({ name: key.name, ...(await addKey(exchange, account, { ...key, keyType: 'ed25519' })) });
    }
    return new KalshiSandbox(exchange, { ...urls, ...pair }, keys, server, clock);
  }

  /** The exchange's clock, ms. */
  get now(): number {
    return this.clock().getTime();
  }

  /** Opens a further account with a key of its own and no past. */
  async addAccount(account: NewAccount = {}): Promise<KalshiAccount> {
    const { pair } = await openAccount(this.exchange, this.clock, account);
    const { api_url, ws_url } = this.account;
    return { api_url, ws_url, ...pair };
  }

  /** A made-up trader, who moves a market each time that he is told to. */
  mover(): KalshiMover {
    return new KalshiMover(this.exchange, () => this.now);
  }

  async close(): Promise<void> {
    await this.server.close();
  }
}

/** Opens a funded account with a fresh key, which the exchange knows the public half of. */
async function openAccount(
  exchange: Exchange,
  clock: () => Date,
  { balanceDollars = '10000.00', shards = {}, attestedUntil, isCleared = false, ...key }: NewAccount,
): Promise<{ account: Account; pair: KeyPair }> {
  const now = clock().getTime();
  const cash = Object.entries({ ...shards, 0: balanceDollars }).map(([shard, dollars]) => [shard, toUnits(dollars)]);
  const account = exchange.openAccount({
    cash: Object.fromEntries(cash) as Record<number, bigint>,
    now,
    isCleared,
    attestedUntil: attestedUntil === undefined ? now + ATTESTATION_AGE : (attestedUntil?.getTime() ?? null),
  });
  return { account, pair: await addKey(exchange, account, key) };
}

async function addKey(exchange: Exchange, account: Account, key: NewKey): Promise<KeyPair> {
  const { name = 'full access', keyType = 'rsa', scopes = ['read', 'write'], subaccount } = key;
  const private_key = key.private_key ?? (await newPrivateKey(keyType));
  const access_key = randomUUID();
  const bound = subaccount === undefined ? {} : { subaccount };
  const publicKey = createPublicKey(createPrivateKey(private_key));
  exchange.keys.register({ id: access_key, name, publicKey, account, scopes, ...bound });
  return { access_key, private_key };
}

let rsaKey: Promise<string> | undefined;

/** The RSA key of the first account: made once in a process, since finding its primes can take a third of a second. */
function firstRsaKey(): Promise<string> {
  rsaKey ??= newPrivateKey('rsa');
  return rsaKey;
}

/** PEM: PKCS#1 for RSA, as the exchange hands it out, PKCS#8 for Ed25519. */
async function newPrivateKey(type: 'rsa' | 'ed25519'): Promise<string> {
  const generate = promisify(generateKeyPair);
  if (type === 'rsa') {
    const { privateKey } = await generate('rsa', { modulusLength: 2048 });
    return exported(privateKey, 'pkcs1');
  }
  const { privateKey } = await generate('ed25519', {});
  return exported(privateKey, 'pkcs8');
}

function exported(key: KeyObject, type: 'pkcs1' | 'pkcs8'): string {
  return key.export({ format: 'pem', type }).toString();
}
