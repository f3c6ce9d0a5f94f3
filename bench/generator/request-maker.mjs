import { randomUUID } from 'node:crypto';

const PLACE = /\{(n|uuid|token|state)\}/g;

/** Counts over all groups and runs, so that "each another" is another in every round too. */
let serial = Math.floor(Math.random() * 1e9) * 1_000;

function withLength(start, body) {
  if (body === undefined) return `${start}\r\n`;
  return `${start}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/**
 * A function that makes the next request. In its texts `{n}` stands for a number of its own (one of `targets` where given), `{uuid}`
 * for a new id, `{token}` for one of `tokens` after the other, `{state}` for what the connection keeps.
 */
export function requestMaker({ port, method, path, headers = {}, body, tokens = [], targets = Infinity }) {
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const start = `${method} ${path} HTTP/1.1\r\n${lines.join('')}`;
  const fill = (text, values) => text.replace(PLACE, (_, name) => (name === 'uuid' ? randomUUID() : values[name]));
  if (!PLACE.test(start + body)) {
    const bytes = Buffer.from(withLength(start, body), 'latin1');
    return () => bytes;
  }
  return (state) => {
    serial += 1;
    const n = targets === Infinity ? serial : serial % targets;
    const values = { n, state, token: tokens[serial % tokens.length] };
    return withLength(fill(start, values), body === undefined ? undefined : fill(body, values));
  };
}
