import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import supertest, { type Response } from 'supertest';
import { request as ask, PolymarketTrader } from '../sandbox/polymarket/trader.js';
import { FaultStand } from './support/fault-stand.js';
import { get } from './support/calls.js';
import { aSessionTrader } from './support/session-keys.js';

const MARKET = '0x3da6a86046f86eb47f800dcda28500ae017439d6724d80692d28be35f8067e1b';
const TOKEN = '40066370415398355960245347650809732921920344164428889617522618084676330466173';

interface Level {
  readonly price: string;
  readonly size: string;
}

/** Orders at once of plain parameters, from the call to the sandbox's fills (contract.md 5.6). */
describe('a fok or ioc order to buy at Polymarket', () => {
  let stand: FaultStand;
  let key: string;
  let other: PolymarketTrader;

  beforeAll(async () => {
    stand = await FaultStand.start(5_000);
    const { app, sandbox } = stand;
    ({ key } = await aSessionTrader({ app, sandbox }));
    other = new PolymarketTrader(sandbox.addresses.polymarket.clob_url, sandbox.polymarket.addAccount());
  });

  afterAll(() => stand.close());

  const order = (change: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> => {
    const body = { market_id: MARKET, outcome: 'yes', side: 'buy', price: '0.99', time_in_force: 'fok', ...change };
    const call = supertest(stand.app.url).post('/polymarket/orders').auth(key, { type: 'bearer' });
    return call
      .set(headers)
      .send(body)
      .then((answer) => answer);
  };

  /** The best asks, best first. */
  const asks = async (): Promise<[Level, Level]> => {
    const { body } = await ask(`${stand.sandbox.addresses.polymarket.clob_url}/book?token_id=${TOKEN}`);
    const [best, next] = (body as { asks: Level[] }).asks.toSorted((one, two) => Number(one.price) - Number(two.price));
    if (best === undefined || next === undefined) throw new Error('The book has no two levels.');
    return [best, next];
  };

  /** Somebody else buys all that is there at the best price; less than a share of that order rests. */
  const take = async ({ price, size }: Level): Promise<void> => {
    const whole = String(Math.ceil(Number(size)));
    const signed = other.sign({ tokenId: TOKEN, side: 'BUY', price, size: whole, negRisk: true });
    expect((await other.post(signed)).body).toMatchObject({ success: true, status: 'matched' });
  };

  /** What a create and a read of it say alike. */
  const figuresOf = ({ body }: Response) => {
    const { id, status, size, filled_size, remaining_size, requested } = body as Record<string, unknown>;
    return { id, status, size, filled_size, remaining_size, requested };
  };
  const read = ({ body }: Response): Promise<Response> =>
    get(stand.app, `/polymarket/orders/${(body as { id: string }).id}`, key).then((answer) => answer);

  const posts = (): number => stand.gateways.clob.count('POST', '/order');

  it.each(['fok', 'ioc'])(
    'contract.md 5.6 buys what was asked at the prices of the book, as %s',
    async (time_in_force) => {
      const [best] = await asks();
      expect(Number(best.price)).toBeLessThan(0.07);
      const whole = await order({ size: '50', time_in_force });
      const told = { size: '50', filled_size: '50', remaining_size: '0', price: '0.99', status: 'filled' };
      expect([whole.status, whole.body]).toMatchObject([200, told]);
      const six = await order({ size: '6', time_in_force });
      expect(six.body).toMatchObject({ size: '6', remaining_size: '0', status: 'filled' });
      const filled = Number((six.body as { filled_size: string }).filled_size);
      expect(filled).toBeLessThanOrEqual(6);
      expect(filled).toBeGreaterThan(6 - 0.01 / Number(best.price));
      for (const made of [whole, six]) expect(figuresOf(await read(made))).toEqual(figuresOf(made));
    },
  );

  it('contract.md 5.6 is killed as fok by a book that got worse, and gets fewer as ioc', async () => {
    for (const time_in_force of ['fok', 'ioc']) {
      const [best] = await asks();
      const held = stand.gateways.clob.hold('POST', '/order');
      const sent = posts();
      const placing = order({ size: '300', time_in_force });
      await stand.gateways.clob.hasCome('POST', '/order', sent + 1);
      await take(best);
      held.release();
      const body = (await placing).body as object;
      const less = { size: '300', filled_size: expect.stringMatching(/^2\d\d/), status: 'cancelled' };
      const killed = { error: { code: 'exchange_rejected', details: { reason: 'not_filled' } } };
      expect(body).toMatchObject(time_in_force === 'fok' ? killed : less);
    }
  });

  it('contract.md 5.6 of more than the book has is not sent as fok, and takes what is there as ioc', async () => {
    const [{ price, size }] = await asks();
    const more = String(Math.ceil(Number(size)) + 100);
    const sent = posts();
    const refused = await order({ price, size: more });
    expect([refused.status, refused.body]).toMatchObject([422, { error: { details: { reason: 'not_filled' } } }]);
    expect(posts()).toBe(sent);
    const answer = await order({ price, size: more, time_in_force: 'ioc' });
    expect(answer.body).toMatchObject({ size: more, status: 'cancelled' });
    const { filled_size, remaining_size } = answer.body as { filled_size: string; remaining_size: string };
    expect(Number(filled_size)).toBeLessThanOrEqual(Number(size));
    expect(Number(filled_size)).toBeGreaterThan(Number(size) - 0.01 / Number(price));
    expect(Number(filled_size) + Number(remaining_size)).toBeCloseTo(Number(more), 6);
    expect(figuresOf(await read(answer))).toEqual(figuresOf(answer));
  });

  it.each(['gtc', 'fok', 'ioc'])(
    'contract.md 5.6 of %s is the same order at a repeat, though the book has moved',
    async (time_in_force) => {
      const headers = { 'Idempotency-Key': `lost-${time_in_force}` };
      const change = { size: '40', time_in_force, ...(time_in_force === 'gtc' && { price: '0.01' }) };
      // The first sending never arrives.
      stand.gateways.clob.misbehave('/order', (response) => response.socket?.resetAndDestroy(), 'POST');
      const lost = await order(change, headers);
      stand.gateways.clob.heal();
      expect([lost.status, lost.body]).toMatchObject([504, { error: { code: 'order_outcome_unknown' } }]);
      const { order_id } = (lost.body as { error: { details: { order_id: string } } }).error.details;
      const [best] = await asks();
      if (time_in_force === 'ioc') await take(best);
      const repeated = await order(change, headers);
      expect([repeated.status, repeated.body]).toMatchObject([200, { id: order_id, size: '40' }]);
    },
  );
});
