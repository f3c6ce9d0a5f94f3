import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, Logger } from '@nestjs/common';
import pg from 'pg';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';

interface Transaction {
  readonly runner: QueryRunner;
  readonly afterCommit: (() => void)[];
  /** Why it must not be committed: what the first failed `run` in it threw. */
  failure?: { readonly error: unknown };
  hasEnded: boolean;
}

/** The rows that an UPDATE or DELETE gives back, and how many it has changed or removed. */
interface Modified<Row> {
  readonly rows: Row[];
  readonly count: number;
}

/** Database transactions that span services: repositories take their manager from here (CONTRIBUTING.md 2). */
@Injectable()
export class Transactions {
  readonly #current = new AsyncLocalStorage<Transaction | undefined>();
  readonly #logger = new Logger(Transactions.name);

  constructor(private readonly dataSource: DataSource) {}

  /** The manager of the current transaction, else one that runs each statement by itself. */
  get manager(): EntityManager {
    return this.#open()?.runner.manager ?? this.dataSource.manager;
  }

  /** Runs an UPDATE or DELETE. */
  async modify<Row>(sql: string, parameters: unknown[]): Promise<Modified<Row>> {
    const [rows, count] = await this.manager.query<[Row[], number]>(sql, parameters);
    return { rows, count };
  }

  /**
   * Runs `fn` in a transaction: committed when it resolves, rolled back when it rejects. Inside another `run` it joins
   * that one; when it then rejects, the whole is rolled back even if its caller catches the error.
   */
  async run<T>(fn: () => Promise<T>): Promise<T> {
    const outer = this.#open();
    return outer === undefined ? this.#runOutermost(fn) : join(outer, fn);
  }

  /**
   * Calls `fn` once the outermost transaction is committed, never when it is rolled back; at once outside a transaction.
   * What it throws is logged, as the data is safe by then.
   */
  afterCommit(fn: () => void): void {
    const transaction = this.#open();
    if (transaction === undefined) this.#call(fn);
    else transaction.afterCommit.push(fn);
  }

  #open(): Transaction | undefined {
    const transaction = this.#current.getStore();
    if (transaction?.hasEnded !== true) return transaction;
    throw new Error('This transaction has ended: await all of its work inside run, or use afterCommit.');
  }

  async #runOutermost<T>(fn: () => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    const transaction: Transaction = { runner, afterCommit: [], hasEnded: false };
    try {
      await runner.startTransaction();
      const result = await this.#current.run(transaction, fn);
      transaction.hasEnded = true;
      await commit(transaction);
      for (const callback of transaction.afterCommit) this.#call(callback);
      return result;
    } catch (error) {
      transaction.hasEnded = true;
      await rollback(runner);
      throw error;
    } finally {
      await runner.release();
    }
  }

  #call(fn: () => void): void {
    try {
      this.#current.run(undefined, fn);
    } catch (error) {
      this.#logger.error('A callback after commit failed', error instanceof Error ? error.stack : String(error));
    }
  }
}

async function join<T>(outer: Transaction, fn: () => Promise<T>): Promise<T> {
  try {
    return await fn();
  } catch (error) {
    outer.failure ??= { error };
    throw error;
  }
}

/** Nothing may be acknowledged that was not committed. */
async function commit({ runner, failure }: Transaction): Promise<void> {
  if (failure !== undefined) throw failure.error;
  const client: unknown = await runner.connect();
  if (!(client instanceof pg.Client)) throw new TypeError('Transactions need a PostgreSQL connection.');
  const { command } = await client.query('COMMIT');
  // After a failed statement PostgreSQL answers COMMIT with ROLLBACK, and without an error.
  if (command !== 'COMMIT') throw new Error('A statement of this transaction failed, so all of it was rolled back.');
}

/** A connection that is too broken to roll back is closed, which does the same. */
async function rollback(runner: QueryRunner): Promise<void> {
  await runner.rollbackTransaction().catch(() => undefined);
}
