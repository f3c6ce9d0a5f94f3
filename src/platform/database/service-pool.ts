import { isNativeError } from 'node:util/types';
import pg from 'pg';

/** SQLSTATE `read_only_sql_transaction`. */
const READS_ONLY = '25006';

interface WatchedOptions extends pg.PoolConfig {
  /** Hears of a server that does not answer. */
  readonly onSilence?: () => void;
}

/**
 * A connection that closes itself when the server does not answer, or takes no change: pg would give it back to the pool with its query
 * still open, and what follows would wait for that query.
 */
class PoolClient extends pg.Client {
  readonly #onSilence: () => void;

  constructor(options: WatchedOptions = {}) {
    super(options);
    this.#onSilence = options.onSilence ?? (() => undefined);
    // The pool stops listening to a connection that it gives up; what the server still says there would end the process.
    this.on('error', () => undefined);
    const send: unknown = Reflect.get(this, 'query');
    if (typeof send !== 'function') throw new TypeError('pg.Client has no query method.');
    Object.defineProperty(this, 'query', {
      value: (...query: unknown[]) => this.#watch(Reflect.apply(send, this, query)),
    });
  }

  #watch(result: unknown): unknown {
    if (result instanceof Promise) {
      result.catch((error: unknown) => {
        if (!isSilence(error) && !takesNoChange(error)) return;
        void this.end();
        this.#onSilence();
      });
    }
    return result;
  }
}

function isSilence(error: unknown): boolean {
  return isNativeError(error) && error.message === 'Query read timeout';
}

function takesNoChange(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === READS_ONLY;
}

/** Calls `done` with an error of SQLSTATE 25006 where the server, a standby for instance, takes no change. */
function verify(client: pg.PoolClient, done: (error?: Error) => void): void {
  client.query<{ mode: string }>(`SELECT current_setting('transaction_read_only') AS mode`).then(
    ({ rows: [row] }) => {
      if (row?.mode === 'off') done();
      else done(Object.assign(new Error('The database takes no change: it only reads.'), { code: READS_ONLY }));
    },
    (error: unknown) => {
      done(isNativeError(error) ? error : new Error(String(error)));
    },
  );
}

interface ServicePoolOptions extends pg.PoolConfig {
  /** Whether the pool changes nothing, so that a server that only reads will do. */
  readonly isReader?: boolean;
}

/**
 * The pool of the service. An address leads to one server at a time, and a failover moves it to another. So a server that falls
 * silent, or only reads, may have lost its place: no connection that began before is used again, since it may read old rows and
 * let a revoked key in. A new connection is used where the server takes changes.
 */
export class ServicePool extends pg.Pool {
  /** The connections that began after the last silence. */
  #trusted = new WeakSet<object>();

  constructor({ isReader = false, ...options }: ServicePoolOptions) {
    const onSilence = (): void => {
      this.#distrust();
    };
    super({ ...options, Client: PoolClient, ...(!isReader && { verify }), onSilence } as pg.PoolConfig);
    this.on('connect', (client) => {
      this.#trusted.add(client);
    });
    // The pool forgets a connection that is ending when it comes back.
    this.on('release', (_error: unknown, client: pg.PoolClient) => {
      if (!this.#trusted.has(client)) void client.end();
    });
    this.on('error', onSilence);
  }

  /** Idle connections are taken out and closed; those in use are closed when they come back. */
  #distrust(): void {
    this.#trusted = new WeakSet();
    for (let idle = this.idleCount; idle > 0; idle--) {
      this.connect().then(
        (client) => {
          client.release();
        },
        () => undefined,
      );
    }
  }
}
