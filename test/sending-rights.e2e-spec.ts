import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { EXCHANGE, EXCHANGES, type ExchangeName } from './support/exchanges.js';
import { FaultStand } from './support/fault-stand.js';
import { storeCredentials, type Trader } from './support/sandbox.js';
import { exchangeCredentials } from '../sandbox/demo/environment.js';
import { anApiKey, aUser } from './support/users.js';

const bearer = { type: 'bearer' } as const;

/** More than a user has places for orders. */
const ORDERS = 60;

const HELD_UP = 'The service was held up before it could send.';

describe.each(['1s', '0s'])('orders that wait while their right ends, with a key cache of %s (S-30, R-13)', (ttl) => {
  let stand: FaultStand;

  beforeAll(async () => {
    stand = await FaultStand.start(8_000, 0, { API_KEY_CACHE_TTL: ttl });
  });

  afterEach(() => {
    stand.heal();
  });

  afterAll(() => stand.close());

  const aNewTrader = async (): Promise<Trader> => {
    const user = await aUser(stand.app);
    for (const [exchange, credentials] of Object.entries(exchangeCredentials(stand.sandbox.addresses))) {
      await storeCredentials(stand.app, user, exchange, credentials);
    }
    return { user, key: await anApiKey(stand.app, user, ['admin']) };
  };

  /** What happens, the refusals that may follow, what does it. */
  const ending: readonly (readonly [
    string,
    readonly string[],
    (trader: Trader, exchange: ExchangeName) => Promise<unknown>,
  ])[] = [
    [
      'its key was revoked',
      ['unauthorized'],
      ({ user, key }) =>
        request(stand.app.url)
          .delete(`/account/api-keys/${key.slice(0, 16)}`)
          .auth(user.token, bearer)
          .expect(200),
    ],
    [
      'its credentials were removed',
      // What waited, and what a busy machine took up only afterwards.
      ['service_unavailable', 'credentials_not_configured'],
      ({ user }, exchange) =>
        request(stand.app.url).delete(`/account/credentials/${exchange}`).auth(user.token, bearer).expect(200),
    ],
    [
      'its user was disabled',
      ['unauthorized'],
      ({ user }) => stand.app.query('UPDATE users SET disabled_at = now() WHERE id = $1', [user.id]),
    ],
  ];

  describe.each(EXCHANGES)('%s', (exchange) => {
    it.each(ending)('no order begins once %s', async (_, codes, end) => {
      const trader = await aNewTrader();
      const gateway = stand.gatewayOf(exchange);
      const [, wire] = EXCHANGE[exchange].wire.order;
      const { app, sandbox } = stand;
      const bodies = await Promise.all(
        Array.from({ length: ORDERS }, () => EXCHANGE[exchange].anOrder({ app, sandbox, key: trader.key })),
      );
      const before = gateway.count('POST', wire);
      const held = gateway.hold('POST', wire);
      const answers = bodies.map((body, n): Promise<Response> => {
        const call = request(app.url).post(`/${exchange}/orders`).auth(trader.key, bearer);
        return (n % 2 === 0 ? call : call.set('Idempotency-Key', randomUUID())).send(body).then((answer) => answer);
      });
      await gateway.hasCome('POST', wire, before + 20);
      await end(trader, exchange);
      // What had begun by then arrives; nothing else may: no place is free before the release.
      await delay(300);
      const atEnd = gateway.count('POST', wire);
      held.release();
      const told = await Promise.all(answers);
      expect(gateway.count('POST', wire)).toBe(atEnd);
      const errorOf = ({ body }: Response) => (body as { error: { code: string; message: string } }).error;
      // A machine that stands still for seconds keeps back what had begun by then, and says so; it is not sent either.
      const wasHeldUp = (answer: Response): boolean => errorOf(answer).message.startsWith(HELD_UP);
      const isKept = (answer: Response): boolean =>
        answer.status !== 200 && (wasHeldUp(answer) || codes.includes(errorOf(answer).code));
      const kept = told.filter(isKept);
      // What had begun has the exchange's answer, whatever that is to an order that came late on a busy machine, or none.
      const seen = told.map((answer) => (answer.status === 200 ? 'done' : errorOf(answer).code)).sort();
      expect({ left: told.length - kept.length, seen }).toEqual({ left: atEnd - before, seen });
      expect(kept.filter((answer) => !wasHeldUp(answer)).length).toBeGreaterThan(0);
    });
  });
});
