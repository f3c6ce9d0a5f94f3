import type { IncomingMessage } from 'node:http';

/** Header lines that change nothing about an answer, and the credential. A load balancer adds those after `user-agent`. */
const ORDINARY_NAMES = [
  'host',
  'connection',
  'authorization',
  'accept',
  'accept-encoding',
  'accept-language',
  'sec-fetch-mode',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'x-repeats-reads',
  'x-amzn-trace-id',
  'forwarded',
  'via',
  'traceparent',
  'tracestate',
];

/** A bit for each name; clients write names in small letters or as in `Accept-Encoding`. */
const BITS = new Map(
  ORDINARY_NAMES.flatMap((name, index): [string, number][] => [
    [name, 1 << index],
    [name.replaceAll(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase()), 1 << index],
  ]),
);

/** Whether a request is a GET of HTTP/1.1 without anything unusual: no body, and only ordinary header lines, each once. */
export function isOrdinary({ method, httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (method !== 'GET' || httpVersion !== '1.1') return false;
  let seen = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const bit = BITS.get(name) ?? BITS.get(name.toLowerCase());
    if (bit === undefined || (seen & bit) !== 0) return false;
    seen |= bit;
  }
  return true;
}
