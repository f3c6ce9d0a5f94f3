import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import request, { type Response } from 'supertest';
import { exchangeCredentials } from '../../sandbox/demo/environment.js';
import { startTestApp } from './app.js';
import { post, signedIn, signUp } from './calls.js';
import { FaultStand } from './fault-stand.js';
import { json } from './gateway.js';
import { startGitHub } from './github.js';
import { CLIENT_ID, CLIENT_SECRET, googleSettings, REDIRECT_URI, startGoogle, VERIFIER } from './google.js';
import { storeCredentials, type Trader } from './sandbox.js';
import { activeKey } from './session-keys.js';
import { anApiKey, anEmail, aUser } from './users.js';

const TICKER = 'KXHIGHNY-TODAY-B55.5';
export const SLUG = 'will-bitcoin-reach-130k-this-year';
export const V2_MARKET = 'index-above-100-on-december-31';
export const BOOK = `/kalshi/orderbooks?market_id=${TICKER}`;
export const ORDERS = '/kalshi/orders';
export const WIRE_ORDERS = '/portfolio/events/orders';
export const WIRE_TRANSFERS = '/portfolio/intra_exchange_instance_transfer';
export const BOUND = { verifier: VERIFIER, redirectUri: REDIRECT_URI };
const UPSTREAM_TIMEOUT_MS = 1_500;
export const ORDERS_PER_DAY = 300;
/** The second of the setting, the leeway for clocks, and one more. */
const TOKEN_LIFE_MS = 7_000;

export const order = (change: object = {}): object => ({
  market_id: TICKER,
  outcome: 'yes',
  side: 'buy',
  price: '0.02',
  size: '1',
  ...change,
});
export const plain = (change: object = {}): object => ({ ...order({ market_id: SLUG, size: '20' }), ...change });
export const error = (code: string): object => ({ error: { code, message: code } });
/** Gives no answer at all. */
export const silent = (): void => undefined;

/** The answer that meets a row, and its way out where it has one. */
export type Met = Promise<readonly [Response, (() => Promise<Response>)?]>;

/** Everything that the calls of errors.md need: a service in front of the sandbox, and one with limits, short tokens and a whitelist. */
export type ErrorWorld = Awaited<ReturnType<typeof startErrorWorld>>;

/** Starts it. */
export async function startErrorWorld() {
  const google = await startGoogle(REDIRECT_URI, true);
  const github = await startGitHub();
  const stand = await FaultStand.start(UPSTREAM_TIMEOUT_MS, 0, {
    ...googleSettings(google),
    GITHUB_CLIENT_ID: CLIENT_ID,
    GITHUB_CLIENT_SECRET: CLIENT_SECRET,
    GITHUB_URL: github.url,
    GITHUB_API_URL: github.url,
    ORDERS_PER_DAY: String(ORDERS_PER_DAY),
  });
  const { app } = stand;
  const strict = await startTestApp({
    ACCESS_MODE: 'whitelist',
    WHITELIST_EMAILS: 'approved@example.com',
    RATE_LIMIT_ENABLED: 'true',
    RATE_LIMIT_API: '3/1s',
    ACCESS_TOKEN_TTL: '1s',
  });
  const aSessionTraderOf = async (): Promise<Trader> => {
    const user = await aUser(app);
    await activeKey(stand, user, { wallet: depositWallet() });
    return { user, key: await anApiKey(app, user, ['trade']) };
  };
  const depositWallet = (): string => stand.sandbox.polymarket.addAccount({ signatureType: 3 }).wallet_address;
  const aTraderOf = async (): Promise<Trader> => {
    const user = await aUser(app);
    const { access_key, private_key } = await stand.sandbox.kalshi.addAccount({ keyType: 'ed25519' });
    await storeCredentials(app, user, 'kalshi', { access_key, private_key });
    return { user, key: await anApiKey(app, user, ['admin']) };
  };
  const by = async (
    key: string,
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> => request(app.url)[method](path).auth(key, { type: 'bearer' }).set(headers).send(body);
  const send = (method: 'get' | 'post' | 'delete', path: string, body?: object, key?: string): Promise<Response> =>
    stand.send(method, path, body, key === undefined ? {} : { 'Idempotency-Key': key });
  const place = (change: object = {}, key?: string): Promise<Response> => send('post', ORDERS, order(change), key);
  const kalshi = () => stand.gateways.kalshi;
  const clob = () => stand.gateways.clob;
  /** The way out "repeat the call", once the exchange is well again. */
  const healed = (repeat: () => Promise<Response>) => async (): Promise<Response> => {
    stand.heal();
    return repeat();
  };
  const afterWait =
    (met: Response, repeat: () => Promise<Response>): (() => Promise<Response>) =>
    async () => {
      await delay(Number(met.headers['retry-after']) * 1_000);
      stand.heal();
      return repeat();
    };
  const refusedWith =
    (status: number, code: string, make = () => place()): (() => Met) =>
    async () => {
      kalshi().misbehave(WIRE_ORDERS, json(status, error(code)), 'POST');
      return [await make(), healed(make)];
    };
  const byGoogle = async (subject: string, claims: object): Promise<Response> => {
    const code = await google.code(subject, claims, BOUND);
    return post(app, '/auth/google/callback', { code, code_verifier: VERIFIER, redirect_uri: REDIRECT_URI });
  };
  const byGitHub = (code: string): Promise<Response> =>
    post(app, '/auth/github/callback', { code, code_verifier: VERIFIER, redirect_uri: REDIRECT_URI }).then((x) => x);
  const aGitHubCode = (): string =>
    github.code({ id: 77, login: 'p77', emails: [{ email: 'p77@example.com', primary: true, verified: true }] }, BOUND);
  const verified = (email: string): object => ({ email, email_verified: true, name: 'Pat' });
  /** A transfer under a key of its own, with the credentials of the sandbox's own account: stored now, and again where asked for. */
  const aTransferOf = async (trader?: Trader): Promise<(again?: { again: true }) => Promise<Response>> => {
    const { user, key } = trader ?? (await aTraderOf());
    const store = (): Promise<void> =>
      storeCredentials(app, user, 'kalshi', exchangeCredentials(stand.sandbox.addresses).kalshi);
    await store();
    const headers = { 'Idempotency-Key': randomUUID() };
    return async (again) => {
      if (again !== undefined) await store();
      return by(key, 'post', '/kalshi/transfers', { from_shard: '0', to_shard: '1', amount: '5' }, headers);
    };
  };
  const lost = (path: string): void => {
    kalshi().answerInstead(path, (response) => void response.destroy(), 'POST');
  };

  const approved = async (): Promise<string> => {
    const email = anEmail();
    await strict.query('INSERT INTO whitelist_emails (email) VALUES ($1)', [email]);
    return email;
  };

  const allowConnections = async (allowed: boolean): Promise<void> => {
    const url = new URL(strict.database.url);
    const name = url.pathname.slice(1);
    url.pathname = '/postgres';
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${allowed}`);
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    await client.end();
  };

  const session = await aSessionTraderOf();
  const { token, refresh } = signedIn(await signUp(strict, 'approved@example.com'));
  /** Somebody whose access token is no longer good at that time (ms). */
  const expired = { token, refresh, at: performance.now() + TOKEN_LIFE_MS };
  const close = async (): Promise<void> => {
    await stand.close();
    await strict.close();
    await google.close();
    await github.close();
  };
  return {
    stand,
    app,
    google,
    github,
    strict,
    expired,
    session,
    aSessionTraderOf,
    depositWallet,
    aTraderOf,
    by,
    send,
    place,
    kalshi,
    clob,
    healed,
    afterWait,
    refusedWith,
    byGoogle,
    byGitHub,
    aGitHubCode,
    verified,
    aTransferOf,
    lost,
    approved,
    allowConnections,
    close,
  };
}
