import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import * as client from 'trading-proxy-client';

/** Plays every case of `sdk/conformance/cases` with this client; README.md there says what each word means. */
const SERVER = new URL('../../conformance/server.mjs', import.meta.url).pathname;
const child = spawn(process.execPath, [SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
const { url, closed_url: closedUrl } = await new Promise((resolve) => {
  child.stdout.once('data', (line) => resolve(JSON.parse(line)));
});
const cases = await (await fetch(`${url}/__cases`)).json();
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

before(() => assert.ok(cases.length > (process.env.CONFORMANCE_LIVE === undefined ? 70 : 15)));
after(() => child.stdin.end());

const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/** `{ "$float": 0.1 }` and `{ "$decimal": "0.1" }` as this language has them. */
function given(value) {
  if (Array.isArray(value)) return value.map(given);
  if (value === null || typeof value !== 'object') return value;
  if ('$float' in value) return value.$float;
  if ('$decimal' in value) return client.decimal(value.$decimal);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, given(each)]));
}

function optionsOf({ idempotency_key, timeout_ms, retries } = {}) {
  const all = { idempotencyKey: idempotency_key, timeout: timeout_ms, retries };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function clientOf({
  api_key = 'svc_sk_test_conformance',
  token,
  retries,
  timeout_ms,
  insecure,
  url: own,
  ...more
} = {}) {
  const streams = { silence: more.silence_ms, reconnect: more.reconnect_ms, queue: more.queue };
  const set = Object.fromEntries(Object.entries(streams).filter(([, value]) => value !== undefined));
  const credential = token === undefined ? { apiKey: api_key } : { token };
  return new client.TradingProxy(own === '$closed' ? closedUrl : url, {
    ...credential,
    ...optionsOf({ retries, timeout_ms }),
    insecure,
    streams: set,
  });
}

/** Positions, then the body or the filters, then options. */
function begin(target, { call, args = [], params, options, with_response: isWhole }) {
  const names = call.split('.').map(camel);
  const method = names.pop();
  const owner = names.reduce((part, name) => part[name], isWhole ? target.withResponse() : target);
  const all = [...given(args)];
  if (call === 'request') all.push({ ...given(params ?? {}), ...optionsOf(options) });
  else {
    if (params !== undefined || (options !== undefined && false)) all.push(given(params));
    if (options !== undefined) all.push(optionsOf(options));
  }
  return owner[method](...all);
}

function at(value, path) {
  return path.split('.').reduce((part, name) => part?.[name], value);
}

function same(actual, expected, where) {
  if (expected === null || typeof expected !== 'object') {
    assert.equal(actual ?? null, expected, where);
    return;
  }
  if (actual instanceof client.TradingProxyError) {
    expectError(actual, expected, where);
    return;
  }
  assert.ok(actual !== null && typeof actual === 'object', `${where} is ${inspect(actual)}`);
  if (Array.isArray(expected)) assert.equal(actual.length, expected.length, `length of ${where}: ${inspect(actual)}`);
  for (const [name, each] of Object.entries(expected)) same(actual[name], each, `${where}.${name}`);
}

function expectError(
  error,
  { class: name, cause, message_has: words, details, idempotency_key: key, ...rest },
  where = 'error',
) {
  if (!(error instanceof Error)) assert.fail(`${where}: no error but ${inspect(error)}`);
  if (name !== undefined) assert.equal(error.constructor.name, name, `${where}: ${inspect(error)}`);
  for (const [field, value] of Object.entries(rest)) assert.equal(error[field], value, `${where}.${field}`);
  if (key === '$any') assert.ok(error.idempotency_key, where);
  else if (key !== undefined) assert.equal(error.idempotency_key, key, where);
  if (words !== undefined) assert.ok(error.message.includes(words), error.message);
  if (details !== undefined) same(error.details, details, `${where}.details`);
  if (cause !== undefined) expectError(error.cause, cause, `${where}.cause`);
}

/** What iteration gave, and the error that ended it. */
async function collect(iterable, { take, idle_ms: idle = 10_000, read_after_ms: pause = 0 }) {
  await wait(pause);
  const items = [];
  const iterator = iterable[Symbol.asyncIterator]();
  try {
    while (take === undefined || take === null || items.length < take) {
      const next = await Promise.race([iterator.next(), wait(idle)]);
      if (next === undefined || next.done) break;
      items.push(next.value);
    }
  } catch (error) {
    return { items, error };
  } finally {
    iterable.close?.();
  }
  return { items };
}

function judgeItems({ items, error }, expect) {
  const wanted = expect.events ?? expect.items ?? expect.pages;
  if (wanted !== undefined) same(items, wanted, 'items');
  if (expect.at_most !== undefined) assert.ok(items.length <= expect.at_most, `${items.length} events`);
  if (expect.last_event !== undefined) same(items.at(-1), expect.last_event, 'last event');
  if (expect.error !== undefined) expectError(error, expect.error);
  else assert.equal(error, undefined);
}

async function judge(run, step, state) {
  const { expect } = step;
  const begun = performance.now();
  let value;
  try {
    const result = run();
    const isList = typeof result?.[Symbol.asyncIterator] === 'function';
    value = isList ? await collect(step.pages ? result.pages() : result, step) : await result;
    if (isList) {
      judgeItems(value, expect);
      value = value.items;
    }
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    state.error = error;
    if (expect.invalid) assert.ok(error instanceof client.InvalidArgument, inspect(error));
    else if (expect.error === undefined) throw error;
    else expectError(error, expect.error);
    return;
  }
  const isError = expect.invalid === true || (expect.error !== undefined && !Array.isArray(value));
  assert.ok(!isError, `no error but ${inspect(value)}`);
  if (expect.least_ms !== undefined) assert.ok(performance.now() - begun >= expect.least_ms);
  if (expect.response !== undefined) same(value.response, expect.response, 'response');
  const body = step.with_response ? value.value : value;
  if (expect.value !== undefined) same(body, expect.value, 'value');
  for (const path of [...(expect.decimals ?? []), ...(expect.strings ?? [])])
    assert.equal(typeof at(body, path), 'string', path);
  for (const path of expect.is_null ?? []) assert.equal(at(body, path), null, path);
}

function judgeTexts(target, error, { lacks }) {
  const texts = [target, error].flatMap((each) => [
    inspect(each, { depth: 20, showHidden: true }),
    JSON.stringify(each),
    String(each),
    each.stack,
  ]);
  for (const word of lacks) for (const text of texts) assert.ok(!String(text).includes(word), text);
}

for (const { name } of cases) {
  test(name, async () => {
    const played = await (await fetch(`${url}/__case`, { method: 'POST', body: JSON.stringify({ name }) })).json();
    const target = clientOf(played.client);
    const state = {};
    const behind = [];
    for (const step of played.steps) {
      if (step.wait_ms !== undefined) await wait(step.wait_ms);
      else if (step.call === '$repr') judgeTexts(target, state.error, step.expect);
      else if (step.call === '$retry') await judge(() => state.error.retry(), step, state);
      else if (step.background) behind.push(judge(() => begin(target, step), step, state));
      else await judge(() => begin(target, step), step, state);
    }
    await Promise.all(behind);
    const { failures, left } = await (await fetch(`${url}/__seen`)).json();
    assert.deepEqual({ failures, left }, { failures: [], left: 0 });
  });
}
