import { describe, expect, it } from '@jest/globals';
import { TraceContext } from './trace-context.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';
const PARENT = `00-${TRACE_ID}-${PARENT_ID}-01`;

describe('TraceContext (W3C Trace Context)', () => {
  it('continues the trace of the client with a span of its own', () => {
    const trace = new TraceContext({ traceparent: PARENT });
    expect(trace.traceId).toBe(TRACE_ID);
    expect(trace.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(trace.spanId).not.toBe(PARENT_ID);
    expect(trace.answer).toBe(`00-${TRACE_ID}-${trace.spanId}-01`);
  });

  it.each([
    ['another version', `cc-${TRACE_ID}-${PARENT_ID}-01-what-comes-later`, '01'],
    ['flags that nobody knows yet', `00-${TRACE_ID}-${PARENT_ID}-fc`, '00'],
    ['a trace that is not sampled', `00-${TRACE_ID}-${PARENT_ID}-00`, '00'],
  ])('continues %s', (_, traceparent, flags) => {
    const trace = new TraceContext({ traceparent });
    expect(trace.answer).toBe(`00-${TRACE_ID}-${trace.spanId}-${flags}`);
  });

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['several', `${PARENT}, 00-${TRACE_ID}-${PARENT_ID}-00`],
    ['several of a later version', `cc-${TRACE_ID}-${PARENT_ID}-01-a, cc-${TRACE_ID}-${PARENT_ID}-01-a`],
    ['ids of zeros', `00-${'0'.repeat(32)}-${PARENT_ID}-01`],
    ['a parent of zeros', `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
    ['capital letters', PARENT.toUpperCase()],
    ['the version that is forbidden', `ff-${TRACE_ID}-${PARENT_ID}-01`],
    ['more than its version has', `${PARENT}-more`],
    ['ids that are too short', `00-${TRACE_ID.slice(1)}-${PARENT_ID}-01`],
    ['one that is too long', `cc-${TRACE_ID}-${PARENT_ID}-01-${'x'.repeat(1_000)}`],
    ['anything', 'svc_sk_live_4fGh'],
  ])('begins a trace where the client sent %s', (_, traceparent) => {
    const [trace, other] = [new TraceContext({ traceparent }), new TraceContext({ traceparent })];
    expect(trace.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(trace.traceId).not.toBe(TRACE_ID);
    expect(trace.traceId).not.toBe(other.traceId);
    expect(trace.forCall().tracestate).toBeUndefined();
  });

  it('says nothing of a trace to a client that does not ask', () => {
    expect(new TraceContext({}).answer).toBeNull();
  });

  it('gives each call a span of its own', () => {
    const trace = new TraceContext({ traceparent: PARENT, tracestate: 'rojo=1,congo=2' });
    const calls = [trace.forCall(), trace.forCall()];
    expect(calls[0]).toEqual({
      traceparent: expect.stringMatching(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-01$`)),
      tracestate: 'rojo=1,congo=2',
    });
    const spans = calls.map(({ traceparent = '' }) => traceparent.split('-')[2]);
    expect(new Set([...spans, trace.spanId, PARENT_ID]).size).toBe(4);
  });

  it.each([
    ['too long', 'a'.repeat(513)],
    ['not ASCII', 'rojo=ä'],
    ['empty', ''],
  ])('passes on no tracestate that is %s, and goes on with the trace', (_, tracestate) => {
    const trace = new TraceContext({ traceparent: PARENT, tracestate });
    expect(trace.forCall().tracestate).toBeUndefined();
    expect(trace.traceId).toBe(TRACE_ID);
  });

  it('holds no other header line, and shows nothing as JSON', () => {
    const headers = { traceparent: PARENT, authorization: 'Bearer CANARY' };
    expect(JSON.stringify(new TraceContext(headers))).toBe('{}');
  });
});
