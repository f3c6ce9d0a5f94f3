import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request, { type Response } from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import type { FakeServer } from './support/fake-server.js';
import { BOOK, countOrdinary, laneEnvironment, read, startUpstream } from './support/lane-stand.js';
import { sendRaw } from './support/raw-client.js';
import { anApiKey, aUser } from './support/users.js';

const PARENT_ID = '00f067aa0ba902b7';
const IDS = {
  request_id: expect.stringMatching(/^req_[0-9A-Z]{26}$/),
  trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
  span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
};

let counter = 0;

/** A trace that nobody has used yet. */
function aTrace(): { id: string; headers: { traceparent: string } } {
  counter += 1;
  const id = `4bf92f3577b34da6a3ce929d${counter.toString(16).padStart(8, '0')}`;
  return { id, headers: { traceparent: `00-${id}-${PARENT_ID}-01` } };
}

describe('traces (contract.md 8.2)', () => {
  let upstream: FakeServer;
  let app: TestApp;
  let key: string;

  const linesOf = (requestId: unknown): Record<string, unknown>[] =>
    app.logLines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line.request_id === requestId);

  const traceOf = (answer: Response): string[] => String(answer.headers.traceparent).split('-');

  beforeAll(async () => {
    upstream = await startUpstream();
    app = await startTestApp({ ...laneEnvironment(upstream), TRACE_UPSTREAM: 'true', LOG_LEVEL: 'trace' });
    key = await anApiKey(app, await aUser(app), ['read']);
  });

  afterAll(async () => {
    await app.close();
    await upstream.close();
  });

  it('a client finds its trace in the answer, in every log line of the request, and at the exchange', async () => {
    const { id, headers } = aTrace();
    const before = upstream.arrived.length;
    const answer = await read(app, `${BOOK}&depth=2`, key, { ...headers, tracestate: 'rojo=1' });
    expect(answer.status).toBe(200);
    const [, traceId, spanId] = traceOf(answer);
    expect(traceId).toBe(id);
    expect(spanId).not.toBe(PARENT_ID);
    const lines = linesOf(answer.headers['x-request-id']);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatchObject({ trace_id: id, span_id: spanId });
    const calls = upstream.arrived.slice(before).map((call) => call.headers);
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) {
      expect(call.traceparent).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-01$`));
      expect(String(call.traceparent).split('-')[2]).not.toBe(spanId);
      expect(call.tracestate).toBe('rojo=1');
    }
  });

  it.each(['no trace', `00-${'0'.repeat(32)}-${PARENT_ID}-01`, ''])(
    'begins a trace where the client sent %j',
    async (traceparent) => {
      const answer = await request(app.url).get('/nothing').set({ traceparent });
      const [, traceId] = traceOf(answer);
      expect(traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
      expect(linesOf(answer.headers['x-request-id'])[0]).toMatchObject({ ...IDS, trace_id: traceId });
    },
  );

  it('begins one where the client sent two lines', async () => {
    const [one, other] = [aTrace(), aTrace()];
    const lines = [one, other].map(({ headers }) => `traceparent: ${headers.traceparent}\r\n`).join('');
    const [answer] = await sendRaw(app.url, `GET /nothing HTTP/1.1\r\nHost: a\r\n${lines}\r\n`, [true]);
    const sent = answer?.lines.filter((line) => line.startsWith('traceparent: ')) ?? [];
    expect(sent).toHaveLength(1);
    expect(sent[0]).not.toContain(one.id);
    expect(sent[0]).not.toContain(other.id);
  });

  it('says nothing of a trace to a client that sent none, and has one in the log', async () => {
    const answer = await request(app.url).get('/nothing');
    expect(answer.headers).not.toHaveProperty('traceparent');
    const lines = linesOf(answer.headers['x-request-id']);
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toMatchObject(IDS);
    expect(new Set(lines.map(({ trace_id }) => trace_id)).size).toBe(1);
  });

  it('the answer lane repeats answers to clients with a trace, and no trace of others', async () => {
    await read(app, BOOK, key, aTrace().headers);
    const ordinary = countOrdinary(app);
    const traces = [aTrace(), aTrace(), aTrace()];
    const answers: Response[] = [];
    for (const { headers } of traces) answers.push(await read(app, BOOK, key, headers));
    expect(ordinary.count).toBe(0);
    expect(answers.map((answer) => traceOf(answer)[1])).toEqual(traces.map(({ id }) => id));
    expect((await read(app, BOOK, key)).headers).not.toHaveProperty('traceparent');
    const lines = linesOf(answers[2]?.headers['x-request-id']);
    expect(lines).toMatchObject([{ trace_id: traces[2]?.id }]);
    expect(ordinary.count).toBe(0);
  });

  it('keeps no trace with what is stored of a request', async () => {
    const { id, headers } = aTrace();
    const email = 'nobody-at-all@example.com';
    await request(app.url).post('/auth/forgot-password').set(headers).send({ email });
    const rows = await app.query('SELECT data::text AS data FROM mail_outbox WHERE recipient = $1', [email]);
    expect(rows).toHaveLength(1);
    expect(JSON.parse(String(rows[0]?.data))).toMatchObject({ origin: { id: expect.stringMatching(/^req_/) } });
    expect(String(rows[0]?.data)).not.toContain(id);
    expect(String(rows[0]?.data)).not.toContain('trace');
  });
});
