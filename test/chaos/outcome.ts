import { expect } from '@jest/globals';
import type request from 'supertest';
import type { Response } from 'supertest';
import type { TestApp } from '../support/app.js';

/** Where the service and its database are. */
export type Place = Pick<TestApp, 'url' | 'database' | 'dataDir'>;

/** One answer, or null where the connection broke: then nobody knows whether it was done. */
export async function outcome(call: request.Test): Promise<Response | null> {
  return call.then(
    (answer) => answer,
    () => null,
  );
}

/** The answer where it acknowledges or refuses; null where it leaves open what was done, as a 5xx does. */
export function settled(answer: Response | null): Response | null {
  return answer === null || answer.status >= 500 ? null : answer;
}

/** Throws where a value is not as it has to be. */
export function same(actual: unknown, expected: unknown): void {
  expect(actual).toEqual(expected);
}

/** Throws where an object lacks one of these members. */
export function holds(actual: unknown, members: object): void {
  expect(actual).toMatchObject(members);
}
