import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { aTrader, startTestStand, type TestStand, type Trader } from '../support/sandbox.js';
import { StreamReader, type Told } from '../support/stream-reader.js';

/** One after another at each exchange, while its markets move. */
const BOOKS = 50;
const MOVE_MS = 50;
/** A book is live so soon after it is opened. */
const LIVE_MS = 2_000;

const isLive = ({ type, state }: Told): boolean => type === 'status' && state === 'live';
const isStale = ({ state }: Told): boolean => state === 'stale';

describe.each(['kalshi', 'polymarket'])('books of a fresh service at %s while markets move', (exchange) => {
  let stand: TestStand;
  let trader: Trader;
  let moves: NodeJS.Timeout;
  let ids: readonly string[];
  const readers: StreamReader[] = [];

  beforeAll(async () => {
    stand = await startTestStand({ STREAMS_PER_KEY: '100' });
    trader = await aTrader(stand);
    const mover = exchange === 'kalshi' ? stand.sandbox.kalshi.mover() : stand.sandbox.polymarket.mover();
    moves = setInterval(() => {
      mover.step();
    }, MOVE_MS);
    const path = `/${exchange}/markets?status=open&limit=${BOOKS}`;
    const answer = await request(stand.app.url).get(path).auth(trader.key, { type: 'bearer' });
    ids = (answer.body as { data: { id: string }[] }).data.map(({ id }) => id);
  });

  afterAll(async () => {
    clearInterval(moves);
    for (const reader of readers) reader.close();
    await stand.close();
  });

  const open = (at: number): StreamReader => {
    const query = `market_id=${ids[at % ids.length]}&outcome=${Math.floor(at / ids.length) % 2}`;
    const reader = new StreamReader(stand.app.url, `/${exchange}/orderbooks/stream?${query}`, trader.key);
    readers.push(reader);
    return reader;
  };

  it('feeds.md 1 each of 50 that are opened one after another is live within 2 s, and stays so', async () => {
    const times: number[] = [];
    for (let at = 0; at < BOOKS; at += 1) {
      const begun = performance.now();
      await open(at).message(isLive);
      times.push(performance.now() - begun);
    }
    await delay(LIVE_MS);
    expect(times.filter((ms) => ms > LIVE_MS)).toEqual([]);
    expect(readers.flatMap(({ messages }) => messages.filter(isStale))).toEqual([]);
  });
});
