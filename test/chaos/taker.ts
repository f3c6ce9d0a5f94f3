import { randomUUID } from 'node:crypto';
import { placeOrder } from '../../sandbox/kalshi/trading.js';
import { PolymarketTrader } from '../../sandbox/polymarket/trader.js';
import type { Sandbox } from '../../sandbox/sandbox.js';
import { toUnits } from '../../sandbox/units.js';
import { get } from '../support/calls.js';
import { EXCHANGE } from '../support/exchanges.js';
import { holds, type Place } from './outcome.js';

/** What orders of `anOrder` bid. */
const PRICE = '0.02';
/** More than the market makers bid for. */
const EVERYTHING = '100000';

/** Somebody else at both sandbox exchanges, who sells to whoever bids 0.02, so that resting orders fill. */
export class Taker {
  private constructor(private readonly sellAt: Readonly<Record<string, (size: string) => Promise<void>>>) {}

  /** Takes all other bids out of the way. `key` reads the market at Polymarket. */
  static async make(app: Place, sandbox: Sandbox, key: string): Promise<Taker> {
    const taker = new Taker({ kalshi: atKalshi(sandbox), polymarket: await atPolymarket(app, sandbox, key) });
    for (const exchange of ['kalshi', 'polymarket']) await taker.sell(exchange, EVERYTHING);
    return taker;
  }

  /** So many contracts, to whoever bid first. */
  async sell(exchange: string, size: string): Promise<void> {
    await this.sellAt[exchange]?.(size);
  }
}

function atKalshi({ kalshi: { exchange } }: Sandbox): (size: string) => Promise<void> {
  const seller = exchange.openAccount({ now: Date.now(), unlimited: true });
  const terms = { ticker: EXCHANGE.kalshi.market, subaccount: 0, side: 'ask', price: toUnits(PRICE) } as const;
  const ways = { timeInForce: 'IOC', selfTradePrevention: 'taker_at_cross', postOnly: false } as const;
  const rest = { reduceOnly: false, cancelOnPause: false, expiresAt: null, exchangeIndex: undefined };
  return (size) => {
    const order = { ...terms, ...ways, ...rest, clientOrderId: randomUUID(), size: toUnits(size) };
    placeOrder(exchange, seller, order, Date.now());
    return Promise.resolve();
  };
}

async function atPolymarket(
  app: Place,
  { polymarket }: Sandbox,
  key: string,
): Promise<(size: string) => Promise<void>> {
  const market = await get(app, `/polymarket/markets/${EXCHANGE.polymarket.market}`, key);
  const { outcomes, refs } = market.body as { outcomes: { id: string }[]; refs: { neg_risk?: boolean } };
  const [tokenId, negRisk] = [outcomes[0]?.id ?? '', refs.neg_risk === true];
  const account = polymarket.addAccount({ shares: { [tokenId]: String(2 * Number(EVERYTHING)) } });
  const trader = new PolymarketTrader(polymarket.account.clob_url, account);
  return async (size) => {
    const order = trader.sign({ tokenId, negRisk, side: 'SELL', price: PRICE, size });
    const { status, body } = await trader.post(order, { orderType: 'FAK' });
    holds({ status, body }, { status: 200 });
  };
}
