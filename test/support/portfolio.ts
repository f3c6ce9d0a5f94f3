import { KalshiTrader } from '../../sandbox/kalshi/trader.js';
import { PolymarketTrader } from '../../sandbox/polymarket/trader.js';
import request, { type Response } from 'supertest';
import { storeCredentials, type TestStand } from './sandbox.js';
import { anApiKey, aUser, type TestUser } from './users.js';

/** A user with fresh accounts of its own at both exchanges, and what trades for them without the service. */
export interface Holder {
  readonly user: TestUser;
  readonly key: string;
  readonly kalshi: KalshiTrader;
  readonly polymarket: PolymarketTrader;
}

/** Contracts of one Kalshi market, bought or sold at once. */
export interface KalshiTrade {
  readonly ticker: string;
  readonly side: 'bid' | 'ask';
  readonly count: string;
  readonly price: string;
}

export async function aHolder(
  stand: TestStand,
  at: readonly ('kalshi' | 'polymarket')[] = ['kalshi', 'polymarket'],
): Promise<Holder> {
  const { app, sandbox } = stand;
  const user = await aUser(app);
  const account = await sandbox.kalshi.addAccount();
  const wallet = sandbox.polymarket.addAccount();
  const { access_key, private_key } = account;
  const { api_key, secret, passphrase, wallet_address } = wallet;
  if (at.includes('kalshi')) await storeCredentials(app, user, 'kalshi', { access_key, private_key });
  if (at.includes('polymarket'))
    await storeCredentials(app, user, 'polymarket', { api_key, secret, passphrase, wallet_address });
  const clock = (): number => sandbox.kalshi.now;
  return {
    user,
    key: await anApiKey(app, user, ['trade']),
    kalshi: new KalshiTrader(account, clock),
    polymarket: new PolymarketTrader(sandbox.addresses.polymarket.clob_url, wallet),
  };
}

/** Takes what the book has; throws where it is refused. */
export async function tradeKalshi(holder: Holder, { ticker, side, count, price }: KalshiTrade): Promise<void> {
  const { status, body } = await holder.kalshi.order({
    ticker,
    side,
    count,
    price,
    time_in_force: 'immediate_or_cancel',
  });
  if (status !== 201) throw new Error(`${String(status)}: ${JSON.stringify(body)}`);
}

type Terms = Parameters<PolymarketTrader['sign']>[0];

/** The same at Polymarket. */
export async function tradePolymarket({ polymarket }: Holder, terms: Terms): Promise<void> {
  const { status, body } = await polymarket.post(polymarket.sign(terms));
  if (status !== 200) throw new Error(`${String(status)}: ${JSON.stringify(body)}`);
}

/** A change by the control server of the sandbox. */
export async function control({ sandbox }: TestStand, path: string, body: object): Promise<void> {
  const answer = await fetch(`${sandbox.controlUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (answer.status !== 200) throw new Error(`${path}: ${await answer.text()}`);
}

/** What is so now, and was not read before. */
export function read(stand: TestStand, path: string, token: string): Promise<Response> {
  return request(stand.app.url)
    .get(path)
    .set('Cache-Control', 'no-cache')
    .auth(token, { type: 'bearer' })
    .then((answer) => answer);
}
