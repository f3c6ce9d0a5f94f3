import { setTimeout as delay } from 'node:timers/promises';
import request, { type Response } from 'supertest';
import { exchangeAddresses } from '../../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { anApiKey, aUser, type TestUser } from '../support/users.js';

interface Quote {
  readonly bid: string | null;
  readonly ask: string | null;
}

export interface FoundMarket {
  readonly exchange: string;
  readonly id: string;
  readonly event_id: string | null;
  readonly title: string;
  readonly category: string | null;
  readonly volume_24h: string | null;
  readonly volume_unit: string;
  readonly close_time: string | null;
  readonly status: string;
  readonly tradable: boolean;
  readonly created_at: string | null;
  readonly market_ids?: readonly string[];
  readonly outcomes: readonly [Quote, Quote];
  readonly refs: Readonly<Record<string, unknown>>;
}

export interface FoundList {
  readonly data: FoundMarket[];
  readonly next_cursor: string | null;
  readonly as_of: Readonly<Record<string, string | null>>;
}

/** A service with a catalogue of many markets, and a user who may read. */
export interface CatalogueStand {
  readonly app: TestApp;
  readonly sandbox: Sandbox;
  readonly user: TestUser;
  readonly key: string;
  readonly get: (path: string, query?: Readonly<Record<string, string>>, key?: string) => Promise<Response>;
  close(): Promise<void>;
}

/** Starts both; `many` false leaves the few markets of every test. */
export async function startCatalogue(
  overrides: Readonly<Record<string, string>> = {},
  many = true,
): Promise<CatalogueStand> {
  const sandbox = await startSandbox({ many });
  const app = await startTestApp({
    ...exchangeAddresses(sandbox.addresses),
    CATALOGUE_REFRESH: '10m',
    ...overrides,
  });
  const user = await aUser(app);
  const key = await anApiKey(app, user, ['read']);
  return {
    ...{ app, sandbox, user, key },
    get: (path, query = {}, token = key) =>
      request(app.url)
        .get(path)
        .query(query)
        .auth(token, { type: 'bearer' })
        .then((answer) => answer),
    close: async () => {
      await app.close();
      await sandbox.close();
    },
  };
}

/** Waits until the condition holds; throws after `seconds`. */
export async function until(condition: () => Promise<boolean>, seconds = 60): Promise<void> {
  const end = Date.now() + seconds * 1_000;
  while (Date.now() < end) {
    if (await condition()) return;
    await delay(200);
  }
  throw new Error(`not within ${seconds} s`);
}

/** Waits until every exchange was walked completely. */
export async function walked({ get }: Pick<CatalogueStand, 'get'>): Promise<void> {
  await until(async () => {
    const answer = await get('/markets', { limit: '1' });
    if (answer.status !== 200) throw new Error(answer.text);
    return Object.values((answer.body as FoundList).as_of).every((at) => at !== null);
  });
}
