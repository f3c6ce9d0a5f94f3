import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { ERROR_REASONS } from '../../src/platform/errors/error-codes.js';
import { aBot } from './bot-rows.js';
import { type ErrorWorld, type Met, order, ORDERS, plain } from './error-world.js';
import { json } from './gateway.js';

/** How the errors of bots are met (errors.md), by code and reason. */
export function botScenarios({
  app,
  stand,
  by,
  place,
  kalshi,
  aSessionTraderOf,
}: ErrorWorld): Readonly<Record<string, () => Met>> {
  /** An order of a bot that was changed so, and again once that is undone. */
  const changed =
    (change: string, back: string): (() => Met) =>
    async () => {
      const bot = await aBot(app, stand.trader.user.id);
      const buy = (): Promise<Response> => by(bot.key, 'post', ORDERS, order());
      const set = (columns: string): Promise<unknown> =>
        app.query(`UPDATE bots SET ${columns} WHERE id = $1`, [bot.id]);
      await set(change);
      const met = await buy();
      return [
        met,
        async () => {
          await set(back);
          return buy();
        },
      ];
    };
  const halted = ERROR_REASONS.bot_halted.map((reason) => [
    `bot_halted ${reason}`,
    changed(`halted_at = now(), halt_reason = '${reason}'`, 'halted_at = NULL, halt_reason = NULL'),
  ]);
  /** An order that a limit refuses, and again once that is lifted. */
  const limited = async (limits: object, buy: (key: string) => Promise<Response>, userId: string): Met => {
    const bot = await aBot(app, userId);
    const set = (value: object): Promise<unknown> =>
      app.query('UPDATE bots SET limits = $2 WHERE id = $1', [bot.id, value]);
    await set(limits);
    const met = await buy(bot.key);
    return [
      met,
      async () => {
        stand.heal();
        await set({});
        return buy(bot.key);
      },
    ];
  };
  const ofTrader = (limits: object, asked: object = {}): Met =>
    limited(limits, (key) => by(key, 'post', ORDERS, order(asked)), stand.trader.user.id);
  return {
    ...(Object.fromEntries(halted) as Record<string, () => Met>),
    'forbidden exchange_not_allowed': changed(`exchanges = '{polymarket}'`, `exchanges = '{kalshi}'`),
    'forbidden market_not_allowed': async () => {
      const market_id = 'KXHIGHNY-TODAY-T58';
      const { key } = await aBot(app, stand.trader.user.id, { markets: [{ exchange: 'kalshi', market_id }] });
      return [await by(key, 'post', ORDERS, order()), () => by(key, 'post', ORDERS, order({ market_id }))];
    },
    limit_exceeded: () => ofTrader({ max_order_risk: '0.01' }),
    'limit_exceeded size_not_bounded': async () => {
      const { user } = await aSessionTraderOf();
      const asked = plain({ price: '0.9', time_in_force: 'ioc' });
      return limited({ max_position: '25' }, (key) => by(key, 'post', '/polymarket/orders', asked), user.id);
    },
    'limit_exceeded no_reference_price': () => {
      kalshi().misbehave('/orderbook', json(500, {}));
      return ofTrader({ max_price_distance: '0.5' });
    },
    'limit_exceeded expiry_too_late': () => {
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      return ofTrader({ max_order_seconds: 300 }, { time_in_force: 'gtd', expires_at });
    },
    orders_unsettled: async () => {
      const { user } = stand.trader;
      const bot = await aBot(app, user.id);
      await by(bot.key, 'post', ORDERS, order());
      const set = (state: string): Promise<unknown> =>
        app.query(
          `UPDATE placements SET state = $2, refusal_holds_at = now() + interval '1 minute' WHERE bot_id = $1`,
          [bot.id, state],
        );
      await set('unknown');
      await app.query(`UPDATE bots SET halted_at = now(), halt_reason = 'owner' WHERE id = $1`, [bot.id]);
      const resume = (): Promise<Response> => by(user.token, 'post', `/account/bots/${bot.id}/resume`);
      return [
        await resume(),
        async () => {
          await set('closed');
          return resume();
        },
      ];
    },
    order_of_another_bot: async () => {
      const { key } = await aBot(app, stand.trader.user.id);
      const named = (): object => ({ client_order_id: randomUUID() });
      const same = named();
      await place(same);
      return [await by(key, 'post', ORDERS, order(same)), () => by(key, 'post', ORDERS, order(named()))];
    },
  };
}
