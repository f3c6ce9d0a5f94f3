import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { patternOf, type RoutedRequest } from '../access/routed-request.js';
import type { Watcher } from '../platform/http/express.adapter.js';
import { TIME_BUCKETS } from '../platform/metrics/buckets.js';
import { Metrics } from '../platform/metrics/metrics.js';
import type { Sample } from '../platform/metrics/sample.js';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const OTHER_METHOD = 'other';
/** Label in place of the status where the client left before it had the whole answer. */
const ABORTED = 'aborted';

/** What is known of the requests of one route and method. */
interface Counts {
  readonly route: string;
  readonly method: string;
  /** Takes times in seconds; bound ahead, since to find it by its labels would cost more than to count. */
  readonly times: { observe(seconds: number): void };
  readonly byStatus: Map<number | typeof ABORTED, number>;
}

/** How long a stream was open says nothing of how fast answers are; `stream_…` metrics count streams (contract.md 5.14). */
function isStream(response: ServerResponse): boolean {
  return response.getHeader('content-type') === EVENT_STREAM;
}

/**
 * Counts and times all requests, whoever answers them: the answer lane and refusals in front of the framework too. Routes are
 * patterns, so there are as many series as routes, methods and statuses.
 */
@Injectable()
export class RequestMetrics {
  readonly #counts = new Map<string, Map<string, Counts>>();
  readonly #newCounts: (route: string, method: string) => Counts;
  #inFlight = 0;

  constructor(metrics: Metrics) {
    const labelNames = ['route', 'method'];
    const times = metrics.histogram(
      {
        name: 'http_request_duration_seconds',
        help: 'From the arrival of a request to the end of its answer.',
        labelNames,
      },
      TIME_BUCKETS,
    );
    this.#newCounts = (route, method) => {
      return { route, method, times: times.labels(route, method), byStatus: new Map() };
    };
    metrics.counter(
      {
        name: 'http_requests_total',
        help: 'Requests by route pattern, method and status; aborted where the client went first.',
        labelNames: [...labelNames, 'status'],
      },
      () => this.#samples(),
    );
    metrics.gauge({ name: 'http_requests_in_flight', help: 'Requests without a whole answer.' }, () => [
      { value: this.#inFlight },
    ]);
  }

  readonly watch: Watcher = (request, response) => {
    const startedAt = performance.now();
    this.#inFlight += 1;
    response.on('close', () => {
      this.#inFlight -= 1;
      this.#note(request, response, performance.now() - startedAt);
    });
  };

  #note(request: IncomingMessage & RoutedRequest, response: ServerResponse, durationMs: number): void {
    const counts = this.#countsOf(patternOf(request), request.method ?? '');
    const status = response.writableFinished ? response.statusCode : ABORTED;
    counts.byStatus.set(status, (counts.byStatus.get(status) ?? 0) + 1);
    if (!isStream(response)) counts.times.observe(durationMs / 1_000);
  }

  #countsOf(route: string, asked: string): Counts {
    const method = METHODS.has(asked) ? asked : OTHER_METHOD;
    let ofRoute = this.#counts.get(route);
    if (ofRoute === undefined) {
      ofRoute = new Map<string, Counts>();
      this.#counts.set(route, ofRoute);
    }
    let counts = ofRoute.get(method);
    if (counts === undefined) ofRoute.set(method, (counts = this.#newCounts(route, method)));
    return counts;
  }

  #samples(): Sample[] {
    const all = [...this.#counts.values()].flatMap((ofRoute) => [...ofRoute.values()]);
    return all.flatMap(({ route, method, byStatus }) =>
      Array.from(byStatus, ([status, value]) => ({ labels: { route, method, status: String(status) }, value })),
    );
  }
}
