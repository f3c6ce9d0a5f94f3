import { randomUUID } from 'node:crypto';
import { Connection } from './connection.mjs';
import { Histogram } from './histogram.mjs';

/** Counts over all groups and runs, so that "each another" is another in every round too. */
let serial = Math.floor(Math.random() * 1e9) * 1_000;

/** A function that makes the bytes of the next request: `{n}` is a number of its own, `{uuid}` an id, `{token}` the next token. */
function requestMaker({ port, method, path, headers = {}, body, tokens = [], targets }) {
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const start = `${method} ${path} HTTP/1.1\r\n${lines.join('')}`;
  const plain =
    start + (body === undefined ? '\r\n' : `Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n${body}`);
  const isFixed = !/\{(n|uuid|token)\}/.test(plain);
  const fill = () => {
    serial += 1;
    const values = { n: targets === undefined ? serial : serial % targets, token: tokens[serial % tokens.length] };
    const filled = (text) =>
      text.replace(/\{(n|uuid|token)\}/g, (_, name) => (name === 'uuid' ? randomUUID() : values[name]));
    if (body === undefined) return filled(plain);
    const text = filled(body);
    const length = Buffer.byteLength(text);
    return `${filled(start)}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${text}`;
  };
  if (!isFixed) return fill;
  const bytes = Buffer.from(fill(), 'latin1');
  return () => bytes;
}

/**
 * Connections that ask the same again and again. Without `rate` each asks anew when it has its answer (closed loop); with it,
 * requests are due at even times and their time counts from then on, whether or not a connection was free (open loop).
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

  constructor(plan) {
    this.#plan = plan;
    this.#make = requestMaker(plan);
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

  /** Forgets what was counted so far. */
  reset() {
    this.#times = new Histogram();
    this.#bad = new Map();
  }

  /** What was counted since the last reset. */
  summary() {
    return { ...this.#times.summary(), bad: Object.fromEntries(this.#bad) };
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
        if (this.#free.length > 0) this.#send(this.#free.pop(), nextAt);
        else if (this.#due.length < 100_000) this.#due.push(nextAt);
        else this.#count('not sent');
      }
    }, 1);
  }

  #send(at, since) {
    this.#startedAt[at] = since;
    this.#connections[at].send(this.#make());
  }

  #count(kind) {
    this.#bad.set(kind, (this.#bad.get(kind) ?? 0) + 1);
  }

  #answered(at, status, error) {
    if (status === this.#plan.expect) this.#times.add(performance.now() - this.#startedAt[at]);
    else this.#count(error ?? `status ${status}`);
    if (!this.#running) return;
    if (error !== undefined) setTimeout(() => this.#next(at), 10);
    else this.#next(at);
  }

  #next(at) {
    if (!this.#running) return;
    if (this.#plan.rate === undefined) this.#send(at, performance.now());
    else if (this.#due.length > 0) this.#send(at, this.#due.shift());
    else this.#free.push(at);
  }
}
