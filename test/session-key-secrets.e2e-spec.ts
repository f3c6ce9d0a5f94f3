import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { exchangeAddresses } from '../sandbox/demo/environment.js';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.js';
import { newKeyPair } from '../src/exchanges/polymarket/session-keys/private-key.js';
import { Settings } from '../src/platform/config/settings.js';
import { CryptoService } from '../src/platform/crypto/crypto.service.js';
import { Sealed } from '../src/platform/crypto/sealed.js';
import { testEnvironment } from './support/app.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { post, remove } from './support/calls.js';
import { OwnProcesses, type Started } from './support/own-processes.js';
import { dump, sql } from './support/rows.js';
import {
  activateKey,
  addressIn,
  authorise,
  createKey,
  CREDENTIALS,
  putCredentials,
  removeKey,
  SESSION_KEY,
} from './support/session-keys.js';
import { anApiKey, aUser, type TestUser } from './support/users.js';

const ORDERS = 20;
/** Long enough for whatever a request leaves to timers. */
const CALM_MS = 3_000;
/** Every spelling that a private key may take in a text, whole or from any whole byte on. */
function spellingsOf(key: string): string[] {
  const bytes = Buffer.from(key.slice(2), 'hex');
  const half = bytes.subarray(0, 16);
  return [
    bytes.toString('hex').slice(0, 32),
    bytes.toString('hex').slice(32),
    bytes.toString('hex').toUpperCase().slice(0, 32),
    half.toString('base64').slice(0, 21),
    half.toString('base64url').slice(0, 21),
    Buffer.from(key).toString('base64').slice(0, 60),
    Buffer.from(key.slice(2)).toString('base64').slice(0, 60),
    BigInt(key).toString().slice(0, 40),
    [...half].join(','),
  ];
}

describe('the private half of a session key stays inside (contract.md 5.9, S-39)', () => {
  let sandbox: Sandbox;
  let database: TestDatabase;
  let own: OwnProcesses;
  let service: Started;
  const answers: string[] = [];
  const keys = new Map<string, string>();

  const note = (answer: Response): Response => {
    answers.push(`${JSON.stringify(answer.headers)} ${answer.text}`);
    return answer;
  };

  /** The key of a row, as a thief with the keys of the service would read it. */
  const steal = async (userId: string, state: string): Promise<string> => {
    const environment = testEnvironment({ port: own.port, dataDir: own.dataDir, database });
    const crypto = new CryptoService(Settings.read(environment, {}));
    const [row] = await sql<{ row_version: string; fields: Record<string, string> }>(
      { database },
      'SELECT row_version::text, fields FROM session_keys WHERE user_id = $1 AND state = $2',
      [userId, state],
    );
    const sealed = Sealed.fromText(row?.fields.session_key ?? '');
    return crypto.open(sealed, [userId, 'polymarket', 'session_key', row?.row_version ?? '']).reveal();
  };

  /** A heap snapshot of the service, made by itself after a collection of garbage. */
  const snapshot = async (): Promise<Buffer> => {
    service.child.kill('SIGUSR2');
    const file = join(own.dataDir, 'whole.heapsnapshot');
    await own.until(() => existsSync(file), service);
    return readFile(file);
  };

  const trade = async (user: TestUser, wallet: string, apiKey: string): Promise<void> => {
    const listed = await request(own.url).get('/polymarket/markets?limit=20').auth(apiKey, { type: 'bearer' });
    const { data } = listed.body as { data: { id: string; tradable: boolean }[] };
    const market_id = data.find(({ tradable }) => tradable)?.id;
    const order = { market_id, outcome: 0, side: 'buy', price: '0.05', size: '10', time_in_force: 'gtc' };
    for (let count = 0; count < ORDERS; count += 1) {
      note(await post(own, '/polymarket/orders', order, apiKey).expect(200));
    }
    note(await request(own.url).get('/polymarket/orders').auth(apiKey, { type: 'bearer' }));
    note(await post(own, `${CREDENTIALS}/verify`, {}, user.token));
    note(await request(own.url).get('/account/credentials').auth(user.token, { type: 'bearer' }));
    sandbox.faults.add({
      exchange: 'polymarket',
      method: 'POST',
      path: '/order',
      fault: 'status',
      status: 400,
      body: { error: 'invalid signature' },
      times: 1,
    });
    note(await post(own, '/polymarket/orders', order, apiKey));
  };

  beforeAll(async () => {
    sandbox = await startSandbox();
    database = await createTestDatabase();
    own = await OwnProcesses.open();
    const environment = testEnvironment({ port: own.port, dataDir: own.dataDir, database });
    const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
    service = await own.serve({
      ...(given as Record<string, string>),
      ...exchangeAddresses(sandbox.addresses),
      LOG_LEVEL: 'trace',
      NODE_OPTIONS: `--require ${fileURLToPath(new URL('./support/heap-snapshot.cjs', import.meta.url))}`,
    });
    const user = await aUser(own);
    const apiKey = await anApiKey(own, user);
    const wallet = newKeyPair().address;

    const address = addressIn(note(await createKey(own, user, wallet)));
    keys.set('made here, pending', await steal(user.id, 'pending'));
    note(await post(own, SESSION_KEY, { wallet_address: 'x' }, user.token));
    authorise({ sandbox }, { wallet, address });
    note(await activateKey(own, user, { valid_until: new Date(Date.now() + 86_400_000).toISOString() }));
    keys.set('made here', await steal(user.id, 'active'));
    await trade(user, wallet, apiKey);

    const given2 = newKeyPair();
    const session_key = given2.privateKey.reveal();
    keys.set('given', session_key);
    authorise({ sandbox }, { wallet, address: given2.address });
    const body = { wallet_address: wallet, session_key };
    note(await putCredentials(own, user, { ...body, signature_type: 1 }));
    note(await putCredentials(own, user, { ...body, unknown: session_key }));
    note(await putCredentials(own, user, { ...body, wallet_address: given2.address }));
    note(await putCredentials(own, user, body, '?verify=true').expect(200));
    await trade(user, wallet, apiKey);
    note(await createKey(own, user, wallet));
    keys.set('made here, waiting', await steal(user.id, 'pending'));
    // Other requests, as they come.
    for (let count = 0; count < 20; count += 1) await request(own.url).get('/health/ready');
    await delay(CALM_MS);
  });

  afterAll(async () => {
    await own.close();
    await database.drop();
    await sandbox.close();
  });

  const findIn = (text: Buffer | string): [string, number][] =>
    [...keys].flatMap(([name, key]) =>
      spellingsOf(key).flatMap((spelling, index): [string, number][] =>
        text.includes(spelling) ? [[name, index]] : [],
      ),
    );

  it('knows the keys that it looks for', () => {
    expect([...keys.values()].map((key) => /^0x[0-9a-f]{64}$/.test(key))).toEqual([true, true, true, true]);
    expect(findIn(`… ${keys.get('given') ?? ''} …`)).not.toEqual([]);
    expect(answers.length).toBeGreaterThan(50);
  });

  it('S-45 no answer holds it', () => {
    expect(findIn(answers.join('\n'))).toEqual([]);
  });

  it('S-40 no log line holds it, at the most talkative level', () => {
    expect(service.output().length).toBeGreaterThan(10_000);
    expect(findIn(service.output())).toEqual([]);
  });

  it('S-36 the database holds it sealed alone', async () => {
    expect(findIn(await dump({ database }))).toEqual([]);
  });

  it('no mail holds it', async () => {
    const outbox = join(own.dataDir, 'outbox');
    const names = (await readdir(outbox)).filter((name) => name.endsWith('.eml'));
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) expect(findIn(await readFile(join(outbox, name)))).toEqual([]);
  });

  it('the memory of the process holds it only while a request is at work', async () => {
    const heap = await snapshot();
    // A Secret that the service does keep: a snapshot without it would prove nothing.
    const { JWT_SECRET = '' } = testEnvironment({ port: own.port, dataDir: own.dataDir, database });
    expect(heap.includes(JWT_SECRET)).toBe(true);
    expect(findIn(heap)).toEqual([]);
  });

  it('what was removed leaves nothing to be opened', async () => {
    const user = await aUser(own);
    await createKey(own, user, newKeyPair().address);
    await removeKey(own, user);
    await remove(own, CREDENTIALS, user.token);
    expect(await sql({ database }, 'SELECT 1 FROM session_keys WHERE user_id = $1', [user.id])).toEqual([]);
  });
});
