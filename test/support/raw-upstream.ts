import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { inspect } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { HttpUpstreamClient, type UpstreamClientOptions } from '../../src/platform/upstream/http-upstream-client.js';
import { UpstreamError, type UpstreamRequest } from '../../src/platform/upstream/upstream-client.js';
import { Loopback } from './loopback.js';

export const READ: UpstreamRequest = { method: 'GET', path: '/markets' };
export const ORDER: UpstreamRequest = { method: 'POST', path: '/orders', body: '{"price":"0.42"}', priority: 'order' };

/** One request as it arrived. */
export interface Arrived {
  readonly line: string;
  readonly headers: readonly string[];
  readonly body: string;
}

export type Answer = (socket: Socket, arrived: Arrived, index: number) => void;

const closers: (() => Promise<unknown>)[] = [];

/** Ends servers and clients after each test, and keeps the log silent. */
export function useUpstreams(): void {
  beforeAll(() => {
    Logger.overrideLogger(false);
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => {
    Logger.overrideLogger(true);
  });
}

/** A bare TCP server that reads HTTP requests and answers with whatever bytes a test wants, or none. */
export class RawUpstream {
  readonly arrived: Arrived[] = [];

  private constructor(
    private readonly loopback: Loopback,
    private readonly answer: Answer,
  ) {}

  /** `onConnection` has the connections to itself, before a byte is read of them. */
  static async start(answer: Answer, onConnection?: (socket: Socket) => void): Promise<RawUpstream> {
    const server = createServer({ pauseOnConnect: onConnection !== undefined });
    const loopback = await Loopback.start(server);
    const upstream = new RawUpstream(loopback, answer);
    server.on(
      'connection',
      onConnection ??
        ((socket) => {
          upstream.#read(socket);
        }),
    );
    closers.push(() => loopback.close());
    return upstream;
  }

  get port(): number {
    return this.loopback.port;
  }

  get url(): string {
    return this.loopback.url;
  }

  /** How many connections have come in all. */
  get connections(): number {
    return this.loopback.connections;
  }

  get closed(): number {
    return this.loopback.closed;
  }

  get openSockets(): number {
    return this.loopback.openSockets;
  }

  #read(socket: Socket): void {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
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

export interface Reply {
  readonly status?: number;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
}

/** A complete answer with the right length. */
export function reply(socket: Socket, { status = 200, headers = [], body = '{"ok":true}' }: Reply = {}): void {
  const bytes = Buffer.from(body);
  const head = [`HTTP/1.1 ${status} Told`, ...headers, `content-length: ${bytes.length}`, '', ''].join('\r\n');
  socket.write(Buffer.concat([Buffer.from(head), bytes]));
}

export const replying =
  (...replies: Reply[]): Answer =>
  (socket, _, index) => {
    reply(socket, replies[Math.min(index, replies.length - 1)]);
  };

export const hang: Answer = () => undefined;

export function clientOf(baseUrl: string, options: Partial<UpstreamClientOptions> = {}): HttpUpstreamClient {
  const client = new HttpUpstreamClient({ name: 'exchange', baseUrl, timeoutMs: 3_000, ...options });
  closers.push(() => client.close());
  return client;
}

export async function serve(answer: Answer, options: Partial<UpstreamClientOptions> = {}) {
  const upstream = await RawUpstream.start(answer);
  return { upstream, client: clientOf(upstream.url, options) };
}

export async function failureOf(call: Promise<unknown>): Promise<UpstreamError> {
  const [result] = await Promise.allSettled([call]);
  if (result.status === 'rejected' && result.reason instanceof UpstreamError) return result.reason;
  throw new Error(`no UpstreamError but ${inspect(result)}`);
}

export async function eventually(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 1_500 && !condition(); i++) await sleep(10);
  expect(condition()).toBe(true);
}

/** An upstream that answers nothing before `open`, and everything from then on. */
export function gate(): { answer: Answer; open: () => void } {
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

/** A TLS server that nobody trusts, which counts what it could decrypt. */
export class RawTls {
  bytesRead = 0;

  private constructor(private readonly loopback: Loopback) {}

  static async start(): Promise<RawTls> {
    const server = createTlsServer(UNTRUSTED);
    const loopback = await Loopback.start(server);
    const tls = new RawTls(loopback);
    server.on('tlsClientError', () => undefined);
    server.on('secureConnection', (socket) => {
      socket.on('error', () => undefined).on('data', (chunk: Buffer) => (tls.bytesRead += chunk.length));
    });
    closers.push(() => loopback.close());
    return tls;
  }

  get port(): number {
    return this.loopback.port;
  }
}
