import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';
import { FinishedAnswers } from './finished-answers.js';

/** Shows the finished answers. */
@Injectable()
export class AnswerMetrics {
  constructor(metrics: Metrics, answers: FinishedAnswers) {
    for (const result of ['hit', 'miss']) answers.uses.expect(result);
    const help = 'Requests for public market data, answered with a finished answer or not.';
    metrics.tally({ name: 'answer_cache_uses_total', help }, answers.uses);
    metrics.gauge({ name: 'answer_cache_entries', help: 'Finished answers that are kept.' }, () => [
      { value: answers.size.entries },
    ]);
    metrics.gauge({ name: 'answer_cache_bytes', help: 'Their bytes.' }, () => [{ value: answers.size.bytes }]);
  }
}
