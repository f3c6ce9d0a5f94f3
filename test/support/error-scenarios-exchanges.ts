import type { Response } from 'supertest';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { exchangeCredentials } from '../../sandbox/demo/environment.js';
import { PolymarketTrader } from '../../sandbox/polymarket/trader.js';
import type { MarketDto } from '../../src/exchanges/unified.market-data.dto.js';
import { json } from './gateway.js';
import { storeCredentials } from './sandbox.js';
import { activateKey, activeKey, addressIn, authorise, createKey } from './session-keys.js';
import { anApiKey, aUser } from './users.js';

import {
  type ErrorWorld,
  SLUG,
  V2_MARKET,
  BOOK,
  ORDERS,
  ORDERS_PER_DAY,
  WIRE_ORDERS,
  WIRE_TRANSFERS,
  order,
  plain,
  error,
  silent,
  type Met,
} from './error-world.js';

/** How the errors of orders, transfers and exchanges are met (errors.md), by code and reason. */
export function exchangeScenarios({
  stand,
  app,
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
  aTransferOf,
  lost,
}: ErrorWorld): Readonly<Record<string, () => Met>> {
  /** So many rows of the ledger, as if they had been asked for just now. */
  const fill = (userId: string, count: number, state: string): Promise<unknown> =>
    app.query(
      `INSERT INTO placements (id, user_id, exchange, kind, fingerprint, state, abandoned_at, busy_until)
       SELECT 'plc_' || $3 || n, $1, 'kalshi', 'order', '', $3::text, CASE WHEN $3::text = 'abandoned' THEN now() END, now()
         FROM generate_series(1, $2) AS n`,
      [userId, count, state],
    );
  return {
    'bad_request wrong_domain': async () => {
      const { refs, outcomes } = (await send('get', `/polymarket/markets/${SLUG}`)).body as MarketDto;
      const wallet = stand.sandbox.addresses.polymarket;
      const isRight = refs.neg_risk === true;
      const signed = (negRisk: boolean): object => ({
        signed_order: new PolymarketTrader(wallet.clob_url, wallet).sign({
          tokenId: outcomes[0].id,
          negRisk,
          side: 'BUY',
          price: '0.02',
          size: '20',
        }),
      });
      const met = await send('post', '/polymarket/orders', signed(!isRight));
      return [met, () => send('post', '/polymarket/orders', signed(isRight))];
    },
    credentials_not_configured: async () => {
      const user = await aUser(app);
      const key = await anApiKey(app, user);
      return [
        await by(key, 'get', '/kalshi/balance'),
        async () => {
          await storeCredentials(app, user, 'kalshi', exchangeCredentials(stand.sandbox.addresses).kalshi);
          return by(key, 'get', '/kalshi/balance');
        },
      ];
    },
    'credentials_not_configured session_key_required': async () => {
      const user = await aUser(app);
      await storeCredentials(app, user, 'polymarket', exchangeCredentials(stand.sandbox.addresses).polymarket);
      const key = await anApiKey(app, user);
      return [
        await by(key, 'post', '/polymarket/orders', plain()),
        async () => {
          await activeKey(stand, user, { wallet: depositWallet() });
          return by(key, 'post', '/polymarket/orders', plain());
        },
      ];
    },
    credentials_rejected: async () => {
      const { user, key } = await aTraderOf();
      const { private_key } = await stand.sandbox.kalshi.addAccount({ keyType: 'ed25519' });
      await storeCredentials(app, user, 'kalshi', { access_key: randomUUID(), private_key });
      return [
        await by(key, 'get', '/kalshi/balance'),
        async () => {
          await storeCredentials(app, user, 'kalshi', exchangeCredentials(stand.sandbox.addresses).kalshi);
          return by(key, 'get', '/kalshi/balance');
        },
      ];
    },
    'credentials_rejected session_key_expired': async () => {
      const { user, key } = await aSessionTraderOf();
      const past = `UPDATE session_keys SET valid_until = now() - interval '1 day', reminded_days = 2 WHERE user_id = $1`;
      await app.query(past, [user.id]);
      return [
        await by(key, 'post', '/polymarket/orders', plain()),
        async () => {
          const wallet = depositWallet();
          authorise(stand, { wallet, address: addressIn(await createKey(app, user, wallet)) });
          await activateKey(app, user);
          return by(key, 'post', '/polymarket/orders', plain());
        },
      ];
    },
    idempotency_in_progress: async () => {
      const held = kalshi().hold('POST', WIRE_ORDERS);
      const [key, before] = [randomUUID(), kalshi().count('POST', WIRE_ORDERS)];
      const first = place({}, key);
      await kalshi().hasCome('POST', WIRE_ORDERS, before + 1);
      const met = await place({}, key);
      held.release();
      await first;
      return [met, afterWait(met, () => place({}, key))];
    },
    idempotency_key_abandoned: async () => {
      const key = randomUUID();
      await send('delete', `${ORDERS}/by-key/${key}`);
      return [await place({}, key), () => place({}, randomUUID())];
    },
    'rate_limited abandoned_keys': async () => {
      const trader = await aTraderOf();
      await fill(trader.user.id, 1_000, 'abandoned');
      const abandon = (): Promise<Response> => by(trader.key, 'delete', `${ORDERS}/by-key/${randomUUID()}`);
      const met = await abandon();
      await app.query(`UPDATE placements SET abandoned_at = abandoned_at - interval '24 hours' WHERE user_id = $1`, [
        trader.user.id,
      ]);
      return [met, abandon];
    },
    'rate_limited orders_per_day': async () => {
      const trader = await aTraderOf();
      await fill(trader.user.id, ORDERS_PER_DAY, 'refused');
      const create = (): Promise<Response> => by(trader.key, 'post', ORDERS, order());
      const met = await create();
      await app.query(`UPDATE placements SET created_at = created_at - interval '24 hours' WHERE user_id = $1`, [
        trader.user.id,
      ]);
      // For a second nobody who has no row left is counted again.
      await delay(1_100);
      return [met, create];
    },
    'exchange_rejected allowance_missing': async () => {
      const wallet = depositWallet();
      const user = await aUser(app);
      await activeKey(stand, user, { wallet });
      const key = await anApiKey(app, user);
      const contracts = (approved: boolean): unknown =>
        stand.sandbox.polymarket.setStanding(wallet, { exchangeV3: approved });
      const buy = (): Promise<Response> => by(key, 'post', '/polymarket/orders', plain({ market_id: V2_MARKET }));
      contracts(false);
      return [
        await buy(),
        () => {
          contracts(true);
          return buy();
        },
      ];
    },
    'exchange_rejected attestation_expired': refusedWith(403, 'location_attestation_required'),
    'exchange_rejected closed_only': async () => {
      const wallet = depositWallet();
      const user = await aUser(app);
      await activeKey(stand, user, { wallet });
      const key = await anApiKey(app, user);
      const { id } = (await by(key, 'post', '/polymarket/orders', plain())).body as { id: string };
      stand.sandbox.polymarket.setStanding(wallet, { closedOnly: true });
      return [
        await by(key, 'post', '/polymarket/orders', plain()),
        () => by(key, 'delete', `/polymarket/orders/${id}`),
      ];
    },
    'exchange_rejected duplicate_order': async () => {
      const client_order_id = randomUUID();
      await place({ client_order_id });
      const met = await place({ client_order_id, price: '0.03' });
      return [met, () => place({ client_order_id: randomUUID(), price: '0.03' })];
    },
    'exchange_rejected insufficient_funds': async () => [
      await place({ price: '0.3', size: '90000000' }),
      () => place(),
    ],
    'exchange_rejected invalid_order': async () => [await place({ size: '0.001' }), () => place()],
    'exchange_rejected market_closed': async () => {
      const met = await place({ market_id: 'KXBTCMAX-YEAR-T200K' });
      return [
        met,
        async () => {
          const { data } = (await send('get', '/kalshi/markets')).body as { data: { id: string; tradable: boolean }[] };
          return place({ market_id: data.find(({ tradable }) => tradable)?.id });
        },
      ];
    },
    'exchange_rejected not_amendable': async () => {
      const { id } = (await place()).body as { id: string };
      await send('delete', `/kalshi/orders/${id}`);
      const met = await by(stand.trader.key, 'patch', `/kalshi/orders/${id}`, { price: '0.03' });
      return [met, () => send('get', `/kalshi/orders/${id}`)];
    },
    'exchange_rejected not_cancellable': async () => {
      const { id } = (await by(session.key, 'post', '/polymarket/orders', plain())).body as { id: string };
      const cancel = (): Promise<Response> => by(session.key, 'delete', `/polymarket/orders/${id}`);
      clob().misbehave(
        '/order',
        json(200, { canceled: [], not_canceled: { [id]: 'order is being matched' } }),
        'DELETE',
      );
      return [await cancel(), healed(cancel)];
    },
    'exchange_rejected not_filled': async () => [await place({ time_in_force: 'ioc' }), () => place()],
    'exchange_rejected permission_denied': async () => {
      const { user, key } = await aTraderOf();
      const readOnly = stand.sandbox.addresses.kalshi.keys.find(({ name }) => name === 'read');
      const { access_key, private_key } = readOnly ?? { access_key: '', private_key: '' };
      await storeCredentials(app, user, 'kalshi', { access_key, private_key });
      return [
        await by(key, 'post', ORDERS, order()),
        async () => {
          await storeCredentials(app, user, 'kalshi', exchangeCredentials(stand.sandbox.addresses).kalshi);
          return by(key, 'post', ORDERS, order());
        },
      ];
    },
    'exchange_rejected would_cross': async () => [
      await place({ price: '0.99', post_only: true }),
      () => place({ price: '0.02', post_only: true }),
    ],
    idempotency_key_reused: async () => {
      const key = randomUUID();
      await place({}, key);
      return [await place({ size: '2' }, key), () => place({ size: '2' }, randomUUID())];
    },
    not_supported: async () => [
      await send('get', '/polymarket/orders?status=closed'),
      () => send('get', '/polymarket/fills'),
    ],
    'not_supported market_version': async () => [await send('get', '/polymarket/markets/index-above-150-next-quarter')],
    exchange_rate_limited: async () => {
      kalshi().misbehave('/orderbook', json(429, { error: 'too many requests' }));
      const met = await send('get', BOOK);
      return [met, afterWait(met, () => send('get', BOOK))];
    },
    exchange_error: async () => {
      kalshi().misbehave('/orderbook', json(500, {}));
      const met = await send('get', BOOK);
      return [met, afterWait(met, () => send('get', BOOK))];
    },
    'exchange_error clock_skew': async () => {
      kalshi().misbehave('/portfolio/positions', json(401, error('header_timestamp_expired')));
      const read = (): Promise<Response> => send('get', '/kalshi/positions');
      return [await read(), healed(read)];
    },
    exchange_unavailable: async () => {
      kalshi().misbehave('/orderbook', json(503, error('exchange_paused')));
      const met = await send('get', BOOK);
      return [met, afterWait(met, () => send('get', BOOK))];
    },
    'exchange_unavailable search_incomplete': async () => {
      const { id } = (await place()).body as { id: string };
      let page = 0;
      kalshi().misbehave('/portfolio/orders', (response) => {
        page += 1;
        const text = JSON.stringify({ orders: [], cursor: `p${page}` });
        response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      });
      const met = await send('get', `${ORDERS}/${randomUUID()}`);
      return [met, healed(() => send('get', `${ORDERS}/${id}`))];
    },
    'exchange_unavailable session_key_settling': async () => {
      const { key } = await aSessionTraderOf();
      const buy = (): Promise<Response> => by(key, 'post', '/polymarket/orders', plain());
      clob().misbehave('/order', json(401, { error: 'Unauthorized/Invalid api key' }), 'POST');
      return [await buy(), healed(buy)];
    },
    'service_unavailable credentials_changed': async () => {
      const { user, key } = await aSessionTraderOf();
      const buy = (): Promise<Response> => by(key, 'post', '/polymarket/orders', plain());
      await buy();
      const [arrivals, path] = [clob().arrived.length, '/clob-markets'];
      const held = clob().hold('GET', path);
      const meeting = buy();
      while (clob().arrived.length === arrivals) await delay(10);
      await activeKey(stand, user, { wallet: depositWallet() });
      held.release();
      return [await meeting, buy];
    },
    exchange_timeout: async () => {
      kalshi().misbehave('/orderbook', silent);
      const met = await send('get', BOOK);
      return [met, afterWait(met, () => send('get', BOOK))];
    },
    order_outcome_unknown: async () => {
      const key = randomUUID();
      lost(WIRE_ORDERS);
      const met = await place({}, key);
      return [met, afterWait(met, () => place({}, key))];
    },
    'order_outcome_unknown credentials_changed': async () => {
      const { user, key } = await aTraderOf();
      const idempotency = { 'Idempotency-Key': randomUUID() };
      const buy = (): Promise<Response> => by(key, 'post', ORDERS, order(), idempotency);
      const own = await stand.sandbox.kalshi.addAccount({ keyType: 'ed25519' });
      await storeCredentials(app, user, 'kalshi', { access_key: own.access_key, private_key: own.private_key });
      lost(WIRE_ORDERS);
      await buy();
      stand.heal();
      await storeCredentials(app, user, 'kalshi', exchangeCredentials(stand.sandbox.addresses).kalshi);
      return [
        await buy(),
        async () => {
          await storeCredentials(app, user, 'kalshi', { access_key: own.access_key, private_key: own.private_key });
          return buy();
        },
      ];
    },
    'order_outcome_unknown search_incomplete': async () => {
      const key = randomUUID();
      kalshi().misbehave(WIRE_ORDERS, json(409, error('order_already_exists')), 'POST');
      kalshi().misbehave('/portfolio/orders', json(500, {}), 'GET');
      const met = await place({}, key);
      return [met, afterWait(met, () => place({}, key))];
    },
    transfer_outcome_unknown: async () => {
      const transfer = await aTransferOf();
      lost(WIRE_TRANSFERS);
      const met = await transfer();
      return [met, afterWait(met, transfer)];
    },
    'transfer_outcome_unknown credentials_changed': async () => {
      const trader = await aTraderOf();
      const transfer = await aTransferOf(trader);
      lost(WIRE_TRANSFERS);
      await transfer();
      stand.heal();
      const { access_key, private_key } = await stand.sandbox.kalshi.addAccount({ keyType: 'ed25519' });
      await storeCredentials(app, trader.user, 'kalshi', { access_key, private_key });
      return [await transfer(), () => transfer({ again: true })];
    },
  };
}
