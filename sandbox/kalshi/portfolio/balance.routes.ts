import { unixSeconds } from '../../times.js';
import { ONE } from '../../units.js';
import { type Routes } from '../../wire/router.js';
import { signed, type SignedCall, subaccountOf } from '../auth.js';
import { type Exchange } from '../exchange.js';
import { cents, dollars } from '../format.js';
import { READ_ACCOUNT, READ_BALANCE } from '../keys/scopes.js';
import { KalshiQuery, ofShard } from '../query.js';

/** The member's money, per shard (kalshi.md 7.3): `balance` is always what orders do not hold back. */
export function balanceRoutes(exchange: Exchange): Routes {
  const balance = signed(exchange.keys, READ_BALANCE, {
    'GET /portfolio/balance': (call) => getBalance(exchange, call),
  });
  const account = signed(exchange.keys, READ_ACCOUNT, {
    'GET /portfolio/summary/total_resting_order_value': (call) => getRestingValue(exchange, call),
    'GET /portfolio/subaccounts/balances': listBalances,
  });
  return { ...balance, ...account };
}

/**
 * Of one subaccount. `exchange_index` narrows all but the breakdown, which a bound key does not see. The portfolio is
 * valued at last prices.
 */
function getBalance(exchange: Exchange, call: SignedCall): unknown {
  const { account, key, request } = call;
  const query = new KalshiQuery('GetBalance', request.query);
  const number = subaccountOf(call, query.subaccount(), 0);
  const isAsked = ofShard(query);
  const shards = exchange.shards.list().map(({ index }) => ({ shard: index, cash: account.available(number, index) }));
  const lastPrice = (ticker: string): bigint | undefined => {
    const market = exchange.markets.get(ticker);
    return market !== undefined && isAsked(market) ? (market.lastTrade?.price ?? 0n) : undefined;
  };
  const subaccount = account.subaccount(number);
  const available = sumOf(shards.filter(isAsked));
  return {
    balance: cents(available),
    balance_dollars: dollars(available),
    portfolio_value: cents(subaccount?.portfolioValue(lastPrice, ONE) ?? 0n),
    updated_ts: unixSeconds(subaccount?.updatedAt ?? exchange.startedAt),
    ...(key.subaccount === undefined ? { balance_breakdown: shards.map(toIndexedBalance) } : {}),
  };
}

/** What resting orders of the primary account hold back; shards without any are left out. */
function getRestingValue(exchange: Exchange, { account }: SignedCall): unknown {
  const shards = exchange.shards
    .list()
    .map(({ index }) => ({ shard: index, cash: account.held(0, index) }))
    .filter(({ cash }) => cash > 0n);
  return {
    total_resting_order_value: cents(sumOf(shards)),
    resting_order_value_breakdown: shards.map(toIndexedBalance),
  };
}

/** A row for each subaccount and each shard that it ever held money on. */
function listBalances({ account }: SignedCall): unknown {
  const rows = account.subaccounts().flatMap(({ number, fundedShards, updatedAt }) =>
    fundedShards.map((shard) => ({
      subaccount_number: number,
      ...toIndexedBalance({ shard, cash: account.available(number, shard) }),
      updated_ts: unixSeconds(updatedAt),
    })),
  );
  return { subaccount_balances: rows };
}

/** Cash on one shard. */
interface ShardCash {
  shard: number;
  cash: bigint;
}

function sumOf(shards: readonly ShardCash[]): bigint {
  return shards.reduce((sum, { cash }) => sum + cash, 0n);
}

/** `IndexedBalance`. */
function toIndexedBalance({ shard, cash }: ShardCash) {
  return { exchange_index: shard, balance: dollars(cash) };
}
