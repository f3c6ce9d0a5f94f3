import { createServer, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Pool } from 'undici';
import { CallLimit } from './call-limit.js';
import { Attempt } from './upstream-attempt.js';
import { UpstreamError } from './upstream-client.js';

/** Random numbers from 0 to 1 that are the same at every run (Park and Miller). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Ways to end a connection after a request has been read. */
const MOODS: ((socket: Socket) => void)[] = [
  (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
  (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}'),
  (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n{}'),
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.end(),
  () => undefined,
];

describe('Attempt (R-13)', () => {
  it('never says of a request that arrived that nothing was sent, and never sends one twice', async () => {
    const random = randomFrom(20_261_120);
    const arrived: string[] = [];
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      if (random() < 0.1) socket.resetAndDestroy();
      socket.on('data', (chunk: Buffer) => {
        arrived.push(...(chunk.toString('latin1').match(/(?<=POST \/)\d+/g) ?? []));
        setTimeout(() => MOODS[Math.floor(random() * MOODS.length)]?.(socket), random() * 10);
      });
    });
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 20, pipelining: 1 });
    const outcomes = new Map<string, number>();
    const unsent: string[] = [];

    const call = async (id: string): Promise<void> => {
      const caller = new AbortController();
      if (random() < 0.1)
        setTimeout(() => {
          caller.abort();
        }, random() * 5);
      const limit = new CallLimit(300, caller.signal);
      const times = { connectTimeoutMs: 200, headersTimeoutMs: 120, maxBodyBytes: 100 };
      const request = { method: 'POST', target: `/${id}`, headers: {}, body: '{}', ...times } as const;
      let outcome = 'answered';
      try {
        await Attempt.make(pool, request, limit);
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        outcome = error.failure;
        if (!error.sent) unsent.push(id);
      } finally {
        limit.dispose();
      }
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    };

    for (let wave = 0; wave < 15; wave++) {
      await Promise.all(Array.from({ length: 30 }, (_, i) => call(String(wave * 30 + i))));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    await pool.destroy();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));

    // `unreachable` depends on how fast the machine connects.
    expect([...outcomes.keys()].sort()).toEqual(
      expect.arrayContaining(['aborted', 'answered', 'interrupted', 'timeout']),
    );
    expect(unsent.length).toBeGreaterThan(5);
    expect(unsent.filter((id) => arrived.includes(id))).toEqual([]);
    expect(new Set(arrived).size).toBe(arrived.length);
  });
});
