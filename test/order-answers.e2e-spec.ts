import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { EXCHANGE, ORDER_WAYS } from './support/exchanges.js';
import { FaultStand } from './support/fault-stand.js';
import type { Gateway, Misbehaviour } from './support/gateway.js';
import { rounds } from './support/long.js';
import { aTrader, type Trader } from './support/sandbox.js';
import { aSessionTrader } from './support/session-keys.js';

const bearer = { type: 'bearer' } as const;

/** Statuses that mean something of their own; of the others a part is tried here, and all by `npm run test:long`. */
const TELLING = [200, 201, 400, 401, 403, 404, 409, 425, 429, 500, 503];
const ALL = Array.from({ length: 400 }, (_, n) => 200 + n);
const STATUSES = ALL.filter((status) => TELLING.includes(status) || status % rounds(60, 1) === 8 % rounds(60, 1));

const BODIES = ['own', 'foreign', 'empty', 'cut'] as const;
type BodyKind = (typeof BODIES)[number];

/** HTTP allows these no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** One bad answer: its status, or an interim answer after which the connection ends. */
interface BadAnswer {
  readonly status: number;
  readonly body: BodyKind;
  /** Whether the exchange has taken what was sent. */
  readonly wasTaken: boolean;
}

const FATES: readonly BadAnswer[] = [
  ...STATUSES.flatMap((status) =>
    BODIES.filter((body) => body === 'empty' || !BODILESS.has(status)).flatMap((body) =>
      [true, false].map((wasTaken) => ({ status, body, wasTaken })),
    ),
  ),
  ...[100, 102, 103].flatMap((status) => [true, false].map((wasTaken) => ({ status, body: 'cut' as const, wasTaken }))),
];

/** What is sent, and where it arrives. */
interface Subject {
  readonly name: string;
  readonly trader: Trader;
  readonly path: string;
  readonly gateway: Gateway;
  readonly wire: string;
  readonly own: object;
  /** The body of a new one, and of another. */
  readonly fresh: () => Promise<object>;
  readonly other: () => Promise<object>;
  /** The id that a sending has at the exchange. */
  readonly idOf: (body: string) => unknown;
}

function answering({ status, body }: BadAnswer, own: object): Misbehaviour {
  return (response) => {
    if (status < 200) {
      response.socket?.write(`HTTP/1.1 ${status} Wait\r\n\r\n`, () => response.socket?.end());
      return;
    }
    const text = { own: JSON.stringify(own), foreign: '<html>busy</html>', empty: '', cut: JSON.stringify(own) }[body];
    const type = body === 'foreign' ? 'text/html' : 'application/json';
    const length = Buffer.byteLength(text) + (body === 'cut' ? 20 : 0);
    response.writeHead(status, { 'content-type': type, ...(BODILESS.has(status) ? {} : { 'content-length': length }) });
    if (body !== 'cut') response.end(text);
    else response.write(text, () => response.socket?.destroy());
  };
}

describe('whatever a sending is answered (contract.md 5, R-13, R-14)', () => {
  let stand: FaultStand;
  let subjects: readonly Subject[];
  let keys = 0;

  beforeAll(async () => {
    stand = await FaultStand.start(2_000);
    const { app, sandbox } = stand;
    const admin = await aTrader({ app, sandbox, close: () => app.close() }, ['admin']);
    const session = await aSessionTrader({ app, sandbox });
    const orders = ORDER_WAYS.map(([name, by, way]): Subject => {
      const trader = by === 'session' ? session : stand.trader;
      const [, wire] = EXCHANGE[way.id].wire.order;
      return {
        name,
        trader,
        path: `/${way.id}/orders`,
        gateway: stand.gatewayOf(way.id),
        wire,
        own: way.refusal,
        fresh: () => way.anOrder({ app, sandbox, key: trader.key }),
        other: () => way.anOrder({ app, sandbox, key: trader.key }, 6),
        idOf: (body) => {
          const { client_order_id, order } = JSON.parse(body) as { client_order_id?: string; order?: { salt: number } };
          return client_order_id ?? order?.salt;
        },
      };
    });
    let amounts = 0;
    const transfers: Subject = {
      name: 'transfers',
      trader: admin,
      path: '/kalshi/transfers',
      gateway: stand.gateways.kalshi,
      wire: '/portfolio/intra_exchange_instance_transfer',
      own: { error: { code: 'bad_request', message: 'no such transfer' } },
      other: () => Promise.resolve({ from_shard: '0', to_shard: '2', amount: '5' }),
      // Each has an amount of its own, by which the history tells it from the others.
      fresh: () =>
        Promise.resolve({ from_shard: '0', to_shard: '2', amount: `0.${String((amounts += 1)).padStart(4, '0')}` }),
      idOf: (body) => (JSON.parse(body) as { client_transfer_id: string }).client_transfer_id,
    };
    subjects = [...orders, transfers];
  });

  afterAll(() => stand.close());

  const send = ({ path, trader }: Subject, body: object, key: string): Promise<Response> =>
    request(stand.app.url)
      .post(path)
      .auth(trader.key, bearer)
      .set('Idempotency-Key', key)
      .send(body)
      .then((answer) => answer);

  /** What is wrong with what came of it; null where nothing is. */
  const wrongWith = async (subject: Subject, bad: BadAnswer): Promise<object | null> => {
    const { gateway, wire, own, idOf } = subject;
    const [body, key] = [await subject.fresh(), `answers-${(keys += 1)}`];
    const before = gateway.arrived.length;
    const act = answering(bad, own);
    if (bad.wasTaken) gateway.answerInstead(wire, act, 'POST');
    else gateway.misbehave(wire, act, 'POST');
    const told = [await send(subject, body, key)];
    gateway.heal();
    for (let i = 0; i < 3; i++) told.push(await send(subject, body, key));
    const sent = gateway.arrived
      .slice(before)
      .filter(({ method, target }) => method === 'POST' && target.includes(wire));
    const ids = new Set(sent.map((one) => idOf(one.body)));
    const last = told.at(-1);
    const isRefused = (last?.status ?? 0) >= 400 && last?.headers['idempotency-replayed'] === 'true';
    const isTrue = last?.status === 200 ? ids.size === 1 : isRefused && !bad.wasTaken;
    const isReused = (await send(subject, await subject.other(), key)).status === 422;
    if (isTrue && ids.size === 1 && isReused) return null;
    return { subject: subject.name, ...bad, told: told.map(({ status }) => status), ids: ids.size, isReused };
  };

  it.each([0, 1, 2, 3])(
    `one id, one at the exchange, and the truth by the third repeat: subject %i, ${FATES.length} answers`,
    async (index) => {
      const subject = subjects[index];
      if (subject === undefined) throw new RangeError('no such subject');
      // Of each kind a half: the others come with `npm run test:long`.
      const tried = FATES.filter((_, n) => (n + (n >> 1) + (n >> 3) + index) % rounds(2, 1) === 0);
      const wrong: object[] = [];
      for (const bad of tried) {
        const found = await wrongWith(subject, bad);
        if (found !== null) wrong.push(found);
      }
      expect(wrong).toEqual([]);
    },
    rounds(120_000, 1_200_000),
  );
});
