import { describe, expect, it } from '@jest/globals';
import { Body, Query } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { AppError } from '../errors/app-error.js';
import { QueryOnly, StrictInputGuard } from './strict-input.guard.js';

class Routes {
  nothing(): void {
    return;
  }

  @QueryOnly()
  query(@Query() query: object): object {
    return query;
  }

  body(@Body() body: object): object {
    return body;
  }
}

/** `passed`, or the field that is named and what is said of it. */
function check(route: keyof Routes, input: { readonly query?: object; readonly body?: unknown }): unknown {
  const handler = Reflect.get(Routes.prototype, route) as () => void;
  const context = new ExecutionContextHost([{ query: {}, ...input }, {}], Routes, handler);
  try {
    new StrictInputGuard().canActivate(context);
    return 'passed';
  } catch (error) {
    const [field] = error instanceof AppError ? (error.details?.fields ?? []) : [];
    return [field?.field, field?.message];
  }
}

describe('StrictInputGuard', () => {
  it.each([undefined, {}, []])('S-33 lets a body that holds nothing pass on every route: %j', (body) => {
    const routes = ['nothing', 'query', 'body'] as const;
    expect(routes.map((route) => check(route, { body }))).toEqual(['passed', 'passed', 'passed']);
  });

  it('S-33 refuses a body where a route takes none, and says where parameters of a query-only route go', () => {
    expect(check('body', { body: { a: 1 } })).toBe('passed');
    expect(check('nothing', { body: { a: 1 } })).toEqual(['body', 'must be empty here']);
    const advice = 'is not known here: parameters of this call go into the query';
    expect(check('query', { body: { market_id: 'x' } })).toEqual(['market_id', advice]);
    expect(check('query', { body: { ['n'.repeat(500)]: 1 } })).toEqual(['n'.repeat(64), advice]);
  });

  it('S-33 refuses a query where a route takes none, and a name that stands there twice anywhere', () => {
    expect(check('query', { query: { a: 'x' } })).toBe('passed');
    expect(check('nothing', { query: { a: 'x' } })).toEqual(['a', 'is not known here']);
    expect(check('query', { query: { a: ['x', 'y'] } })).toEqual(['a', 'must not stand there twice']);
  });
});
