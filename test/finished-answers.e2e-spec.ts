import { setTimeout as delay } from 'node:timers/promises';
import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'supertest';
import type { TestApp } from './support/app.js';
import { API, sample, TICKER } from './support/fake-kalshi.js';
import type { FakeServer } from './support/fake-server.js';
import { BOOK, countOrdinary, MARKET, read, startLaneApp, startUpstream } from './support/lane-stand.js';
import { sendRaw } from './support/raw-client.js';
import { measureAgain } from './support/measured.js';
import { anApiKey, aUser } from './support/users.js';

measureAgain();

const TTL_MS = 400;
/** What the network and a busy machine may add to the age of an answer. */
const SLACK_MS = 250;
const LATE_MS = 1_000;
const UPSTREAM_BOOK = `GET ${API}/markets/${TICKER}/orderbook`;
const UPSTREAM_MARKET = `GET ${API}/markets/${TICKER}`;
const UPSTREAM_EVENT = `GET ${API}/events/KXHIGHNY-26NOV20`;

/** A book that says when it was read: whole milliseconds are the size of its one bid. */
const stampedBook = (): object => ({
  orderbook_fp: { yes_dollars: [['0.4200', performance.now().toFixed(2)]], no_dollars: [] },
});

const stampedMarket = (): object => {
  const { market } = sample('market') as { market: object };
  return { market: { ...market, volume_fp: performance.now().toFixed(2) } };
};

describe('finished answers (contract.md 2, 5.10)', () => {
  let upstream: FakeServer;
  const open: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    upstream = await startUpstream();
    open.push(upstream);
  });

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  async function start(overrides: Record<string, string> = {}): Promise<{ app: TestApp; key: string }> {
    const app = await startLaneApp(upstream, overrides);
    open.push(app);
    return { app, key: await anApiKey(app, await aUser(app), ['read']) };
  }

  const bookStamp = ({ body }: Response): number => Number((body as { bids: { size: string }[] }).bids[0]?.size);
  const marketStamp = ({ body }: Response): number => Number((body as { volume: string }).volume);
  const categoryOf = ({ body }: Response): string | null => (body as { category: string | null }).category;

  /** The greatest age, at the beginning of its request, of what was told to somebody who came every 60 ms for 3 s. */
  async function oldest(
    { app, key }: { app: TestApp; key: string },
    path: string,
    stampOf: (answer: Response) => number,
  ): Promise<{ ageMs: number; answers: number }> {
    let ageMs = 0;
    const client = async (index: number): Promise<void> => {
      await delay(index * 60);
      const startedAt = performance.now();
      const answer = await read(app, path, key);
      expect(answer.status).toBe(200);
      ageMs = Math.max(ageMs, startedAt - stampOf(answer));
    };
    const clients = Array.from({ length: 50 }, (_, index) => client(index));
    await Promise.all(clients);
    return { ageMs, answers: clients.length };
  }

  it('are never older than MARKET_DATA_CACHE_TTL when a request begins', async () => {
    upstream.on(UPSTREAM_BOOK, () => ({ body: stampedBook() }));
    const stand = await start({ MARKET_DATA_CACHE_TTL: `${TTL_MS}ms` });
    const ordinary = countOrdinary(stand.app);
    const { ageMs, answers } = await oldest(stand, BOOK, bookStamp);
    expect(ageMs).toBeLessThan(TTL_MS + SLACK_MS);
    expect(ordinary.count).toBeLessThan(answers);
  });

  it('are as old as the oldest of the reads that they are made of, for those who join late too', async () => {
    upstream.on(UPSTREAM_MARKET, () => ({ body: stampedMarket() }));
    upstream.on(UPSTREAM_EVENT, (_, response) => {
      setTimeout(() => response.end(JSON.stringify(sample('event'))), LATE_MS);
      return 'hang';
    });
    const stand = await start({ MARKET_DATA_CACHE_TTL: `${TTL_MS}ms` });
    const { ageMs } = await oldest(stand, MARKET, marketStamp);
    expect(ageMs).toBeLessThan(TTL_MS + SLACK_MS);
  });

  describe('that are near their end', () => {
    const KEPT_MS = 4_000;
    /** In the last fifth, with most of it to go. */
    const LATE_IN_LIFE_MS = 3_300;
    let book: () => void = () => undefined;

    /** A book that was read once, and asked for so often since; the next one waits for `book`. */
    async function startNearEnd(repeats: number): Promise<{ app: TestApp; key: string; first: number; end: number }> {
      upstream.on(UPSTREAM_BOOK, () => ({ body: stampedBook() }));
      const { app, key } = await start({ MARKET_DATA_CACHE_TTL: `${KEPT_MS}ms` });
      const first = bookStamp(await read(app, BOOK, key));
      const readAt = performance.now();
      const line = `GET ${BOOK} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      if (repeats > 0) await sendRaw(app.url, line.repeat(repeats), Array<boolean>(repeats).fill(true));
      upstream.on(UPSTREAM_BOOK, (_, response) => {
        book = () => response.end(JSON.stringify(stampedBook()));
        return 'hang';
      });
      await delay(readAt + LATE_IN_LIFE_MS - performance.now());
      return { app, key, first, end: readAt + KEPT_MS };
    }

    it('are renewed ahead by one request where they are often asked for; the others go on with what is kept', async () => {
      const { app, key, first, end } = await startNearEnd(100);
      const renewing = read(app, BOOK, key);
      while (upstream.at(UPSTREAM_BOOK).length < 2 && performance.now() < end) await delay(5);
      expect(upstream.at(UPSTREAM_BOOK)).toHaveLength(2);
      const others = await Promise.all([1, 2, 3].map(() => read(app, BOOK, key)));
      expect(others.map(bookStamp)).toEqual([first, first, first]);
      book();
      const second = bookStamp(await renewing);
      expect(second).toBeGreaterThan(first);
      await delay(end + 50 - performance.now());
      expect(bookStamp(await read(app, BOOK, key))).toBe(second);
      expect(upstream.at(UPSTREAM_BOOK)).toHaveLength(2);
    });

    it('are told also to the one who renews, where that fails', async () => {
      const { app, key, first } = await startNearEnd(100);
      upstream.on(UPSTREAM_BOOK, () => ({ status: 500, body: {} }));
      expect(bookStamp(await read(app, BOOK, key))).toBe(first);
      expect(upstream.at(UPSTREAM_BOOK).length).toBeGreaterThan(1);
    });

    it('are told also to the one who renews, where that takes too long; the next one waits for it', async () => {
      const { app, key, first, end } = await startNearEnd(100);
      expect(bookStamp(await read(app, BOOK, key))).toBe(first);
      expect(performance.now()).toBeLessThan(end);
      await delay(end + 50 - performance.now());
      const next = read(app, BOOK, key);
      next.catch(() => undefined);
      await delay(100);
      book();
      expect(bookStamp(await next)).toBeGreaterThan(first);
      expect(upstream.at(UPSTREAM_BOOK)).toHaveLength(2);
    });

    it('are not read again where they are seldom asked for', async () => {
      const { app, key, first } = await startNearEnd(0);
      expect(bookStamp(await read(app, BOOK, key))).toBe(first);
      expect(upstream.at(UPSTREAM_BOOK)).toHaveLength(1);
    });
  });

  it('are not kept with MARKET_DATA_CACHE_TTL=0', async () => {
    const { app, key } = await start({ MARKET_DATA_CACHE_TTL: '0' });
    for (let i = 0; i < 3; i++) await read(app, BOOK, key);
    expect(upstream.at(UPSTREAM_BOOK)).toHaveLength(3);
  });

  it('are passed over with Cache-Control: no-cache, which renews them', async () => {
    upstream.on(UPSTREAM_BOOK, () => ({ body: stampedBook() }));
    const { app, key } = await start();
    const first = bookStamp(await read(app, BOOK, key));
    expect(bookStamp(await read(app, BOOK, key))).toBe(first);
    const fresh = bookStamp(await read(app, BOOK, key, { 'Cache-Control': 'max-age=0, no-cache' }));
    expect(fresh).toBeGreaterThan(first);
    expect(bookStamp(await read(app, BOOK, key))).toBe(fresh);
    expect(upstream.at(UPSTREAM_BOOK)).toHaveLength(2);
  });

  it('are never errors, nor what an optional read is missing from', async () => {
    const { app, key } = await start();
    upstream.on(UPSTREAM_BOOK, () => ({ status: 404, body: { error: { code: 'not_found', message: 'no' } } }));
    for (let i = 0; i < 2; i++) expect((await read(app, BOOK, key)).status).toBe(404);
    expect(upstream.at(UPSTREAM_BOOK)).toHaveLength(2);
    upstream.on(UPSTREAM_BOOK, () => ({ body: sample('orderbook') }));
    expect((await read(app, BOOK, key)).status).toBe(200);
    // Reads the status of the shards, of which nobody knows how long it may be used.
    await read(app, '/kalshi/markets?limit=2', key);
    upstream.on(UPSTREAM_EVENT, () => 'reset');
    expect(categoryOf(await read(app, MARKET, key))).toBeNull();
    upstream.on(UPSTREAM_EVENT, () => ({ body: sample('event') }));
    expect(categoryOf(await read(app, MARKET, key))).toBe('Climate and Weather');
  });

  it('are not used again once the status of the shards that they were made with is read anew', async () => {
    const { app, key } = await start();
    const readList = async (): Promise<boolean[]> => {
      const answer = await read(app, '/kalshi/markets?limit=2', key);
      return (answer.body as { data: { tradable: boolean }[] }).data.map(({ tradable }) => tradable);
    };
    let answerStatus: () => void = () => undefined;
    const halted = { exchange_active: true, trading_active: false };
    upstream.on(`GET ${API}/exchange/status`, (_, response) => {
      answerStatus = () => response.end(JSON.stringify(halted));
      return 'hang';
    });
    const { market } = sample('market') as { market: object };
    const listed = { ...market, exchange_index: 0, status: 'active' };
    upstream.on(`GET ${API}/markets`, () => ({ body: { markets: [listed], cursor: '' } }));
    for (let i = 0; i < 2; i++) expect(await readList()).toEqual([true]);
    answerStatus();
    await delay(200);
    expect(await readList()).toEqual([false]);
  });

  it('R-16 a client that leaves while many wait ends its own wait alone, and the last one the read; none is logged as an error', async () => {
    const { app, key } = await start({ MARKET_DATA_CACHE_TTL: '0' });
    let answer: () => void = () => undefined;
    upstream.on(UPSTREAM_BOOK, (_, response) => {
      answer = () => response.end(JSON.stringify(sample('orderbook')));
      return 'hang';
    });
    const begin = (): { leave: () => void; status: Promise<number | null> } => {
      const call = httpRequest(`${app.url}${BOOK}`, { headers: { Authorization: `Bearer ${key}` }, agent: false });
      const status = new Promise<number | null>((resolve) => {
        call.on('response', (response) => {
          response.resume();
          resolve(response.statusCode ?? null);
        });
        call.on('error', () => {
          resolve(null);
        });
      });
      call.end();
      return { leave: () => call.destroy(), status };
    };
    const isDone = async (check: () => boolean): Promise<void> => {
      while (!check()) await delay(10);
    };
    const clients = Array.from({ length: 12 }, begin);
    await isDone(() => upstream.at(UPSTREAM_BOOK).length === 1);
    await delay(500);
    for (const { leave } of clients.slice(0, 6)) leave();
    await delay(200);
    expect(upstream.at(UPSTREAM_BOOK).map(({ abandoned }) => abandoned)).toEqual([false]);
    answer();
    expect(await Promise.all(clients.map(({ status }) => status))).toEqual([
      ...Array.from({ length: 6 }, () => null),
      ...Array.from({ length: 6 }, () => 200),
    ]);
    const more = Array.from({ length: 3 }, begin);
    await isDone(() => upstream.at(UPSTREAM_BOOK).length === 2);
    await delay(300);
    for (const { leave } of more) leave();
    await isDone(() => upstream.at(UPSTREAM_BOOK)[1]?.abandoned === true);
    await delay(200);
    expect(app.logLines.filter((line) => /"level":"(warn|error|fatal)"/.test(line))).toEqual([]);
  });

  it('R-12 a shared read whose connection breaks is made once more', async () => {
    const { app, key } = await start({ MARKET_DATA_CACHE_TTL: '0' });
    const answers = ['reset', { body: sample('orderbook') }, 'reset', 'reset'] as const;
    upstream.on(UPSTREAM_BOOK, () => answers[upstream.at(UPSTREAM_BOOK).length - 1] ?? 'reset');
    expect((await read(app, BOOK, key)).status).toBe(200);
    expect((await read(app, BOOK, key)).status).toBe(502);
    expect(upstream.at(UPSTREAM_BOOK)).toHaveLength(4);
  });
});
