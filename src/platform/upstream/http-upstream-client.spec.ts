import { getEventListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { withCallContext } from './call-context.js';
import { MAX_BODY_BYTES, USER_AGENT } from './upstream.constants.js';
import { HttpUpstreamClient, type UpstreamClientOptions } from './http-upstream-client.js';
import { UpstreamError, type UpstreamRequest } from './upstream-client.js';
import { UpstreamClock } from './upstream-clock.js';

const READ: UpstreamRequest = { method: 'GET', path: '/markets' };
const ORDER: UpstreamRequest = { method: 'POST', path: '/orders', body: '{"price":"0.42"}', priority: 'order' };

/** One request as it arrived. */
interface Arrived {
  readonly line: string;
  readonly headers: readonly string[];
  readonly body: string;
}

type Answer = (socket: Socket, arrived: Arrived, index: number) => void;

const closers: (() => Promise<unknown>)[] = [];

/** A bare TCP server that reads HTTP requests and answers with whatever bytes a test wants, or none. */
class RawUpstream {
  readonly arrived: Arrived[] = [];
  readonly #sockets = new Set<Socket>();
  connections = 0;
  closed = 0;
  bytesRead = 0;

  private constructor(
    private readonly server: Server,
    private readonly answer: Answer,
    onConnection?: (socket: Socket) => void,
  ) {
    server.on('connection', (socket: Socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          this.closed++;
          this.#sockets.delete(socket);
        });
      if (onConnection) onConnection(socket);
      else this.#read(socket);
    });
  }

  static async start(answer: Answer, onConnection?: (socket: Socket) => void): Promise<RawUpstream> {
    const upstream = new RawUpstream(
      createServer({ pauseOnConnect: onConnection !== undefined }),
      answer,
      onConnection,
    );
    await new Promise<void>((resolve) => upstream.server.listen(0, '127.0.0.1', resolve));
    closers.push(() => upstream.close());
    return upstream;
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #read(socket: Socket): void {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      this.bytesRead += chunk.length;
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [line = '', ...headers] = text.slice(0, end).split('\r\n');
      const length = Number(/^content-length: (\d+)$/im.exec(headers.join('\n'))?.[1] ?? 0);
      const body = text.slice(end + 4);
      if (body.length < length) return;
      text = '';
      const arrived = { line, headers, body };
      this.arrived.push(arrived);
      this.answer(socket, arrived, this.arrived.length - 1);
    });
  }
}

interface Reply {
  readonly status?: number;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
}

/** A complete answer with the right length. */
function reply(socket: Socket, { status = 200, headers = [], body = '{"ok":true}' }: Reply = {}): void {
  const bytes = Buffer.from(body);
  const head = [`HTTP/1.1 ${status} Told`, ...headers, `content-length: ${bytes.length}`, '', ''].join('\r\n');
  socket.write(Buffer.concat([Buffer.from(head), bytes]));
}

const replying =
  (...replies: Reply[]): Answer =>
  (socket, _, index) => {
    reply(socket, replies[Math.min(index, replies.length - 1)]);
  };

const hang: Answer = () => undefined;

function clientOf(baseUrl: string, options: Partial<UpstreamClientOptions> = {}): HttpUpstreamClient {
  const client = new HttpUpstreamClient({ name: 'exchange', baseUrl, timeoutMs: 3_000, ...options });
  closers.push(() => client.close());
  return client;
}

async function serve(answer: Answer, options: Partial<UpstreamClientOptions> = {}) {
  const upstream = await RawUpstream.start(answer);
  return { upstream, client: clientOf(upstream.url, options) };
}

async function failureOf(call: Promise<unknown>): Promise<UpstreamError> {
  const [result] = await Promise.allSettled([call]);
  if (result.status === 'rejected' && result.reason instanceof UpstreamError) return result.reason;
  throw new Error(`no UpstreamError but ${inspect(result)}`);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function eventually(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 1_500 && !condition(); i++) await sleep(10);
  expect(condition()).toBe(true);
}

/** An upstream that answers nothing before `open`, and everything from then on. */
function gate(): { answer: Answer; open: () => void } {
  const held: Socket[] = [];
  let isOpen = false;
  return {
    answer: (socket) => {
      if (isOpen) reply(socket);
      else held.push(socket);
    },
    open: () => {
      isOpen = true;
      for (const socket of held.splice(0)) reply(socket);
    },
  };
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

beforeAll(() => {
  Logger.overrideLogger(false);
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

afterAll(() => {
  Logger.overrideLogger(true);
});

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
    const body = JSON.stringify('x'.repeat(MAX_BODY_BYTES - 2));
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

describe('what is certain of a broken connection (R-13)', () => {
  it('nothing was sent where it was refused', async () => {
    const client = clientOf(`http://127.0.0.1:${await closedPort()}`);
    expect(await failureOf(client.request(ORDER))).toMatchObject({ failure: 'unreachable', sent: false });
    expect(client.status.outcomes).toEqual({ unreachable: 1 });
  });

  it('nothing was sent where the name does not exist', async () => {
    const client = clientOf('http://exchange.invalid');
    expect(await failureOf(client.request(ORDER))).toMatchObject({ failure: 'unreachable', sent: false });
  });

  it('nothing was sent where it was reset during the TLS handshake', async () => {
    const upstream = await RawUpstream.start(hang, (socket) => socket.resetAndDestroy());
    const client = clientOf(`https://127.0.0.1:${upstream.port}`);
    expect(await failureOf(client.request(ORDER))).toMatchObject({ failure: 'unreachable', sent: false });
  });

  it('nothing was sent, in 2 s, where the connection never comes about', async () => {
    const upstream = await RawUpstream.start(hang);
    const client = clientOf(`https://127.0.0.1:${upstream.port}`, { timeoutMs: 10_000 });
    const startedAt = performance.now();
    expect(await failureOf(client.request(ORDER))).toMatchObject({ failure: 'unreachable', sent: false });
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThan(1_900);
    expect(tookMs).toBeLessThan(7_000);
  });

  it('nothing is sent late, by a connection that comes about after the call was given up', async () => {
    const upstream = await RawUpstream.start(hang, (socket) => {
      setTimeout(() => {
        const proxied = connect(tls.port, '127.0.0.1');
        proxied.on('error', () => undefined).pipe(socket);
        socket.on('close', () => proxied.destroy()).pipe(proxied);
      }, 300);
    });
    const tls = await RawTls.start();
    closers.push(() => tls.close());
    const client = clientOf(`https://127.0.0.1:${upstream.port}`, { timeoutMs: 100 });
    expect(await failureOf(client.request(ORDER))).toMatchObject({ failure: 'timeout', sent: false });
    await sleep(600);
    expect(upstream.connections).toBe(1);
    expect(tls.bytesRead).toBe(0);
  });

  it('nothing was sent where the certificate is not trusted', async () => {
    const tls = await RawTls.start();
    closers.push(() => tls.close());
    const client = clientOf(`https://127.0.0.1:${tls.port}`);
    expect(await failureOf(client.request(ORDER))).toMatchObject({ failure: 'unreachable', sent: false });
    expect(tls.bytesRead).toBe(0);
  });

  it('nothing may be claimed where it was reset before anything was read', async () => {
    for (let round = 0; round < 20; round++) {
      const upstream = await RawUpstream.start(hang, (socket) => socket.resetAndDestroy());
      const error = await failureOf(clientOf(upstream.url).request(ORDER));
      expect(error.sent).toBe(error.failure === 'interrupted');
      expect(['interrupted', 'unreachable']).toContain(error.failure);
    }
  });

  it.each<[string, (socket: Socket) => void]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed', (socket) => socket.end()],
  ])('it was sent, and is not sent again, where it is %s after the request was read', async (_, end) => {
    for (const request of [ORDER, READ, { ...READ, method: 'DELETE' as const }]) {
      const { client, upstream } = await serve(end);
      expect(await failureOf(client.request(request))).toMatchObject({ failure: 'interrupted', sent: true });
      await sleep(20);
      expect(upstream.arrived).toHaveLength(1);
    }
  });

  it.each<[string, (socket: Socket) => void]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed', (socket) => socket.end()],
  ])('it was sent, and is not sent again, where a kept connection is %s at the second request', async (_, end) => {
    const { client, upstream } = await serve((socket, __, index) => {
      if (index === 0) reply(socket);
      else end(socket);
    });
    await client.request(ORDER);
    await sleep(20);
    expect(await failureOf(client.request(ORDER))).toMatchObject({ failure: 'interrupted', sent: true });
    await sleep(20);
    expect(upstream.arrived).toHaveLength(2);
    expect(upstream.connections).toBe(1);
  });

  it('a kept connection that was closed meanwhile is not used', async () => {
    const { client, upstream } = await serve((socket) => {
      reply(socket);
      socket.end();
    });
    for (let i = 0; i < 5; i++) {
      expect((await client.request(ORDER)).status).toBe(200);
      await sleep(5);
    }
    expect(upstream.arrived).toHaveLength(5);
  });

  it('early hints are no answer yet', async () => {
    const { client } = await serve((socket) => void socket.end('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'));
    const error = await failureOf(client.request(ORDER));
    expect(error).toMatchObject({ failure: 'interrupted', sent: true });
    expect(error.options.status).toBeUndefined();
  });

  it('it was sent where the reset comes in the middle of the answer', async () => {
    const { client } = await serve((socket) => {
      socket.write('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"a":1}');
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
    expect(await failureOf(client.request(ORDER))).toMatchObject({
      failure: 'interrupted',
      sent: true,
      options: { status: 201 },
    });
  });
});

describe('time (R-10)', () => {
  it('ends a call that is not answered, as sent', async () => {
    const { client, upstream } = await serve(hang, { timeoutMs: 700 });
    for (const request of [ORDER, READ]) {
      const startedAt = performance.now();
      expect(await failureOf(client.request(request))).toMatchObject({ failure: 'timeout', sent: true });
      expect(performance.now() - startedAt).toBeLessThan(4_000);
    }
    expect(upstream.arrived).toHaveLength(2);
    await eventually(() => upstream.closed === 2);
  });

  it('ends a call whose answer drips', async () => {
    const { client } = await serve(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
        const drip = setInterval(() => socket.write(' '), 100);
        socket.on('close', () => {
          clearInterval(drip);
        });
      },
      { timeoutMs: 1_000 },
    );
    const startedAt = performance.now();
    expect(await failureOf(client.request(READ))).toMatchObject({ failure: 'timeout', sent: true });
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });

  it('ends a call whose header lines drip after 5 s', async () => {
    const { client } = await serve(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const drip = setInterval(() => socket.write('x: y\r\n'), 100);
        socket.on('close', () => {
          clearInterval(drip);
        });
      },
      { timeoutMs: 15_000 },
    );
    const startedAt = performance.now();
    expect(await failureOf(client.request(READ))).toMatchObject({ failure: 'timeout', sent: true });
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThan(4_900);
    expect(tookMs).toBeLessThan(11_000);
  });

  it('counts the wait in the queue, and what waited was not sent', async () => {
    const { client, upstream } = await serve(hang, { timeoutMs: 1_500 });
    const calls = Array.from({ length: 60 }, () => failureOf(client.request(ORDER)));
    const errors = await Promise.all(calls);
    expect(errors.map(({ failure }) => failure)).toEqual(Array.from({ length: 60 }, () => 'timeout'));
    expect(errors.filter(({ sent }) => sent)).toHaveLength(upstream.arrived.length);
    expect(upstream.arrived).toHaveLength(50);
    expect([client.status.inFlight, client.status.waiting]).toEqual([0, 0]);
  });

  it('does not send what has hardly any time left after the queue', async () => {
    const late: Answer = (socket) => {
      setTimeout(() => {
        reply(socket);
      }, 1_850);
    };
    const { client, upstream } = await serve(late, { timeoutMs: 2_000 });
    const calls = Array.from({ length: 60 }, () => client.request(READ).catch((error: unknown) => error));
    const unsent = (await Promise.all(calls)).filter((end) => end instanceof UpstreamError && !end.sent);
    expect(unsent).toHaveLength(10);
    expect(unsent).toEqual(unsent.map(() => expect.objectContaining({ failure: 'timeout' })));
    expect(upstream.arrived).toHaveLength(50);
  });

  it('is learnt from every answer, but not from one out of a cache on the way (R-17)', async () => {
    const hostMs = Date.UTC(2026, 10, 20, 15);
    const clock = new UpstreamClock(() => new Date(hostMs), 'exchange');
    const headers = [`date: ${new Date(hostMs + 3_600_000).toUTCString()}`];
    const { client } = await serve(replying({ headers: [...headers, 'age: 12'] }, { status: 404, headers }), { clock });
    await client.request(READ);
    expect(client.clock.skewMs).toBeNull();
    await client.request(READ);
    expect(Math.abs(Number(client.clock.skewMs) - 3_600_000)).toBeLessThanOrEqual(3_000);
    expect(client.status.clockSkewMs).toBe(client.clock.skewMs);
  });

  it('is measured between request and header lines, however long the body takes', async () => {
    const hostNow = (): Date => new Date(Date.UTC(2026, 10, 20, 15) + performance.now());
    const { client } = await serve(
      (socket) => {
        const date = new Date(hostNow().getTime() + 10_000).toUTCString();
        socket.write(`HTTP/1.1 200 OK\r\ndate: ${date}\r\ncontent-length: 2\r\n\r\n`);
        setTimeout(() => socket.write('{}'), 4_000);
      },
      { clock: new UpstreamClock(hostNow, 'exchange'), timeoutMs: 15_000 },
    );
    await client.request(READ);
    // With the body in it, it would be 2 s less.
    expect(Math.abs(Number(client.clock.skewMs) - 10_000)).toBeLessThan(1_500);
  });
});

describe('callers who go away (R-16)', () => {
  it('end a read, and the other server sees it', async () => {
    const { client, upstream } = await serve(hang);
    for (const [i, request] of [READ, { ...READ, shared: true }].entries()) {
      const caller = new AbortController();
      const call = failureOf(client.request({ ...request, signal: caller.signal }));
      await eventually(() => upstream.arrived.length === i + 1);
      caller.abort();
      expect(await call).toMatchObject({ failure: 'aborted', sent: true });
      await eventually(() => upstream.closed === i + 1);
    }
  });

  it('end a read that has a limit of its own too, and so does that limit', async () => {
    const { client, upstream } = await serve(hang);
    for (let i = 0; i < 2; i++) {
      const [asker, own] = [new AbortController(), new AbortController()];
      const read = () => failureOf(client.request({ ...READ, signal: own.signal }));
      const call = withCallContext({ fresh: false, signal: asker.signal }, read);
      await eventually(() => upstream.arrived.length === i + 1);
      (i === 0 ? asker : own).abort();
      expect(await call).toMatchObject({ failure: 'aborted' });
      await eventually(() => upstream.closed === i + 1);
    }
  });

  it('do not end an order that is on its way', async () => {
    const caller = new AbortController();
    const { client } = await serve((socket) => {
      caller.abort();
      setTimeout(() => {
        reply(socket, { status: 201 });
      }, 50);
    });
    expect((await client.request({ ...ORDER, signal: caller.signal })).status).toBe(201);
  });

  it('end an order that still waits, which is then never sent', async () => {
    const { answer, open } = gate();
    const { client, upstream } = await serve(answer, { timeoutMs: 15_000 });
    const running = Array.from({ length: 50 }, () => client.request(READ));
    const caller = new AbortController();
    const order = failureOf(client.request({ ...ORDER, signal: caller.signal }));
    await eventually(() => upstream.arrived.length === 50);
    caller.abort();
    expect(await order).toMatchObject({ failure: 'aborted', sent: false });
    open();
    await Promise.all(running);
    await sleep(50);
    expect(upstream.arrived.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
    expect(await failureOf(client.request({ ...ORDER, signal: caller.signal }))).toMatchObject({
      failure: 'aborted',
      sent: false,
    });
  });

  it('leave no trace on a signal that serves many calls', async () => {
    const { client } = await serve(replying({}));
    const { signal } = new AbortController();
    const request = { ...READ, signal };
    await Promise.all(Array.from({ length: 40 }, () => client.request(request)));
    await Promise.all(Array.from({ length: 40 }, () => client.request({ ...request, shared: true })));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('repeats (R-12)', () => {
  it.each([502, 503, 504])('a read once after %d', async (status) => {
    const { client, upstream } = await serve(replying({ status }, {}));
    expect((await client.request(READ)).status).toBe(200);
    expect(upstream.arrived).toHaveLength(2);
  });

  it.each([502, 503, 504])('a read only once after %d', async (status) => {
    const { client, upstream } = await serve(replying({ status }));
    expect((await client.request(READ)).status).toBe(status);
    expect(upstream.arrived).toHaveLength(2);
  });

  it('a read that found no connection', async () => {
    const client = clientOf(`http://127.0.0.1:${await closedPort()}`);
    expect(await failureOf(client.request(READ))).toMatchObject({ failure: 'unreachable', sent: false });
    expect(client.status.outcomes).toEqual({ unreachable: 2 });
  });

  it.each([400, 401, 404, 425, 429, 500, 501])('no read after %d', async (status) => {
    const { client, upstream } = await serve(replying({ status }));
    await client.request(READ);
    expect(upstream.arrived).toHaveLength(1);
  });

  it('no read that is asked to come back later', async () => {
    const { client, upstream } = await serve(replying({ status: 503, headers: ['retry-after: 5'] }));
    expect(await client.request(READ)).toMatchObject({ status: 503, retryAfterSeconds: 5 });
    expect(upstream.arrived).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['500', replying({ status: 500 })],
    ['502', replying({ status: 502 })],
    ['503', replying({ status: 503 })],
    ['504', replying({ status: 504 })],
    ['reset', (socket) => void socket.resetAndDestroy()],
    ['close', (socket) => void socket.end()],
    ['hang', hang],
    ['broken JSON', replying({ body: '{' })],
    ['redirect', replying({ status: 307 })],
  ])('no order and no cancel after %s', async (_, answer) => {
    const { client, upstream } = await serve(answer, { timeoutMs: 1_000 });
    await Promise.allSettled([client.request(ORDER), client.request({ method: 'DELETE', path: '/orders/x' })]);
    await sleep(250);
    expect(upstream.arrived).toHaveLength(2);
  });

  it('no read whose pause would outlast its time: what the other server said is the answer', async () => {
    // A pause of 4 s, where half of 5 s is left.
    const random = jest.spyOn(Math, 'random').mockReturnValue(20);
    const late: Answer = (socket) => {
      setTimeout(() => {
        reply(socket, { status: 503 });
      }, 1_500);
    };
    const { client, upstream } = await serve(late, { timeoutMs: 5_000 });
    expect((await client.request(READ)).status).toBe(503);
    expect(upstream.arrived).toHaveLength(1);
    expect(client.status.outcomes).toEqual({ '5xx': 1 });
    random.mockRestore();
  });

  it('a repeat that waits for a place until its time is up tells what the other server said before', async () => {
    const { client, upstream } = await serve(
      (socket, { line }) => {
        if (line.includes('/markets')) reply(socket, { status: 503 });
      },
      { timeoutMs: 3_000 },
    );
    // A pause of 1.5 s, in which the others take all places.
    const random = jest.spyOn(Math, 'random').mockReturnValue(7.5);
    const read = client.request(READ);
    while (upstream.arrived.length === 0) await sleep(5);
    const others = Array.from({ length: 60 }, (_, i) => failureOf(client.request({ ...READ, path: `/hang/${i}` })));
    expect((await read).status).toBe(503);
    expect(upstream.arrived.filter(({ line }) => line.includes('/markets'))).toHaveLength(1);
    random.mockRestore();
    await Promise.all(others);
  });

  it('signs each attempt anew', async () => {
    const { client, upstream } = await serve(replying({ status: 503 }, {}));
    let signatures = 0;
    await client.request({ ...READ, headers: () => ({ 'x-signature': String(++signatures) }) });
    await client.request({ ...READ, headers: () => Promise.resolve({ 'x-signature': String(++signatures) }) });
    const signed = upstream.arrived.map(({ headers }) => headers.find((line) => line.startsWith('x-signature')));
    expect(signed).toEqual(['x-signature: 1', 'x-signature: 2', 'x-signature: 3']);
  });

  it('gives a place back when signing fails', async () => {
    const { client, upstream } = await serve(replying({}));
    const signing = (): never => {
      throw new RangeError('no key');
    };
    await expect(client.request({ ...READ, headers: signing })).rejects.toThrow('no key');
    expect([client.status.inFlight, upstream.arrived.length]).toEqual([0, 0]);
  });

  it('at most the savings and a tenth of the calls', async () => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0);
    const { client, upstream } = await serve((socket, { line }) => {
      reply(socket, { status: line.includes('/bad') ? 503 : 200 });
    });
    for (let i = 0; i < 100; i++) {
      for (const path of ['/good', '/good', '/good', '/bad']) await client.request({ ...READ, path });
    }
    const retries = upstream.arrived.filter(({ line }) => line.includes('/bad')).length - 100;
    expect(retries).toBeGreaterThanOrEqual(40);
    expect(retries).toBeLessThanOrEqual(10 + 40);
    random.mockRestore();
  });
});

describe('crowds (R-10, R-11)', () => {
  it('sees at most 50 calls at once', async () => {
    let [running, most] = [0, 0];
    const { answer, open } = gate();
    const { client, upstream } = await serve(
      (socket, arrived, index) => {
        most = Math.max(most, ++running);
        if (index < 50) answer(socket, arrived, index);
        else {
          setTimeout(() => {
            answer(socket, arrived, index);
          }, 10);
        }
      },
      { timeoutMs: 15_000 },
    );
    const calls = Array.from({ length: 300 }, async () => {
      await client.request(READ);
      running--;
    });
    await eventually(() => upstream.arrived.length >= 50);
    await sleep(100);
    open();
    await Promise.all(calls);
    expect(most).toBe(50);
    expect(upstream.connections).toBeLessThanOrEqual(50);
  });

  it('lets orders go before reads that came first', async () => {
    const { answer, open } = gate();
    const { client, upstream } = await serve(answer, { timeoutMs: 15_000 });
    const reads = Array.from({ length: 150 }, () => client.request(READ));
    await eventually(() => upstream.arrived.length >= 50);
    const order = client.request(ORDER);
    await eventually(() => client.status.waiting === 101);
    open();
    await Promise.all([order, ...reads]);
    const position = upstream.arrived.findIndex(({ line }) => line.startsWith('POST'));
    // It has the first place that is free; reads with the next ones may be faster on their way.
    expect(position).toBeGreaterThanOrEqual(50);
    expect(position).toBeLessThan(100);
  });

  it('refuses as busy beyond 1,024 that wait', async () => {
    const { client, upstream } = await serve(hang, { timeoutMs: 25_000 });
    const calls = Array.from({ length: 50 + 1_024 }, () => failureOf(client.request(READ)));
    await eventually(() => upstream.arrived.length === 50);
    expect([client.status.inFlight, client.status.waiting]).toEqual([50, 1_024]);
    expect(await failureOf(client.request(READ))).toMatchObject({ failure: 'busy', sent: false });
    await client.close();
    await Promise.all(calls);
  });

  it('stops calling a server that fails, at once and without a byte', async () => {
    const { client, upstream } = await serve(replying({ status: 500 }));
    for (let i = 0; i < 20; i++) await client.request(ORDER);
    expect(client.status.breaker).toBe('open');
    for (const request of [ORDER, READ]) {
      const error = await failureOf(client.request(request));
      expect(error).toMatchObject({ failure: 'paused', sent: false, options: { retryAfterSeconds: 5 } });
    }
    expect(upstream.arrived).toHaveLength(20);
  });

  it('stops for time-outs and lost connections, and lets nothing out of the queue then', async () => {
    const { client, upstream } = await serve(
      (socket, _, index) => {
        if (index % 2 === 0) socket.resetAndDestroy();
      },
      { timeoutMs: 1_500 },
    );
    const errors = await Promise.all(Array.from({ length: 200 }, () => failureOf(client.request(ORDER))));
    expect(upstream.arrived.length).toBeLessThan(150);
    const paused = errors.filter(({ failure }) => failure === 'paused');
    expect(paused.length).toBe(200 - errors.filter(({ sent }) => sent).length);
    expect(paused.length).toBeGreaterThan(0);
  });

  it('does not stop for time-outs of calls whose time went by in the queue', async () => {
    const slow: Answer = (socket) => {
      setTimeout(() => {
        reply(socket);
      }, 1_800);
    };
    const { client } = await serve(slow, { timeoutMs: 3_000 });
    const calls = Array.from({ length: 200 }, () => client.request(READ).catch((error: unknown) => error));
    const ends = await Promise.all(calls);
    const timedOut = ends.filter((end) => end instanceof UpstreamError && end.sent);
    expect(timedOut.length).toBeGreaterThan(20);
    expect(client.status.breaker).toBe('closed');
    expect(await client.request(READ)).toMatchObject({ status: 200 });
  });

  it('stops for time-outs of calls that had their time, whatever waits behind them', async () => {
    const { client } = await serve(hang, { timeoutMs: 1_500 });
    await Promise.all(Array.from({ length: 200 }, () => failureOf(client.request(READ))));
    expect(client.status.breaker).toBe('open');
  });

  it('gives what it has where the breaker forbids the repeat, and signs nothing in vain', async () => {
    const { client, upstream } = await serve(replying({ status: 503, body: '"closed"' }));
    for (let i = 0; i < 19; i++) await client.request(ORDER);
    expect(await client.request(READ)).toMatchObject({ status: 503, body: 'closed' });
    expect(upstream.arrived).toHaveLength(20);
    let signatures = 0;
    const headers = () => ({ 'x-signature': String(++signatures) });
    expect(await failureOf(client.request({ ...READ, headers }))).toMatchObject({ failure: 'paused', sent: false });
    expect(signatures).toBe(0);
  });

  it('does not stop for 4xx', async () => {
    const { client } = await serve(replying({ status: 429 }));
    for (let i = 0; i < 40; i++) await client.request(ORDER);
    expect(client.status).toMatchObject({ breaker: 'closed', outcomes: { '4xx': 40 } });
  });

  it('merges shared reads by their whole address, and keeps them for a while (DESIGN 2)', async () => {
    const { client, upstream } = await serve(replying({}), { cacheTtlMs: 60_000 });
    const read = { ...READ, shared: true } as const;
    await Promise.all(Array.from({ length: 20 }, () => client.request({ ...read, query: [['limit', '1']] })));
    await client.request({ ...read, query: [['limit', '1']] });
    expect(upstream.arrived).toHaveLength(1);
    await client.request({ ...read, query: [['limit', '2']] });
    await client.request({ ...read, query: [['limit', '1']], fresh: true });
    expect(upstream.arrived).toHaveLength(3);
    await client.request({ ...READ, query: [['limit', '1']] });
    await client.request({ ...READ, query: [['limit', '1']] });
    expect(upstream.arrived).toHaveLength(5);
  });

  it('pauses shared reads alone after a 429', async () => {
    const { client, upstream } = await serve(replying({ status: 429, headers: ['retry-after: 3'] }, {}));
    expect((await client.request({ ...READ, shared: true })).status).toBe(429);
    expect(await failureOf(client.request({ ...READ, path: '/events', shared: true }))).toMatchObject({
      failure: 'paused',
      sent: false,
      options: { retryAfterSeconds: 3 },
    });
    expect((await client.request(READ)).status).toBe(200);
    expect((await client.request(ORDER)).status).toBe(200);
    expect(upstream.arrived).toHaveLength(3);
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

/** Made for this test and worth nothing: nobody vouches for it. */
const UNTRUSTED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgu1MKz9kNJcWbd5cD
MjujGZTTSurOCNpLVn8QUPDGlnqhRANCAARwBMreRNdqpJSFBaon6Qcqlw3e9HNo
LuUgDE0QpWkgLZkq1SMrg33OSzNh3UF+1atpnuv3icoz17FEhQpH7rov
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUAZyb37HtpCjEigj6ABWs/hbB0TYwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA5MjQxNloYDzIxMjYxMDI4
MDkyNDE2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARwBMreRNdqpJSFBaon6Qcqlw3e9HNoLuUgDE0QpWkgLZkq1SMrg33O
SzNh3UF+1atpnuv3icoz17FEhQpH7rovo28wbTAdBgNVHQ4EFgQUsQVEdD49O0eY
hbZmTWeyBWJnH+gwHwYDVR0jBBgwFoAUsQVEdD49O0eYhbZmTWeyBWJnH+gwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgS3Ra/QLqVUoKMmszS0vma8gUHkdBd+uEE6J2Eh7OZ5UCIBWF
nsPNehXQlA168eUlnRQ7qf8CHxxiZBZZvjy7mw6Q
-----END CERTIFICATE-----`,
};

/** A TLS server that counts what it could decrypt. */
class RawTls {
  bytesRead = 0;
  readonly #sockets = new Set<Socket>();

  private constructor(readonly server: Server) {}

  static async start(): Promise<RawTls> {
    const server = createTlsServer(UNTRUSTED);
    const tls = new RawTls(server);
    server.on('connection', (socket: Socket) => {
      tls.#sockets.add(socket);
      socket.on('error', () => undefined);
    });
    server.on('tlsClientError', () => undefined);
    server.on('secureConnection', (socket) => {
      socket.on('error', () => undefined).on('data', (chunk: Buffer) => (tls.bytesRead += chunk.length));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return tls;
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
