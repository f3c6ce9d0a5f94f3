import { Injectable } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
import { CryptoService } from './crypto.service.js';
import { PasswordHasher } from './password-hasher.js';

/** Shows the queue of password hashes, and sealed values that do not open (S-4, S-37, R-24). */
@Injectable()
export class CryptoMetrics {
  constructor(metrics: Metrics, hasher: PasswordHasher, crypto: CryptoService) {
    crypto.failures.expect();
    metrics.gauge(
      { name: 'password_hashes', help: 'Password hashes, running or waiting.', labelNames: ['state'] },
      () => {
        const { running, waiting } = hasher.load;
        return [
          { labels: { state: 'running' }, value: running },
          { labels: { state: 'waiting' }, value: waiting },
        ];
      },
    );
    metrics.counter(
      { name: 'password_hashes_refused_total', help: 'Password hashes for which too many waited already.' },
      () => [{ value: hasher.load.refused }],
    );
    metrics.tally({ name: 'decrypt_failures_total', help: 'Sealed values that did not open.' }, crypto.failures);
  }
}
