import { isNativeError } from 'node:util/types';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/** A statement that failed, as TypeORM reports it. */
function failed(sql: string, values: unknown[] | undefined, error: unknown): QueryFailedError {
  return new QueryFailedError(sql, values, isNativeError(error) ? error : new Error(String(error)));
}

/** SQLSTATE of ends of a connection, which the server tells before it comes to that: until then the pool would give it to others. */
const ENDS = /^(?:08|57P)/;

/** Whether the connection is of no more use: also after an error of pg itself, such as a time that is over. */
function endsConnection(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || ENDS.test(error.code ?? '');
}

/** What TypeORM returns for a statement: its rows, and how many it changed where it changes or removes some. */
function rawOf({ command, rows, rowCount }: pg.QueryResult): unknown {
  return command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows;
}

/**
 * Runs one statement that stands alone, as `DataSource.query` does but without the query runner that TypeORM makes for each, which
 * costs more than pg itself. Throws a QueryFailedError, or why there is no connection. A connection that is lost is not used again.
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
    return rawOf(await client.query(sql, values));
  } catch (error) {
    const failure = failed(sql, values, error);
    if (endsConnection(error)) lost = failure;
    throw failure;
  } finally {
    client.off('error', onLoss);
    client.release(lost);
  }
}
