import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { cpuSeconds, residentMb } from '../lib/process-facts.mjs';
import { Histogram } from './histogram.mjs';

/**
 * Many readers of one stream, in a process of their own, beside a listener at the exchange itself: what a change takes longer through the server
 * is the time between the two, by one clock. Its parent sends one plan at a time and gets `{ result }` or `{ error }`.
 */
const OPEN_LIMIT_MS = 30_000;
/** Change `n` has the size `n.5` (upstream-books.mjs); no other size ends so. */
const CHANGE = /"size":"(\d{1,9})\.5"/g;
/** A marker that two chunks share is shorter. */
const TAIL = 24;

/** Tells the number of each change in a text that comes in parts. */
function changeReader(tell) {
  let tail = '';
  return (part) => {
    const text = tail + part;
    let end = 0;
    for (const found of text.matchAll(CHANGE)) {
      tell(Number(found[1]));
      end = found.index + found[0].length;
    }
    tail = text.slice(Math.max(end, text.length - TAIL));
  };
}

/** One reader; comes again a moment after its stream ends. One that `isStopped` never reads behind its first bytes. */
class Reader {
  isOpen = false;
  opened = 0;
  #request;
  #isClosed = false;

  constructor({ port, path, headers }, { isStopped, tell }) {
    this.plan = { port, path, headers };
    this.isStopped = isStopped;
    this.tell = tell;
    this.#open();
  }

  #open() {
    if (this.#isClosed) return;
    this.#request = request({ host: '127.0.0.1', agent: false, ...this.plan }, (response) => {
      response.setEncoding('latin1');
      if (response.statusCode !== 200) return response.resume().on('end', () => this.#again());
      this.isOpen = true;
      this.opened += 1;
      const take = changeReader(this.tell);
      response.on('data', (part) => {
        if (this.isStopped) response.pause();
        else take(part);
      });
      response.on('close', () => this.#again());
      response.on('error', () => undefined);
    });
    this.#request.on('error', () => !this.isOpen && this.#again());
    this.#request.end();
  }

  #again() {
    this.isOpen = false;
    setTimeout(() => this.#open(), 200);
  }

  close() {
    this.#isClosed = true;
    this.#request.destroy();
  }
}

/** Listens at the exchange itself: when each change came, in ms. */
async function listen({ url, token }, cameAt) {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const take = changeReader((change) => cameAt.set(change, performance.now()));
  socket.on('message', (data) => take(data.latin1Slice()));
  socket.send(JSON.stringify({ type: 'market', assets_ids: [token] }));
  return socket;
}

async function run({ readers: count, stopped = 0, restMs, pid, exchange, warmUpMs, measureMs, ...plan }) {
  await delay(restMs);
  const restMb = residentMb(pid);
  const cameAt = new Map();
  const added = new Histogram();
  let told = 0;
  let isCounted = false;
  const tell = (change) => {
    const at = cameAt.get(change);
    if (!isCounted || at === undefined) return;
    told += 1;
    added.add(Math.max(0, performance.now() - at));
  };
  const socket = await listen(exchange, cameAt);
  const readers = [];
  for (let at = 0; at < count; at += 1) readers.push(new Reader(plan, { isStopped: at < stopped, tell }));
  for (const until = performance.now() + OPEN_LIMIT_MS; readers.some(({ isOpen }) => !isOpen); await delay(20))
    if (performance.now() > until)
      throw new Error(`${readers.filter(({ isOpen }) => !isOpen).length} readers did not open`);
  await delay(warmUpMs);
  cameAt.clear();
  isCounted = true;
  const [cpu, since, first] = [cpuSeconds(pid), performance.now(), cpuSeconds(process.pid)];
  const samples = [];
  const watch = setInterval(() => samples.push(residentMb(pid)), 250);
  await delay(measureMs);
  isCounted = false;
  clearInterval(watch);
  const seconds = (performance.now() - since) / 1_000;
  const used = cpuSeconds(pid) - cpu;
  const load = (cpuSeconds(process.pid) - first) / seconds;
  const changes = cameAt.size;
  for (const reader of readers) reader.close();
  socket.terminate();
  const opened = readers.reduce((sum, reader) => sum + reader.opened, 0);
  return { changes, told, opened, seconds, restMb, samples, load, cpuUs: told === 0 ? null : (used / told) * 1e6, added: added.summary() }; // prettier-ignore
}

process.on('message', (plan) => {
  run(plan).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: error.stack }),
  );
});
process.on('disconnect', () => process.exit());
