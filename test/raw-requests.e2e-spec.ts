import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from './support/app.js';

/** Far less than the 65 s for which an idle connection stays open. */
const CLOSED_IN_MS = 15_000;
const NEXT = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n';
const POST = 'POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

describe('S-44 a request that two readers could read in two ways', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  /** All that comes until the service closes the connection. */
  const answersTo = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(app.url);
      let answer = '';
      const socket = connect(Number(port), hostname, () => socket.write(text));
      const timer = setTimeout(() => socket.destroy(new Error(`still open after: ${answer}`)), CLOSED_IN_MS);
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
      socket.on('error', (error) => {
        if ('code' in error && error.code === 'ECONNRESET') resolve(answer);
        else reject(error);
      });
      socket.on('close', () => {
        clearTimeout(timer);
        resolve(answer);
      });
    });

  const statusesIn = (answers: string): string[] =>
    [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code = '']) => code);

  it.each([
    ['two hosts', `GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`],
    ['the same host twice', `GET /health/live HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n`],
    ['no host', `GET /health/live HTTP/1.1\r\nAccept: */*\r\n\r\n`],
    ['a target that nobody can read', `GET http://[ HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a target at another host', `GET http://evil.example/health/live HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a target without a slash', `GET health/live HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['a list of lengths', `${POST}Content-Length: 2, 2\r\n\r\n{}`],
    ['a signed length', `${POST}Content-Length: +2\r\n\r\n{}`],
    ['length and chunks', `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['an unknown encoding', `${POST}Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    [
      'chunks that are not the last encoding',
      `${POST}Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ],
    ['a space before the colon', `${POST}Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk of no length', `${POST}Transfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n0\r\n\r\n`],
  ])('is refused with 400, and what follows on the connection is not read: %s', async (_, text) => {
    expect(statusesIn(await answersTo(text + NEXT))).toEqual(['400']);
  });

  it.each(['a:443', 'evil.example:80'])('CONNECT to %s is refused', async (target) => {
    const statuses = statusesIn(await answersTo(`CONNECT ${target} HTTP/1.1\r\nHost: a\r\n\r\n${NEXT}`));
    expect(statuses.filter((status) => !status.startsWith('4'))).toEqual([]);
  });

  it('two good ones on one connection are both answered', async () => {
    const last = NEXT.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    expect(statusesIn(await answersTo(NEXT + last))).toEqual(['200', '200']);
  });
});

describe('S-34 levels of nesting', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  /** The fields that an answer names: one only where the body was read. */
  async function fieldsFor(email: string, password = '"some long password"'): Promise<unknown> {
    const answer = await fetch(`${app.url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"email":${email},"password":${password}}`,
    });
    const { error } = (await answer.json()) as {
      error: { code: string; details?: { fields?: readonly { field: string }[] } };
    };
    return [answer.status, error.code, error.details?.fields?.map(({ field }) => field) ?? null];
  }

  const lists = (count: number): string => '['.repeat(count) + ']'.repeat(count);
  const objects = (count: number): string => '{"a":'.repeat(count) + '1' + '}'.repeat(count);

  it.each([lists, objects])('S-34 20 levels are read, 21 are not (%#)', async (nested) => {
    expect(await fieldsFor(nested(19))).toEqual([400, 'bad_request', ['email']]);
    expect(await fieldsFor(nested(20))).toEqual([400, 'bad_request', null]);
  });

  it.each(['"["', '"{"', '"\\"["', '"\\\\"'])('S-34 brackets in texts are none: %s', async (piece) => {
    const text = JSON.stringify((JSON.parse(piece) as string).repeat(60));
    expect(await fieldsFor('"a@b.example"', text)).toEqual([401, 'invalid_credentials', null]);
    expect(await fieldsFor(`[${text},${lists(19)}]`)).toEqual([400, 'bad_request', null]);
  });
});
