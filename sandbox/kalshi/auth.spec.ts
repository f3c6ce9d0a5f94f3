import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FaultList } from '../wire/faults.js';
import { RequestLog } from '../wire/request-log.js';
import { KalshiSandbox } from './sandbox.js';
import { type Answer, type Bend, KalshiTrader } from './trader.js';

const SHIFT = 3_600_000;

describe('Kalshi signatures', () => {
  const clock = (): Date => new Date(Date.now() + SHIFT);
  let sandbox: KalshiSandbox;
  let client: KalshiTrader;

  beforeAll(async () => {
    sandbox = await KalshiSandbox.start({ faults: new FaultList(), log: new RequestLog(), clock });
    client = new KalshiTrader(sandbox.account, () => clock().getTime());
  });

  afterAll(async () => {
    await sandbox.close();
  });

  function balance(bend: Bend = {}): Promise<Answer> {
    return client.call('GET', '/portfolio/balance', { bend });
  }

  function refused(code: string, message: string, details?: string): Answer {
    return { status: 401, body: { error: { code, message, ...(details === undefined ? {} : { details }) } } };
  }

  it('kalshi.md 2 takes RSA-PSS with a salt of 32 bytes over timestamp, method and path', async () => {
    expect((await balance()).status).toBe(200);
    expect((await client.get('/portfolio/balance', '?subaccount=0')).status).toBe(200);
  });

  it('hands out a PKCS#1 key, as the exchange does', () => {
    expect(sandbox.account.private_key).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/);
  });

  it('kalshi.md 2 takes Ed25519 keys', async () => {
    const account = await sandbox.addAccount({ keyType: 'ed25519', balanceDollars: '12.34' });
    const other = new KalshiTrader(account, () => clock().getTime());
    const { status, body } = await other.get('/portfolio/balance');
    expect([status, body]).toMatchObject([200, { balance: 1234, balance_dollars: '12.3400' }]);
    expect(await other.call('GET', '/portfolio/balance', { bend: { signedPath: '/x' } })).toEqual(
      refused('authentication_error', 'authentication_error', 'INCORRECT_API_KEY_SIGNATURE'),
    );
  });

  it.each([
    ['another salt length', { saltLength: 222 }],
    ['a salt of no bytes', { saltLength: 0 }],
    ['a path with its query', { signedPath: '/trade-api/v2/portfolio/balance?a=b' }],
    ['a path without the prefix', { signedPath: '/portfolio/balance' }],
  ])('kalshi.md 2 refuses a signature over %s', async (_name, bend) => {
    expect(await balance(bend)).toEqual(
      refused('authentication_error', 'authentication_error', 'INCORRECT_API_KEY_SIGNATURE'),
    );
  });

  it('refuses an unknown key', async () => {
    expect(await balance({ accessKey: 'f50604b8-d25a-4b0c-b3c9-ce5b48ffcad0' })).toEqual(
      refused('authentication_error', 'authentication_error', 'NOT_FOUND'),
    );
  });

  it.each(['KALSHI-ACCESS-KEY', 'KALSHI-ACCESS-TIMESTAMP', 'KALSHI-ACCESS-SIGNATURE'])(
    'refuses a request without %s',
    async (leaveOut) => {
      expect(await balance({ leaveOut })).toEqual(
        refused('signature_is_missing_from_headers', 'signature is missing from headers'),
      );
    },
  );

  it('kalshi.md 2 takes timestamps within 15 s of its own clock and no others', async () => {
    const now = clock().getTime();
    expect((await balance({ timestamp: now - 10_000 })).status).toBe(200);
    expect((await balance({ timestamp: now + 10_000 })).status).toBe(200);
    const expired = refused('header_timestamp_expired', 'header timestamp expired');
    expect(await balance({ timestamp: now - 20_000 })).toEqual(expired);
    expect(await balance({ timestamp: now + 20_000 })).toEqual(expired);
    expect(await balance({ timestamp: Date.now() })).toEqual(expired);
  });

  it('needs no signature for markets and order books', async () => {
    expect((await client.open('/markets')).status).toBe(200);
    expect((await client.open('/markets/KXHIGHNY-TODAY-B55.5')).status).toBe(200);
    expect((await client.open('/markets/KXHIGHNY-TODAY-B55.5/orderbook')).status).toBe(200);
  });

  it('keeps accounts apart', async () => {
    const account = await sandbox.addAccount();
    await client.order({ price: '0.0100' });
    const { body } = await new KalshiTrader(account, () => clock().getTime()).get('/portfolio/balance');
    expect(body).toMatchObject({ balance_dollars: '10000.0000' });
  });
});
