import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { DAY } from '../times.js';
import { toUnits } from '../units.js';
import { Router } from '../wire/router.js';
import { WireServer, type Wiring } from '../wire/server.js';
import { type Account } from './account.js';
import { Exchange } from './exchange.js';
import { quoteMarkets } from './market-maker.js';
import { errorBody, refusal } from './refusals.js';
import { kalshiRoutes } from './routes.js';
import { seedHistory } from './seeds/history.js';

const BASE_PATH = '/trade-api/v2';

/** Dollars of the first account beside those on shard 0. There are none on shard 1, so that its refusal can be seen. */
const FUNDED_SHARDS = { 2: '2500.00', 3: '1500.00' };

const ATTESTATION_AGE = 90 * DAY;

interface KalshiSandboxOptions extends Wiring {
  /** Of the first account; RSA, as most traders have, when left out. */
  keyType?: NewAccount['keyType'];
}

/** What a trader stores at the service to trade on this exchange; `private_key` is a PEM. */
export interface KalshiAccount {
  api_url: string;
  access_key: string;
  private_key: string;
}

interface NewAccount {
  /** Dollars on shard 0, decimal; 10000.00 when left out. */
  balanceDollars?: string;
  /** Dollars on further shards, decimal; none when left out, so that orders there are refused. */
  shards?: Readonly<Record<number, string>>;
  /** When the location attestation lapses; in 90 days when left out, null for an account that never attested. */
  attestedUntil?: Date | null;
  /** RSA of 2048 bits when left out. */
  keyType?: 'rsa' | 'ed25519';
}

/** The Kalshi stand-in: REST API under `/trade-api/v2` on a loopback port, with a market maker and a funded account. */
export class KalshiSandbox {
  private constructor(
    /** For tests that move the exchange itself: pause, settle, stop trading. */
    readonly exchange: Exchange,
    /** Its keys are made anew at each start. */
    readonly account: KalshiAccount,
    private readonly server: WireServer,
    private readonly clock: () => Date,
  ) {}

  static async start({ keyType = 'rsa', ...wiring }: KalshiSandboxOptions): Promise<KalshiSandbox> {
    const { clock } = wiring;
    const exchange = new Exchange(clock().getTime());
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
        return router.handle(request);
      },
      basePath: BASE_PATH,
      errorBody,
    });
    const api_url = `${await server.listen()}${BASE_PATH}`;
    const { account, keys } = await openAccount(exchange, clock, { keyType, shards: FUNDED_SHARDS });
    seedHistory(exchange, account);
    return new KalshiSandbox(exchange, { api_url, ...keys }, server, clock);
  }

  /** Opens a further account with a key of its own and no past. */
  async addAccount(account: NewAccount = {}): Promise<KalshiAccount> {
    const { keys } = await openAccount(this.exchange, this.clock, account);
    return { api_url: this.account.api_url, ...keys };
  }

  async close(): Promise<void> {
    await this.server.close();
  }
}

/** Opens a funded account with a fresh key, which the exchange knows the public half of. */
async function openAccount(
  exchange: Exchange,
  clock: () => Date,
  { balanceDollars = '10000.00', shards = {}, keyType = 'rsa', attestedUntil }: NewAccount,
): Promise<{ account: Account; keys: Omit<KalshiAccount, 'api_url'> }> {
  const private_key = await newPrivateKey(keyType);
  const now = clock().getTime();
  const cash = Object.entries({ ...shards, 0: balanceDollars }).map(([shard, dollars]) => [shard, toUnits(dollars)]);
  const account = exchange.openAccount({
    cash: Object.fromEntries(cash) as Record<number, bigint>,
    now,
    attestedUntil: attestedUntil === undefined ? now + ATTESTATION_AGE : (attestedUntil?.getTime() ?? null),
  });
  const access_key = randomUUID();
  exchange.keys.register(access_key, createPublicKey(createPrivateKey(private_key)), account);
  return { account, keys: { access_key, private_key } };
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
