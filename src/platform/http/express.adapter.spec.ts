import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ErrorRequestHandler, Express, Request, RequestHandler } from 'express';
import { LimitedExpressAdapter } from './express.adapter.js';

/** What Express answers with where the checks let a request go on, or refuse it. */
const answered: RequestHandler = (request, response) => {
  response.json({ by: 'express', path: request.path, target: request.originalUrl });
};
const refused: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) next(error);
  else response.status(418).json({ by: 'error filter', error: String(error) });
};

describe('LimitedExpressAdapter', () => {
  let adapter: LimitedExpressAdapter;
  let url: string;

  beforeEach(async () => {
    adapter = new LimitedExpressAdapter({ trustProxy: undefined });
    adapter.initHttpServer();
    adapter.get('/known', answered);
    adapter.getInstance<Express>().use(refused);
    const server = adapter.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    await adapter.close();
  });

  async function ask(path: string, checks: RequestHandler): Promise<unknown> {
    adapter.useChecks(checks);
    const response = await fetch(url + path, { headers: { connection: 'close' } });
    return [response.status, await response.json()];
  }

  it('answers by Express what the checks let go on', async () => {
    const goOn: RequestHandler = (_request, _response, next) => {
      next();
    };
    expect(await ask('/known?a=1', goOn)).toEqual([200, { by: 'express', path: '/known', target: '/known?a=1' }]);
  });

  it('gives what the checks refuse to the error filter, and to nothing before it', async () => {
    const refuse: RequestHandler = (_request, _response, next) => {
      next(new Error('no'));
    };
    expect(await ask('/known', refuse)).toEqual([418, { by: 'error filter', error: 'Error: no' }]);
  });

  it('makes requests and responses that the checks can use as those of Express, and that Express leaves as they are', async () => {
    const seen: (object | null)[] = [];
    const note = (request: Request): void => {
      seen.push(Object.getPrototypeOf(request) as object, Object.getPrototypeOf(request.res) as object);
    };
    adapter.getInstance<Express>().get('/noted', (request, response) => {
      note(request);
      response.json({});
    });
    const read: RequestHandler = (request, response, next) => {
      note(request);
      const { path, originalUrl, ip, query } = request;
      response.vary('Origin');
      if (path === '/noted') next();
      else response.status(202).json({ path, originalUrl, ip, query, fresh: request.fresh });
    };
    expect(await ask('/read?b=2', read)).toEqual([
      202,
      { path: '/read', originalUrl: '/read?b=2', ip: '127.0.0.1', query: { b: '2' }, fresh: false },
    ]);
    await ask('/noted', read);
    expect(seen).toHaveLength(6);
    expect(seen.every((prototype, index) => prototype === seen[index % 2])).toBe(true);
  });
});
