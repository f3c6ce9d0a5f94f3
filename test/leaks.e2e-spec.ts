import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LeakHunt } from '../scripts/selftest/leak-hunt.js';
import { type LeakReport, testForLeaks } from '../scripts/selftest/leak-test.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { freePort } from './support/loopback.js';

const SECRET = 'planted+secret/with "signs" and ümlauts 0123456789';

describe('the search for secrets', () => {
  it.each<[string, (secret: string) => string]>([
    ['as it is', (secret) => secret],
    ['its first half', (secret) => secret.slice(0, 25)],
    ['its second half', (secret) => secret.slice(25)],
    ['in JSON', (secret) => JSON.stringify({ a: secret })],
    ['percent-encoded', encodeURIComponent],
    ['in hex', (secret) => Buffer.from(secret).toString('hex')],
    ['in base64', (secret) => Buffer.from(secret).toString('base64')],
    ['in base64 among others', (secret) => Buffer.from(`{"a":"${secret}"}`).toString('base64')],
    ['in base64url', (secret) => Buffer.from(`ab${secret}`).toString('base64url')],
  ])('finds one that is written %s, and names its kind and place alone', (_, spell) => {
    const hunt = new LeakHunt();
    hunt.plant('password', SECRET);
    hunt.note('log', `before ${spell(SECRET)} after`);
    hunt.note('mail', 'nothing');
    expect(hunt.findings()).toEqual(['password in log']);
  });

  it('leaves out where the contract shows it', () => {
    const hunt = new LeakHunt();
    hunt.plant('API key', SECRET, ({ name }) => name === 'making');
    hunt.note('making', SECRET);
    expect(hunt.findings()).toEqual([]);
    hunt.note('listing', SECRET);
    expect(hunt.findings()).toEqual(['API key in listing']);
  });
});

describe('a service that is driven through its whole OpenAPI document', () => {
  let database: TestDatabase;
  let dataDir: string;
  let report: LeakReport;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'trading-proxy-leaks-'));
    const place = { PORT: String(await freePort()), DATA_DIR: dataDir, DATABASE_URL: database.url };
    report = await testForLeaks(place);
  }, 240_000);

  afterAll(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('S-28, S-36, S-39, S-40, S-45 shows no planted secret in answers, log, metrics, mails and tables', () => {
    expect(report.findings).toEqual([]);
  });

  it('sees those that the contract shows once, where it shows them', () => {
    expect(report.shown).toEqual(['API key', 'access token', 'one-time token', 'refresh token']);
  });

  it('has a secret of every kind planted, every operation reached, and answers repeated by the lane', () => {
    expect(report.operations).toBeGreaterThan(40);
    expect(report.repeated).toBeGreaterThan(0);
    expect(report.kinds).toEqual(
      expect.arrayContaining([
        'API key',
        'JWT secret',
        'Kalshi access key',
        'Kalshi private key',
        'OAuth client secret',
        'Polymarket API key',
        'Polymarket passphrase',
        'Polymarket secret',
        'Redis password',
        'SMTP password',
        'access token',
        'master key',
        'one-time token',
        'password',
        'pepper',
        'refresh token',
      ]),
    );
  });
});
