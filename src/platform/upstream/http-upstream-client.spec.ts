import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import {
  type Answer,
  clientOf,
  eventually,
  failureOf,
  hang,
  ORDER,
  RawUpstream,
  READ,
  reply,
  type Reply,
  replying,
  serve,
  useUpstreams,
} from '../../../test/support/raw-upstream.js';
import { MAX_BODY_BYTES, USER_AGENT } from './upstream.constants.js';

useUpstreams();

describe('what is sent (S-49)', () => {
  it('is exactly the fixed header lines and those given', async () => {
    const { upstream, client } = await serve(replying({}));
    await client.request({
      ...READ,
      query: [
        ['status', 'open'],
        ['tickers', 'A,B'],
      ],
    });
    await client.request({ ...ORDER, headers: { 'KALSHI-ACCESS-KEY': 'k', POLY_NONCE: '0' } });
    await client.request({ method: 'DELETE', path: '/orders', body: '{"id":"x"}' });
    await client.request({ method: 'DELETE', path: '/orders/x' });
    const fixed = [
      `host: 127.0.0.1:${upstream.port}`,
      'connection: keep-alive',
      'accept: application/json',
      'accept-encoding: gzip, deflate, br',
      `user-agent: ${USER_AGENT}`,
    ];
    expect(upstream.arrived).toEqual([
      { line: 'GET /markets?status=open&tickers=A%2CB HTTP/1.1', headers: fixed, body: '' },
      {
        line: 'POST /orders HTTP/1.1',
        headers: [
          ...fixed,
          'content-type: application/json',
          'KALSHI-ACCESS-KEY: k',
          'POLY_NONCE: 0',
          'content-length: 16',
        ],
        body: ORDER.body,
      },
      {
        line: 'DELETE /orders HTTP/1.1',
        headers: [...fixed, 'content-type: application/json', 'content-length: 10'],
        body: '{"id":"x"}',
      },
      { line: 'DELETE /orders/x HTTP/1.1', headers: fixed, body: '' },
    ]);
  });

  it('replaces a fixed header line by one given under the same name', async () => {
    const { upstream, client } = await serve(replying({}));
    await client.request({ ...ORDER, headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: '*/*' } });
    const lines = upstream.arrived[0]?.headers.filter((line) => /^(?:accept|content-type):/i.test(line));
    expect(lines).toEqual(['Content-Type: application/x-www-form-urlencoded', 'Accept: */*']);
  });

  it('names the version of package.json', async () => {
    const manifest: unknown = JSON.parse(await readFile('package.json', 'utf8'));
    expect(manifest).toMatchObject({ name: 'trading-proxy', version: USER_AGENT.replace('trading-proxy/', '') });
  });

  it('stays below the path of the base address (S-48)', async () => {
    const { upstream } = await serve(replying({}));
    const client = clientOf(`${upstream.url}/trade-api/v2`);
    await client.request(READ);
    await expect(client.request({ ...READ, path: '/../../secret' })).rejects.toBeInstanceOf(TypeError);
    await expect(client.request({ ...READ, path: '//127.0.0.1:1/x' })).rejects.toBeInstanceOf(TypeError);
    expect(upstream.arrived.map(({ line }) => line)).toEqual(['GET /trade-api/v2/markets HTTP/1.1']);
  });

  it('is nothing where a header value would break the request apart', async () => {
    const { upstream, client } = await serve(replying({}));
    const call = client.request({ ...ORDER, headers: { 'x-key': 'canary\r\nx-evil: 1' } });
    const [result] = await Promise.allSettled([call]);
    expect(result).toMatchObject({ status: 'rejected', reason: expect.any(TypeError) });
    expect(inspect(result, { depth: 20, showHidden: true })).not.toContain('canary');
    expect(upstream.arrived).toEqual([]);
    expect((await client.request(ORDER)).status).toBe(200);
  });
});

describe('what comes back (R-15)', () => {
  it.each([200, 201, 400, 401, 404, 409, 422, 500])('is status and JSON with %d', async (status) => {
    const { client } = await serve(replying({ status, body: '{"a":["0.42",1]}' }));
    const before = Date.now();
    const response = await client.request(ORDER);
    expect(response).toMatchObject({ status, body: { a: ['0.42', 1] }, retryAfterSeconds: null });
    expect(response.receivedAt.getTime()).toBeGreaterThanOrEqual(before);
    expect(response.receivedAt.getTime()).toBeLessThanOrEqual(Date.now());
  });

  it.each<[string, (plain: Buffer) => Buffer]>([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['identity', (plain) => plain],
  ])('is read from %s', async (encoding, encode) => {
    const body = encode(Buffer.from('{"title":"Ünï"}'));
    const { client } = await serve(replying({ headers: [`content-encoding: ${encoding}`], body }));
    expect((await client.request(READ)).body).toEqual({ title: 'Ünï' });
  });

  it('is read in chunks, after early hints, and with a body of its own size', async () => {
    const large = JSON.stringify({ rows: Array.from({ length: 50_000 }, (_, id) => ({ id: String(id) })) });
    const { client } = await serve((socket) => {
      const half = large.length >> 1;
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      socket.write(`${half.toString(16)}\r\n${large.slice(0, half)}\r\n`);
      socket.write(`${(large.length - half).toString(16)}\r\n${large.slice(half)}\r\n0\r\n\r\n`);
    });
    expect(JSON.stringify((await client.request(READ)).body) === large).toBe(true);
  });

  it.each([
    [204, ''],
    [200, ''],
    [502, '<html>Bad gateway</html>'],
    [404, 'not found'],
    [503, ''],
  ])('is a status without a body for %d with %j', async (status, body) => {
    const { client } = await serve((socket) => {
      const length = status === 204 ? '' : `content-length: ${body.length}\r\n`;
      socket.write(`HTTP/1.1 ${status} Told\r\ncontent-type: text/html\r\n${length}\r\n${body}`);
    });
    const response = await client.request(ORDER);
    expect(response.status).toBe(status);
    expect(response.body).toBeUndefined();
  });

  it.each([425, 429, 503])('tells after how long to come back with %d', async (status) => {
    const date = 'date: Fri, 20 Nov 2026 15:00:00 GMT';
    const replies = [
      { status, headers: ['retry-after: 7'] },
      { status, headers: [date, 'retry-after: Fri, 20 Nov 2026 15:00:30 GMT'] },
      { status },
      { status, headers: ['retry-after: soon'] },
    ];
    const { client } = await serve(replying(...replies));
    const waits: (number | null)[] = [];
    while (waits.length < replies.length) waits.push((await client.request(ORDER)).retryAfterSeconds);
    expect(waits).toEqual([7, 30, null, null]);
  });

  it.each<[string, Reply]>([
    ['HTML', { headers: ['content-type: text/html; charset=utf-8'], body: '<html></html>' }],
    ['JSON called HTML', { headers: ['content-type: text/html'], body: '{}' }],
    ['broken JSON', { body: '{"a":' }],
    ['blanks', { body: '  \n' }],
    ['text', { body: 'OK' }],
    ['no gzip', { headers: ['content-encoding: gzip'], body: '{"a":1}' }],
    ['cut gzip', { headers: ['content-encoding: gzip'], body: gzipSync('{"a":1}').subarray(0, 20) }],
    ['an unknown encoding', { headers: ['content-encoding: zstd'], body: '{"a":1}' }],
    ['an encoding of the name of a member', { headers: ['content-encoding: constructor'], body: '{"a":1}' }],
  ])('is unreadable as 200 with %s', async (_, answer) => {
    const { client } = await serve(replying(answer));
    expect(await failureOf(client.request(ORDER))).toMatchObject({
      failure: 'unreadable',
      sent: true,
      options: { status: 200 },
    });
  });

  it.each([
    ['a body cut by a close', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a":1}'],
    [
      'a body cut by a close that was announced',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 100\r\n\r\n{"a":1}',
    ],
    ['a cut chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{"a":1}'],
    ['a length that is too short', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{"a":1}'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 7\r\ncontent-length: 8\r\n\r\n{"a":1}'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['endless header lines', `HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(1_000)}\r\n`.repeat(40)}\r\n{"a":1}`],
  ])('is unreadable with %s, and the next call starts clean', async (_, bytes) => {
    const { client } = await serve((socket, __, index) => {
      if (index === 0) socket.end(bytes);
      else reply(socket);
    });
    expect(await failureOf(client.request(ORDER))).toMatchObject({ failure: 'unreadable', sent: true });
    expect((await client.request(ORDER)).body).toEqual({ ok: true });
  });

  it('is too large above 5 MiB: announced, streamed without end, and unpacked', async () => {
    const flood = Buffer.alloc(64 * 1024, ' ');
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '));
    const { client, upstream } = await serve((socket, _, index) => {
      if (index === 0) socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${MAX_BODY_BYTES + 1}\r\n\r\n`);
      else if (index === 1) {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const more = (): void => {
          while (!socket.destroyed && socket.write(flood));
        };
        socket.on('drain', more);
        more();
      } else reply(socket, { headers: ['content-encoding: gzip'], body: bomb });
    });
    for (let i = 0; i < 3; i++) {
      expect(await failureOf(client.request(ORDER))).toMatchObject({ failure: 'too_large', sent: true });
    }
    expect(upstream.arrived).toHaveLength(3);
  });

  it('may be exactly 5 MiB, packed or not', async () => {
    const texts = JSON.stringify(Array.from({ length: 50 }, () => 'x'.repeat(100_000)));
    const body = texts.padEnd(MAX_BODY_BYTES, ' ');
    const { client } = await serve(replying({ body }, { headers: ['content-encoding: gzip'], body: gzipSync(body) }));
    expect(await client.request(READ)).toMatchObject({ status: 200 });
    expect(await client.request(READ)).toMatchObject({ status: 200 });
  });

  it.each([300, 301, 302, 303, 304, 307, 308])(
    'is an error for a redirect with %d, not followed (S-50)',
    async (status) => {
      const canary = await RawUpstream.start(replying({}));
      const headers = [`location: ${canary.url}/stolen`];
      const { client } = await serve((socket) => {
        socket.write(`HTTP/1.1 ${status} Told\r\n${headers.join('')}\r\ncontent-length: 0\r\n\r\n`);
      });
      for (const request of [READ, ORDER]) {
        const error = await failureOf(client.request({ ...request, headers: { authorization: 'secret' } }));
        expect(error).toMatchObject({ failure: 'redirect', sent: true, options: { status } });
      }
      await sleep(20);
      expect(canary.connections).toBe(0);
    },
  );

  it('has no say over prototypes', async () => {
    const { client } = await serve(replying({ body: '{"__proto__":{"polluted":1}}' }));
    const { body } = await client.request(READ);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('errors', () => {
  it('hold nothing of the request and no text of the answer (S-40, S-45)', async () => {
    const canary = 'CANARY-7f3a';
    const echo = `${canary}{`;
    const answers: Answer[] = [
      hang,
      (socket) => void socket.resetAndDestroy(),
      replying({ body: echo }),
      replying({ headers: ['content-type: text/html'], body: echo }),
      replying({ headers: ['content-encoding: gzip'], body: echo }),
      (socket) => void socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${canary}\r\n\r\n${echo}`),
      (socket) => void socket.end(`${canary}\r\n\r\n`),
      (socket) => void socket.end(`HTTP/1.1 301 ${canary}\r\nlocation: /${canary}\r\n\r\n`),
    ];
    for (const answer of answers) {
      const { client } = await serve(answer, { timeoutMs: 200 });
      const error = await failureOf(
        client.request({
          method: 'POST',
          path: `/${canary}`,
          query: [['q', canary]],
          headers: { 'x-signature': canary },
          body: `{"secret":"${canary}"}`,
        }),
      );
      expect(inspect(error, { depth: 20, showHidden: true, getters: true })).not.toContain(canary);
      expect(error.stack).not.toContain(canary);
    }
    const unreachable = await failureOf(clientOf(`http://${canary}.invalid`).request(ORDER));
    expect(inspect(unreachable, { depth: 20, showHidden: true }).toUpperCase()).not.toContain(canary);
  });
});

describe('close', () => {
  it('ends reads, waits for orders and lets nothing in after', async () => {
    const { client, upstream } = await serve((socket, { line }) => {
      if (line.startsWith('POST'))
        setTimeout(() => {
          reply(socket, { status: 201 });
        }, 200);
    });
    const read = failureOf(client.request(READ));
    const order = client.request(ORDER);
    await eventually(() => upstream.arrived.length === 2);
    const closed = client.close();
    expect(await read).toMatchObject({ failure: 'aborted' });
    expect((await order).status).toBe(201);
    await closed;
    expect(await failureOf(client.request(ORDER))).toMatchObject({ failure: 'unreachable', sent: false });
    await eventually(() => upstream.openSockets === 0);
  });
});
