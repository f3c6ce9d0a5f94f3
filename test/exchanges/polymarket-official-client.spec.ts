import { describe, expect, it } from '@jest/globals';
import { Chain, OrderBuilder, Side, SignatureTypeV2 } from '@polymarket/clob-client-v2';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { isPlain, PolymarketOrderDto } from '../../src/exchanges/polymarket/trading/order.dto.js';
import { PlainOrder } from '../../src/exchanges/polymarket/trading/plain-order.js';
import { naming } from '../support/naming.js';

const TICKS = ['0.1', '0.01', '0.005', '0.0025', '0.001', '0.0001'] as const;
const CASES_EACH = 100;
const SEED = 20_261_122;
/** Sizes in hundredths: up to ten thousand shares. */
const MOST_SIZE = 1_000_000;

const file = new URL('../vectors/vectors-polymarket-2026.json', import.meta.url);
const { wallets } = JSON.parse(readFileSync(file, 'utf8')) as { wallets: { deposit: string } };

/** Of the inner order nothing is signed here, so that thousands are made in no time. */
const signer = {
  getAddress: () => Promise.resolve('0x70997970C51812dc3A010C7d01b50e0d17dc79C8'),
  _signTypedData: () => Promise.resolve(`0x${'11'.repeat(65)}`),
};
const client = new OrderBuilder(signer, Chain.POLYGON, SignatureTypeV2.POLY_1271, wallets.deposit);

const MARKETS = {
  v1: { token: '71321045679252212594626385532706912750332728571942532289631379312455583992563', version: 2 },
  v2: { token: '537189630403892523469500727402877303043040617668726428832973578133921857536', version: 3 },
} as const;
type Protocol = keyof typeof MARKETS;

interface Intent {
  readonly price: string;
  readonly size: string;
}

/** Whole units of `10^-places`. */
function units(decimal: string, places: number): bigint {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
}

function text(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, '0');
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** Prices on the tick and sizes in hundredths that are worth a cent at least, the same in every run. */
function intentsAt(tick: string): Intent[] {
  const step = units(tick, 4);
  const steps = Number(10_000n / step) - 1;
  const intent = fc
    .tuple(fc.integer({ min: 1, max: steps }), fc.integer({ min: 1, max: MOST_SIZE }))
    .map(([price, size]) => ({ price: text(BigInt(price) * step, 4), size: text(BigInt(size), 2) }))
    .filter(({ price, size }) => units(price, 4) * units(size, 2) >= 10_000n);
  return fc.sample(intent, { numRuns: CASES_EACH, seed: SEED });
}

function ours(intent: Intent, rest: object, protocol: Protocol, tick: string): object {
  const request = Object.assign(new PolymarketOrderDto(), { market_id: 'm', outcome: '0', ...intent, ...rest });
  if (!isPlain(request)) throw new Error('The order is not plain.');
  const outcome = { id: MARKETS[protocol].token, index: 0 as const, label: 'Yes' };
  const token = { marketId: `0x${'1'.repeat(64)}`, outcome, protocol, negRisk: false };
  // All that is asked is for sale at the limit price.
  const asks = [intent];
  const built = new PlainOrder(request, token, wallets.deposit.toLowerCase(), naming()).build({
    at: new Date(),
    tick,
    asks,
  });
  if (built === null) throw new Error('The book has too little.');
  return built.order;
}

/** What ours takes from the record, and the signature: all else both must say alike. */
const OF_THE_RECORD = new Set(['salt', 'timestamp', 'signature']);

function compared(order: object): object {
  return Object.fromEntries(Object.entries(order).filter(([name]) => !OF_THE_RECORD.has(name)));
}

type Row = readonly [protocol: Protocol, tick: (typeof TICKS)[number], side: 'buy' | 'sell'];

const ROWS = (['v1', 'v2'] as const).flatMap((protocol) =>
  TICKS.flatMap((tick) => (['buy', 'sell'] as const).map((side): Row => [protocol, tick, side])),
);

describe("contract.md 5.6 an order of plain parameters is the official client's", () => {
  it.each(ROWS)('%s, tick %s, limit to %s', async (protocol, tick, side) => {
    for (const { price, size } of intentsAt(tick)) {
      const { token: tokenID, version } = MARKETS[protocol];
      const terms = { tokenID, price: Number(price), size: Number(size), side: side === 'buy' ? Side.BUY : Side.SELL };
      const theirs = await client.buildOrder(terms, { tickSize: tick, negRisk: false }, version);
      const made = ours({ price, size }, { side, time_in_force: 'gtc' }, protocol, tick);
      expect({ price, size, ...compared(made) }).toEqual({ price, size, ...compared(theirs) });
    }
  });

  it.each(ROWS)('%s, tick %s, at once to %s', async (protocol, tick, side) => {
    for (const { price, size } of intentsAt(tick)) {
      const { token: tokenID, version } = MARKETS[protocol];
      const cents = (units(price, 4) * units(size, 2)) / 10_000n;
      const amount = side === 'buy' ? Number(cents) / 100 : Number(size);
      const terms = { tokenID, price: Number(price), amount, side: side === 'buy' ? Side.BUY : Side.SELL };
      const theirs = await client.buildMarketOrder(terms, { tickSize: tick, negRisk: false }, version);
      for (const time_in_force of ['fok', 'ioc']) {
        const made = ours({ price, size }, { side, time_in_force }, protocol, tick);
        // Of a market order the client leaves out what says that it does not expire.
        const expected = { expiration: '0', ...compared(theirs) };
        expect({ price, size, ...compared(made) }).toEqual({ price, size, ...expected });
      }
    }
  });
});
