import { Injectable } from '@nestjs/common';
import { TIME_BUCKETS } from '../metrics/buckets.js';
import { Metrics } from '../metrics/metrics.js';
import type { MetricFacts, Sample } from '../metrics/sample.js';
import type { BreakerState } from './breaker.js';
import { BREAKER_KINDS } from './breakers.js';
import type { UpstreamStatus } from './http-upstream-client.js';
import { UpstreamClients } from './upstream-clients.js';

const LABELS = ['exchange', 'server'];
const BREAKER_STATES: readonly BreakerState[] = ['closed', 'open', 'half_open'];
/** How calls end that are looked for in alerts: shown as 0 before the first. */
const EXPECTED_OUTCOMES = ['2xx', '5xx', 'busy', 'paused', 'timeout', 'unreachable'];

/** Shows the calls to exchanges: outcomes, times, queues, breakers and clocks. */
@Injectable()
export class UpstreamMetrics {
  constructor(
    private readonly metrics: Metrics,
    private readonly clients: UpstreamClients,
  ) {
    const times = metrics.histogram(
      {
        name: 'upstream_request_duration_seconds',
        help: 'Of requests that went out, without the wait in our own queue.',
        labelNames: LABELS,
      },
      TIME_BUCKETS,
    );
    clients.onSent((exchange, server, seconds) => {
      times.observe({ exchange, server }, seconds);
    });
    this.#showCalls();
    this.#showQueues();
  }

  #showCalls(): void {
    this.metrics.counter(
      {
        name: 'upstream_calls_total',
        help: 'Attempts by how they ended: a class of status, or why there is no usable answer; busy is our queue, paused the breaker.',
        labelNames: [...LABELS, 'outcome'],
      },
      () => this.clients.status().flatMap(outcomesIn),
    );
    this.metrics.gauge(
      {
        name: 'upstream_breaker_state',
        help: '1 for the state that the breaker of a server is in for calls of this kind.',
        labelNames: [...LABELS, 'calls', 'state'],
      },
      () => this.clients.status().flatMap(breakersIn),
    );
    this.#gauge(
      {
        name: 'clock_skew_seconds',
        help: 'How far the clock of a server is ahead of ours; none before its first answer.',
      },
      ({ clockSkewMs }) => (clockSkewMs === null ? null : clockSkewMs / 1_000),
    );
  }

  #showQueues(): void {
    this.#gauge({ name: 'upstream_calls_running', help: 'Calls in flight.' }, ({ inFlight }) => inFlight);
    this.#gauge({ name: 'upstream_calls_waiting', help: 'Calls that wait for a place.' }, ({ waiting }) => waiting);
  }

  /** Null is no figure. */
  #gauge(facts: MetricFacts, read: (status: UpstreamStatus) => number | null): void {
    this.metrics.gauge({ ...facts, labelNames: LABELS }, () =>
      this.clients.status().flatMap((status) => {
        const value = read(status);
        return value === null ? [] : [{ labels: labelsOf(status), value }];
      }),
    );
  }
}

function labelsOf({ exchange, name }: UpstreamStatus): { exchange: string; server: string } {
  return { exchange, server: name };
}

function breakersIn(status: UpstreamStatus): Sample[] {
  return BREAKER_KINDS.flatMap((calls) =>
    BREAKER_STATES.map((state) => ({
      labels: { ...labelsOf(status), calls, state },
      value: status.breakers[calls] === state ? 1 : 0,
    })),
  );
}

function outcomesIn(status: UpstreamStatus): Sample[] {
  const expected = Object.fromEntries(EXPECTED_OUTCOMES.map((outcome) => [outcome, 0]));
  return Object.entries({ ...expected, ...status.outcomes }).map(([outcome, value]) => ({
    labels: { ...labelsOf(status), outcome },
    value,
  }));
}
