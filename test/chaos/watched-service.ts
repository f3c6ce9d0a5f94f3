import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import request, { type Response } from 'supertest';
import type { Environment } from '../../src/platform/config/environment.js';
import { type TestApp, testEnvironment } from '../support/app.js';
import { codeOf } from '../support/calls.js';
import type { TestDatabase } from '../support/database.js';
import { OwnProcesses } from '../support/own-processes.js';
import type { Place } from './outcome.js';

/** What a busy machine adds to the limits of R-5; a wait without a limit of its own is far above both. */
const GRACE_MS = 1_500;

type Url = Pick<TestApp, 'url'>;

/** The compiled service in a process of its own, with what it has logged. */
export interface WatchedService extends Place {
  /** All that it has logged so far. */
  log(): string;
  close(): Promise<void>;
}

/** Starts the service in a process of its own on this database. */
export async function startWatched(database: TestDatabase, overrides: Environment = {}): Promise<WatchedService> {
  const own = await OwnProcesses.open();
  const { port, dataDir, url } = own;
  const environment = { ...testEnvironment({ port, dataDir, database }), LOG_LEVEL: 'info', ...overrides };
  const started = await own.serve(environment);
  return { url, database, dataDir, log: started.output, close: () => own.close() };
}

/** Throws where the work takes longer than the limit and what a busy machine adds to it. */
export async function within<T>(limitMs: number, work: () => PromiseLike<T>): Promise<T> {
  const isOver = new AbortController();
  const late = delay(limitMs + GRACE_MS, undefined, { signal: isOver.signal }).then(() => {
    throw new Error(`it took longer than ${limitMs} ms`);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    late.catch(() => undefined);
    isOver.abort();
  }
}

export async function statusOf(app: Url, path: string): Promise<number> {
  return (await request(app.url).get(path)).status;
}

export async function untilReadyIs(app: Url, status: number): Promise<void> {
  while ((await statusOf(app, '/health/ready')) !== status) await delay(50);
}

/** All are 503 `service_unavailable`, and say when to come back. */
export function expectUnavailable(answers: readonly Response[]): void {
  expect(answers.map((answer) => [answer.status, codeOf(answer)])).toEqual(
    answers.map(() => [503, 'service_unavailable']),
  );
  for (const { headers } of answers) expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
}
