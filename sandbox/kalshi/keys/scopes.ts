/** What an API key may be granted (kalshi.md 2.2). A parent grants all of its children, a child itself alone. */
export type Scope =
  | 'read'
  | 'read::portfolio_balance'
  | 'read::block_trade_accept'
  | 'write'
  | 'write::trade'
  | 'write::transfer'
  | 'write::block_trade_accept';

/** What a route asks of the key that signed. */
export interface Demand {
  /** Undefined where any key will do. */
  readonly scope: Scope | undefined;
  /** True where a key that is bound to one subaccount may come too. */
  readonly bound: boolean;
}

export const READ: Demand = { scope: 'read', bound: true };
export const READ_BALANCE: Demand = { scope: 'read::portfolio_balance', bound: true };
export const READ_ACCOUNT: Demand = { scope: 'read', bound: false };
export const TRADE: Demand = { scope: 'write::trade', bound: true };
export const TRANSFER: Demand = { scope: 'write::transfer', bound: false };
export const NOTHING: Demand = { scope: undefined, bound: true };

export function isGranted(scopes: readonly Scope[], wanted: Scope): boolean {
  return scopes.some((scope) => wanted === scope || wanted.startsWith(`${scope}::`));
}
