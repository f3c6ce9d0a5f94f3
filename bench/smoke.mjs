import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { SAMPLES } from './upstream-answers.mjs';

/**
 * Runs the load generator against the exchanges' stand-in for a moment and prints what it counted as JSON: that the benchmark's own
 * parts work, with none of its peers installed.
 */
const TICKER = 'KXBENCH-26NOV20-B{n}';
const API = '/trade-api/v2';

async function ask(child, message) {
  if (message !== undefined) child.send(message);
  const [answer] = await once(child, 'message');
  return answer;
}

const upstream = fork(join(import.meta.dirname, 'upstream.mjs'));
const generator = fork(join(import.meta.dirname, 'generator', 'generator.mjs'));
const { port } = await ask(upstream);
const { latencyMs } = await ask(upstream, { latencyMs: 5 });

const body = JSON.stringify({ client_order_id: '{uuid}', count: '10' });
const groups = [
  { method: 'GET', path: `${API}/markets/${TICKER}/orderbook`, expect: 200, connections: 4 },
  { method: 'GET', path: `${API}/markets`, expect: 200, connections: 2, rate: 50 },
  { method: 'POST', path: `${API}/portfolio/events/orders`, body, expect: 201, connections: 2 },
  { method: 'GET', path: `${API}/nothing`, expect: 200, connections: 1 },
].map((group) => ({ ...group, port }));
const { result, error } = await ask(generator, { groups, pids: [upstream.pid], warmUpMs: 200, measureMs: 800 });
const books = fork(join(import.meta.dirname, 'upstream-books.mjs'));
const exchange = { url: `ws://127.0.0.1:${(await ask(books)).port}/ws/market`, token: SAMPLES.polymarketTokens[0] };
const PEER = {
  PORT: '0',
  BENCH_STREAM: 'bare',
  BENCH_WS_URL: exchange.url,
  BENCH_TOKEN: exchange.token,
  BENCH_LENGTH: '400',
};
const peer = fork(join(import.meta.dirname, 'subjects', 'stream-peer.mjs'), { env: PEER });
const readers = fork(join(import.meta.dirname, 'generator', 'stream-readers.mjs'));
const plan = { port: (await ask(peer)).port, path: '/', headers: {}, pid: peer.pid, exchange };
await ask(books, { changesPerSecond: 50 });
const streams = await ask(readers, { ...plan, readers: 3, restMs: 0, warmUpMs: 100, measureMs: 600 });
process.stdout.write(`${JSON.stringify({ latencyMs, error, ...result, streams })}\n`);
for (const child of [generator, upstream, books, peer, readers]) child.disconnect();
