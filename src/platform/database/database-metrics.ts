import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { TIME_BUCKETS } from '../metrics/buckets.js';
import { Metrics } from '../metrics/metrics.js';
import { watchWaits } from './pool-waits.js';

/** Shows the connections to the database, and how long calls wait for one. */
@Injectable()
export class DatabaseMetrics {
  constructor(metrics: Metrics, dataSource: DataSource) {
    const pool: unknown = Reflect.get(dataSource.driver, 'master');
    if (!(pool instanceof pg.Pool)) return;
    const waits = metrics.histogram(
      { name: 'database_pool_wait_seconds', help: 'How long calls waited for a connection.' },
      TIME_BUCKETS,
    );
    watchWaits(pool, (seconds) => {
      waits.observe(seconds);
    });
    metrics.gauge(
      { name: 'database_pool_connections', help: 'Open connections, in use or idle.', labelNames: ['state'] },
      () => [
        { labels: { state: 'used' }, value: pool.totalCount - pool.idleCount },
        { labels: { state: 'idle' }, value: pool.idleCount },
      ],
    );
    metrics.gauge({ name: 'database_pool_max_connections', help: 'DATABASE_POOL_MAX.' }, () => [
      { value: pool.options.max },
    ]);
    metrics.gauge({ name: 'database_pool_waiting', help: 'Calls that wait for a connection.' }, () => [
      { value: pool.waitingCount },
    ]);
  }
}
