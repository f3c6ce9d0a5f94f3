import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { get, logIn, OTHER_PASSWORD, refresh } from './support/calls.js';
import { anEmail, aUser } from './support/users.js';

/** What a client writes there that no proxy means as an address. */
const ODD = ['x'.repeat(400), 'unknown', '_hidden', '"', '203.0.113.300', '1:2:3', '[203.0.113.1', '%00', '\u00e9'];

describe('S-26 what stands in X-Forwarded-For', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_AUTH: '100000/1m', TRUST_PROXY: '1' });
  });

  afterAll(() => app.close());

  async function guesses(addresses: readonly string[]): Promise<number[]> {
    const email = anEmail();
    const answers: Response[] = [];
    for (const address of addresses) {
      answers.push(await logIn(app, email, OTHER_PASSWORD).set('X-Forwarded-For', address));
    }
    return answers.map(({ status }) => status);
  }

  it('is never an error: what is no address counts as the address of the connection', async () => {
    const addresses = [...ODD, ...ODD].slice(0, 11);
    expect(await guesses(addresses)).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    expect((await refresh(app, 'x').set('X-Forwarded-For', 'x'.repeat(400))).status).toBe(401);
  });

  it.each([
    (index: number) => `203.0.113.1:${50_000 + index}`,
    (index: number) => `[2001:db8:0:1::1]:${50_000 + index}`,
    (index: number) => `[2001:db8:0:2::${index + 1}]`,
  ])('gives no new bucket with another port or another address of the network (%#)', async (addressOf) => {
    const addresses = Array.from({ length: 11 }, (_, index) => addressOf(index));
    expect(await guesses(addresses)).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  });

  it('is shown to the owner without its port, and not at all where it is no address', async () => {
    const { email } = await aUser(app);
    await logIn(app, email).set('X-Forwarded-For', '203.0.113.9:50123');
    const last = await logIn(app, email).set('X-Forwarded-For', '<b>nobody</b>');
    const { access_token: token } = last.body as { access_token: string };
    const { sessions } = (await get(app, '/account/sessions', token)).body as { sessions: { ip: string }[] };
    expect(sessions.slice(0, 2).map(({ ip }) => ip)).toEqual(['127.0.0.1', '203.0.113.9']);
  });
});
