import { Injectable } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
import { CryptoService } from './crypto.service.js';
import { HASH_SHARES } from './hash-queue.js';
import { PasswordHasher } from './password-hasher.js';

/** Shows the queue of password hashes, and sealed values that do not open (S-4, S-37, R-24). */
@Injectable()
export class CryptoMetrics {
  constructor(metrics: Metrics, hasher: PasswordHasher, crypto: CryptoService) {
    crypto.failures.expect();
    metrics.gauge(
      {
        name: 'password_hashes',
        help: 'Password hashes, running, or waiting by share.',
        labelNames: ['state', 'share'],
      },
      () => {
        const { running, waiting } = hasher.load;
        const waitingOf = HASH_SHARES.map((share) => ({ labels: { state: 'waiting', share }, value: waiting[share] }));
        return [{ labels: { state: 'running' }, value: running }, ...waitingOf];
      },
    );
    for (const share of HASH_SHARES) hasher.refused.expect(share);
    metrics.tally(
      { name: 'password_hashes_refused_total', help: 'Password hashes for which too many waited already.' },
      hasher.refused,
    );
    metrics.tally({ name: 'decrypt_failures_total', help: 'Sealed values that did not open.' }, crypto.failures);
  }
}
