import { isNativeError } from 'node:util/types';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { nameOf } from './prepared-statements.js';

/** A statement that failed, as TypeORM reports it. */
function failed(sql: string, values: unknown[] | undefined, error: unknown): QueryFailedError {
  return new QueryFailedError(sql, values, isNativeError(error) ? error : new Error(String(error)));
}

/** SQLSTATE by which the server announces that it will end a connection; until then the pool would give it to other calls. */
const ENDS = /^(?:08|57P)/;

/** SQLSTATE of a prepared statement whose table has changed, or that the server has dropped: nothing of it has run. */
const STALE = /^(?:0A000|26000)$/;

/** Whether the connection is of no more use: also after an error of pg itself, such as a time that is over. */
function endsConnection(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || ENDS.test(error.code ?? '');
}

/** What TypeORM returns for a statement: its rows, and how many it changed where it changes or removes some. */
function rawOf({ command, rows, rowCount }: pg.QueryResult): unknown {
  return command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows;
}

/** Runs a statement. Where its prepared form is stale, calls `onStale` and runs the text itself. */
async function run(
  client: pg.PoolClient,
  { sql, values }: { readonly sql: string; readonly values: unknown[] | undefined },
  onStale: (error: Error) => void,
): Promise<pg.QueryResult> {
  const name = nameOf(sql);
  if (name === undefined) return client.query(sql, values);
  try {
    return await client.query({ name, text: sql, values: values ?? [] });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || !STALE.test(error.code ?? '')) throw error;
    onStale(error);
    return client.query(sql, values);
  }
}

/**
 * Runs one statement outside of a transaction, as `DataSource.query` does, but without a query runner of TypeORM. That prepares no
 * statement: with it an order with a key costs 6 % more CPU (2026-11-26, docs/performance.md). Throws a QueryFailedError, or the error
 * of the connection. A connection that is lost is not used again.
 */
export async function queryPool(pool: unknown, sql: string, values: unknown[] | undefined): Promise<unknown> {
  if (!(pool instanceof pg.Pool)) throw new Error('Driver not Connected');
  const client = await pool.connect();
  let lost: Error | undefined;
  const onLoss = (error: Error): void => {
    lost = error;
  };
  client.on('error', onLoss);
  try {
    return rawOf(await run(client, { sql, values }, onLoss));
  } catch (error) {
    const failure = failed(sql, values, error);
    if (endsConnection(error)) lost = failure;
    throw failure;
  } finally {
    client.off('error', onLoss);
    client.release(lost);
  }
}
