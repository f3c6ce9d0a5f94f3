import { createServer } from 'node:http';
import { WebSocket } from 'ws';
import { PORT } from './settings.mjs';

/**
 * What a team would write: `ws` to the exchange, a book in memory, each change as an event to whoever listens. With `BENCH_STREAM=bare` it writes bytes
 * that are as many, and knows nothing of what they say but the size.
 */
const IS_BARE = process.env.BENCH_STREAM === 'bare';
const [URL, TOKEN, LENGTH] = [process.env.BENCH_WS_URL, process.env.BENCH_TOKEN, Number(process.env.BENCH_LENGTH)];

const readers = new Set();
const book = { bids: new Map(), asks: new Map() };
let sequence = 0;

/** `LENGTH` bytes with the size of a change. */
function bare(text) {
  const size = /"size":"\d+\.5"/.exec(text)?.[0];
  if (size === undefined) return;
  const bytes = `data: {${size},"rest":"`;
  const event = `${bytes}${'x'.repeat(Math.max(0, LENGTH - bytes.length - 4))}"}\n\n`;
  for (const reader of readers) reader.write(event);
}

function heard(text) {
  const { event_type: type, price_changes: changes = [], timestamp } = JSON.parse(text);
  if (type !== 'price_change') return;
  for (const { side, price, size } of changes) book[side === 'BUY' ? 'bids' : 'asks'].set(price, size);
  sequence += 1;
  for (const reader of readers) {
    const data = { type: 'update', sequence, at: new Date(Number(timestamp)).toISOString(), changes };
    reader.write(`event: update\nid: ${sequence}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}

const socket = new WebSocket(URL);
socket.on('open', () => socket.send(JSON.stringify({ type: 'market', assets_ids: [TOKEN] })));
socket.on('message', (data) => (IS_BARE ? bare : heard)(data.toString()));

const server = createServer((request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }).flushHeaders();
  response.write(': hello\n\n');
  readers.add(response);
  response.on('close', () => readers.delete(response));
});
server.listen({ port: PORT, host: '127.0.0.1', backlog: 4096 }, () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
