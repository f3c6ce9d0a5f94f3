import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import ts from 'typescript';
import { ConnectionFailed, InvalidArgument, OrderOutcomeUnknown, TradingProxy } from 'trading-proxy-client';

/** What only this language has: signals, hooks, the environment. */
const KEY = 'svc_sk_live_never-shown';
const ORDER = { market_id: 'M', outcome: 'yes', side: 'buy', price: '0.05', size: 1 };
const ME = JSON.stringify({ user_id: 'u1', bot: null });
const seen = [];
let answer = (_, response) => response.end(JSON.stringify({ id: 'o1', user_id: 'u1', results: [null] }));
const server = createServer((request, response) => {
  seen.push(request);
  answer(request, response);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}`;
const hang = () => undefined;
after(() => {
  server.closeAllConnections();
  server.close();
});

async function during(answering, work) {
  const before = answer;
  answer = answering;
  seen.length = 0;
  try {
    return await work();
  } finally {
    answer = before;
  }
}

test('only a text or a whole number is a decimal', async () => {
  const client = new TradingProxy(url, { apiKey: KEY });
  for (const size of [
    ['1'],
    { toString: () => '1' },
    true,
    0.5,
    NaN,
    Number.MAX_SAFE_INTEGER + 1,
    '1e3',
    ' 1',
    '',
    '.5',
  ])
    await assert.rejects(client.kalshi.orders.create({ ...ORDER, size }), InvalidArgument, inspect(size));
  assert.equal((await client.kalshi.orders.create({ ...ORDER, size: '1.50' })).id, 'o1');
});

test('a signal that has fired sends nothing', async () => {
  const client = new TradingProxy(url, { apiKey: KEY });
  await during(hang, async () => {
    const reason = new Error('mine');
    await assert.rejects(
      client.kalshi.orders.create(ORDER, { signal: AbortSignal.abort(reason) }),
      (error) => error === reason,
    );
    assert.equal(seen.length, 0);
  });
});

test('a signal ends a read with its reason, and leaves the outcome of a create unknown', async () => {
  const client = new TradingProxy(url, { apiKey: KEY });
  await during(hang, async () => {
    const reason = new Error('mine');
    const signalOf = () => {
      const ending = new AbortController();
      setTimeout(() => ending.abort(reason), 50);
      return ending.signal;
    };
    await assert.rejects(client.kalshi.balance.get({ signal: signalOf() }), (error) => error === reason);
    const error = await client.kalshi.orders
      .create(ORDER, { signal: signalOf(), idempotencyKey: 'k1' })
      .catch((caught) => caught);
    assert.ok(error instanceof OrderOutcomeUnknown);
    assert.deepEqual([error.idempotency_key, error.cause], ['k1', reason]);
    answer = (_, response) => response.end(JSON.stringify({ id: 'o1' }));
    assert.equal((await error.retry()).id, 'o1');
    assert.deepEqual(seen.flatMap(({ method, headers }) => (method === 'POST' ? [headers['idempotency-key']] : [])), ['k1', 'k1']); // prettier-ignore
  });
});

test('a signal ends the wait between two attempts', async () => {
  const client = new TradingProxy(url, { apiKey: KEY });
  const refuse = (_, response) => {
    response.writeHead(503, { 'retry-after': '30' });
    response.end(JSON.stringify({ error: { code: 'service_unavailable', message: 'm', retryable: true } }));
  };
  await during(refuse, async () => {
    const begun = performance.now();
    await assert.rejects(client.kalshi.balance.get({ signal: AbortSignal.timeout(100) }), { name: 'TimeoutError' });
    assert.ok(performance.now() - begun < 5000);
  });
});

test('hooks see no headers, and one that fails hides no order', async () => {
  const told = [];
  const tell = (each) => {
    told.push(each);
    throw new Error('a hook that fails');
  };
  const client = new TradingProxy(url, { apiKey: KEY, onRequest: tell, onResponse: tell });
  assert.equal((await client.kalshi.orders.create(ORDER)).id, 'o1');
  assert.deepEqual(told.map(({ method, path, attempt, status }) => [method, path, attempt, status]), [
    ['POST', '/kalshi/orders', 0, undefined],
    ['POST', '/kalshi/orders', 0, 200],
  ]); // prettier-ignore
  assert.ok(!JSON.stringify(told).includes(KEY));
});

test('a batch that cannot be read is of unknown outcome', async () => {
  const client = new TradingProxy(url, { apiKey: KEY, retries: 0 });
  await assert.rejects(client.kalshi.orders.createBatch([ORDER]), OrderOutcomeUnknown);
});

test('an item of a batch is repeated alone, and what is not known of it stays in mind', async () => {
  const client = new TradingProxy(url, { apiKey: KEY, retries: 0 });
  const unknown = { code: 'order_outcome_unknown', message: 'm', retryable: true };
  const answers = [
    [
      200,
      {
        results: [
          { index: 0, order: { id: 'o1' } },
          { index: 1, error: unknown },
        ],
      },
    ],
    [403, { error: { code: 'bot_halted', message: 'm', retryable: false } }],
    [201, { id: 'o2' }],
  ];
  const sent = [];
  const play = async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    sent.push([request.url, request.headers['idempotency-key'], JSON.parse(text).size]);
    const [status, body] = answers.shift();
    response.writeHead(status).end(JSON.stringify(body));
  };
  await during(play, async () => {
    const orders = [ORDER, { ...ORDER, size: 2 }];
    const { results } = await client.kalshi.orders.createBatch(orders, { idempotencyKey: 'b1' });
    orders[1].size = 9;
    const error = await results[1].error.retry().catch((caught) => caught);
    assert.deepEqual([error.constructor, error.cause.code, error.idempotency_key], [OrderOutcomeUnknown, 'bot_halted', 'b1#1']); // prettier-ignore
    assert.equal((await error.retry()).id, 'o2');
  });
  assert.deepEqual(sent.slice(1), [['/kalshi/orders', 'b1#1', '2'], ['/kalshi/orders', 'b1#1', '2']]); // prettier-ignore
});

test('only a connection that was never made has sent nothing', async () => {
  const failed = (facts) => Object.assign(new Error('m'), facts);
  const refused = failed({ code: 'ECONNREFUSED', syscall: 'connect' });
  const cut = failed({ code: 'EHOSTUNREACH', syscall: 'read' });
  const classOf = async (cause) => {
    const fails = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const client = new TradingProxy(url, { apiKey: KEY, retries: 0, fetch: fails });
    return (await client.kalshi.orders.create(ORDER).catch((error) => error)).constructor;
  };
  for (const cause of [
    refused,
    failed({ code: 'EHOSTUNREACH', syscall: 'connect' }),
    failed({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
    failed({ code: 'UND_ERR_CONNECT_TIMEOUT' }),
    new AggregateError([refused, refused]),
  ])
    assert.equal(await classOf(cause), ConnectionFailed, inspect(cause));
  for (const cause of [
    cut,
    failed({ code: 'ENETUNREACH', syscall: 'write' }),
    new AggregateError([refused, cut]),
    null,
  ])
    assert.equal(await classOf(cause), OrderOutcomeUnknown, inspect(cause));
});

test('no text of a client or a stream has the key', async () => {
  const client = new TradingProxy(url, { apiKey: KEY });
  const stream = client.kalshi.fills.stream();
  for (const each of [client, client.kalshi, stream, client.withResponse()])
    assert.ok(!inspect(each, { depth: 20, showHidden: true }).includes('never-shown'));
  stream.close();
});

test('a token is asked for before each attempt', async () => {
  let count = 0;
  const client = new TradingProxy(url, { token: () => Promise.resolve(`token-${++count}`), retries: 1 });
  await during(
    ({ headers }, response) => (headers.authorization === 'Bearer token-1' ? response.destroy() : response.end(ME)),
    async () => {
      await client.me.get();
      assert.deepEqual(seen.map(({ headers }) => headers.authorization), ['Bearer token-1', 'Bearer token-2']); // prettier-ignore
    },
  );
});

test('addresses and credentials that cannot be right are refused', () => {
  const make = (address, options = { apiKey: KEY }) => new TradingProxy(address, options);
  for (const address of [
    'http://192.168.1.1:3000',
    'http://127.0.0.1.example.com',
    'ftp://localhost',
    'localhost:3000',
    'https://a:b@host',
    'https://host/?q=1',
    '',
  ])
    assert.throws(() => make(address), InvalidArgument, address);
  for (const address of ['http://localhost:3000', 'http://[::1]:3000/', 'https://example.com/trading']) make(address);
  make('http://192.168.1.1:3000', { apiKey: KEY, insecure: true });
  assert.throws(() => make(url, {}), InvalidArgument);
  assert.throws(() => make(url, { apiKey: KEY, token: 't' }), InvalidArgument);
  assert.throws(() => make(url).exchange('..'), InvalidArgument);
});

test('address and key come from the environment', async () => {
  Object.assign(process.env, { TRADING_PROXY_URL: url, TRADING_PROXY_API_KEY: KEY });
  await during((_, response) => response.end(ME), async () => {
    await new TradingProxy().me.get();
    assert.equal(seen[0].headers.authorization, `Bearer ${KEY}`);
  }); // prettier-ignore
});

test('a stream can be closed while its reader waits', async () => {
  const client = new TradingProxy(url, { apiKey: KEY });
  await during(hang, async () => {
    client.kalshi.trades.stream(['M']).close();
    const stream = client.kalshi.trades.stream(['M']);
    setTimeout(() => stream.close(), 50);
    for await (const event of stream) assert.fail(inspect(event));
    assert.equal(seen.length, 1);
  });
});

/** The market maker beside a state file of `intents`, until each of them has its fate; what it wrote of each. */
async function madeOf(intents) {
  const folder = mkdtempSync(join(tmpdir(), 'market-maker-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(import.meta.dirname, '..'), join(folder, 'node_modules', 'trading-proxy-client'));
  for (const name of ['market-maker', 'journal']) {
    const text = readFileSync(join(import.meta.dirname, '..', 'examples', `${name}.ts`), 'utf8');
    const compilerOptions = { target: 'ES2022', module: 'ES2022' };
    writeFileSync(join(folder, `${name}.mjs`), ts.transpileModule(text.replace('./journal.js', './journal.mjs'), { compilerOptions }).outputText); // prettier-ignore
  }
  const state = join(folder, 'state.jsonl');
  writeFileSync(state, intents.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const env = { ...process.env, TRADING_PROXY_URL: url, TRADING_PROXY_API_KEY: KEY };
  const maker = spawn(process.execPath, [join(folder, 'market-maker.mjs'), '--markets', 'M', '--state', state], {
    env,
  });
  let said = '';
  maker.stdout.on('data', (text) => (said += text));
  maker.stderr.on('data', (text) => (said += text));
  try {
    for (let tries = 0; !said.includes('quoting'); tries++) {
      assert.ok(tries < 200 && maker.exitCode === null, said);
      await wait(50);
    }
    const lines = readFileSync(state, 'utf8').trim().split('\n').slice(intents.length);
    return lines.sort().map((line) => JSON.parse(line));
  } finally {
    maker.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

test('a market maker never sends an old intent again, gives up what may exist, and notes what is gone', async () => {
  const order = { ...ORDER, outcome: 0 };
  const ago = (hours) => Date.now() - hours * 3_600_000;
  const refusal = { error: { code: 'bot_halted', message: 'm', retryable: false } };
  const answers = {
    'GET /kalshi/markets/M': { id: 'M', price_ranges: [] },
    'GET /me': { user_id: 'u1', bot: null },
    'DELETE /kalshi/orders?market_id=M': { cancelled: ['o1'], not_cancelled: [] },
    'DELETE /kalshi/orders/by-key/k2': { state: 'none', order: null },
    'DELETE /kalshi/orders/by-key/k3': { state: 'cancelled', order: { id: 'o3', status: 'cancelled' } },
  };
  const play = ({ method, url: path, headers }, response) => {
    const own = answers[`${method} ${path}`];
    const limit = {
      error: { code: 'rate_limited', message: 'm', retryable: false, details: { reason: 'abandoned_keys' } },
    };
    if (path.endsWith('/k2') && !seen.slice(0, -1).some((each) => each.url === path))
      return response.writeHead(429).end(JSON.stringify(limit)); // of 1,000 keys a day
    const posts = seen.filter((each) => each.method === 'POST').length;
    if (own !== undefined) response.end(JSON.stringify(own));
    else if (path === '/kalshi/orders/o4')
      response.writeHead(404).end(JSON.stringify({ error: { code: 'not_found', message: 'm' } })); // prettier-ignore
    else if (method === 'POST' && posts === 1) response.destroy();
    else if (method === 'POST') response.writeHead(403).end(JSON.stringify(refusal));
    else assert.ok(path.includes('stream'), `${method} ${path} ${headers.accept}`);
  };
  await during(play, async () => {
    const lines = await madeOf([
      { key: 'k1', order, at: ago(23.5) },
      { key: 'k2', order, at: ago(2) },
      { key: 'k3', order, at: ago(0) },
      { key: 'k4', order, at: ago(0), order_id: 'o4' },
    ]);
    assert.deepEqual(lines, [
      { key: 'k1', ended: 'forgotten' },
      { key: 'k2', refused: 'stale' },
      { key: 'k3', order_id: 'o3', ended: 'cancelled' },
      { key: 'k4', ended: 'gone' },
    ]);
    const posts = seen.filter(({ method }) => method === 'POST');
    assert.deepEqual(posts.map(({ headers }) => headers['idempotency-key']), ['k3', 'k3']); // prettier-ignore
    assert.ok(seen.some(({ method, url: path }) => method === 'DELETE' && path === '/kalshi/orders?market_id=M'));
  });
});
