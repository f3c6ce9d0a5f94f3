import type { Response } from 'supertest';
import request from 'supertest';
import type { TestApp } from './app.js';
import { newKeyPair } from '../../src/exchanges/polymarket/session-keys/private-key.js';
import { get, post, remove } from './calls.js';
import type { TestStand, Trader } from './sandbox.js';
import { anApiKey, aUser, type TestUser } from './users.js';

/** Calls of the session-key routes, and what makes the sandbox take such a key (contract.md 5.9). */

export const CREDENTIALS = '/account/credentials/polymarket';
export const SESSION_KEY = `${CREDENTIALS}/session-key`;

type Caller = Pick<TestUser, 'token'>;
type Url = Pick<TestApp, 'url'>;

export function createKey(app: Url, { token }: Caller, wallet: string): request.Test {
  return post(app, SESSION_KEY, { wallet_address: wallet }, token);
}

export function activateKey(app: Url, { token }: Caller, body: object = {}): request.Test {
  return post(app, `${SESSION_KEY}/activate`, body, token);
}

export function removeKey(app: Url, { token }: Caller): request.Test {
  return remove(app, SESSION_KEY, token);
}

export function putCredentials(app: Url, { token }: Caller, body: object, query = ''): request.Test {
  return request(app.url).put(`${CREDENTIALS}${query}`).auth(token, { type: 'bearer' }).send(body);
}

/** What `GET /account/credentials` says of Polymarket. */
export async function statusOf(app: Url, { token }: Caller): Promise<Record<string, unknown>> {
  const answer = await request(app.url).get('/account/credentials').auth(token, { type: 'bearer' });
  return (answer.body as { exchanges: { polymarket: Record<string, unknown> } }).exchanges.polymarket;
}

/** The address of the key in an answer. */
export function addressIn(answer: Response): string {
  const { session_key } = answer.body as { session_key?: { address: string } | null };
  if (session_key == null) throw new Error(`no session key in ${answer.status}: ${answer.text}`);
  return session_key.address;
}

/** Lets a key trade, as the owner of the wallet would by the command. */
export function authorise(
  { sandbox }: Pick<TestStand, 'sandbox'>,
  {
    wallet,
    address,
    days = 180,
    usableAfterMs = 0,
  }: { wallet: string; address: string; days?: number; usableAfterMs?: number },
): void {
  const validUntil = new Date(Date.now() + days * 86_400_000);
  sandbox.polymarket.authoriseSession(wallet, { address, validUntil, scopes: ['CLOB'] }, { usableAfterMs });
}

/** Makes a key, lets it trade and takes it into use; returns its address. */
export async function activeKey(
  stand: { readonly app: Url; readonly sandbox: TestStand['sandbox'] },
  user: Caller,
  { wallet, body = {} }: { wallet: string; body?: object },
): Promise<string> {
  const address = addressIn(await createKey(stand.app, user, wallet));
  authorise(stand, { wallet, address });
  const activated = await activateKey(stand.app, user, body);
  if (activated.status !== 200) throw new Error(`activation answered ${activated.status}: ${activated.text}`);
  return address;
}

/** A user who has nothing at Polymarket but a session key of the sandbox's deposit wallet. */
export async function aSessionTrader(stand: Pick<TestStand, 'app' | 'sandbox'>): Promise<Trader> {
  const user = await aUser(stand.app);
  await activeKey(stand, user, { wallet: stand.sandbox.addresses.polymarket.deposit_wallet.address });
  return { user, key: await anApiKey(stand.app, user, ['trade']) };
}

/** A deposit wallet: the sandbox takes whatever an authorisation names first. */
export function aWallet(): string {
  return newKeyPair().address;
}

/** Owners, keys and calls of users with session keys at one stand. */
export class SessionKeyCalls {
  readonly #keys = new Map<string, Promise<string>>();

  constructor(private readonly stand: Pick<TestStand, 'app' | 'sandbox'>) {}

  /** The four fields of the owner of a deposit wallet, and that wallet. */
  anOwner(): { wallet: string; fields: object } {
    const { wallet_address, api_key, secret, passphrase, signer_address, signature_type } =
      this.stand.sandbox.polymarket.addAccount({ signatureType: 3 });
    const fields = { wallet_address, api_key, secret, passphrase, signer_address, signature_type };
    return { wallet: wallet_address, fields };
  }

  /** A key that somebody has already, authorised for a wallet. */
  anOwnKey(wallet: string): { address: string; session_key: string } {
    const { address, privateKey } = newKeyPair();
    authorise(this.stand, { wallet, address });
    return { address, session_key: privateKey.reveal() };
  }

  async ask(user: TestUser, path: string): Promise<Response> {
    return get(this.stand.app, path, await this.#keyOf(user));
  }

  async plainOrder(user: TestUser): Promise<Response> {
    const markets = await this.ask(await aUser(this.stand.app), '/polymarket/markets?limit=20');
    const { data } = markets.body as { data: { id: string; tradable: boolean }[] };
    const market_id = data.find(({ tradable }) => tradable)?.id ?? '';
    const body = { market_id, outcome: 0, side: 'buy', price: '0.05', size: '10', time_in_force: 'gtc' };
    return post(this.stand.app, '/polymarket/orders', body, await this.#keyOf(user));
  }

  /** The types of a user's events about an exchange, oldest first. */
  async namesOf(user: TestUser): Promise<string[]> {
    const answer = await get(this.stand.app, '/account/activity', user.token);
    const { data } = answer.body as { data: { type: string; exchange: string | null }[] };
    return data.flatMap(({ type, exchange }) => (exchange === null ? [] : [type])).reverse();
  }

  /** A user has one key. */
  #keyOf(user: TestUser): Promise<string> {
    const key = this.#keys.get(user.id) ?? anApiKey(this.stand.app, user);
    this.#keys.set(user.id, key);
    return key;
  }
}
