import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { freePort } from '../../../test/support/loopback.js';
import {
  clientOf,
  failureOf,
  hang,
  ORDER,
  RawTls,
  RawUpstream,
  READ,
  reply,
  serve,
  useUpstreams,
} from '../../../test/support/raw-upstream.js';

useUpstreams();

describe('what is certain of a broken connection (R-13)', () => {
  it('nothing was sent where it was refused', async () => {
    const client = clientOf(`http://127.0.0.1:${await freePort()}`);
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
    const client = clientOf(`https://127.0.0.1:${upstream.port}`, { timeoutMs: 100 });
    expect(await failureOf(client.request(ORDER))).toMatchObject({ failure: 'timeout', sent: false });
    await sleep(600);
    expect(upstream.connections).toBe(1);
    expect(tls.bytesRead).toBe(0);
  });

  it('S-50 nothing was sent where the certificate is not trusted', async () => {
    const tls = await RawTls.start();
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
