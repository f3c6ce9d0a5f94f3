/**
 * SQL of one feature that becomes part of a statement of another one, so that both are done or neither is. Its values are `$1`
 * and on; what it is put into numbers its own behind them.
 */
export interface StatementPart {
  readonly sql: string;
  readonly values: readonly unknown[];
}
