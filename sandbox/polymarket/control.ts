import { z } from 'zod';
import { type ControlRoutes } from '../control/server.js';
import { HOUR } from '../times.js';
import { ofOutcome, OUTCOMES } from './market.js';
import { type PolymarketSandbox } from './sandbox.js';
import { checksum, isAddress } from './signing/address.js';

const ADDRESS = z.string().refine(isAddress, '0x and 40 hex digits');
const WALLET = z.strictObject({
  wallet_address: ADDRESS,
  exchange_v3: z.boolean().optional(),
  closed_only: z.boolean().optional(),
  banned: z.boolean().optional(),
  deposit_wallet_only: z.boolean().optional(),
});

const DELAY = z.int().min(0).max(HOUR);
const SESSION = z.strictObject({ wallet_address: ADDRESS, address: ADDRESS });
const NEW_SESSION = SESSION.extend({
  valid_until: z.iso.datetime({ offset: true }),
  usable_after_ms: DELAY.optional(),
});

const RELAYER = z.strictObject({
  manages_session_keys: z.boolean().optional(),
  fails: z.boolean().optional(),
  confirmed_after_ms: DELAY.optional(),
  usable_after_ms: DELAY.optional(),
});

const MARKET = z.strictObject({
  market_id: z.string(),
  winner: z.union([z.literal(0), z.literal(1)]).optional(),
  tick_size: z.enum(['0.1', '0.01', '0.001', '0.0001']).optional(),
  announced: z.literal(true).optional(),
});

const TRADES = z.strictObject({ fail: z.boolean() });
const REDEMPTION = z.strictObject({ wallet_address: ADDRESS, market_id: z.string() });

type Answer = ReturnType<ControlRoutes[string][string]>;

/** What can be changed in the Polymarket stand-in while it runs (contract.md 7): account wallets, markets and session keys. */
export function polymarketControls(sandbox: PolymarketSandbox): ControlRoutes {
  return {
    '/polymarket/wallets': { POST: (body) => checked(WALLET, body, (change) => setWallet(sandbox, change)) },
    '/polymarket/relayer': { POST: (body) => checked(RELAYER, body, (change) => setRelayer(sandbox, change)) },
    '/polymarket/markets': { POST: (body) => checked(MARKET, body, (change) => changeMarket(sandbox, change)) },
    '/polymarket/redemptions': { POST: (body) => checked(REDEMPTION, body, (asked) => redeem(sandbox, asked)) },
    '/polymarket/trades': {
      POST: (body) =>
        checked(TRADES, body, (change) => {
          sandbox.exchange.failures.isOn = change.fail;
          return change;
        }),
    },
    '/session-signers': {
      POST: (body) => checked(NEW_SESSION, body, (session) => authorise(sandbox, session)),
      DELETE: (body) => checked(SESSION, body, (session) => revoke(sandbox, session)),
    },
  };
}

/** 200 with what `apply` returns; 400 for a body of another shape. */
function checked<T>(shape: z.ZodType<T>, body: unknown, apply: (change: T) => object): Answer {
  const change = shape.safeParse(body);
  if (!change.success) return { status: 400, body: { error: z.prettifyError(change.error) } };
  try {
    return { status: 200, body: apply(change.data) };
  } catch (error) {
    if (error instanceof RangeError) return { status: 400, body: { error: error.message } };
    throw error;
  }
}

/** Resolves a market, changes its tick, or says on the stream that it is new; 400 for one that is not listed. */
function changeMarket({ exchange }: PolymarketSandbox, change: z.infer<typeof MARKET>): object {
  const { market_id, winner, tick_size, announced } = change;
  const market = exchange.catalogue.findByCondition(market_id);
  if (market === undefined) throw new RangeError('There is no market of that condition id.');
  if (announced === true) exchange.tape.note({ kind: 'listed', market });
  if (tick_size !== undefined) exchange.changeTick(market, tick_size);
  if (winner !== undefined) exchange.resolve(market, winner);
  return change;
}

/** Pays out what a wallet holds of a resolved market, as its owner would on chain; 400 where the market is none or not resolved. */
function redeem({ exchange }: PolymarketSandbox, asked: z.infer<typeof REDEMPTION>): object {
  const market = exchange.catalogue.findByCondition(asked.market_id);
  const payout = market?.payout;
  if (market === undefined || payout === undefined)
    throw new RangeError('There is no resolved market of that condition id.');
  for (const outcome of OUTCOMES) {
    const paid = { perShare: ofOutcome(outcome, payout), at: exchange.clock() };
    exchange.ledger.redeem(asked.wallet_address, market.tokenIds[outcome], paid);
  }
  return asked;
}

/** Authorises with the scope `CLOB`, as the owner would through the relayer. A time that is past ends the key. */
function authorise(sandbox: PolymarketSandbox, session: z.infer<typeof NEW_SESSION>): object {
  const { wallet_address, address, valid_until, usable_after_ms = 0 } = session;
  const signer = { address: checksum(address), validUntil: new Date(valid_until), scopes: ['CLOB'] } as const;
  sandbox.authoriseSession(wallet_address, signer, { usableAfterMs: usable_after_ms });
  return { wallet_address, address, scopes: signer.scopes, valid_until: signer.validUntil.toISOString() };
}

/** What the owner would do through the relayer; `revoked` is false where there was no such key. */
function revoke(sandbox: PolymarketSandbox, { wallet_address, address }: z.infer<typeof SESSION>): object {
  return { wallet_address, address, revoked: sandbox.revokeSession(wallet_address, address) };
}

/** What is not named stays; the answer is all of the relayer's settings. */
function setRelayer({ relayer }: PolymarketSandbox, change: z.infer<typeof RELAYER>): object {
  relayer.managesSessionKeys = change.manages_session_keys ?? relayer.managesSessionKeys;
  relayer.fails = change.fails ?? relayer.fails;
  relayer.confirmedAfterMs = change.confirmed_after_ms ?? relayer.confirmedAfterMs;
  relayer.usableAfterMs = change.usable_after_ms ?? relayer.usableAfterMs;
  return {
    manages_session_keys: relayer.managesSessionKeys,
    fails: relayer.fails,
    confirmed_after_ms: relayer.confirmedAfterMs,
    usable_after_ms: relayer.usableAfterMs,
  };
}

/** What is not named stays; the answer is all of the wallet's standing. */
function setWallet(sandbox: PolymarketSandbox, change: z.infer<typeof WALLET>): object {
  const { wallet_address, exchange_v3, closed_only, banned, deposit_wallet_only } = change;
  const standing = sandbox.setStanding(wallet_address, {
    ...(exchange_v3 === undefined ? {} : { exchangeV3: exchange_v3 }),
    ...(closed_only === undefined ? {} : { closedOnly: closed_only }),
    ...(banned === undefined ? {} : { banned }),
    ...(deposit_wallet_only === undefined ? {} : { depositWalletOnly: deposit_wallet_only }),
  });
  return {
    wallet_address,
    exchange_v3: standing.exchangeV3,
    closed_only: standing.closedOnly,
    banned: standing.banned,
    deposit_wallet_only: standing.depositWalletOnly,
  };
}
