import { z } from 'zod';
import { type ControlRoutes } from '../control/server.js';
import { ONE, toUnits } from '../units.js';
import { FEE_TYPES } from './fees/fee.js';
import { TIER_NAMES } from './limits/limits.js';
import { type KalshiSandbox } from './sandbox.js';

const SHARD = z.strictObject({
  exchange_index: z.int().min(0),
  exchange_active: z.boolean().optional(),
  trading_active: z.boolean().optional(),
  intra_exchange_transfers_active: z.boolean().optional(),
});
const ATTESTATION = z.strictObject({ expires_at: z.iso.datetime({ offset: true }).nullable() });
const TRANSFERS = z.strictObject({ delay_ms: z.int().min(0).max(3_600_000) });
const MARKET = z.strictObject({
  ticker: z.string(),
  paused: z.boolean().optional(),
  result: z.enum(['yes', 'no']).optional(),
});

const RULE = { fee_type: z.enum(FEE_TYPES), fee_multiplier: z.number().min(0).max(10).multipleOf(0.000001) };
const FEES = z.union([
  z.strictObject({ series_ticker: z.string(), ...RULE }),
  z.strictObject({ event_ticker: z.string(), ...RULE }),
  z.strictObject({ event_ticker: z.string(), fee_type: z.null() }),
]);
const LIMITS = z.strictObject({ tier: z.enum(TIER_NAMES).optional(), enforced: z.boolean().optional() });
const FILL = z.strictObject({
  order_id: z.string(),
  count: z.string().regex(/^\d{1,9}(?:\.\d{1,2})?$/),
  before_change: z.boolean().optional(),
});

type Answer = ReturnType<ControlRoutes[string][string]>;

/** What can be changed in the Kalshi stand-in while it runs (contract.md 7): shards, markets, attestation, speed of transfers. */
export function kalshiControls(sandbox: KalshiSandbox): ControlRoutes {
  const { exchange } = sandbox;
  return {
    '/kalshi/shards': { POST: (body) => changed(SHARD, body, (change) => changeShard(sandbox, change)) },
    '/kalshi/markets': { POST: (body) => changed(MARKET, body, (change) => changeMarket(sandbox, change)) },
    '/kalshi/attestation': {
      POST: (body) =>
        changed(ATTESTATION, body, ({ expires_at }) => {
          const key = exchange.keys.find(sandbox.account.access_key);
          if (key !== undefined) key.account.attestedUntil = expires_at === null ? null : Date.parse(expires_at);
          return true;
        }),
    },
    '/kalshi/fees': { POST: (body) => changed(FEES, body, (change) => changeFees(sandbox, change)) },
    '/kalshi/limits': {
      POST: (body) =>
        changed(LIMITS, body, ({ tier, enforced }) => {
          exchange.limits.change({
            ...(tier === undefined ? {} : { tier }),
            ...(enforced === undefined ? {} : { enforced }),
          });
          return true;
        }),
    },
    '/kalshi/fills': { POST: (body) => changed(FILL, body, (fill) => fillOrder(sandbox, fill)) },
    '/kalshi/transfers': {
      POST: (body) =>
        changed(TRANSFERS, body, ({ delay_ms }) => {
          exchange.transfers.delayMs = delay_ms;
          return true;
        }),
    },
  };
}

function changeShard({ exchange, now }: KalshiSandbox, change: z.infer<typeof SHARD>): boolean {
  const { exchange_index, exchange_active, trading_active, intra_exchange_transfers_active } = change;
  const state = {
    ...(exchange_active === undefined ? {} : { exchangeActive: exchange_active }),
    ...(trading_active === undefined ? {} : { tradingActive: trading_active }),
    ...(intra_exchange_transfers_active === undefined ? {} : { transfersActive: intra_exchange_transfers_active }),
  };
  return exchange.changeShard(exchange_index, state, now);
}

function changeMarket({ exchange, now }: KalshiSandbox, { ticker, paused, result }: z.infer<typeof MARKET>): boolean {
  if (!exchange.markets.has(ticker)) return false;
  if (paused !== undefined) exchange.setPaused(ticker, paused, now);
  if (result !== undefined) exchange.settle(ticker, result, now);
  return true;
}

function changeFees({ exchange }: KalshiSandbox, change: z.infer<typeof FEES>): boolean {
  const rule =
    change.fee_type === null
      ? undefined
      : { type: change.fee_type, multiplier: BigInt(Math.round(change.fee_multiplier * Number(ONE))) };
  const seeds = [...exchange.markets.values()].map(({ seed }) => seed.event);
  if ('event_ticker' in change) {
    if (!seeds.some(({ ticker }) => ticker === change.event_ticker)) return false;
    exchange.fees.setEvent(change.event_ticker, rule);
    return true;
  }
  if (rule === undefined || !seeds.some(({ series }) => series.ticker === change.series_ticker)) return false;
  exchange.fees.setSeries(change.series_ticker, rule);
  return true;
}

function fillOrder({ races, now }: KalshiSandbox, fill: z.infer<typeof FILL>): boolean {
  const size = toUnits(fill.count);
  if (size === 0n) return false;
  return fill.before_change === true
    ? races.fillBeforeChange(fill.order_id, size)
    : races.fill(fill.order_id, size, now);
}

/** 200 with what was asked; 400 for a body of another shape, 404 where `apply` finds nothing to change. */
function changed<T>(shape: z.ZodType<T>, body: unknown, apply: (change: T) => boolean): Answer {
  const change = shape.safeParse(body);
  if (!change.success) return { status: 400, body: { error: z.prettifyError(change.error) } };
  if (!apply(change.data))
    return { status: 404, body: { error: 'There is no such shard, market, event, series or resting order.' } };
  return { status: 200, body: change.data };
}
