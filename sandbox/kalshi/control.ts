import { z } from 'zod';
import { type ControlRoutes } from '../control/server.js';
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

/** 200 with what was asked; 400 for a body of another shape, 404 where `apply` finds nothing to change. */
function changed<T>(shape: z.ZodType<T>, body: unknown, apply: (change: T) => boolean): Answer {
  const change = shape.safeParse(body);
  if (!change.success) return { status: 400, body: { error: z.prettifyError(change.error) } };
  if (!apply(change.data)) return { status: 404, body: { error: 'There is no such shard or market.' } };
  return { status: 200, body: change.data };
}
