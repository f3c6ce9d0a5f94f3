import { describe, expect, it } from '@jest/globals';
import type { Request, RequestHandler, Response } from 'express';
import { inOrder } from './in-order.js';

function run(...steps: RequestHandler[]): Promise<unknown> {
  return new Promise((resolve) => {
    void inOrder(...steps)({} as Request, {} as Response, resolve);
  });
}

function noting(list: string[], name: string): RequestHandler {
  return (_request, _response, next) => {
    list.push(name);
    next();
  };
}

describe('inOrder', () => {
  it('runs each step after the one before has called next, also later', async () => {
    const seen: string[] = [];
    const late: RequestHandler = (_request, _response, next) => {
      setTimeout(() => {
        seen.push('late');
        next();
      }, 1);
    };
    expect(await run(noting(seen, 'a'), late, noting(seen, 'b'))).toBeUndefined();
    expect(seen).toEqual(['a', 'late', 'b']);
  });

  it.each([
    [
      'passed on',
      (error: Error): RequestHandler =>
        (_request, _response, next) => {
          next(error);
        },
    ],
    [
      'thrown',
      (error: Error): RequestHandler =>
        () => {
          throw error;
        },
    ],
  ])('reports what is %s, and runs nothing after it, also behind a step that waited', async (_how, failing) => {
    const seen: string[] = [];
    const error = new Error('no');
    const late: RequestHandler = (_request, _response, next) => void setTimeout(next, 1);
    expect(await run(late, failing(error), noting(seen, 'after'))).toBe(error);
    expect(seen).toEqual([]);
  });
});
