import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../sandbox/random.js';
import { toFixed } from '../sandbox/units.js';
import { add, parseDecimal, subtract } from '../src/exchanges/decimal.js';
import { rounds } from './support/long.js';
import { aHolder, control, type Holder, read } from './support/portfolio.js';
import { startTestStand, type TestStand } from './support/sandbox.js';

/** Of every fresh account of the sandbox. */
const DEPOSIT = '10000';
/** What happens in a history, and after how many of it the sums are looked at. */
const EVENTS = rounds(120, 250);
const LOOK_EVERY = rounds(20, 25);
/** One event in so many ends a market. */
const ENDS = rounds(15, 25);

interface Sums {
  readonly equity: string | null;
  readonly unrealized_pnl: string | null;
  readonly realized_pnl: string | null;
  readonly partial: boolean;
}

interface Portfolio {
  readonly exchanges: { readonly exchange: string; readonly fees: string | null; readonly error: object | null }[];
  readonly totals: (Sums & { readonly currency: string })[];
}

/** A row of fills or settlements in a random history: equity − deposits = realised + unrealised − fees, exactly (contract.md 5.17). */
describe('the sums of any history', () => {
  let stand: TestStand;

  beforeEach(async () => {
    stand = await startTestStand();
  });

  afterEach(() => stand.close());

  const portfolio = async ({ key }: Holder): Promise<Portfolio> =>
    (await read(stand, '/portfolio', key)).body as Portfolio;

  const expectSum = ({ totals, exchanges }: Portfolio, currency: string, fees: string, at: string): void => {
    const { equity, realized_pnl, unrealized_pnl, partial } = totals.find((one) => one.currency === currency) ?? {
      ...{ equity: null, realized_pnl: null, unrealized_pnl: null, partial: true },
    };
    expect([at, partial, exchanges.map(({ error }) => error)]).toEqual([at, false, [null, null]]);
    const gained = subtract(add(realized_pnl ?? '', unrealized_pnl ?? ''), fees);
    expect([at, subtract(equity ?? '', DEPOSIT)]).toEqual([at, gained]);
  };

  it.each(['one', 'two'].slice(0, rounds(1, 2)))('at Kalshi: history %s', async (seed) => {
    const random = new SeededRandom(`kalshi ${seed}`);
    const holder = await aHolder(stand);
    const { exchange } = stand.sandbox.kalshi;
    const open = (): string[] =>
      exchange
        .liveMarkets()
        .filter(
          (market) =>
            market.statusAt(stand.sandbox.kalshi.now) === 'active' &&
            market.book.best('bid') &&
            market.book.best('ask'),
        )
        .map(({ ticker }) => ticker);
    const kept = open()[0];
    for (let event = 1; event <= EVENTS; event += 1) {
      const tickers = open();
      const ticker = tickers[random.whole(0, tickers.length - 1)] ?? '';
      const isBid = random.whole(0, 1) === 0;
      const count = `${random.whole(0, 9)}.${String(random.whole(1, 99)).padStart(2, '0')}`;
      if (random.whole(1, ENDS) === 1 && ticker !== kept)
        await control(stand, '/kalshi/markets', { ticker, result: isBid ? 'yes' : 'no' });
      else if (random.whole(1, 10) === 1)
        await holder.kalshi.order({ ticker, side: isBid ? 'bid' : 'ask', count, price: isBid ? '0.0100' : '0.9900' });
      else
        await holder.kalshi.order({
          ticker,
          side: isBid ? 'bid' : 'ask',
          count,
          price: isBid ? '0.9900' : '0.0100',
          time_in_force: 'immediate_or_cancel',
        });
      if (event % LOOK_EVERY !== 0) continue;
      const seen = await portfolio(holder);
      expectSum(seen, 'USD', seen.exchanges.find((one) => one.exchange === 'kalshi')?.fees ?? '', `event ${event}`);
    }
    const { data } = (await read(stand, '/kalshi/settlements?limit=100', holder.key)).body as { data: object[] };
    expect(data.length).toBeGreaterThan(1);
  });

  it.each(['one', 'two'].slice(0, rounds(1, 2)))('at Polymarket: history %s', async (seed) => {
    const random = new SeededRandom(`polymarket ${seed}`);
    const holder = await aHolder(stand);
    const { exchange } = stand.sandbox.polymarket;
    const { wallet_address } = holder.polymarket.account;
    const sandboxFees = (): string => parseDecimal(toFixed(exchange.ledger.paidFees(wallet_address), 6)) ?? '';
    const open = () =>
      exchange.catalogue.markets.filter(
        (market) =>
          market.acceptingOrders &&
          market.version === 'v1' &&
          // What trades later may do so between two reads of one look.
          market.seed.behaviour !== 'delay' &&
          market.book.best('bid') &&
          market.book.best('ask'),
      );
    for (let event = 1; event <= EVENTS; event += 1) {
      const markets = open();
      const market = markets[random.whole(0, markets.length - 1)];
      if (market === undefined) throw new Error('No market is open.');
      const outcome = random.whole(0, 1) as 0 | 1;
      const tokenId = market.tokenIds[outcome];
      const held = exchange.ledger.shares(wallet_address, tokenId);
      const terms = { tokenId, negRisk: market.negRisk };
      const tick = Number(market.tick) / 1e6;
      if (random.whole(1, ENDS) === 1 && markets.length > 5) {
        await control(stand, '/polymarket/markets', { market_id: market.conditionId, winner: outcome });
        if (random.whole(0, 2) > 0)
          await control(stand, '/polymarket/redemptions', { wallet_address, market_id: market.conditionId });
      } else if (held > 0n && random.whole(0, 1) === 0) {
        const part = (held * BigInt(random.whole(1, 100))) / 100n;
        const size = toFixed(part - (part % 10_000n), 2);
        if (Number(size) > 0)
          await holder.polymarket.post(holder.polymarket.sign({ ...terms, side: 'SELL', price: String(tick), size }), {
            orderType: 'FAK',
          });
      } else {
        const price = random.whole(1, 10) === 1 ? String(tick) : String(Number((1 - tick).toFixed(4)));
        const size = `${random.whole(5, 40)}.${String(random.whole(0, 99)).padStart(2, '0')}`;
        await holder.polymarket.post(holder.polymarket.sign({ ...terms, side: 'BUY', price, size }));
      }
      if (event % LOOK_EVERY === 0) expectSum(await portfolio(holder), 'PUSD', sandboxFees(), `event ${event}`);
    }
    expect(
      exchange.ledger.redemptions.filter(({ wallet }) => wallet === wallet_address.toLowerCase()).length,
    ).toBeGreaterThan(1);
    expect(sandboxFees()).not.toBe('0');
  });
});
