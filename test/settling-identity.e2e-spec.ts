import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXCHANGE } from './support/exchanges.js';
import { type ErrorBody, FaultStand } from './support/fault-stand.js';

/** Two rounds of looking, and what a busy machine takes for them. */
const LOOKED_WITHIN_MS = 40_000;

describe('which order it is that nobody asks for again (R-13)', () => {
  let stand: FaultStand;

  beforeAll(async () => {
    stand = await FaultStand.start(2_000);
  });

  afterAll(() => stand.close());

  it.each([undefined, 'key'])(
    'R-13 an order on the other side under an id of ours is no answer, with the key %p',
    async (key) => {
      const [method, path] = EXCHANGE.kalshi.wire.order;
      stand.gateways.kalshi.answerInstead(path, (response) => void response.destroy(), method);
      const headers = key === undefined ? {} : { 'Idempotency-Key': key };
      const answer = await stand.send('post', '/kalshi/orders', await stand.anOrder('kalshi'), headers);
      stand.heal();
      expect((answer.body as ErrorBody).error.code).toBe('order_outcome_unknown');
      const [row] = await stand.app
        .query(
          `UPDATE placements SET busy_until = now() WHERE state = 'unknown' AND checked_at IS NULL
       RETURNING id, client_order_id AS name`,
        )
        .then(([rows]) => rows as unknown as { id: string; name: string }[]);
      const orders = [...stand.sandbox.kalshi.exchange.accounts.values()].flatMap((account) => [
        ...account.orders.values(),
      ]);
      const made = orders.find(({ clientOrderId }) => clientOrderId === row?.name);
      if (made === undefined) throw new Error('the exchange does not have it');
      made.side = made.side === 'bid' ? 'ask' : 'bid';
      const deadline = Date.now() + LOOKED_WITHIN_MS;
      const state = async (): Promise<unknown> =>
        (
          await stand.app.query(
            `SELECT state FROM placements WHERE id = $1 AND checked_at IS NOT NULL AND state <> 'sending'`,
            [row?.id],
          )
        )[0]?.state;
      while ((await state()) === undefined && Date.now() < deadline) await delay(100);
      expect(await state()).toBe('unknown');
    },
  );
});
