import type { IncomingHttpHeaders } from 'node:http';
import { parseTraceParent } from '@opentelemetry/core';

/** A later version may be longer than the 55 characters of the first (W3C Trace Context 4.1). */
const LONGEST_PARENT = 512;
const LONGEST_STATE = 512;
/** The flags that the specification knows: sampled, and ids that are random (W3C Trace Context 3.2.2.5). */
const KNOWN_FLAGS = 0b11;
const HEX_DIGITS = 8;

/** The header lines of a request that concern its trace. */
interface SentHeaders {
  readonly traceparent?: string | string[] | undefined;
  readonly tracestate?: string | string[] | undefined;
}

/** What they say. */
interface Trace {
  readonly traceId: string;
  /** Two hex digits. */
  readonly flags: string;
  /** Undefined where there is none, or none that may be passed on. */
  readonly state: string | undefined;
}

/** Random hex digits, eight a word. They are no secret: an id has to differ from others, nothing more. */
function randomHex(words: number): string {
  let text = '';
  for (let word = 0; word < words; word += 1) {
    const bits = Math.floor(Math.random() * 2 ** 32);
    text += bits.toString(16).padStart(HEX_DIGITS, '0');
  }
  return text;
}

/** As the client sent it, one or several lines joined; undefined where it is too long or holds more than printable ASCII. */
function stateOf(sent: string | string[] | undefined): string | undefined {
  const text = Array.isArray(sent) ? sent.join(',') : (sent ?? '');
  return text !== '' && text.length <= LONGEST_STATE && /^[\x20-\x7e]+$/.test(text) ? text : undefined;
}

/** Several lines are as good as none: Node.js joins them with commas, which no version of the line has. */
function traceOf({ traceparent: sent, tracestate }: SentHeaders): Trace {
  const isOne = typeof sent === 'string' && sent.length <= LONGEST_PARENT && !sent.includes(',');
  const parent = isOne ? parseTraceParent(sent) : null;
  if (parent === null) return { traceId: randomHex(4), flags: '00', state: undefined };
  const flags = (parent.traceFlags & KNOWN_FLAGS).toString(16).padStart(2, '0');
  return { traceId: parent.traceId, flags, state: stateOf(tracestate) };
}

/**
 * The place of a request in a trace over several services (W3C Trace Context): continues the trace that the client sent, or begins
 * one where that is invalid. Read when it is asked for, since most requests write no line.
 */
export class TraceContext {
  readonly #sent: SentHeaders;
  #trace: Trace | undefined;
  #spanId: string | undefined;

  /** Keeps the two header lines alone: the others hold secrets. */
  constructor({ traceparent, tracestate }: IncomingHttpHeaders) {
    this.#sent = { traceparent, tracestate };
  }

  /** 32 hex digits. */
  get traceId(): string {
    return this.#read().traceId;
  }

  /** Our part of the trace, 16 hex digits. */
  get spanId(): string {
    this.#spanId ??= randomHex(2);
    return this.#spanId;
  }

  /** Our own `traceparent`, for the client; null where it sent none, good or bad. */
  get answer(): string | null {
    return this.#sent.traceparent === undefined ? null : this.#lineOf(this.spanId);
  }

  /** The header lines of a call that we make for the request, which is a span of its own. */
  forCall(): Readonly<Record<string, string>> {
    const { state } = this.#read();
    return { traceparent: this.#lineOf(randomHex(2)), ...(state === undefined ? {} : { tracestate: state }) };
  }

  #read(): Trace {
    this.#trace ??= traceOf(this.#sent);
    return this.#trace;
  }

  #lineOf(spanId: string): string {
    const { traceId, flags } = this.#read();
    return `00-${traceId}-${spanId}-${flags}`;
  }
}
