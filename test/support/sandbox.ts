import request from 'supertest';
import { exchangeAddresses, exchangeCredentials, streamKeys } from '../../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { startTestApp, type TestApp } from './app.js';
import { anApiKey, aUser, type TestUser } from './users.js';

/** The service in front of sandbox exchanges. */
export interface TestStand {
  readonly app: TestApp;
  readonly sandbox: Sandbox;
  close(): Promise<void>;
}

/** A user with stored credentials for all exchanges and a key. */
export interface Trader {
  readonly user: TestUser;
  readonly key: string;
}

/** Starts sandbox and service; `clock` is that of the exchanges. */
export async function startTestStand(
  overrides: Record<string, string> = {},
  clock: () => Date = () => new Date(),
): Promise<TestStand> {
  const sandbox = await startSandbox({ clock });
  const app = await startTestApp({
    ...exchangeAddresses(sandbox.addresses),
    ...streamKeys(sandbox.addresses),
    MARKET_DATA_CACHE_TTL: '0',
    ...overrides,
  });
  return {
    app,
    sandbox,
    close: async () => {
      await app.close();
      await sandbox.close();
    },
  };
}

/** Stores credentials; throws where the service refuses. */
export async function storeCredentials(
  app: Pick<TestApp, 'url'>,
  user: TestUser,
  exchange: string,
  body: object,
): Promise<void> {
  const stored = await request(app.url)
    .put(`/account/credentials/${exchange}`)
    .auth(user.token, { type: 'bearer' })
    .send(body);
  if (stored.status !== 200)
    throw new Error(`storing ${exchange} credentials answered ${stored.status}: ${stored.text}`);
}

/** A user whose stored credentials are the sandbox's own funded accounts. */
export async function aTrader({ app, sandbox }: TestStand, scopes = ['trade']): Promise<Trader> {
  const user = await aUser(app);
  for (const [exchange, credentials] of Object.entries(exchangeCredentials(sandbox.addresses))) {
    await storeCredentials(app, user, exchange, credentials);
  }
  return { user, key: await anApiKey(app, user, scopes) };
}
