import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';

const CROWD = 500;
/** Node looks every 5 s who is over time; a busy machine does so later. */
const LATE_MS = 12_000;

/** How a connection ended. */
interface End {
  readonly answer: string;
  readonly tookMs: number;
}

describe('R-18 clients that take their time', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  /** Sends this and then nothing more. */
  const send = (text: string): Promise<End> =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(app.url);
      const startedAt = performance.now();
      let answer = '';
      const socket = connect(Number(port), hostname)
        .on('data', (chunk: Buffer) => (answer += chunk.toString()))
        .on('error', () => undefined)
        .on('close', () => {
          resolve({ answer, tookMs: performance.now() - startedAt });
        });
      if (text !== '') socket.write(text);
    });

  const expectCut = (end: End, afterMs: number): void => {
    expect(end.answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(end.tookMs).toBeGreaterThan(afterMs - 100);
    expect(end.tookMs).toBeLessThan(afterMs + LATE_MS);
  };

  it('R-18 has 10 s for the header lines and 30 s for all; the others are answered meanwhile', async () => {
    const body = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
    const slow = [
      send(''),
      send('GET /health/live HTTP/1.1\r\nHost: a\r\n'),
      send(`POST /auth/login HTTP/1.1\r\nHost: a\r\n${body}`),
    ] as const;
    const crowd = Array.from({ length: CROWD }, () => send('GET /health/live HTTP/1.1\r\nHost: a\r\n'));
    const times: number[] = [];
    for (let index = 0; index < 20; index += 1) {
      const startedAt = performance.now();
      expect((await request(app.url).get('/health/ready')).status).toBe(200);
      times.push(performance.now() - startedAt);
    }
    // Who waited for a slow client would wait for 10 s.
    expect(Math.max(...times)).toBeLessThan(5_000);
    expectCut(await slow[0], 10_000);
    expectCut(await slow[1], 10_000);
    for (const end of await Promise.all(crowd)) expectCut(end, 10_000);
    expectCut(await slow[2], 30_000);
    expect((await request(app.url).get('/health/ready')).status).toBe(200);
  });

  it('R-18 refuses more than 16 KiB of header lines with 431, and closes', async () => {
    const line = `x-long: ${'x'.repeat(1_000)}\r\n`;
    const end = await send(`GET /health/live HTTP/1.1\r\nHost: a\r\n${line.repeat(17)}\r\n`);
    expect(end.answer).toMatch(/^HTTP\/1\.1 431 /);
    const fits = await send(`GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${line.repeat(15)}\r\n`);
    expect(fits.answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});
