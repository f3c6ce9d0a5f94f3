import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { Reflector } from '@nestjs/core';
import { AppError } from '../platform/errors/app-error.js';
import { ApiKeyScopeGuard } from './api-key-scope.guard.js';
import { JwtGuard } from './jwt.guard.js';
import { ScopeRefusals } from './scope-refusals.js';

const GUARDS = [new JwtGuard(), new ApiKeyScopeGuard(new Reflector(), new ScopeRefusals())];

const FAILURES: readonly unknown[] = [
  new Error('the database is away'),
  runInNewContext(`new Error('of another realm')`),
  { code: 'ECONNREFUSED' },
  'text',
];

function thrownBy(work: () => unknown): unknown {
  try {
    return { returned: work() };
  } catch (error) {
    return error;
  }
}

describe.each(GUARDS.map((guard) => ({ name: guard.constructor.name, guard })))('$name', ({ guard }) => {
  it.each(FAILURES)('contract.md 3 a failure of ours is no 401, whatever was thrown: %p', (failure) => {
    expect(thrownBy(() => guard.handleRequest(failure, false, undefined))).toBe(failure);
  });

  it.each([null, undefined])(
    'contract.md 3 where nothing failed (%p), a credential without an owner is 401',
    (nothing) => {
      const error = thrownBy(() => guard.handleRequest(nothing, false, undefined));
      expect(error instanceof AppError && [error.code, error.details?.reason]).toEqual(['unauthorized', 'invalid']);
    },
  );
});
