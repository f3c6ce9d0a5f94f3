/** Names of the tools that count in the limit of cancels alone, as the routes that do the same (contract.md 3). */
export const CANCELLING: ReadonlySet<string> = new Set(['cancel_order', 'cancel_all_orders', 'halt', 'get_account']);
