import { optionalReadLimit, readOptional } from '../../optional-read.js';
import type { Query, SignedPolymarketClient } from '../connection/client.js';
import type { TokenFacts } from '../market-data/directory/market-directory.js';
import { wireBalance, type WireBalance } from './account.wire.js';
import { DOMAINS, domainOf } from './order-domains.js';
import type { HashedOrder } from './order-hash.js';
import type { Wallet } from './wallet.js';

/** A look at the allowances after a refusal takes no longer (contract.md 5.6). */
const LOOK_LIMIT_MS = 1_000;

/** What an order takes from its maker: money of a BUY, shares of a SELL, in millionths. */
export interface OrderNeed {
  readonly asset: 'COLLATERAL' | 'CONDITIONAL' | 'CONDITIONAL-V2';
  readonly tokenId: string;
  readonly amount: string;
  /** The contract that takes it, which the maker must have approved. */
  readonly spender: string;
}

/** Returns what an order needs; shares of V2 markets are an asset of their own (polymarket.md 9.3). */
export function needOf({ side, tokenId, makerAmount }: HashedOrder, token: TokenFacts): OrderNeed {
  const shares = token.protocol === 'v2' ? 'CONDITIONAL-V2' : 'CONDITIONAL';
  const spender = domainOf(token).verifyingContract;
  return { asset: side === 'BUY' ? 'COLLATERAL' : shares, tokenId, amount: makerAmount, spender };
}

/** Reads what the account wallet has, and whom it lets take it (polymarket.md 9.3). */
export class PolymarketFunds {
  constructor(
    private readonly client: SignedPolymarketClient,
    private readonly wallet: Wallet,
  ) {}

  /** Returns the collateral in millionths, and its allowances; one signed read. */
  readCollateral(): Promise<WireBalance> {
    return this.#read([['asset_type', 'COLLATERAL']]);
  }

  /** Returns how much the account has of what an order takes, open orders not taken off, in millionths; one signed read. */
  async readFor({ asset, tokenId }: OrderNeed): Promise<string> {
    return (await this.#read(assetOf({ asset, tokenId }), optionalReadLimit())).balance;
  }

  /** Returns the contracts that the exchange says have no approval to take money; null where it says nothing of ExchangeV3. */
  async missingAllowances(): Promise<string[] | null> {
    const { allowances } = (await readOptional(this.readCollateral(), null)) ?? { allowances: null };
    if (allowances?.get(DOMAINS.v2.verifyingContract.toLowerCase()) === undefined) return null;
    const contracts = Object.values(DOMAINS).map(({ verifyingContract }) => verifyingContract);
    return contracts.filter((contract) => allowances.get(contract.toLowerCase()) === 0n);
  }

  /**
   * Whether a refused order had the funds, but its contract no leave to take them; false also where that cannot be read in
   * time. A contract that the exchange leaves out beside others has none.
   */
  async lacksAllowance({ asset, tokenId, amount, spender }: OrderNeed): Promise<boolean> {
    const read = this.#read(assetOf({ asset, tokenId }), optionalReadLimit(LOOK_LIMIT_MS));
    const { balance, allowances } = (await readOptional(read, null)) ?? { balance: '0', allowances: null };
    if (allowances === null || allowances.size === 0 || BigInt(balance) < BigInt(amount)) return false;
    return (allowances.get(spender.toLowerCase()) ?? 0n) < BigInt(amount);
  }

  async #read(asset: Query, signal?: AbortSignal): Promise<WireBalance> {
    const query = [...asset, ['signature_type', this.wallet.signatureType.reveal()]] as const;
    return (await this.client.read('/balance-allowance', query, wireBalance, signal)).value;
  }
}

function assetOf({ asset, tokenId }: Pick<OrderNeed, 'asset' | 'tokenId'>): Query {
  return [
    ['asset_type', asset],
    ['token_id', asset === 'COLLATERAL' ? null : tokenId],
  ];
}
