import { z } from 'zod';
import { type ControlRoutes } from '../control/server.js';
import { type PolymarketSandbox } from './sandbox.js';
import { isAddress } from './signing/address.js';

const WALLET = z.strictObject({
  wallet_address: z.string().refine(isAddress, '0x and 40 hex digits'),
  exchange_v3: z.boolean().optional(),
  closed_only: z.boolean().optional(),
  banned: z.boolean().optional(),
  deposit_wallet_only: z.boolean().optional(),
});

type Answer = ReturnType<ControlRoutes[string][string]>;

/** What can be changed in the Polymarket stand-in while it runs (contract.md 7): the standing of account wallets. */
export function polymarketControls(sandbox: Pick<PolymarketSandbox, 'setStanding'>): ControlRoutes {
  return { '/polymarket/wallets': { POST: (body) => setWallet(sandbox, body) } };
}

/** What is not named stays; the answer is all of the wallet's standing. */
function setWallet(sandbox: Pick<PolymarketSandbox, 'setStanding'>, body: unknown): Answer {
  const change = WALLET.safeParse(body);
  if (!change.success) return { status: 400, body: { error: z.prettifyError(change.error) } };
  const { wallet_address, exchange_v3, closed_only, banned, deposit_wallet_only } = change.data;
  const standing = sandbox.setStanding(wallet_address, {
    ...(exchange_v3 === undefined ? {} : { exchangeV3: exchange_v3 }),
    ...(closed_only === undefined ? {} : { closedOnly: closed_only }),
    ...(banned === undefined ? {} : { banned }),
    ...(deposit_wallet_only === undefined ? {} : { depositWalletOnly: deposit_wallet_only }),
  });
  return {
    status: 200,
    body: {
      wallet_address,
      exchange_v3: standing.exchangeV3,
      closed_only: standing.closedOnly,
      banned: standing.banned,
      deposit_wallet_only: standing.depositWalletOnly,
    },
  };
}
