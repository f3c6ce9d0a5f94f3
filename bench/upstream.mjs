import { createServer } from 'node:net';
import { answerTo } from './upstream-answers.mjs';

/**
 * The exchanges' stand-in, as cheap as can be: it reads requests from the bare socket and writes answers that were made before.
 * Its parent sends `{ latencyMs }` and gets `{ port }` once, `{ latencyMs }` for each change.
 */
const HEAD_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);

let latencyMs = 0;
let date = new Date().toUTCString();
setInterval(() => (date = new Date().toUTCString()), 500).unref();

/** The first whole request in what has arrived, and what follows it; null where it is not whole yet. */
function takeRequest(bytes) {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return null;
  const head = bytes.latin1Slice(0, end);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const bodyAt = end + HEAD_END.length;
  if (bytes.length < bodyAt + length) return null;
  const [method, target] = head.slice(0, head.indexOf('\r\n')).split(' ', 2);
  const body = length === 0 ? '' : bytes.utf8Slice(bodyAt, bodyAt + length);
  return { request: { method, target, body }, rest: bytes.subarray(bodyAt + length) };
}

function write(socket, { status, body }) {
  if (socket.destroyed) return;
  const head =
    `HTTP/1.1 ${status} OK\r\nDate: ${date}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\nConnection: keep-alive\r\n\r\n`;
  socket.cork();
  socket.write(head, 'latin1');
  socket.write(body);
  socket.uncork();
}

const server = createServer({ noDelay: true }, (socket) => {
  let pending = NOTHING;
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (let taken = takeRequest(pending); taken !== null; taken = takeRequest(pending)) {
      pending = taken.rest;
      const answer = answerTo(taken.request);
      if (latencyMs === 0) write(socket, answer);
      else setTimeout(write, latencyMs, socket, answer);
    }
  });
});

server.listen({ port: Number(process.env.PORT ?? 0), host: '127.0.0.1', backlog: 4096 }, () => {
  process.send?.({ port: server.address().port });
});
process.on('message', (message) => {
  latencyMs = message.latencyMs;
  process.send({ latencyMs });
});
process.on('disconnect', () => process.exit());
