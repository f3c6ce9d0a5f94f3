import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import { ONE, product, toFixed, toUnits } from '../sandbox/units.js';
import { SeededRandom } from '../sandbox/random.js';
import { aBot, BOTS, outcome } from './support/bots.js';
import { get, post } from './support/calls.js';
import { EXCHANGE } from './support/exchanges.js';
import { rounds } from './support/long.js';
import { aTrader, startTestStand, storeCredentials, type TestStand, type Trader } from './support/sandbox.js';
import { aSessionTrader } from './support/session-keys.js';
import { anApiKey, aUser } from './support/users.js';

const ORDERS_AN_EXCHANGE = rounds(40, 200);
const TICKER = 'KXHIGHNY-TODAY-B55.5';
const SAINTS = '0xa41295da553c24ec5e80c2bcfa282ea4971f3d606afc03baaf14228d0f97bb2d';

interface Preview {
  readonly order: Readonly<Record<string, unknown>> | null;
  readonly risk: string | null;
  readonly cost: string | null;
  readonly fee_estimate: string | null;
  readonly fee_source: string | null;
  readonly book: { readonly bid: unknown; readonly ask: unknown } | null;
  readonly fills_now: { readonly size: string; readonly average_price: string | null } | null;
  readonly limits: readonly { readonly limit: string }[];
  readonly would_be_refused: { readonly code: string; readonly reason: string | null; readonly message: string } | null;
}

const LIVES = ['gtc', 'gtc', 'ioc', 'fok'];

interface Level {
  readonly price: string;
  readonly size: string;
}

interface Book {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

type Body = Readonly<Record<string, unknown>>;

/** How an order would be refused, as an answer tells it. */
function refusalIn({ body }: Response): unknown {
  const { code, message, details } = (
    body as { error: { code: string; message: string; details?: { reason?: string } } }
  ).error;
  return { code, reason: details?.reason ?? null, message };
}

describe('POST /{exchange}/orders/preview (contract.md 5.18)', () => {
  let stand: TestStand;
  let trader: Trader;
  let session: Trader;

  beforeAll(async () => {
    stand = await startTestStand();
    [trader, session] = await Promise.all([aTrader(stand), aSessionTrader(stand)]);
  });

  afterAll(() => stand.close());

  const previewed = async (exchange: string, body: Body, key: string): Promise<Preview> => {
    const answer = await post(stand.app, `/${exchange}/orders/preview`, body, key);
    expect([answer.status, answer.text]).toEqual([200, expect.stringMatching(/^\{"order":/)]);
    return answer.body as Preview;
  };
  const created = (exchange: string, body: Body, key: string): Promise<Response> =>
    post(stand.app, `/${exchange}/orders`, body, key).then((answer) => answer);
  const read = async <T>(path: string, key: string): Promise<T> => (await get(stand.app, path, key)).body as T;
  const sent = (): unknown[] =>
    stand.sandbox.log.list().filter(({ method, path }) => method === 'POST' && path.includes('order'));

  /** A member of its own at Kalshi, and its key of ours. */
  const aMember = async (account: Parameters<TestStand['sandbox']['kalshi']['addAccount']>[0]): Promise<string> => {
    const user = await aUser(stand.app);
    const { access_key, private_key } = await stand.sandbox.kalshi.addAccount(account);
    await storeCredentials(stand.app, user, 'kalshi', { access_key, private_key });
    return anApiKey(stand.app, user, ['trade']);
  };

  /** An order of chance: mostly one that trades, over several prices where it is large, else one between the quotes. */
  const ofChance = (random: SeededRandom, { bids, asks }: Book, least: number): Body => {
    const side = random.whole(0, 1) === 0 ? 'buy' : 'sell';
    const levels = side === 'buy' ? asks : bids;
    const [best, other] = [levels[0]?.price ?? '0.5', (side === 'buy' ? bids : asks)[0]?.price ?? '0.5'];
    const crosses = random.whole(0, 3) > 0;
    const price = crosses ? (levels[Math.min(random.whole(0, 3), levels.length - 1)]?.price ?? best) : other;
    const units = random.whole(0, 3) === 0 ? random.whole(50_000, 400_000) : random.whole(least * 100, 9_999);
    const size = toFixed(BigInt(units) * (ONE / 100n), 2).replace(/\.?0+$/, '');
    const time_in_force = LIVES[random.whole(0, LIVES.length - 1)];
    const post_only = time_in_force === 'gtc' && random.whole(0, 4) === 0;
    return { side, price, size, time_in_force, post_only };
  };

  /** What an order came to, or was said to come to: the reason of its refusal, else what filled at once and what it paid. */
  interface End {
    readonly reason: unknown;
    readonly size?: string | undefined;
    readonly fee?: bigint;
  }

  const foreseen = ({ would_be_refused: refusal, fills_now, fee_estimate }: Preview): End =>
    refusal === null
      ? { reason: null, size: fills_now?.size, fee: toUnits(fee_estimate ?? '') }
      : { reason: refusal.reason };

  /** Previews and creates orders of chance one after the other; `paid` says what one paid that was made. */
  const compare = async (
    exchange: string,
    key: string,
    { seed, markets, least, orders }: { seed: string; markets: readonly string[]; least: number; orders: number },
    paid: (made: Readonly<Record<string, string>>, body: Body) => Promise<bigint>,
  ): Promise<{ refused: number; rested: number; fees: bigint }> => {
    const random = new SeededRandom(seed);
    const seen = { refused: 0, rested: 0, fees: 0n };
    for (let count = 0; count < orders; count += 1) {
      const place = { market_id: markets[random.whole(0, markets.length - 1)] ?? '', outcome: random.whole(0, 1) };
      const path = `/${exchange}/orderbooks?market_id=${place.market_id}&outcome=${place.outcome}`;
      const body = { ...ofChance(random, await read<Book>(path, key), least), ...place };
      const told = foreseen(await previewed(exchange, body, key));
      const answer = await created(exchange, body, key);
      const made = answer.body as Readonly<Record<string, string>>;
      const end: End =
        answer.status === 200
          ? { reason: null, size: made.filled_size, fee: await paid(made, body) }
          : { reason: outcome(answer)[2] };
      expect([body, told]).toEqual([body, end]);
      seen.refused += answer.status === 200 ? 0 : 1;
      seen.rested += made.status === 'open' || made.status === 'partially_filled' ? 1 : 0;
      seen.fees += end.fee ?? 0n;
    }
    return seen;
  };

  it.each(['once', 'again'])('orders of chance at Kalshi pay, fill and fail as foreseen, %s', async (seed) => {
    const markets = [
      ...['KXBTCD-FRIDAY-T110000', 'KXHIGHNY-TODAY-B53.5', 'KXFEDDECISION-NEXT-C26', 'KXBTCMAX-YEAR-T150K'],
      ...['KXWTI-FRIDAY-T70', 'KXNBAGAME-BOSNYK-BOS', 'KXNBAGAME-BOSNYK-NYK', 'KXBTCD-FRIDAY-T125000'],
    ];
    const shards = { 1: '30000.00', 2: '30000.00', 3: '30000.00' };
    const key = await aMember({ balanceDollars: '30000.00', shards });
    const orders = ORDERS_AN_EXCHANGE / 2;
    const { races } = stand.sandbox.kalshi;
    // Somebody takes what rests, so that it pays as a maker.
    const paid = async ({ id = '', remaining_size = '' }: Readonly<Record<string, string>>): Promise<bigint> => {
      races.fill(id, toUnits(remaining_size), Date.now());
      const { data } = await read<{ data: { fee: string }[] }>(`/kalshi/fills?order_id=${id}&limit=100`, key);
      return data.reduce((sum, { fee }) => sum + toUnits(fee), 0n);
    };
    const seen = await compare('kalshi', key, { seed: `kalshi ${seed}`, markets, least: 0.01, orders }, paid);
    expect([seen.refused > 0, seen.rested > 0, seen.fees > 0n]).toEqual([true, true, true]);
  });

  it('orders of chance at Polymarket pay, fill and fail as foreseen', async () => {
    const markets = [
      '0x8f7da706dfff3a6d2d01b09ffbd9735b27764141eac33e8707e4311794614798',
      '0x013009decfd1e0532df9db26862e9635ef000000000000000000000000000000',
      '0x9a089e30cb2901fdeebecf4d87b83a43df00913643e62e8f0b8b9837eb775548',
    ];
    const { exchange } = stand.sandbox.polymarket;
    const wallet = stand.sandbox.addresses.polymarket.deposit_wallet.address;
    let money = exchange.ledger.collateral(wallet);
    // No answer states the fee: it is what left the wallet beside what was spent, or came short of what was brought.
    const paid = ({ id = '' }: Readonly<Record<string, string>>, { side }: Body): Promise<bigint> => {
      const trades = exchange.trades.filter(({ taker }) => taker.id === id);
      const spent = trades.flatMap(({ makers, price }) => makers.map(({ size }) => product(price, size)));
      const worth = spent.reduce((sum, one) => sum + one, 0n);
      const fee = money - exchange.ledger.collateral(wallet) - (side === 'buy' ? worth : -worth);
      money = exchange.ledger.collateral(wallet);
      exchange.cancel(exchange.find(id)?.account ?? '', id);
      return Promise.resolve(fee);
    };
    const orders = ORDERS_AN_EXCHANGE;
    const seen = await compare('polymarket', session.key, { seed: 'polymarket', markets, least: 5, orders }, paid);
    expect([seen.refused > 0, seen.rested > 0, seen.fees > 0n]).toEqual([true, true, true]);
  });

  it('nothing is sent, recorded, reserved or counted', async () => {
    const { id, key } = await aBot(stand.app, trader.user, {
      limits: { max_orders_per_minute: 1, max_open_orders: 1 },
    });
    stand.sandbox.log.clear();
    const order = { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.03', size: '7' };
    for (let count = 0; count < 5; count += 1)
      expect((await previewed('kalshi', order, key)).would_be_refused).toBeNull();
    expect(sent()).toEqual([]);
    const usage = await read<{ usage: object }>(`${BOTS}/${id}`, trader.user.token);
    expect(usage).toMatchObject({
      usage: { open_risk: {}, open_orders: 0, orders_last_minute: 0, unsettled_orders: 0 },
    });
    expect(await read(`/account/orders?bot_id=${id}`, trader.user.token)).toMatchObject({ data: [] });
    const types = await read<{ data: { type: string }[] }>(`/account/activity?bot_id=${id}`, trader.user.token);
    expect(types.data.map(({ type }) => type)).toEqual(['bot_created']);
    expect((await created('kalshi', order, key)).status).toBe(200);
  });

  it('a bot learns what it has used of its limits, and which would refuse it, in the words of the create', async () => {
    const limits = { max_order_risk: '9', max_open_risk: '10', max_position: '500', max_price_distance: '0.5' };
    const { key } = await aBot(stand.app, trader.user, { limits });
    const order = { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.07', size: '100' };
    expect((await created('kalshi', order, key)).status).toBe(200);
    const fits = await previewed('kalshi', { ...order, size: '42' }, key);
    expect(fits).toMatchObject({ risk: '2.94', cost: '2.94', would_be_refused: null });
    expect(fits.limits).toEqual([
      { limit: 'max_order_risk', allowed: '9', used: '0', asked: '2.94' },
      { limit: 'max_open_risk', allowed: '10', used: '7', asked: '2.94' },
      { limit: 'max_position', allowed: '500', used: '100', asked: '42' },
      { limit: 'max_price_distance', allowed: '0.5', used: '0', asked: '-0.37' },
    ]);
    const tooMuch = { ...order, size: '43' };
    const preview = await previewed('kalshi', tooMuch, key);
    expect(preview.limits[1]).toEqual({ limit: 'max_open_risk', allowed: '10', used: '7', asked: '3.01' });
    const refused = await created('kalshi', tooMuch, key);
    expect(refused.body).toMatchObject({ error: { code: 'limit_exceeded', details: preview.limits[1] } });
    expect(preview.would_be_refused).toEqual(refusalIn(refused));
  });

  it('the end of the orders of a bot is shown, and a market that is not its own is an error', async () => {
    const terms = { limits: { max_order_seconds: 600 }, markets: [{ exchange: 'kalshi', market_id: TICKER }] };
    const { id, key } = await aBot(stand.app, trader.user, terms);
    const order = { market_id: TICKER, outcome: 'no', side: 'sell', price: '0.97', size: '3' };
    const { order: shown, limits, would_be_refused } = await previewed('kalshi', order, key);
    expect([shown, would_be_refused]).toMatchObject([{ time_in_force: 'gtd', expires_at: expect.any(String) }, null]);
    expect(limits).toEqual([{ limit: 'max_order_seconds', allowed: 600, used: 0, asked: expect.any(Number) }]);
    const elsewhere = await post(stand.app, '/kalshi/orders/preview', { ...order, market_id: 'KXWTI-FRIDAY-T70' }, key);
    expect(outcome(elsewhere)).toEqual([403, 'forbidden', 'market_not_allowed']);
    await post(stand.app, `${BOTS}/${id}/halt`, undefined, trader.user.token);
    const halted = await previewed('kalshi', order, key);
    expect(halted.would_be_refused).toEqual(refusalIn(await created('kalshi', order, key)));
    expect(halted.would_be_refused).toMatchObject({ code: 'bot_halted', reason: 'owner' });
    // What the exchange would say comes after what a limit or a halt says.
    const crossing = await previewed('kalshi', { ...order, price: '0.2', post_only: true }, key);
    expect(crossing.would_be_refused).toMatchObject({ code: 'bot_halted' });
  });

  it.each([
    ['would_cross', { price: '0.5', post_only: true }],
    ['not_filled', { price: '0.44', size: '90000', time_in_force: 'fok' }],
    ['not_filled', { price: '0.02', time_in_force: 'ioc' }],
    ['market_closed', { market_id: 'KXFEDDECISION-PAUSED' }],
    ['insufficient_funds', { price: '0.44', size: '11' }],
  ] as const)('at Kalshi %s is foreseen of %j', async (reason, change) => {
    const paused = [...stand.sandbox.kalshi.exchange.markets.values()].find(
      (one) => one.statusAt(Date.now()) === 'inactive',
    );
    const named = 'market_id' in change ? { market_id: paused?.ticker } : {};
    const key = await aMember({ balanceDollars: reason === 'not_filled' ? '90000.00' : '4.99' });
    const order = { market_id: TICKER, outcome: 0, side: 'buy', price: '0.42', size: '1' };
    const body = { ...order, ...change, ...named };
    const preview = await previewed('kalshi', body, key);
    const refused = await created('kalshi', body, key);
    expect([preview.would_be_refused?.code, preview.would_be_refused?.reason]).toEqual(outcome(refused).slice(1));
    expect(preview.would_be_refused?.reason).toBe(reason);
  });

  it('what a position takes back at Kalshi needs no money', async () => {
    const key = await aMember({ balanceDollars: '5.00' });
    const buy = { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.44', size: '10', time_in_force: 'fok' };
    expect((await created('kalshi', buy, key)).status).toBe(200);
    const sale = { ...buy, side: 'sell', price: '0.42' };
    expect(await previewed('kalshi', sale, key)).toMatchObject({ cost: '5.8', would_be_refused: null });
    const more = await previewed('kalshi', { ...sale, size: '30' }, key);
    expect(more.would_be_refused).toMatchObject({ reason: 'insufficient_funds' });
    expect(outcome(await created('kalshi', { ...sale, size: '30' }, key))).toEqual([
      422,
      'exchange_rejected',
      'insufficient_funds',
    ]);
    expect((await created('kalshi', sale, key)).status).toBe(200);
  });

  it.each([
    ['would_cross', { price: '0.5', post_only: true }],
    ['not_filled', { price: '0.44', size: '90000', time_in_force: 'fok' }],
    ['not_filled', { price: '0.02', time_in_force: 'ioc' }],
    ['insufficient_funds', { price: '0.4', size: '90000' }],
    ['insufficient_funds', { price: '0.6', side: 'sell', size: '90000' }],
  ] as const)('at Polymarket %s is foreseen of %j', async (reason, change) => {
    const order = { market_id: SAINTS, outcome: 0, side: 'buy', price: '0.42', size: '5' };
    const body = { ...order, ...change };
    const preview = await previewed('polymarket', body, session.key);
    expect(preview.would_be_refused).toMatchObject({ code: 'exchange_rejected', reason });
    const refused = await created('polymarket', body, session.key);
    expect([preview.would_be_refused?.code, preview.would_be_refused?.reason]).toEqual(outcome(refused).slice(1));
  });

  it('an order that a wallet has signed is previewed, without a word of its signature', async () => {
    const { app, sandbox } = stand;
    const body = (await EXCHANGE.polymarket.anOrder(
      { app, sandbox, key: trader.key, clock: () => new Date() },
      3,
    )) as Body;
    const answer = await post(app, '/polymarket/orders/preview', body, trader.key);
    expect(answer.body).toMatchObject({
      order: { outcome_index: 0, side: 'buy', price: '0.02', size: '15', money: '0.3', shares: '15' },
      ...{ risk: '0.3', cost: '0.3', fee_estimate: '0', fills_now: { size: '0', average_price: null } },
      ...{ limits: [], would_be_refused: null },
    });
    const { signed_order } = body as { signed_order: { signature: string; salt: number; maker: string } };
    for (const word of [signed_order.signature, String(signed_order.salt), signed_order.maker.toLowerCase()])
      expect(answer.text.toLowerCase()).not.toContain(word.toLowerCase());
    expect((await created('polymarket', body, trader.key)).status).toBe(200);
  });

  it('a person previews as the main key would', async () => {
    const order = { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.44', size: '3' };
    const [person, key] = [trader.user.token, trader.key];
    expect(await previewed('kalshi', order, person)).toEqual(await previewed('kalshi', order, key));
  });

  it.each([
    ['kalshi', { market_id: TICKER, price: '0.425' }],
    ['kalshi', { market_id: TICKER, size: '0' }],
    ['kalshi', { market_id: TICKER, time_in_force: 'fok', post_only: true }],
    ['kalshi', { market_id: TICKER, surprise: true }],
    ['kalshi', { market_id: 'KXNONE-1' }],
    ['polymarket', { market_id: SAINTS, price: '0.425' }],
    ['polymarket', { market_id: SAINTS, size: '4' }],
    ['polymarket', { market_id: SAINTS, outcome: 'Bears' }],
    ['polymarket', { market_id: 'no-such-market' }],
  ])('what is wrong with a body at %s is the error of the create: %j', async (exchange, change) => {
    const body = { outcome: 0, side: 'buy', price: '0.42', size: '5', ...change };
    const { key } = exchange === 'kalshi' ? trader : session;
    const [preview, create] = [
      await post(stand.app, `/${exchange}/orders/preview`, body, key),
      await created(exchange, body, key),
    ];
    const told = ({ status, body: { error } }: Response): unknown => {
      const { code, details } = error as { code: string; details?: { parameters?: unknown; fields?: unknown } };
      return [status, code, details?.parameters, details?.fields];
    };
    expect(told(preview)).toEqual(told(create));
    expect(create.status).not.toBe(200);
  });

  it('without stored credentials, and without a session key for plain parameters, it says so', async () => {
    const nobody = await anApiKey(stand.app, await aUser(stand.app), ['trade']);
    const order = { market_id: TICKER, outcome: 'yes', side: 'buy', price: '0.44', size: '3' };
    expect(outcome(await post(stand.app, '/kalshi/orders/preview', order, nobody))).toEqual([
      ...[409, 'credentials_not_configured', undefined],
    ]);
    const plain = { ...order, market_id: SAINTS, size: '5' };
    expect(outcome(await post(stand.app, '/polymarket/orders/preview', plain, trader.key))).toEqual([
      ...[409, 'credentials_not_configured', 'session_key_required'],
    ]);
  });
});
