import type pg from 'pg';

/**
 * Calls `note` with how long each call waited for a connection of the pool, in seconds, whether it got one or not. The pool itself
 * reports only connections that it has handed out.
 */
export function watchWaits(pool: pg.Pool, note: (seconds: number) => void): void {
  const connect: unknown = Reflect.get(pool, 'connect');
  if (typeof connect !== 'function') throw new TypeError('pg.Pool has no connect method.');
  const value = (callback?: unknown): unknown => {
    const askedAt = performance.now();
    const done = (): void => {
      note((performance.now() - askedAt) / 1_000);
    };
    if (typeof callback === 'function') {
      const noted = (...result: unknown[]): void => {
        done();
        Reflect.apply(callback, undefined, result);
      };
      return Reflect.apply(connect, pool, [noted]);
    }
    const connection: unknown = Reflect.apply(connect, pool, []);
    if (connection instanceof Promise) connection.then(done, done);
    return connection;
  };
  Object.defineProperty(pool, 'connect', { value });
}
