import { fstatSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isLive, passOn, prepared } from './live-service.mjs';

/** A server that answers as a case of `cases/*.json` tells it to. README.md beside it says how a case is written. */
const FOLDER = import.meta.dirname;
const EXAMPLES = JSON.parse(readFileSync(join(FOLDER, 'examples.json'), 'utf8'));
const DEFAULT_KEY = 'svc_sk_test_conformance';
const ENDS = { close: (answer) => answer.end(), reset: (answer) => answer.socket.resetAndDestroy(), hang: () => {} };

/** `{ "$like": "listMarkets.data.0", … }`: the example of the document, with the other members in its place. */
function filled(value) {
  if (Array.isArray(value)) return value.map(filled);
  if (value === null || typeof value !== 'object') return value;
  const { $like, ...rest } = value;
  const own = Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, filled(each)]));
  if ($like === undefined) return own;
  const example = $like.split('.').reduce((part, name) => part?.[name], EXAMPLES);
  if (example === undefined) throw new Error(`examples.json has no ${$like}`);
  return { ...structuredClone(example), ...own };
}

/** `"$n+8"` is a number, `"f{n+1}"` a text with one in it. */
function counted(value, n) {
  const text = JSON.stringify(value);
  return JSON.parse(
    text
      .replace(/"\$n\+(\d+)"/g, (_, more) => String(n + Number(more)))
      .replace(/\{n\+(\d+)\}/g, (_, more) => String(n + Number(more))),
  );
}

/** All cases, by their names: those of a script, or those that the real service answers. */
function readCases() {
  const folder = join(FOLDER, isLive ? 'live' : 'cases');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const cases = files.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  const byName = new Map(cases.map((each) => [each.name, filled(each)]));
  if (byName.size !== cases.length) throw new Error('Two cases have one name.');
  return byName;
}

function pathOf(target) {
  const url = new URL(target, 'http://localhost');
  const query = [...url.searchParams].map(([name, value]) => `${name}=${value}`).sort();
  return JSON.stringify([target.split('?')[0].split('/').map(decodeURIComponent), query]);
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}

/** The case that is played, what was seen, and what was wrong with it. */
class Play {
  #same = new Map();
  #next = 0;
  constructor(played) {
    this.played = played;
    this.requests = [];
    this.failures = [];
  }

  /** The next entry of the script; notes what the request lacks of what that entry expects. */
  take(seen) {
    this.requests.push(seen);
    const { script = [], client = {} } = this.played;
    const entry = script[this.#next++];
    if (entry === undefined) {
      this.failures.push(`request ${this.#next} (${seen.method} ${seen.path}) is more than the script has`);
      return { answer: { status: 500, body: 'the script is over' } };
    }
    const { method, path, headers = {}, body } = entry.request ?? {};
    const authorization = `Bearer ${client.token ?? client.api_key ?? DEFAULT_KEY}`;
    if (method !== undefined && method !== seen.method) this.#differs('method', seen.method, method);
    if (path !== undefined && pathOf(path) !== pathOf(seen.path)) this.#differs('path', seen.path, path);
    if (body !== undefined && JSON.stringify(sorted(body)) !== JSON.stringify(sorted(seen.body)))
      this.#differs('body', JSON.stringify(seen.body), JSON.stringify(body));
    for (const [name, expected] of Object.entries({ authorization, ...headers }))
      if (!this.#fits(seen.headers[name], expected)) this.#differs(name, seen.headers[name], expected);
    return entry;
  }

  #fits(value, expected) {
    if (expected === '$absent') return value === undefined;
    if (!String(expected).startsWith('$same:')) return value === expected;
    if (!this.#same.has(expected)) this.#same.set(expected, value);
    return Boolean(value) && this.#same.get(expected) === value;
  }

  #differs(what, seen, expected) {
    this.failures.push(`request ${this.#next}: ${what} is ${seen}, not ${expected}`);
  }

  /** What a runner judges by: no failures, and nothing of the script left. */
  report() {
    const left = Math.max(0, (this.played?.script ?? []).length - this.#next);
    return { requests: this.requests, failures: this.failures, left };
  }
}

async function bodyOf(request) {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function headersOf(number, given) {
  const id = `req_${String(number).padStart(26, '0')}`;
  const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': id, ...given };
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== null));
}

function sendAnswer(answer, number, { status = 200, headers = {}, body = {} }) {
  answer.writeHead(status, headersOf(number, headers));
  answer.end(typeof body === 'string' ? body : JSON.stringify(body));
}

const FAULTS = {
  reset: (answer) => answer.socket.resetAndDestroy(),
  close: (answer) => answer.socket.end(),
  hang: () => {},
  cut: (answer, number) => {
    answer.writeHead(200, { ...headersOf(number, {}), 'content-length': '500' });
    answer.write('{"id":"o', () => setTimeout(() => answer.socket.destroy(), 20));
  },
  html: (answer) => {
    answer.writeHead(502, { 'content-type': 'text/html' });
    answer.end('<html><body><h1>502 Bad Gateway</h1></body></html>');
  },
};

async function sendStream(answer, number, items) {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };
  answer.writeHead(200, headersOf(number, headers));
  answer.flushHeaders();
  for (const item of items) {
    if (answer.destroyed) return;
    if (item.wait_ms !== undefined) await wait(item.wait_ms);
    else if (item.end !== undefined) return ENDS[item.end](answer);
    else if (item.retry !== undefined) answer.write(`retry: ${item.retry}\n\n`);
    else if (item.comment !== undefined) answer.write(`: ${item.comment}\n\n`);
    else if (item.raw !== undefined) answer.write(item.raw);
    else {
      const each = Array.from({ length: item.times ?? 1 }, (_, n) => counted(item, n));
      const texts = each.map(
        ({ id, data }) => `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`,
      );
      answer.write(texts.join(''));
    }
  }
}

async function answerOwn(path, body, cases, current) {
  if (path === '/__cases') return { status: 200, body: [...cases.values()] };
  if (path === '/__seen') return { status: 200, body: current.report() };
  const found = cases.get(body?.name);
  if (path !== '/__case' || found === undefined) return { status: 404, body: { error: 'no such case' } };
  const played = isLive ? await prepared(found) : found;
  return { status: 200, body: played, play: new Play(played) };
}

/** A port on which nothing listens. */
async function closedPort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const cases = readCases();
let play = new Play(null);
const server = createServer((request, answer) => {
  void (async () => {
    const body = await bodyOf(request);
    if (request.url.startsWith('/__')) {
      const own = await answerOwn(request.url, body, cases, play);
      play = own.play ?? play;
      return sendAnswer(answer, 0, own);
    }
    if (isLive) return passOn(request, body, answer);
    const mine = play;
    const entry = mine.take({ method: request.method, path: request.url, headers: request.headers, body });
    const number = mine.requests.length;
    if (entry.fault !== undefined) return FAULTS[entry.fault](answer, number);
    if (entry.after_ms !== undefined) await wait(entry.after_ms);
    return entry.stream === undefined
      ? sendAnswer(answer, number, entry.answer)
      : sendStream(answer, number, entry.stream);
  })().catch(() => answer.destroy());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', async () => {
  const urls = {
    url: `http://127.0.0.1:${server.address().port}`,
    closed_url: `http://127.0.0.1:${await closedPort()}`,
  };
  console.log(JSON.stringify(urls));
});
// Ends with whoever holds its input, where that is a pipe.
const input = fstatSync(0);
if (input.isFIFO() || input.isSocket()) process.stdin.on('end', () => process.exit(0)).resume();
