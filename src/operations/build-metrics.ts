import { Injectable } from '@nestjs/common';
import { Metrics } from '../platform/metrics/metrics.js';
import { USER_AGENT } from '../platform/upstream/upstream.constants.js';

/** Which version runs, on which Node.js. */
@Injectable()
export class BuildMetrics {
  constructor(metrics: Metrics) {
    const [, version = ''] = USER_AGENT.split('/');
    const labels = { version, node: process.version };
    metrics.gauge(
      { name: 'build_info', help: 'Always 1; the labels say what runs.', labelNames: Object.keys(labels) },
      () => [{ labels, value: 1 }],
    );
  }
}
