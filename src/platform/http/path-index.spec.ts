import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PathIndex } from './path-index.js';

const ROUTES = [
  '/me',
  '/account/sessions',
  '/account/sessions/:id',
  '/:exchange/orders',
  '/:exchange/orders/:order_id',
  '/:exchange/orders/open/all',
] as const;

/** What a path is compared with, one route at a time. */
function matches(route: string, path: string): boolean {
  const expected = route.split('/');
  const given = path.split('/');
  return (
    expected.length === given.length &&
    expected.every((segment, at) => (segment.startsWith(':') ? given[at] !== '' : segment === given[at]))
  );
}

function parameterCount(route: string): number {
  return route.split(':').length - 1;
}

describe('PathIndex', () => {
  const index = new PathIndex<string>();
  for (const route of ROUTES) index.add(route, route);

  const segment = fc.oneof(
    fc.constantFrom(
      'me',
      'account',
      'sessions',
      'orders',
      'open',
      'all',
      'kalshi',
      'ME',
      '',
      '%2F',
      'me%2F',
      '..',
      '.',
    ),
    fc.constantFrom('__proto__', 'constructor', ':exchange', ':id', 'toString', 'hasOwnProperty'),
    fc.string({ maxLength: 5 }).map((text) => text.replaceAll('/', '')),
  );
  const path = fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`);

  it('finds the route that a comparison with each finds, the one with the fewest parameters', () => {
    fc.assert(
      fc.property(path, (asked) => {
        const [best] = ROUTES.filter((route) => matches(route, asked)).sort(
          (a, b) => parameterCount(a) - parameterCount(b),
        );
        expect(index.find(asked)?.values[0]).toBe(best);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ['/kalshi/orders/open', ['kalshi', 'open']],
    ['/account/orders', ['account']],
    ['/account/orders/x', ['account', 'x']],
    ['/a%2Fb/orders/%2e%2e', ['a%2Fb', '%2e%2e']],
    ['/__proto__/orders/constructor', ['__proto__', 'constructor']],
    ['/account/sessions', []],
  ])('says what the parameters of %s took, as it was sent', (asked, taken) => {
    expect(index.find(asked)?.taken).toEqual(taken);
  });

  it.each([
    '',
    '/',
    '//',
    '/me/',
    '//me',
    '/Me',
    '/me%2F',
    '/kalshi//',
    '/kalshi/orders/',
    '/__proto__',
    '/kalshi/orders/a/b',
  ])('finds nothing at %p', (asked) => {
    expect(index.find(asked)).toBeNull();
  });

  it('keeps what is added under one path in order', () => {
    const values = new PathIndex<number>();
    values.add('/:a', 1);
    values.add('/:b', 2);
    expect(values.find('/x')).toEqual({ values: [1, 2], taken: ['x'] });
  });

  it('S-53 takes no longer for a path of many segments', () => {
    expect(index.find('/kalshi'.repeat(100_000))).toBeNull();
  });
});
