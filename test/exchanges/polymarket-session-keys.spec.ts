import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Opened } from '../../src/exchanges/credentials.contract.js';
import type { PendingSessionKey } from '../../src/exchanges/session-keys.contract.js';
import { addressOfKey } from '../../src/exchanges/polymarket/ethereum.js';
import type { PolymarketCredentialsDto } from '../../src/exchanges/polymarket/polymarket.credentials.dto.js';
import { AppError } from '../../src/platform/errors/app-error.js';
import { Secret } from '../../src/platform/secrets/secret.js';
import { withCallContext } from '../../src/platform/upstream/call-context.js';
import { CREDENTIALS, FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import type { FakeAnswer } from '../support/fake-server.js';

interface Vectors {
  readonly keys_TEST_ONLY: Readonly<Record<'owner' | 'session', { private_key: string; address: string }>>;
  readonly wallets: { readonly deposit: string };
}

const { keys_TEST_ONLY: KEYS, wallets } = JSON.parse(
  readFileSync(new URL('../vectors/vectors-polymarket-2026.json', import.meta.url), 'utf8'),
) as Vectors;
const SESSION = KEYS.session;
const CREATE = 'POST /clob/auth/api-key';
const DERIVE = 'GET /clob/auth/derive-api-key';
const BALANCE = 'GET /clob/balance-allowance';
const LIST = 'GET /clob/v1/user/session-signers';

const EXISTS = { status: 400, body: { error: 'Could not create api key' } };
const NONE = { status: 400, body: { error: 'Could not derive api key!' } };
const UNKNOWN = { status: 401, body: { error: 'Unauthorized/Invalid api key' } };
const ISSUED = sampleObject('api-key-session.response');

const pending: PendingSessionKey = {
  address: SESSION.address,
  privateKey: new Secret(SESSION.private_key),
  walletAddress: wallets.deposit,
};

function ownersOf(wallet: string, signer: string | undefined = KEYS.owner.address): Opened<PolymarketCredentialsDto> {
  return {
    api_key: new Secret(CREDENTIALS.api_key),
    secret: new Secret(CREDENTIALS.secret),
    passphrase: new Secret(CREDENTIALS.passphrase),
    wallet_address: new Secret(wallet),
    signer_address: new Secret(signer),
    signature_type: new Secret('3'),
  };
}

/** The list of the sample with other members of its only key; it ends in an hour. */
function listWith(changes: object, wallet = wallets.deposit): FakeAnswer {
  const ends = Math.floor(Date.now() / 1_000) + 3_600;
  return {
    body: { wallet, signers: [{ address: SESSION.address, scopes: ['CLOB'], valid_until: ends, ...changes }] },
  };
}

async function failureOf(call: Promise<unknown>): Promise<AppError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw new Error(`no AppError: ${String(error)}`);
  return error;
}

let fake: FakePolymarket;

beforeEach(async () => {
  fake = await FakePolymarket.start();
  fake.on(CREATE, () => ({ body: ISSUED }));
  fake.on(DERIVE, () => ({ body: ISSUED }));
  fake.on(BALANCE, () => ({ body: sample('clob-balance-allowance') }));
});

afterEach(async () => {
  await fake.close();
});

describe('contract.md 5.9 a new session key', () => {
  it('is a pair of its own each time, whose address is that of its private half', () => {
    const made = [1, 2, 3].map(() => fake.exchange.sessionKeys.generate());
    expect(new Set(made.map(({ address }) => address)).size).toBe(3);
    for (const { address, privateKey } of made) {
      expect(privateKey.reveal()).toMatch(/^0x[0-9a-f]{64}$/);
      expect(addressOfKey(Buffer.from(privateKey.reveal().slice(2), 'hex'))).toBe(address);
    }
  });

  it('tells its owner which command authorises it, and for what', () => {
    expect(fake.exchange.sessionKeys.authorizationOf(wallets.deposit, SESSION.address)).toEqual({
      wallet_address: wallets.deposit,
      session_address: SESSION.address,
      chain_id: 137,
      scopes: ['CLOB'],
      command: `npm run polymarket:session-key -- authorize --wallet ${wallets.deposit} --session ${SESSION.address}`,
    });
  });
});

describe('S-58 whether a session key that is brought along is the owner’s', () => {
  const issued = { api_key: new Secret('k'), secret: new Secret(CREDENTIALS.secret), passphrase: new Secret('p') };
  const ask = (): Promise<void> => fake.exchange.sessionKeys.assertNoOwner(pending, issued);

  it.each<[string, FakeAnswer, string]>([
    ['does not come', 'hang', 'exchange_timeout'],
    ['breaks off', 'reset', 'exchange_error'],
    ['fails', { status: 500, body: { error: 'x' } }, 'exchange_error'],
    ['is not to be had now', { status: 503, body: { error: 'x' } }, 'exchange_unavailable'],
    ['is asked for too often', { status: 429, body: { error: 'x' } }, 'exchange_rate_limited'],
    ['is refused by a gateway', { status: 400, body: '<html>' }, 'exchange_rejected'],
    ['is not known to a gateway', { status: 404, body: '<html>' }, 'exchange_error'],
    ['is refused for trouble', { status: 400, body: { error: 'internal error' } }, 'exchange_rejected'],
    ['is refused to this place', { status: 403, body: { error: 'restricted in your region' } }, 'exchange_rejected'],
    ['is refused to these credentials', { status: 401, body: { error: 'Unauthorized' } }, 'credentials_rejected'],
    ['cannot be read', { body: { wallet: 1 } }, 'exchange_error'],
  ])('S-58 takes no key where the list %s: it may be the owner’s', async (_name, answer, code) => {
    fake.on(LIST, () => answer);
    expect((await failureOf(ask())).code).toBe(code);
  });

  it.each<[string, FakeAnswer]>([
    ['refuses the list', { status: 400, body: { error: 'wallet not found' } }],
    ['says that there is none', { status: 404, body: { error: 'no deposit wallet' } }],
    ['gives other reasons', { status: 400, body: { error: 'only owners of a deposit wallet' } }],
    ['tells another list', listWith({}, KEYS.owner.address)],
    ['tells a list that has it', listWith({})],
  ])('S-58 takes a key to which the exchange itself %s', async (_name, answer) => {
    fake.on(LIST, () => answer);
    await expect(ask()).resolves.toBeUndefined();
  });

  it('S-58 refuses the key to which the list of the wallet is told', async () => {
    fake.on(LIST, () => listWith({ address: KEYS.owner.address }));
    expect(await failureOf(ask())).toMatchObject({
      code: 'bad_request',
      details: { fields: [{ field: 'session_key' }] },
    });
  });
});

describe('contract.md 5.9 a session key that is brought along', () => {
  it('has the address of the vectors, in capitals too', () => {
    const { sessionKeys } = fake.exchange;
    expect(sessionKeys.pairOf(new Secret(SESSION.private_key)).address).toBe(SESSION.address);
    const capitals = `0x${SESSION.private_key.slice(2).toUpperCase()}`;
    expect(sessionKeys.pairOf(new Secret(capitals)).address).toBe(SESSION.address);
  });

  it.each([
    ['0', `0x${'0'.repeat(64)}`],
    ['the order of the curve', '0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'],
    ['the greatest number', `0x${'f'.repeat(64)}`],
    ['too few digits', `0x${'1'.repeat(63)}`],
  ])('is refused where it is %s, without repeating it', (_, text) => {
    const refuse = (): unknown => fake.exchange.sessionKeys.pairOf(new Secret(text));
    expect(refuse).toThrow(expect.objectContaining({ code: 'bad_request' }));
    expect(refuse).toThrow(
      expect.objectContaining({ details: { fields: [expect.objectContaining({ field: 'session_key' })] } }),
    );
    expect(refuse).not.toThrow(text.slice(2));
  });
});

describe('contract.md 5.9 API credentials of a session key', () => {
  const derive = (): Promise<unknown> => fake.exchange.sessionKeys.deriveApiCredentials(pending);

  it('are issued to the key itself, signed for the exchange’s time', async () => {
    fake.clockAheadMs = 3_600_000;
    const credentials = await fake.exchange.sessionKeys.deriveApiCredentials(pending);
    expect(Object.values(credentials).map((secret: Secret) => secret.reveal())).toEqual(Object.values(ISSUED));
    const [created] = fake.at(CREATE);
    expect(created).toMatchObject({ body: '', headers: { poly_address: SESSION.address, poly_nonce: '0' } });
    expect(Number(created?.headers.poly_timestamp) - Date.now() / 1_000).toBeGreaterThan(3_590);
    expect(fake.at(DERIVE)).toHaveLength(0);
  });

  it.each<[string, FakeAnswer]>([
    ['because it has some', EXISTS],
    ['by trouble of its own', { status: 500, body: { error: 'internal' } }],
    ['by silence', 'hangUp'],
    ['by what cannot be used', { body: { apiKey: 'a\nb', secret: 'c', passphrase: 'd' } }],
  ])('are asked for where the exchange does not make any %s', async (_, answer) => {
    fake.on(CREATE, () => answer);
    expect(await derive()).toHaveProperty('api_key');
    expect(fake.at(CREATE)).toHaveLength(1);
    expect(fake.at(DERIVE)).toHaveLength(1);
  });

  it('are not asked for where the exchange takes no calls', async () => {
    fake.on(CREATE, () => ({ status: 503, body: { error: 'cancel-only' } }));
    expect(await failureOf(derive())).toMatchObject({ code: 'exchange_unavailable' });
    expect(fake.at(DERIVE)).toHaveLength(0);
  });

  it('end with what the first call was told where there are none', async () => {
    fake.on(CREATE, () => ({ status: 502, body: '' }));
    fake.on(DERIVE, () => NONE);
    expect(await failureOf(derive())).toMatchObject({ code: 'exchange_error' });
  });

  it.each([NONE, UNKNOWN])(
    'are 409 credentials_rejected where the exchange does not take the key (%j)',
    async (answer) => {
      for (const route of [CREATE, DERIVE]) fake.on(route, () => answer);
      const reason = 'session_key_not_authorized';
      expect(await failureOf(derive())).toMatchObject({
        code: 'credentials_rejected',
        status: 409,
        details: { reason },
      });
    },
  );

  it('R-10 are told within the time of one call, however many it takes', async () => {
    for (const route of [CREATE, DERIVE]) fake.on(route, () => 'hang');
    const startedAt = performance.now();
    expect(await failureOf(derive())).toMatchObject({ code: 'exchange_timeout' });
    expect(performance.now() - startedAt).toBeLessThan(1_800);
  });

  it('S-45 no error repeats the private key', async () => {
    const body = { error: `bad key ${SESSION.private_key} and ${SESSION.private_key.slice(2)}` };
    fake.on(CREATE, () => ({ status: 400, body }));
    fake.on(DERIVE, () => ({ status: 400, body }));
    const error = await failureOf(derive());
    expect(error.code).toBe('credentials_rejected');
    expect(JSON.stringify([error.message, error.details])).not.toContain(SESSION.private_key.slice(2, 20));
  });
});

describe('contract.md 5.9 activation of a session key', () => {
  const accept = (
    stored: Opened<PolymarketCredentialsDto> | null = null,
    totalMs = 400,
  ): ReturnType<typeof fake.exchange.sessionKeys.awaitAccepted> =>
    fake.sessionKeys(totalMs, 20).awaitAccepted(pending, stored);
  const failure = (stored: Opened<PolymarketCredentialsDto> | null = null): Promise<AppError> =>
    failureOf(accept(stored));

  const REFUSED = { code: 'credentials_rejected', details: { reason: 'session_key_not_authorized' } };

  it('reads once with the key’s own credentials for the deposit wallet', async () => {
    const { apiCredentials, validUntil } = await accept();
    expect(validUntil).toBeNull();
    expect(apiCredentials.api_key.reveal()).toBe(ISSUED.apiKey);
    const [read] = fake.at(BALANCE);
    expect(Object.fromEntries(read?.query ?? [])).toEqual({ asset_type: 'COLLATERAL', signature_type: '3' });
    expect(read?.headers).toMatchObject({ poly_address: SESSION.address, poly_api_key: ISSUED.apiKey });
    expect(fake.at(LIST)).toHaveLength(0);
  });

  it('asks until the exchange knows the key, and derives once', async () => {
    const answers: FakeAnswer[] = [UNKNOWN, { status: 500, body: { error: 'x' } }, UNKNOWN];
    fake.on(BALANCE, () => answers.shift() ?? { body: sample('clob-balance-allowance') });
    expect(await accept(null, 5_000)).toMatchObject({ validUntil: null });
    expect(fake.at(BALANCE).length).toBeGreaterThanOrEqual(4);
    expect(fake.at(CREATE)).toHaveLength(1);
  });

  it.each([
    ['the read', BALANCE, UNKNOWN],
    ['the credentials', CREATE, UNKNOWN],
  ])('says in plain words that the exchange refuses %s in the end', async (_, route, answer) => {
    fake.on(route, () => answer);
    const error = await failure();
    expect(error).toMatchObject(REFUSED);
    expect(error.message).toContain('npm run polymarket:session-key -- authorize');
    expect(fake.at(route).length).toBeGreaterThan(2);
  });

  it('passes on trouble of the exchange as its ordinary error', async () => {
    fake.on(BALANCE, () => ({ status: 503, body: { error: 'restarting' } }));
    expect(await failure()).toMatchObject({ code: 'exchange_unavailable' });
    fake.on(BALANCE, () => ({ status: 403, body: { error: 'restricted' } }));
    expect(await failure()).toMatchObject({
      code: 'exchange_rejected',
      details: expect.objectContaining({ reason: 'permission_denied' }),
    });
  });

  it('R-10 ends in time where the exchange hangs', async () => {
    await fake.close();
    fake = await FakePolymarket.start({ UPSTREAM_TIMEOUT: '10s' });
    for (const route of [CREATE, BALANCE]) fake.on(route, () => 'hang');
    const startedAt = performance.now();
    expect(await failure()).toMatchObject({ code: 'exchange_timeout' });
    // Without a limit of its own such a call ends after 5 s.
    expect(performance.now() - startedAt).toBeLessThan(4_500);
  });

  it('keeps the refusal that it heard where only the last answer is missing', async () => {
    const answers: FakeAnswer[] = [UNKNOWN, UNKNOWN];
    fake.on(BALANCE, () => answers.shift() ?? 'hang');
    expect(await failure()).toMatchObject(REFUSED);
  });

  it('R-16 ends with its client', async () => {
    fake.on(BALANCE, () => UNKNOWN);
    const gone = new AbortController();
    const call = withCallContext({ fresh: false, signal: gone.signal }, () => accept(null, 60_000));
    setTimeout(() => {
      gone.abort();
    }, 100);
    expect(await failureOf(call)).toMatchObject({ code: 'exchange_error' });
    // One that was on its way as the client went may arrive yet; it asks no more after that.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { length } = fake.at(BALANCE);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(fake.at(BALANCE)).toHaveLength(length);
  });

  describe('with the owner’s credentials', () => {
    const owners = ownersOf(wallets.deposit);

    it.each([
      ['CLOB', { scopes: ['CLOB'] }],
      ['ALL', { scopes: ['ALL'] }],
      ['more', { scopes: ['COMBOSRFQ', 'CLOB'], address: SESSION.address.toLowerCase() }],
    ])('takes the end from a list that names the key with scope %s', async (_, changes) => {
      fake.on(LIST, () => listWith({ ...changes, valid_until: 4_000_000_000 }));
      expect((await accept(owners)).validUntil).toEqual(new Date(4_000_000_000_000));
      const [read] = fake.at(LIST);
      expect(read?.headers).toMatchObject({ poly_address: KEYS.owner.address, poly_api_key: CREDENTIALS.api_key });
    });

    it.each([
      ['does not name it', { address: KEYS.owner.address }],
      ['says that it has ended', { valid_until: 1_700_000_000 }],
      ['lets it do something else', { scopes: ['COMBOSRFQ'] }],
      ['lets it do nothing', { scopes: [] }],
    ])('refuses where the list %s, whatever the read says', async (_, changes) => {
      fake.on(LIST, () => listWith(changes));
      expect(await failure(owners)).toMatchObject(REFUSED);
    });

    it('waits until the list names it', async () => {
      const answers: FakeAnswer[] = [{ body: sample('session-signers-empty') }];
      fake.on(LIST, () => answers.shift() ?? listWith({}));
      expect((await accept(owners, 5_000)).validUntil).toBeInstanceOf(Date);
    });

    it.each<[string, FakeAnswer]>([
      ['cannot be read', UNKNOWN],
      ['has another form', { body: { wallet: wallets.deposit, signers: {} } }],
      ['is of another wallet', listWith({ address: KEYS.owner.address }, KEYS.owner.address)],
    ])('goes by the read alone where the list %s', async (_, answer) => {
      fake.on(LIST, () => answer);
      expect((await accept(owners)).validUntil).toBeNull();
      fake.on(BALANCE, () => UNKNOWN);
      expect(await failure(owners)).toMatchObject(REFUSED);
    });

    it('does not ask with what is the session key’s own', async () => {
      await accept(ownersOf(wallets.deposit, SESSION.address.toLowerCase()));
      expect(fake.at(LIST)).toHaveLength(0);
    });

    it('a read that the exchange does not answer session keys does not outweigh the list', async () => {
      fake.on(LIST, () => listWith({}));
      fake.on(BALANCE, () => ({ status: 400, body: { error: 'Invalid asset type' } }));
      expect((await accept(owners)).validUntil).toBeInstanceOf(Date);
      fake.on(BALANCE, () => UNKNOWN);
      expect(await failure(owners)).toMatchObject(REFUSED);
    });
  });
});
