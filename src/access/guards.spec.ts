import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { Request } from 'express';
import { Strategy, type VerifiedCallback } from 'passport-custom';
import { AppError } from '../platform/errors/app-error.js';
import { ACCESS } from './access.metadata.js';
import { ApiKeyScopeGuard } from './api-key-scope.guard.js';
import { CredentialStrategies } from './credential-strategies.js';
import { JwtGuard } from './jwt.guard.js';
import { ScopeRefusals } from './scope-refusals.js';

const API_KEY = 'svc_sk_live_any';
const JWT = 'header.claims.signature';

type Asked = (request: Request, done: VerifiedCallback) => void;

/** A guard of each kind, over a strategy that answers as told. */
const GUARDS = [
  { name: 'JwtGuard', token: JWT, guardOf: (strategies: CredentialStrategies) => new JwtGuard(strategies) },
  {
    name: 'ApiKeyScopeGuard',
    token: API_KEY,
    guardOf: (strategies: CredentialStrategies) =>
      new ApiKeyScopeGuard(strategies, new Reflector(), new ScopeRefusals()),
  },
] as const;

const FAILURES: readonly unknown[] = [
  new Error('the database is away'),
  runInNewContext(`new Error('of another realm')`),
  { code: 'ECONNREFUSED' },
  'text',
];

function handler(): void {
  // Only its metadata counts.
}
Reflect.defineMetadata(ACCESS, { kind: 'api-key', scope: 'trade', orSession: false }, handler);

/** What the guard throws, and the caller that the request then has. */
async function outcomeOf({ token, guardOf }: (typeof GUARDS)[number], asked: Asked): Promise<unknown[]> {
  const strategies = new CredentialStrategies();
  for (const name of ['jwt', 'api-key']) strategies.add(name, new Strategy(asked));
  const request = { headers: { authorization: `Bearer ${token}` } } as Request & { user?: unknown };
  const context = new ExecutionContextHost([request, {}, () => undefined], Object, handler);
  try {
    return [await guardOf(strategies).canActivate(context), request.user];
  } catch (error) {
    return [error, request.user];
  }
}

describe.each(GUARDS)('$name', (guard) => {
  it.each(FAILURES)('contract.md 3 a failure of ours is no 401, whatever was reported: %p', async (failure) => {
    expect(
      await outcomeOf(guard, (_, done) => {
        done(failure);
      }),
    ).toEqual([failure, undefined]);
  });

  it('contract.md 3 a strategy that throws is no 401', async () => {
    const failure = new Error('the strategy is broken');
    const throwing = (): never => {
      throw failure;
    };
    expect(await outcomeOf(guard, throwing)).toEqual([failure, undefined]);
  });

  it.each([null, undefined, false])('contract.md 3 a credential without an owner (%p) is 401', async (nobody) => {
    const [error, user] = await outcomeOf(guard, (_, done) => {
      done(null, nobody);
    });
    expect(error instanceof AppError && [error.code, error.details?.reason]).toEqual(['unauthorized', 'invalid']);
    expect(user).toBeUndefined();
  });

  it('S-18 the caller that the strategy finds is that of the request, and of no other', async () => {
    const found =
      (id: string): Asked =>
      (_, done) => {
        setImmediate(done, null, { userId: id, scopes: ['trade'] });
      };
    const outcomes = await Promise.all(['a', 'b'].map((id) => outcomeOf(guard, found(id))));
    expect(outcomes).toEqual(['a', 'b'].map((id) => [true, { userId: id, scopes: ['trade'] }]));
  });
});

describe('ApiKeyScopeGuard', () => {
  it('S-31 a key without the scope of the route is refused and stays nobody', async () => {
    const [error, user] = await outcomeOf(GUARDS[1], (_, done) => {
      done(null, { userId: 'a', scopes: ['read'] });
    });
    expect(error instanceof AppError && [error.code, error.details]).toEqual([
      'forbidden',
      { required_scope: 'trade' },
    ]);
    expect(user).toBeUndefined();
  });
});
