import { PassThrough } from 'node:stream';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SessionKeyCommand } from '../src/commands/session-key/command.js';
import { CommandFailure } from '../src/commands/session-key/failure.js';
import { Servers } from '../src/commands/session-key/servers.js';
import { Terminal } from '../src/commands/session-key/terminal.js';
import { type Asked, readWords } from '../src/commands/session-key/words.js';
import { signerOf } from '../src/exchanges/polymarket/ethereum.js';
import { walletCallDigest } from '../src/commands/session-key/wallet-call.js';
import { sample, sampleObject } from './support/fake-polymarket.js';
import { type FakeAnswer, FakeServer } from './support/fake-server.js';

interface Vectors {
  readonly keys_TEST_ONLY: Readonly<Record<'owner' | 'session', { private_key: string; address: string }>>;
  readonly wallets: { readonly deposit: string };
  readonly credentials: { readonly builder: { key: string; secret: string; passphrase: string } };
}

const {
  keys_TEST_ONLY: KEYS,
  wallets: { deposit: WALLET },
  credentials: { builder: BUILDER },
} = JSON.parse(readFileSync('test/vectors/vectors-polymarket-2026.json', 'utf8')) as Vectors;

const SECRETS = {
  POLYMARKET_OWNER_KEY: KEYS.owner.private_key,
  POLYMARKET_BUILDER_API_KEY: BUILDER.key,
  POLYMARKET_BUILDER_SECRET: BUILDER.secret,
  POLYMARKET_BUILDER_PASSPHRASE: BUILDER.passphrase,
};
const SESSION = KEYS.session.address;
const AUTHORIZE: Asked = { action: 'authorize', wallet: WALLET, session: SESSION, isSure: true };
const REVOKE: Asked = { ...AUTHORIZE, action: 'revoke' };
const LIST: Asked = { action: 'list', wallet: WALLET };

const PARAMS = 'GET /relayer/v1/account/transactions/params';
const AUTHORIZATIONS = 'POST /relayer/v1/session-signers/authorizations';
const REVOCATIONS = 'POST /relayer/v1/session-signers/revocations';
const TRANSACTION = 'GET /relayer/v1/account/transactions/0192f7a6-1c44-7d20-9f35-6a1b2c3d4e5f';
const SIGNERS = 'GET /clob/v1/user/session-signers';
const OPERATION = sampleObject('session-authorization.response');
/** As the exchange tells it; far enough ahead for every run of this test. */
const END_S = Math.floor(Date.now() / 1_000) + 15_534_000;
const END = new Date(END_S * 1_000).toISOString();
const LISTED = { wallet: WALLET, signers: [{ address: SESSION, scopes: ['CLOB'], valid_until: END_S }] };

let fake: FakeServer;

beforeEach(async () => {
  fake = await FakeServer.start();
  fake.on('GET /clob/time', () => ({ body: Math.floor(Date.now() / 1_000) }));
  fake.on('POST /clob/auth/api-key', () => ({ body: sample('api-key-session.response') }));
  fake.on(PARAMS, () => ({ body: sample('session-relayer-params') }));
  fake.on(AUTHORIZATIONS, () => ({ body: OPERATION }));
  fake.on(REVOCATIONS, () => ({ body: sample('session-revocation.response') }));
  fake.on(TRANSACTION, () => ({ body: sample('session-relayer-transaction') }));
  fake.on(SIGNERS, () => ({ body: LISTED }));
});

afterEach(async () => {
  await fake.close();
});

interface Ran {
  readonly code: number;
  readonly printed: string;
  readonly notes: string;
}

/** Runs the command; `typed` is what a person at a terminal types, line by line; without it there is no terminal. */
async function run(asked: Asked, typed: readonly string[] | null = null, environment: object = SECRETS): Promise<Ran> {
  const isTTY = typed !== null;
  const input = Object.assign(new PassThrough(), { isTTY });
  const notes = Object.assign(new PassThrough(), { isTTY });
  const output = new PassThrough();
  const texts = { output: '', notes: '' };
  const lines = [...(typed ?? [])];
  output.on('data', (chunk: Buffer) => (texts.output += chunk.toString()));
  notes.on('data', (chunk: Buffer) => {
    texts.notes += chunk.toString();
    if (/(?:\(not shown\)|Type yes): $/.test(texts.notes)) setImmediate(() => input.write(`${lines.shift() ?? ''}\n`));
  });
  const servers = new Servers({
    POLYMARKET_RELAYER_URL: `${fake.url}/relayer`,
    POLYMARKET_CLOB_URL: `${fake.url}/clob`,
  });
  let code = 0;
  try {
    const terminal = new Terminal({ input, output, notes });
    const waits = { totalMs: 400, pauseMs: 10 };
    await new SessionKeyCommand(servers, terminal, environment as Record<string, string>, waits).run(asked);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    code = error.exitCode;
    notes.write(`${error.message}\n`);
  } finally {
    await servers.close();
  }
  await new Promise((resolve) => setImmediate(resolve));
  return { code, printed: texts.output, notes: texts.notes };
}

/** Nothing shown holds a secret, and the owner's key is in nothing that was sent. */
function expectNoSecrets({ printed, notes }: Ran): void {
  const shown = printed + notes;
  for (const secret of Object.values(SECRETS)) expect(shown).not.toContain(secret.replace('0x', ''));
  const sent = JSON.stringify(fake.arrived);
  expect(sent).not.toContain(KEYS.owner.private_key.slice(2));
  expect(sent).not.toContain(BUILDER.secret);
  const toTheExchange = JSON.stringify(fake.arrived.filter(({ path }) => path.startsWith('/clob')));
  expect(toTheExchange).not.toContain(BUILDER.passphrase);
}

describe('contract.md 8.1 npm run polymarket:session-key -- authorize', () => {
  it('S-58 says what is signed, signs it as the owner, sends it once, waits and prints the end', async () => {
    const states = ['STATE_NEW', 'STATE_MINED', 'STATE_CONFIRMED'];
    fake.on(TRANSACTION, () => ({ body: { state: states.shift() ?? 'STATE_CONFIRMED', error_msg: '' } }));
    const lists = [sample('session-signers-empty')];
    fake.on(SIGNERS, () => ({ body: lists.shift() ?? LISTED }));
    const ran = await run(AUTHORIZE);
    expect(ran).toMatchObject({ code: 0, printed: `valid_until: ${END}\n` });
    for (const text of [WALLET, SESSION, KEYS.owner.address, 'scope CLOB', 'cannot    withdraw']) {
      expect(ran.notes).toContain(text);
    }
    expect(ran.notes).toContain(`session-key/activate with {"valid_until":"${END}"}`);
    expect(Object.fromEntries(fake.at(PARAMS)[0]?.query ?? [])).toEqual({
      address: KEYS.owner.address,
      type: 'WALLET',
    });
    const sent = fake.at(AUTHORIZATIONS);
    expect(sent).toHaveLength(1);
    const { signature, ...body } = JSON.parse(sent[0]?.body ?? '') as Record<string, string>;
    const [deadline, validUntil] = [Number(body.deadline), Number(body.validUntil)];
    expect(validUntil - deadline).toBe(15_534_000 - 600);
    expect(Math.abs(deadline - 600 - Date.now() / 1_000)).toBeLessThan(30);
    expect(body).toEqual({
      walletAddress: WALLET,
      sessionSignerAddress: SESSION,
      scopes: ['CLOB'],
      nonce: '7',
      deadline: String(deadline),
      validUntil: String(validUntil),
    });
    const digest = walletCallDigest({ wallet: WALLET, session: SESSION, nonce: '7', deadline, validUntil });
    expect(signerOf((signature ?? '').slice(2), digest)).toBe(KEYS.owner.address);
    expectNoSecrets(ran);
  });

  it('goes by the relayer’s time', async () => {
    fake.skewMs = 7_200_000;
    await run(AUTHORIZE);
    const { deadline } = JSON.parse(fake.at(AUTHORIZATIONS)[0]?.body ?? '') as { deadline: string };
    expect(Number(deadline) - Date.now() / 1_000).toBeGreaterThan(7_200);
  });

  it('sends the same request under the same Idempotency-Key where its answer is lost', async () => {
    const answers: FakeAnswer[] = ['hangUp', { status: 502, body: { error: 'bad gateway' } }];
    fake.on(AUTHORIZATIONS, () => answers.shift() ?? { body: OPERATION });
    expect(await run(AUTHORIZE)).toMatchObject({ code: 0 });
    const sent = fake.at(AUTHORIZATIONS);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(sent[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    await run(AUTHORIZE);
    expect(fake.at(AUTHORIZATIONS)[3]?.headers['idempotency-key']).not.toBe(sent[0]?.headers['idempotency-key']);
  });

  it.each<[string, FakeAnswer, string]>([
    ['the Builder key has no right', { status: 403, body: { error: 'not enabled' } }, 'builder@polymarket.com'],
    ['the Builder key is wrong', { status: 401, body: { error: 'invalid authorization' } }, 'invalid authorization'],
    ['somebody else owns the wallet', { status: 400, body: { error: 'invalid signature' } }, KEYS.owner.address],
    ['too much was asked', { status: 429, body: { error: 'slow down' } }, 'try again later'],
    ['no answer tells what became of it', 'hangUp', 'It is not known'],
    ['the chain refused', { body: { ...OPERATION, status: 'FAILED' } }, 'FAILED'],
    ['another request was newer', { body: { ...OPERATION, status: 'SUPERSEDED' } }, 'SUPERSEDED'],
    ['both sides disagree', { body: { ...OPERATION, status: 'REPAIR_REQUIRED' } }, 'REPAIR_REQUIRED'],
  ])('says what to do where %s', async (_, answer, words) => {
    fake.on(AUTHORIZATIONS, () => answer);
    const ran = await run(AUTHORIZE);
    expect(ran).toMatchObject({ code: 1, printed: '' });
    expect(ran.notes).toContain(words);
    expectNoSecrets(ran);
  });

  it('does not call refused what an earlier sending may have done', async () => {
    const answers: FakeAnswer[] = ['hangUp'];
    fake.on(AUTHORIZATIONS, () => answers.shift() ?? { status: 400, body: { error: 'nonce used' } });
    expect((await run(AUTHORIZE)).notes).toContain('It is not known whether the relayer took the request');
  });

  it.each<[string, string, FakeAnswer, string]>([
    ['the transaction failed', TRANSACTION, { body: { state: 'STATE_FAILED', error_msg: 'x' } }, 'FAILED'],
    ['the transaction is invalid', TRANSACTION, { body: { state: 'STATE_INVALID' } }, 'FAILED'],
    [
      'the transaction never ends',
      TRANSACTION,
      { body: { state: 'STATE_NEW' } },
      '0192f7a6-1c44-7d20-9f35-6a1b2c3d4e5f',
    ],
    ['the exchange does not list it', SIGNERS, { body: sample('session-signers-empty') }, 'does not list the key yet'],
    ['the exchange hangs', SIGNERS, 'hang', 'The last look failed: Polymarket could not be reached'],
    ['the list is of another wallet', SIGNERS, { body: { wallet: SESSION, signers: [] } }, 'another wallet'],
  ])('ends with 1 and says so where %s', async (_, route, answer, words) => {
    fake.on(route, () => answer);
    const ran = await run(AUTHORIZE);
    expect(ran).toMatchObject({ code: 1, printed: '' });
    expect(ran.notes).toContain(words);
  });

  it('signs nothing where the relayer does not tell the nonce', async () => {
    fake.on(PARAMS, () => ({ body: { nonce: 'many' } }));
    const ran = await run(AUTHORIZE);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.notes).toContain('Nothing was signed');
    expect(fake.at(AUTHORIZATIONS)).toHaveLength(0);
  });

  it('asks at a terminal, where no is no', async () => {
    const asked = { ...AUTHORIZE, isSure: false };
    expect(await run(asked, ['no'])).toMatchObject({ code: 1 });
    expect(fake.at(AUTHORIZATIONS)).toHaveLength(0);
    expect(await run(asked, ['yes'])).toMatchObject({ code: 0 });
    expect(fake.at(AUTHORIZATIONS)).toHaveLength(1);
  });

  it('does not sign without a word where there is no terminal', async () => {
    const ran = await run({ ...AUTHORIZE, isSure: false });
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.notes).toContain('--yes');
    expect(fake.arrived).toHaveLength(0);
  });

  it('S-58 takes typed secrets without showing them', async () => {
    const typed = [` ${KEYS.owner.private_key.slice(2)} `, BUILDER.key, BUILDER.secret, BUILDER.passphrase, 'yes'];
    const ran = await run({ ...AUTHORIZE, isSure: false }, typed, {});
    expect(ran.code).toBe(0);
    expectNoSecrets(ran);
  });

  it.each([
    ['is missing', 'POLYMARKET_OWNER_KEY', undefined],
    ['is no key', 'POLYMARKET_OWNER_KEY', `0x${'0'.repeat(64)}`],
    ['is too short', 'POLYMARKET_OWNER_KEY', '0xac0974bec39a17e36ba4a6b4d238ff94'],
    ['is missing', 'POLYMARKET_BUILDER_SECRET', undefined],
    ['is no base64', 'POLYMARKET_BUILDER_SECRET', 'not base64!'],
    ['has two lines', 'POLYMARKET_BUILDER_PASSPHRASE', 'one\ntwo'],
  ])('names a secret that %s (%s), and sends nothing', async (_, name, value) => {
    const ran = await run(AUTHORIZE, null, { ...SECRETS, [name]: value });
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.notes).toContain(name);
    expect(ran.notes).not.toContain(value?.slice(2) ?? KEYS.owner.private_key);
    expect(fake.arrived).toHaveLength(0);
  });

  it('S-58 does not make the owner’s key a session key', async () => {
    expect(await run({ ...AUTHORIZE, session: KEYS.owner.address })).toMatchObject({ code: 2 });
    expect(fake.arrived).toHaveLength(0);
  });
});

describe('contract.md 8.1 npm run polymarket:session-key -- revoke', () => {
  it('is done once the key is fenced, and says what happens to its orders', async () => {
    const ran = await run(REVOKE);
    expect(ran).toMatchObject({ code: 0, printed: `revoked: ${SESSION}\n` });
    expect(ran.notes).toContain('its open orders are cancelled');
    const { signature, ...body } = JSON.parse(fake.at(REVOCATIONS)[0]?.body ?? '') as Record<string, string>;
    expect(Object.keys(body)).toEqual(['walletAddress', 'sessionSignerAddress', 'nonce', 'deadline']);
    const call = { wallet: WALLET, session: SESSION, nonce: '7', deadline: Number(body.deadline), validUntil: null };
    expect(signerOf((signature ?? '').slice(2), walletCallDigest(call))).toBe(KEYS.owner.address);
    expectNoSecrets(ran);
  });

  it('waits for the chain where the key is not fenced yet', async () => {
    fake.on(REVOCATIONS, () => ({ body: { ...OPERATION, status: 'PENDING', fenced: false } }));
    expect(await run(REVOKE)).toMatchObject({ code: 0 });
    fake.on(TRANSACTION, () => ({ body: { state: 'STATE_FAILED' } }));
    expect(await run(REVOKE)).toMatchObject({ code: 1, printed: '' });
  });

  it('waits until the key is listed no more where no transaction is named', async () => {
    fake.on(REVOCATIONS, () => ({ body: { operationId: 'x', status: 'PENDING', fenced: false } }));
    expect(await run(REVOKE)).toMatchObject({ code: 1, printed: '' });
    fake.on(SIGNERS, () => ({ body: sample('session-signers-empty') }));
    expect(await run(REVOKE)).toMatchObject({ code: 0 });
  });
});

describe('contract.md 8.1 npm run polymarket:session-key -- list', () => {
  it('prints a line a key, and needs the owner’s key alone', async () => {
    const ran = await run(LIST, null, { POLYMARKET_OWNER_KEY: KEYS.owner.private_key });
    expect(ran).toMatchObject({ code: 0, printed: `${SESSION}\tCLOB\t${END}\n` });
    expectNoSecrets(ran);
  });

  it('says that there is none', async () => {
    fake.on(SIGNERS, () => ({ body: sample('session-signers-empty') }));
    expect(await run(LIST)).toEqual({ code: 0, printed: '', notes: 'No session key may trade for this wallet.\n' });
  });

  it('says that the owner key is of another wallet, or refused', async () => {
    fake.on(SIGNERS, () => ({ body: { wallet: SESSION, signers: [] } }));
    expect((await run(LIST)).notes).toContain('belongs to another wallet');
    fake.on(SIGNERS, () => ({ status: 400, body: { error: 'no deposit wallet' } }));
    expect((await run(LIST)).notes).toContain('It said: no deposit wallet');
  });
});

describe('contract.md 8.1 the words behind npm run polymarket:session-key', () => {
  const refusalOf = (...words: string[]): CommandFailure => {
    try {
      readWords(words);
    } catch (error) {
      if (error instanceof CommandFailure) return error;
    }
    throw new Error('the words were taken');
  };

  it('are read in any order, addresses in any case', () => {
    const words = ['--session', SESSION.toLowerCase(), 'revoke', '--yes', `--wallet=${WALLET.toLowerCase()}`];
    expect(readWords(words)).toEqual(REVOKE);
    expect(readWords(['list', '--wallet', WALLET])).toEqual(LIST);
  });

  it.each([
    [['authorize', '--wallet', WALLET, '--session', KEYS.session.private_key]],
    [['authorize', '--wallet', WALLET, '--session', SESSION, KEYS.owner.private_key.slice(2)]],
    [['list', '--wallet', WALLET, `--owner-key=${KEYS.owner.private_key}`]],
    [['authorize', '--builder-secret', BUILDER.secret]],
    [['authorize', `--POLYMARKET_BUILDER_PASSPHRASE=${BUILDER.passphrase}`]],
  ])('are no place for a key, which is not repeated (%#)', (words) => {
    const { message, exitCode } = refusalOf(...words);
    expect(exitCode).toBe(2);
    expect(message).toContain('treat it as known to others');
    for (const secret of [KEYS.session.private_key, ...Object.values(SECRETS)]) {
      expect(message).not.toContain(secret.slice(2));
    }
  });

  it.each([
    [[]],
    [['list']],
    [['list', '--wallet', WALLET, '--session', SESSION]],
    [['authorize', '--wallet', WALLET]],
    [['authorize', '--wallet', WALLET, '--session', WALLET]],
    [['authorize', '--wallet', WALLET, '--session', `0x${'0'.repeat(40)}`]],
    [['authorize', '--wallet', WALLET, '--session', SESSION, 'now']],
    [['approve', '--wallet', WALLET, '--session', SESSION]],
    [['list', '--wallet', WALLET, '--json']],
  ])('are explained where they make no sense: %j', (words) => {
    const { message, exitCode } = refusalOf(...words);
    expect(exitCode).toBe(2);
    expect(message).toContain('Usage: npm run polymarket:session-key -- authorize');
  });
});

describe('contract.md 8.1 the addresses of npm run polymarket:session-key', () => {
  const start = (url: string): Servers => new Servers({ POLYMARKET_RELAYER_URL: url });

  it.each(['http://relayer.example.com', 'http://10.0.0.1', 'http://127.0.0.1.example.com', 'ftp://example.com'])(
    'are https, so not %s',
    (url) => {
      expect(() => start(url)).toThrow(CommandFailure);
      expect(() => start(url)).toThrow('POLYMARKET_RELAYER_URL must be');
    },
  );

  it.each(['http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1', 'https://relayer.example.com'])(
    'may be %s',
    async (url) => {
      const servers = start(url);
      expect(servers.relayerUrl).toBe(url);
      expect(servers.exchangeUrl).toBe('https://clob.polymarket.com');
      await servers.close();
    },
  );
});
