import request from 'supertest';
import type { Sandbox } from '../../sandbox/sandbox.js';
import type { TestApp } from './app.js';
import { anApiKey, aUser, type TestUser } from './users.js';
import type { Trader } from './sandbox.js';

const bearer = { type: 'bearer' } as const;
const SESSION_KEY = '/account/credentials/polymarket/session-key';
const DAY_MS = 86_400_000;

/** Where a session key is made: the service, and the exchange that it is for. */
interface Place {
  readonly app: Pick<TestApp, 'url'>;
  readonly sandbox: Pick<Sandbox, 'addresses'>;
}

/** Makes a session key of the sandbox's deposit wallet, which still waits, and returns its address. */
export async function aPendingSessionKey({ app, sandbox }: Place, { token }: Pick<TestUser, 'token'>): Promise<string> {
  const { address } = sandbox.addresses.polymarket.deposit_wallet;
  const made = await request(app.url).post(SESSION_KEY).auth(token, bearer).send({ wallet_address: address });
  if (made.status !== 201) throw new Error(`making a session key answered ${made.status}: ${made.text}`);
  return (made.body as { session_key: { address: string } }).session_key.address;
}

/** Lets the key trade, as the owner of the wallet would. */
export async function authoriseSessionKey({ sandbox }: Pick<Place, 'sandbox'>, address: string): Promise<void> {
  const { control_url, polymarket } = sandbox.addresses;
  const valid_until = new Date(Date.now() + 100 * DAY_MS).toISOString();
  const body = { wallet_address: polymarket.deposit_wallet.address, address, valid_until };
  const done = await request(control_url).post('/session-signers').send(body);
  if (done.status >= 300) throw new Error(`authorising a session key answered ${done.status}: ${done.text}`);
}

/** Gives a user an active session key of the sandbox's deposit wallet, and returns its address. */
export async function giveSessionKey(place: Place, user: Pick<TestUser, 'token'>): Promise<string> {
  const address = await aPendingSessionKey(place, user);
  await authoriseSessionKey(place, address);
  const active = await request(place.app.url).post(`${SESSION_KEY}/activate`).auth(user.token, bearer).send({});
  if (active.status !== 200) throw new Error(`activating a session key answered ${active.status}: ${active.text}`);
  return address;
}

/** A user who has nothing at the exchange but a session key. */
export async function aSessionTrader(place: Place & { readonly app: TestApp }): Promise<Trader> {
  const user = await aUser(place.app);
  await giveSessionKey(place, user);
  return { user, key: await anApiKey(place.app, user, ['trade']) };
}
