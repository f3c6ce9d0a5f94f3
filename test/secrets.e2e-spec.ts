import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { EXCHANGES, type ExchangeName } from './support/exchanges.js';
import { startTestStand, type TestStand } from './support/sandbox.js';
import { aUser } from './support/users.js';

const bearer = { type: 'bearer' } as const;

describe('secrets stay inside (S-28, S-36, S-39, S-40, S-45)', () => {
  let stand: TestStand;
  const answers: string[] = [];
  const canaries = new Map<string, string>();

  const keep = (name: string, secret: string): string => {
    canaries.set(name, secret);
    return secret;
  };

  const note = (answer: Response): Response => {
    answers.push(`${JSON.stringify(answer.headers)} ${answer.text}`);
    return answer;
  };

  /** Every row of every table as text, what a dump of the database holds. */
  const dump = async (): Promise<string> => {
    const tables = await stand.app.query(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    const rows = await Promise.all(
      tables.map(({ name }) => stand.app.query(`SELECT t::text AS row FROM ${String(name)} t`)),
    );
    return rows
      .flat()
      .map(({ row }) => String(row))
      .join('\n');
  };

  beforeAll(async () => {
    stand = await startTestStand({ LOG_LEVEL: 'trace', UPSTREAM_TIMEOUT: '300ms' });
    const { url } = stand.app;
    const user = await aUser(stand.app, { password: keep('password', 'canary password 7f3a-91c2') });
    const login = note(await request(url).post('/auth/login').send({ email: user.email, password: user.password }));
    keep('access token', (login.body as { access_token: string }).access_token.split('.')[2] ?? '');
    keep('refresh token', /refresh_token=([^;]+)/.exec(String(login.headers['set-cookie']))?.[1] ?? '');
    answers.length = 0;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    keep('private_key', pem.split('\n')[5] ?? '');
    keep('signing_key', (privateKey.export({ format: 'jwk' }).d ?? '').slice(20, 60));
    const credentials: Readonly<Record<ExchangeName, object>> = {
      kalshi: { access_key: keep('access_key', 'canary-access-key-52d0'), private_key: pem },
      polymarket: {
        api_key: keep('api_key', 'canary-api-key-b1e7'),
        secret: keep('secret', Buffer.from('canary secret 0d4c 55aa').toString('base64')),
        passphrase: keep('passphrase', 'canary-passphrase-9e21'),
        wallet_address: stand.sandbox.addresses.polymarket.wallet_address,
      },
    };
    const as = (token: string, call: request.Test): Promise<Response> => call.auth(token, bearer).then(note);
    for (const [exchange, body] of Object.entries(credentials)) {
      await as(user.token, request(url).put(`/account/credentials/${exchange}`).send(body));
      await as(
        user.token,
        request(url)
          .put(`/account/credentials/${exchange}`)
          .send({ ...body, extra: 'x' }),
      );
      await as(user.token, request(url).put(`/account/credentials/${exchange}?verify=true`).send(body));
    }
    await as(user.token, request(url).get('/account/credentials'));
    const created = await request(url)
      .post('/account/api-keys')
      .auth(user.token, bearer)
      .send({ scopes: ['trade'] });
    const { key } = created.body as { key: string };
    keep('API key', key.slice(16));
    const faults = [
      'hang',
      'reset_before',
      'reset_after',
      'status',
      'broken_body',
      'oversized',
      'redirect',
      null,
    ] as const;
    for (const exchange of EXCHANGES) {
      for (const fault of faults) {
        if (fault !== null) {
          const facts = {
            exchange,
            method: 'GET',
            path: '/',
            fault,
            times: 2,
            ...(fault === 'status' ? { status: 500 } : {}),
          };
          await request(stand.sandbox.controlUrl).post('/faults').send(facts).expect(201);
        }
        await as(key, request(url).get(`/${exchange}/balance`));
        await as(
          key,
          request(url)
            .post(`/${exchange}/orders`)
            .send({ market_id: 'KXHIGHNY-TODAY-T58', outcome: 'yes', side: 'buy', price: '0.05', size: '1' }),
        );
        await request(stand.sandbox.controlUrl).delete('/faults');
      }
    }
    await as(key, request(url).get(`/me?key=${key}`));
    await as(key, request(url).get('/account/profile'));
    await as(user.token, request(url).delete(`/account/api-keys/${key}`));
    await as(`${key.slice(0, -1)}x`, request(url).get('/me'));
  });

  afterAll(() => stand.close());

  it('plants a canary in every secret field', () => {
    expect([...canaries.keys()].sort()).toEqual([
      'API key',
      'access token',
      'access_key',
      'api_key',
      'passphrase',
      'password',
      'private_key',
      'refresh token',
      'secret',
      'signing_key',
    ]);
    expect([...canaries.values()].every((secret) => secret.length >= 12)).toBe(true);
    expect(answers.length).toBeGreaterThan(30);
  });

  it('no answer holds one', () => {
    const text = answers.join('\n');
    for (const [name, secret] of canaries) expect([name, text.includes(secret)]).toEqual([name, false]);
  });

  it('no log line holds one, at the most talkative level', () => {
    const text = stand.app.logLines.join('\n');
    expect(stand.app.logLines.length).toBeGreaterThan(30);
    for (const [name, secret] of canaries) expect([name, text.includes(secret)]).toEqual([name, false]);
  });

  it('the database holds none: only ciphertext and hashes', async () => {
    const text = await dump();
    for (const [name, secret] of canaries) {
      const spellings = [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret).toString('base64').slice(0, -4),
      ];
      expect([name, spellings.some((spelling) => text.includes(spelling))]).toEqual([name, false]);
    }
  });
});
