import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { EXCHANGE, EXCHANGES, type ExchangeName } from './support/exchanges.js';
import { aTrader, startTestStand, type TestStand, type Trader } from './support/sandbox.js';
import { orderHistory } from './support/order-history.js';

describe('what is known of orders is in the ledger alone (contract.md 6)', () => {
  let stand: TestStand;
  let trader: Trader;

  beforeAll(async () => {
    stand = await startTestStand();
    trader = await aTrader(stand);
  });

  afterAll(() => stand.close());

  const call = (method: 'get' | 'post' | 'delete', path: string): request.Test =>
    request(stand.app.url)[method](path).auth(trader.key, { type: 'bearer' });
  const place = (exchange: ExchangeName, key: string, body: object): Promise<Response> =>
    call('post', `/${exchange}/orders`)
      .set('Idempotency-Key', key)
      .send(body)
      .then((answer) => answer);

  it.each(EXCHANGES)('R-14 %s: no answer changes where the activity has lost every row', async (exchange) => {
    const anOrder = (): Promise<object> => EXCHANGE[exchange].anOrder({ ...stand, key: trader.key });
    const order = await anOrder();
    const kept = ((await place(exchange, 'kept', order)).body as { id: string }).id;
    const alone = ((await call('post', `/${exchange}/orders`).send(await anOrder())).body as { id: string }).id;
    await call('delete', `/${exchange}/orders/${alone}`).expect(200);
    const history = orderHistory(stand.app);
    const answers = async (): Promise<readonly unknown[]> => [
      (await place(exchange, 'kept', order)).body as unknown,
      (await call('get', `/${exchange}/orders`)).body as unknown,
      (await call('get', `/${exchange}/orders/${kept}`)).body as unknown,
      (await call('get', `/${exchange}/orders/${alone}`)).body as unknown,
      (await call('delete', `/${exchange}/orders/${alone}`)).status,
      await history.find(kept),
    ];
    const before = await answers();
    expect(before[2]).toMatchObject({ id: kept, requested: { outcome_index: 0 } });
    expect(before.at(-1)).toMatchObject([{ orderId: kept, steps: { length: 3 } }]);
    await stand.app.query('ALTER TABLE security_events DISABLE TRIGGER USER');
    await stand.app.query('DELETE FROM security_events');
    await stand.app.query('ALTER TABLE security_events ENABLE TRIGGER USER');
    expect(await answers()).toEqual(before);
  });
});
