import { Injectable } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
import { MailWorker } from './mail-worker.js';

const OUTCOMES = ['sent', 'not_needed', 'failed', 'given_up'];

/** Shows what became of mails. */
@Injectable()
export class MailMetrics {
  constructor(metrics: Metrics, worker: MailWorker) {
    for (const outcome of OUTCOMES) worker.attempts.expect(outcome);
    const help = 'Attempts to send a mail; failed ones are repeated for 24 hours, then given up.';
    metrics.tally({ name: 'mails_total', help }, worker.attempts);
  }
}
