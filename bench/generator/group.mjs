import { Connection } from './connection.mjs';
import { Histogram } from './histogram.mjs';
import { requestMaker } from './request-maker.mjs';

const MOST_DUE = 100_000;

/**
 * Connections that ask the same again and again. Without `rate` each asks anew when it has its answer (closed loop); with it,
 * requests are due at even times and their time counts from then on, whether or not a connection was free (open loop); that this
 * process itself looks at the time only each ms is not counted.
 */
export class Group {
  #plan;
  #make;
  #connections;
  #startedAt;
  #times = new Histogram();
  #bad = new Map();
  #running = false;
  #free = [];
  #due = [];
  #timer = null;
  #states;

  constructor(plan) {
    this.#plan = plan;
    this.#make = requestMaker(plan);
    this.#states = plan.states ?? [];
    this.#connections = Array.from({ length: plan.connections }, (_, at) => {
      return new Connection(plan.port, (status, error) => this.#answered(at, status, error));
    });
    this.#startedAt = new Float64Array(plan.connections);
  }

  start() {
    this.#running = true;
    if (this.#plan.rate === undefined) this.#connections.forEach((_, at) => this.#send(at, performance.now()));
    else this.#startPacing();
  }

  /** Good answers since the last reset. */
  get answered() {
    return this.#times.total;
  }

  /** Forgets the times of what was answered so far; bad answers stay counted. */
  reset() {
    this.#times = new Histogram();
  }

  /** What was counted: times since the last reset, and all bad answers. */
  summary() {
    return { ...this.#times.summary(), bad: Object.fromEntries(this.#bad), states: this.#states };
  }

  stop() {
    this.#running = false;
    clearInterval(this.#timer);
  }

  /** What still waits has had its time: it counts as unanswered. */
  close() {
    for (const connection of this.#connections) {
      if (connection.busy) this.#count('unanswered');
      connection.close();
    }
  }

  get isIdle() {
    return this.#connections.every(({ busy }) => !busy);
  }

  #startPacing() {
    this.#free = this.#connections.map((_, at) => at);
    const everyMs = 1_000 / this.#plan.rate;
    let nextAt = performance.now();
    this.#timer = setInterval(() => {
      for (const now = performance.now(); nextAt <= now; nextAt += everyMs) {
        if (this.#free.length > 0) this.#send(this.#free.pop(), now);
        else if (this.#due.length < MOST_DUE) this.#due.push(now);
        else this.#count('not sent');
      }
    }, 1);
  }

  #send(at, since) {
    this.#startedAt[at] = since;
    this.#connections[at].send(this.#make(this.#states[at]));
  }

  #count(kind) {
    this.#bad.set(kind, (this.#bad.get(kind) ?? 0) + 1);
  }

  #answered(at, status, error) {
    if (this.#plan.cookie !== undefined) this.#keepCookie(at);
    if (status === this.#plan.expect) this.#times.add(performance.now() - this.#startedAt[at]);
    else this.#count(error ?? `status ${status}`);
    if (!this.#running) return;
    if (error !== undefined) setTimeout(() => this.#next(at), 10);
    else this.#next(at);
  }

  /** A cookie that an answer sets goes out with the connection's next request. */
  #keepCookie(at) {
    const { head } = this.#connections[at];
    const [, value] = new RegExp(`set-cookie: ${this.#plan.cookie}=([^;\\r]+)`, 'i').exec(head) ?? [];
    if (value !== undefined) this.#states[at] = value;
  }

  #next(at) {
    if (!this.#running) return;
    if (this.#plan.rate === undefined) this.#send(at, performance.now());
    else if (this.#due.length > 0) this.#send(at, this.#due.shift());
    else this.#free.push(at);
  }
}
