import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { readFileSync } from 'node:fs';
import type { PreparedOrder } from '../../src/exchanges/orders.contract.js';
import { PolymarketOrderDto } from '../../src/exchanges/polymarket/trading/order.dto.js';
import { CREDENTIALS, FakePolymarket, sample, sampleObject } from '../support/fake-polymarket.js';
import { naming } from '../support/naming.js';
import { TestSessionKey } from '../support/session-key.js';

interface Vector {
  readonly name: string;
  readonly order_hash: string;
  readonly post_order_body: { readonly order: Readonly<Record<string, unknown>>; readonly orderType: string };
}

interface Published {
  readonly orders: readonly Vector[];
  readonly must_not_verify: readonly { readonly name: string; readonly order: Readonly<Record<string, unknown>> }[];
  readonly wallets: { readonly deposit: string };
  readonly keys_TEST_ONLY: { readonly session: { readonly private_key: string; readonly address: string } };
  readonly credentials: {
    readonly session: { readonly key: string; readonly secret: string; readonly passphrase: string };
  };
}

const file = new URL('../vectors/vectors-polymarket-2026.json', import.meta.url);
const { orders, must_not_verify: wrong, wallets, ...published } = JSON.parse(readFileSync(file, 'utf8')) as Published;

/** The session key of the vectors, which trades for their deposit wallet, and what the exchange issued to it. */
export const SESSION = { ...published.keys_TEST_ONLY.session, ...published.credentials.session };
export const SESSION_ADDRESS = SESSION.address;

export const WIDE = '0x013009decfd1e0532df9db26862e9635ef000000000000000000000000000000';
export const NARROW = WIDE.slice(0, -2);
export const YES = '537189630403892523469500727402877303043040617668726428832973578133921857536';
export const NO = '537189630403892523469500727402877303043040617668726428832973578133921857537';
export const KEYSET = 'GET /gamma/markets/keyset';
export const INFO = `GET /clob/clob-markets/${WIDE}`;

/** The account of the vectors that signs for a deposit wallet. */
export const DEPOSIT_CREDENTIALS = {
  ...CREDENTIALS,
  wallet_address: wallets.deposit,
  signer_address: CREDENTIALS.wallet_address,
  signature_type: '3',
};

/** The session key of the vectors, which is active. */
export function aSessionKey(): TestSessionKey {
  return new TestSessionKey(SESSION, wallets.deposit);
}

/** The published order of a name. */
export function vector(name: string): Vector {
  const found = orders.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no order ${name}.`);
  return found;
}

/** The order of a name that must not verify. */
export function wrongOrder(name: string): Readonly<Record<string, unknown>> {
  const found = wrong.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no wrong order ${name}.`);
  return found.order;
}

/** An exchange whose Gamma lists one V2 market, changed, and knows it by its narrow id alone. */
export async function startWithV2(
  change: Readonly<Record<string, unknown>> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<FakePolymarket> {
  const fake = await FakePolymarket.start(environment);
  const market: Record<string, unknown> = { ...sampleObject('gamma-market-v2'), ...change };
  fake.on(KEYSET, ({ query }) => {
    const isWanted = query.getAll('condition_ids').includes(String(market.conditionId));
    return { body: { markets: isWanted && query.get('closed') === String(market.closed) ? [market] : [] } };
  });
  fake.on('GET /gamma/markets/2901455', () => ({ body: market }));
  fake.on(INFO, () => ({ body: sample('clob-market-info-v2') }));
  return fake;
}

/** Prepares a signed order. */
export function prepare(
  fake: FakePolymarket,
  signed_order: object,
  credentials: typeof CREDENTIALS & Readonly<Record<string, string>> = CREDENTIALS,
  rest: object = {},
): Promise<PreparedOrder> {
  const request = plainToInstance(PolymarketOrderDto, { signed_order, ...rest });
  return fake.trading(credentials).prepareOrder(request, naming());
}
