import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type published from '../../../test/vectors/vectors-polymarket-2026.json';
import { unixSeconds } from '../../times.js';
import { FaultList } from '../../wire/faults.js';
import { RequestLog } from '../../wire/request-log.js';
import { Router } from '../../wire/router.js';
import { Refusal } from '../../wire/refusal.js';
import { type WireResponse } from '../../wire/server.js';
import { Exchange } from '../exchange.js';
import { PolymarketSandbox } from '../sandbox.js';
import { toHex } from '../signing/hex.js';
import { l2Signature } from '../signing/l2-signature.js';
import { authoriseCall, revokeCall } from '../signing/session-calls.js';
import { walletCallDigest } from '../signing/typed-data.js';
import { SandboxWallet } from '../signing/wallet.js';
import { aSessionTrader, type Answer, PolymarketTrader, request } from '../trader.js';
import { type BuilderKey } from './builder-auth.js';
import { Relayer } from './relayer.js';
import { relayerRoutes } from './routes.js';

const file = new URL('../../../test/vectors/vectors-polymarket-2026.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as typeof published;
const AUTHORISATIONS = '/v1/session-signers/authorizations';
const REVOCATIONS = '/v1/session-signers/revocations';
const LIFE_S = 15_534_000;
const V2_YES = BigInt(`0x013009decfd1e0532df9db26862e9635ef${'0'.repeat(30)}`).toString();
const WRONG_OWNER = 'invalid signature: the batch is not signed by the owner of the wallet';

function sample(name: string): Record<string, unknown> {
  const path = new URL(`../../../test/vectors/polymarket/polymarket-session-${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
}

describe('published batches of session keys (polymarket.md 11.1, 14.3)', () => {
  const { owner, session } = vectors.keys_TEST_ONLY;
  const { authorise, revoke, valid_for_seconds } = vectors.session_keys;
  const key = SandboxWallet.fromPrivateKey(owner.private_key);
  const validUntil = BigInt(authorise.body.validUntil);

  it.each([
    ['authorise', authorise, authoriseCall(session.address, validUntil)],
    ['revoke', revoke, revokeCall(session.address)],
  ] as const)('makes calldata, digest and signature of %s', (_name, { body, call, digest }, data) => {
    const wallet = vectors.wallets.deposit;
    const signed = { wallet, nonce: BigInt(body.nonce), deadline: BigInt(body.deadline), data };
    expect(toHex(data)).toBe(call.data);
    expect(toHex(walletCallDigest(signed))).toBe(digest);
    expect(key.signWalletCall(signed)).toBe(body.signature);
  });

  it('takes the published requests as they are', () => {
    const now = new Date(authorise.now * 1000);
    const exchange = new Exchange(() => now, 100);
    const { key: api_key, secret, passphrase } = vectors.credentials.builder;
    const relayer = new Relayer(exchange, { api_key, secret, passphrase });
    const router = new Router(relayerRoutes(relayer), { refuse: (status) => new Refusal(status, {}) });
    const wallet = vectors.wallets.deposit;
    exchange.accounts.register(owner.address, 3, wallet);
    for (let nonce = 0n; nonce < 7n; nonce += 1n) {
      const deadline = BigInt(authorise.body.deadline);
      const signature = key.signWalletCall({ wallet, nonce, deadline, data: revokeCall(session.address) });
      relayer.revoke({ ...revoke.body, nonce: String(nonce), signature });
    }
    const send = ({
      request: { request_path, method, body, headers },
    }: typeof authorise | typeof revoke): WireResponse =>
      router.handle({
        method,
        path: request_path,
        query: new URLSearchParams(),
        headers: {
          ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
          'idempotency-key': `of-${request_path}`,
        },
        body,
        receivedAt: now,
      });
    expect(valid_for_seconds).toBe(LIFE_S);
    expect(send(authorise)).toMatchObject({ status: 200, body: { status: 'REGISTRY_PENDING' } });
    const later = new Date(now.getTime() + 600);
    expect(exchange.sessions.list(wallet, later)).toMatchObject([{ address: session.address, scopes: ['CLOB'] }]);
    expect(send(revoke)).toMatchObject({ status: 200, body: { fenced: true, status: 'FENCED' } });
    expect(exchange.sessions.list(wallet, later)).toEqual([]);
  });
});

describe('the relayer (polymarket.md 11.1)', () => {
  let sandbox: PolymarketSandbox;
  let now = new Date('2026-11-21T12:00:00.250Z');
  const clock = (): Date => now;
  const faults = new FaultList();
  const log = new RequestLog();
  let owner: PolymarketTrader;
  let wallet: string;
  let key: SandboxWallet;
  let session: PolymarketTrader;
  let calls = 0;

  beforeAll(async () => {
    sandbox = await PolymarketSandbox.start({ faults, log, clock });
  });
  afterAll(() => sandbox.close());

  beforeEach(async () => {
    const clobUrl = sandbox.account.clob_url;
    owner = new PolymarketTrader(clobUrl, sandbox.addAccount({ signatureType: 3 }), clock);
    wallet = owner.account.wallet_address;
    key = SandboxWallet.random();
    session = await aSessionTrader(clobUrl, { key, wallet }, clock);
  });

  interface Batch {
    signer: SandboxWallet;
    wallet: string;
    address: string;
    nonce: bigint;
    deadlineInS: number;
    validForS: number;
    scopes: readonly string[];
    revokes: boolean;
  }

  function pass(ms: number): void {
    now = new Date(now.getTime() + ms);
  }

  /** What an owner sends: signed as told, by default a good authorisation of `key`. */
  function batch(of: Partial<Batch> = {}): Record<string, unknown> {
    const told = { signer: owner.wallet, wallet, address: key.address, nonce: 0n, deadlineInS: 600, ...of };
    const validUntil = BigInt(unixSeconds(now) + (of.validForS ?? LIFE_S));
    const deadline = BigInt(unixSeconds(now) + told.deadlineInS);
    const revokes = of.revokes ?? false;
    const data = revokes ? revokeCall(told.address) : authoriseCall(told.address, validUntil);
    return {
      walletAddress: told.wallet,
      sessionSignerAddress: told.address,
      ...(revokes ? {} : { scopes: of.scopes ?? ['CLOB'], validUntil: String(validUntil) }),
      nonce: String(told.nonce),
      deadline: String(deadline),
      signature: told.signer.signWalletCall({ wallet: told.wallet, nonce: told.nonce, deadline, data }),
    };
  }

  function headersOf(
    path: string,
    body: string,
    builder: BuilderKey = sandbox.account.builder,
  ): Record<string, string> {
    const timestamp = String(unixSeconds(now));
    calls += 1;
    return {
      POLY_BUILDER_API_KEY: builder.api_key,
      POLY_BUILDER_TIMESTAMP: timestamp,
      POLY_BUILDER_PASSPHRASE: builder.passphrase,
      POLY_BUILDER_SIGNATURE: l2Signature(builder.secret, timestamp, { method: 'POST', path, body }),
      'Idempotency-Key': `call-${calls}`,
    };
  }

  function send(path: string, content: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const body = typeof content === 'string' ? content : JSON.stringify(content);
    const init = { method: 'POST', body, headers: { ...headersOf(path, body), ...headers } };
    return request(`${sandbox.account.relayer_url}${path}`, init);
  }

  function get(path: string): Promise<Answer> {
    return request(`${sandbox.account.relayer_url}${path}`);
  }

  async function nonce(): Promise<unknown> {
    return (await get(`/v1/account/transactions/params?address=${owner.wallet.address}&type=WALLET`)).body;
  }

  async function stateOf({ body }: Answer): Promise<unknown> {
    const { transactionId } = body as { transactionId: string };
    return (await get(`/v1/account/transactions/${transactionId}`)).body;
  }

  async function place(): Promise<number> {
    const terms = { tokenId: V2_YES, side: 'BUY', price: '0.02', size: '10', maker: wallet, signatureType: 3 } as const;
    return (await session.post(session.sign({ ...terms, session: true }))).status;
  }

  const refused = (error: string, status = 400): object => ({ status, body: { error } });

  it('authorises in steps: pending, confirmed, and a little later usable', async () => {
    expect(await nonce()).toEqual({ ...sample('relayer-params'), address: owner.wallet.address, nonce: '0' });
    const answer = await send(AUTHORISATIONS, batch());
    expect(answer).toMatchObject({ status: 200, body: { status: 'REGISTRY_PENDING' } });
    expect(Object.keys(answer.body as object)).toEqual(Object.keys(sample('authorization.response')));
    expect(await nonce()).toMatchObject({ nonce: '1' });
    const seen: unknown[] = [];
    for (const ms of [0, 149, 1, 149, 1, 299, 1]) {
      pass(ms);
      seen.push([((await stateOf(answer)) as { state: string }).state, await place()]);
    }
    expect(seen).toEqual([
      ['STATE_NEW', 400],
      ['STATE_NEW', 400],
      ['STATE_SUBMITTED', 400],
      ['STATE_SUBMITTED', 400],
      ['STATE_CONFIRMED', 400],
      ['STATE_CONFIRMED', 400],
      ['STATE_CONFIRMED', 200],
    ]);
    const { transactionId, transactionHash } = answer.body as Record<string, string>;
    const ids = { transaction_id: transactionId, transaction_hash: transactionHash };
    expect(await stateOf(answer)).toEqual({ ...sample('relayer-transaction'), ...ids });
    const signer = { address: key.address, scopes: ['CLOB'], valid_until: unixSeconds(now.getTime() - 600) + LIFE_S };
    const { body } = await owner.call('GET', '/v1/user/session-signers');
    expect(body).toEqual({ ...sample('signers'), wallet, signers: [signer] });
  });

  it('renews a key without a moment in which it cannot trade', async () => {
    await send(AUTHORISATIONS, batch());
    pass(600);
    expect(await send(AUTHORISATIONS, batch({ nonce: 1n, scopes: ['ALL'] }))).toMatchObject({ status: 200 });
    expect(await place()).toBe(200);
    const { body } = await owner.call('GET', '/v1/user/session-signers');
    expect(body).toMatchObject({ signers: [{ scopes: ['ALL'], valid_until: unixSeconds(now) + LIFE_S }] });
  });

  it('revokes at once and cancels what the key has open', async () => {
    await send(AUTHORISATIONS, batch());
    pass(600);
    expect(await place()).toBe(200);
    const answer = await send(REVOCATIONS, batch({ nonce: 1n, revokes: true }));
    expect(answer).toMatchObject({ status: 200, body: { fenced: true, status: 'FENCED' } });
    expect(Object.keys(answer.body as object)).toEqual(Object.keys(sample('revocation.response')));
    expect(await place()).toBe(400);
    expect((await session.call('GET', '/data/orders')).body).toMatchObject({ data: [] });
    expect((await owner.call('GET', '/v1/user/session-signers')).body).toEqual({ ...sample('signers-empty'), wallet });
    pass(300);
    expect(await stateOf(answer)).toMatchObject({ state: 'STATE_CONFIRMED', error_msg: '' });
    expect(await nonce()).toMatchObject({ nonce: '2' });
  });

  it('answers the same request under its Idempotency-Key again, and no other one', async () => {
    const body = JSON.stringify(batch());
    const headers = { 'Idempotency-Key': `mine-${key.address}` };
    const first = await send(AUTHORISATIONS, body, headers);
    pass(700_000);
    expect((await send(AUTHORISATIONS, body, headers)).body).toEqual(first.body);
    expect(await nonce()).toMatchObject({ nonce: '1' });
    const other = refused('the Idempotency-Key was used for another request', 409);
    expect(await send(AUTHORISATIONS, batch({ nonce: 1n }), headers)).toMatchObject(other);
    expect(await send(REVOCATIONS, batch({ nonce: 1n, revokes: true }), headers)).toMatchObject(other);
    expect(await send(AUTHORISATIONS, batch())).toMatchObject(refused('invalid nonce: expected 1'));
  });

  it('keeps nothing of a refusal under an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': `again-${key.address}` };
    expect(await send(AUTHORISATIONS, batch({ nonce: 1n }), headers)).toMatchObject({ status: 400 });
    expect(await send(AUTHORISATIONS, batch(), headers)).toMatchObject({ status: 200 });
  });

  it.each<[string, () => Partial<Batch>, string]>([
    ['a nonce of the future', () => ({ nonce: 1n }), 'invalid nonce: expected 0'],
    ['the signature of another key', () => ({ signer: SandboxWallet.random() }), WRONG_OWNER],
    ['the signature of the session key', () => ({ signer: key }), WRONG_OWNER],
    [
      'an account of another kind',
      () => ({ wallet: sandbox.account.wallet_address }),
      'walletAddress is not a deposit wallet',
    ],
    ['an unknown wallet', () => ({ wallet: `0x${'3'.repeat(40)}` }), 'walletAddress is not a deposit wallet'],
    ['a deadline that is past', () => ({ deadlineInS: -1 }), 'invalid deadline: it is past or too near'],
    ['a deadline far ahead', () => ({ deadlineInS: 3_700 }), 'invalid deadline: it is too far ahead'],
    [
      '180 days',
      () => ({ validForS: 180 * 86_400 }),
      `invalid validUntil: a session key is good for ${LIFE_S} seconds`,
    ],
    [
      'a shorter life',
      () => ({ validForS: 86_400 }),
      `invalid validUntil: a session key is good for ${LIFE_S} seconds`,
    ],
    [
      'the owner as session key',
      () => ({ address: owner.wallet.address }),
      'The session key must not be the key of the owner.',
    ],
  ])('refuses %s in words', async (_what, of, error) => {
    expect(await send(AUTHORISATIONS, batch(of()))).toMatchObject(refused(error));
    expect(await nonce()).toMatchObject({ nonce: '0' });
  });

  it('refuses fields that are not what the owner signed', async () => {
    const wrong = refused(WRONG_OWNER);
    expect(await send(AUTHORISATIONS, { ...batch(), sessionSignerAddress: `0x${'4'.repeat(40)}` })).toMatchObject(
      wrong,
    );
    const [body, other] = [batch(), batch({ validForS: LIFE_S + 1 })];
    expect(await send(AUTHORISATIONS, { ...body, validUntil: other.validUntil })).toMatchObject(wrong);
    expect(await send(AUTHORISATIONS, { ...body, signature: batch({ revokes: true }).signature })).toMatchObject(wrong);
    expect(await send(REVOCATIONS, batch())).toMatchObject(wrong);
  });

  it.each<[string, object]>([
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: ['clob'] }],
    ['scopes', { scopes: ['ALL', 'CLOB'] }],
    ['scopes', { scopes: ['CLOB', 'CLOB'] }],
    ['nonce', { nonce: 0 }],
    ['deadline', { deadline: '0x1' }],
    ['validUntil', { validUntil: '1e9' }],
    ['signature', { signature: '0x12' }],
    ['walletAddress', { walletAddress: 'me' }],
  ])('refuses a wrong %s, naming it: %j', async (name, change) => {
    const answer = await send(AUTHORISATIONS, { ...batch(), ...change });
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(`^invalid ${name}: `) } });
  });

  it('refuses who is not the builder, and a builder key that may not manage session keys', async () => {
    const body = JSON.stringify(batch());
    const unauthorised = refused('invalid builder api key', 401);
    const { builder } = sandbox.account;
    for (const change of [{ api_key: 'other' }, { passphrase: 'other' }, { secret: 'b3RoZXI=' }]) {
      const headers = headersOf(AUTHORISATIONS, body, { ...builder, ...change });
      expect(await send(AUTHORISATIONS, body, headers)).toMatchObject(unauthorised);
    }
    const stale = headersOf(AUTHORISATIONS, body);
    pass(31_000);
    expect(await send(AUTHORISATIONS, body, stale)).toMatchObject(unauthorised);
    expect(await send(AUTHORISATIONS, body, headersOf(REVOCATIONS, body))).toMatchObject(unauthorised);
    sandbox.relayer.managesSessionKeys = false;
    const forbidden = refused('session key management is not enabled for this builder api key', 403);
    expect(await send(AUTHORISATIONS, body)).toMatchObject(forbidden);
    sandbox.relayer.managesSessionKeys = true;
    const missing = refused('the Idempotency-Key header is missing or invalid');
    expect(await send(AUTHORISATIONS, body, { 'Idempotency-Key': '' })).toMatchObject(missing);
    expect(await send(AUTHORISATIONS, 'no json')).toMatchObject({ status: 400 });
    expect(await send(AUTHORISATIONS, body)).toMatchObject({ status: 200 });
  });

  it('reports a transaction that fails; the key then never trades', async () => {
    sandbox.relayer.fails = true;
    const answer = await send(AUTHORISATIONS, batch());
    sandbox.relayer.fails = false;
    pass(3_600);
    expect(await stateOf(answer)).toMatchObject({ state: 'STATE_FAILED', error_msg: 'execution reverted' });
    expect(await place()).toBe(400);
  });

  it('refuses unknown transactions and bad questions, and says 404 elsewhere', async () => {
    expect(await get('/v1/account/transactions/none')).toMatchObject(refused('transaction not found', 404));
    const params = '/v1/account/transactions/params';
    expect(await get(`${params}?type=WALLET`)).toMatchObject(refused('invalid address'));
    expect(await get(`${params}?address=${key.address}&type=SAFE`)).toMatchObject(refused('invalid type'));
    expect(await get('/submit')).toMatchObject({ status: 404 });
  });

  it('is hit by faults of polymarket, and its requests are written down without secrets', async () => {
    log.clear();
    faults.add({ exchange: 'polymarket', method: 'POST', path: AUTHORISATIONS, fault: 'reset_after', times: 1 });
    const body = JSON.stringify(batch());
    const headers = { 'Idempotency-Key': `lost-${key.address}` };
    await expect(send(AUTHORISATIONS, body, headers)).rejects.toThrow('fetch failed');
    expect(await send(AUTHORISATIONS, body, headers)).toMatchObject({ status: 200 });
    expect(await nonce()).toMatchObject({ nonce: '1' });
    const logged = log.list('polymarket').filter(({ path }) => path === AUTHORISATIONS);
    expect(logged).toHaveLength(2);
    const { builder } = sandbox.account;
    expect(logged[0]?.headers.poly_builder_passphrase).toBe(builder.passphrase.slice(0, 8));
    expect(JSON.stringify(logged)).not.toContain(builder.passphrase);
  });
});
