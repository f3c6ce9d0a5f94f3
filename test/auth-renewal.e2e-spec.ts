import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type request from 'supertest';
import type { Response } from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { logIn, OTHER_PASSWORD, PASSWORD, post, remove, type SignedIn } from './support/calls.js';
import { sql } from './support/rows.js';
import { aUser } from './support/users.js';

const ROUNDS = 3;

describe('S-2 a password whose stored form is renewed at log-in', () => {
  let database: TestDatabase;
  let cheap: TestApp;
  let dear: TestApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    cheap = await startTestApp({ BCRYPT_COST: '4' }, database);
    // Whichever of the two sends a mail, it lies in one place.
    dear = await startTestApp({ BCRYPT_COST: '9', DATA_DIR: cheap.dataDir }, database);
  });

  afterAll(async () => {
    await dear.close();
    await cheap.close();
    await database.drop();
  });

  async function storedCost({ id }: SignedIn): Promise<string> {
    const [row] = await sql<{ cost: string }>(
      cheap,
      `SELECT substr(password_hash, 8, 2) AS cost FROM users WHERE id = $1`,
      [id],
    );
    return row?.cost ?? '';
  }

  const logIns = (email: string) => Array.from({ length: 8 }, () => Promise.resolve(logIn(dear, email)));

  /** Calls while eight log-ins have checked the old form and wait for the new one: its answer, then theirs. */
  async function whileRenewed(email: string, call: () => request.Test): Promise<[Response, ...Response[]]> {
    const answers = logIns(email);
    await delay(30);
    return [await call(), ...(await Promise.all(answers))];
  }

  it('lets in all of eight log-ins at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const person = await aUser(cheap);
      expect(await storedCost(person)).toBe('04');
      const answers = await Promise.all(logIns(person.email));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(await storedCost(person)).toBe('09');
    }
  });

  it('is changed by its owner while log-ins renew it', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { email, token } = await aUser(cheap);
      const change = { current_password: PASSWORD, new_password: OTHER_PASSWORD };
      const [changed] = await whileRenewed(email, () => post(dear, '/account/password', change, token));
      expect(changed.status).toBe(200);
      expect((await logIn(dear, email, OTHER_PASSWORD)).status).toBe(200);
      expect((await logIn(dear, email)).status).toBe(401);
    }
  });

  it('ends its account while log-ins renew it', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { email, token, id } = await aUser(cheap);
      const [ended, ...answers] = await whileRenewed(email, () =>
        remove(dear, '/account', token, { password: PASSWORD }),
      );
      expect(ended.status).toBe(200);
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
      expect(await sql(cheap, 'SELECT 1 FROM users WHERE id = $1', [id])).toEqual([]);
    }
  });

  it('is not renewed back and forth by instances of two costs', async () => {
    const person = await aUser({ url: dear.url, dataDir: cheap.dataDir });
    expect((await logIn(cheap, person.email)).status).toBe(200);
    expect(await storedCost(person)).toBe('09');
  });
});
