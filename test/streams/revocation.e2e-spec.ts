import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exchangeAddresses, streamKeys } from '../../sandbox/demo/environment.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { aBot, BOTS } from '../support/bots.js';
import { post, remove } from '../support/calls.js';
import { rounds } from '../support/long.js';
import { startTestStand, type TestStand } from '../support/sandbox.js';
import { StreamReader, type Told } from '../support/stream-reader.js';
import { anApiKey, aUser, type TestUser } from '../support/users.js';

const TICKER = 'KXHIGHNY-TODAY-B55.5';
const BOTS_OF_OWNER = 4;
const STREAMS_PER_KEY = rounds(4, 20);
/** What a reader may leave unread before the service waits for it. */
const BEHIND_BYTES = 64 * 1024;
const STEPS_AT_ONCE = 20;
const SETTINGS = { STREAM_FLUSH: '0', STREAMS_PER_USER: '200' };

interface MadeKey {
  readonly key: string;
  /** What is deleted to end it. */
  readonly path: string;
}

/** A stream from both its ends. Its socket is corked where its reader shall take nothing: so no megabytes fill the buffers of the kernel. */
interface Stream {
  readonly reader: StreamReader;
  readonly response: ServerResponse;
}

const isLive = ({ type, state }: Told): boolean => type === 'status' && state === 'live';

describe('readers whose sockets are full', () => {
  let stand: TestStand;
  let other: TestApp;
  /** Answers of the services of this process, by the path and key that were asked with. */
  const answers: { readonly name: string; readonly response: ServerResponse }[] = [];
  const note = (message: unknown): void => {
    const { request, response } = message as { request: ServerResponse['req']; response: ServerResponse };
    answers.push({ name: `${request.url ?? ''} ${request.headers.authorization ?? ''}`, response });
  };

  let owner: TestUser;

  beforeAll(async () => {
    stand = await startTestStand(SETTINGS);
    owner = await aUser(stand.app);
    const addresses = { ...exchangeAddresses(stand.sandbox.addresses), ...streamKeys(stand.sandbox.addresses) };
    other = await startTestApp({ ...addresses, ...SETTINGS }, stand.app.database);
    subscribe('http.server.request.start', note);
  });

  afterAll(async () => {
    unsubscribe('http.server.request.start', note);
    await other.close();
    await stand.close();
  });

  /** Reads until all is told. */
  const read = async (app: TestApp, path: string, key: string): Promise<Stream> => {
    const known = new Set(answers);
    const reader = new StreamReader(app.url, path, key);
    await reader.message(isLive);
    const name = `${path} Bearer ${key}`;
    const answer = answers.findLast((one) => one.name === name && !known.has(one) && one.response.socket !== null);
    if (answer === undefined) throw new Error('nothing was asked');
    answers.length = 0;
    return { reader, response: answer.response };
  };

  it(
    'S-60 no socket is handed anything once the DELETE of its key has answered, and all are gone 100 ms later',
    async () => {
      const markets = stand.sandbox.kalshi.exchange
        .liveMarkets()
        .filter((one) => one.statusAt(stand.sandbox.kalshi.now) === 'active');
      const path = `/kalshi/orderbooks/stream?market_id=${markets
        .slice(0, 50)
        .map(({ ticker }) => ticker)
        .join(',')}`;
      const bystander = await read(other, path, owner.token);
      const mover = stand.sandbox.kalshi.mover();
      // Half of the time is for the services, which run in this process too.
      const move = async (): Promise<void> => {
        const began = performance.now();
        for (let step = 0; step < STEPS_AT_ONCE; step += 1) mover.step();
        await turn();
        await delay(performance.now() - began);
      };
      for (let round = 0; round < rounds(1, 50); round += 1) {
        // Of a person each, as nobody may make so many keys.
        const person = await aUser(stand.app);
        const made = await keysOf(person);
        const streams: Stream[][] = [];
        for (const { key } of made) {
          const own: Stream[] = [];
          for (let at = 0; at < STREAMS_PER_KEY; at += 1)
            own.push(await read(at % 2 === 0 ? stand.app : other, path, key));
          streams.push(own);
        }
        // Two of four: one at each instance.
        const stopped = streams.flatMap((own) => own.filter((_, at) => at % 4 >= 2));
        for (const { response } of stopped) response.socket?.cork();
        while (stopped.some(({ response }) => response.writableLength <= BEHIND_BYTES)) await move();
        const moves = new AbortController();
        const moving = (async () => {
          while (!moves.signal.aborted) await move();
        })();
        const ends = made.map(async ({ path: own }, at) => {
          const { status } = await remove(stand.app, own, person.token);
          const sockets = (streams[at] ?? []).map(({ response }) => response);
          const handed = sockets.map(({ writableLength, socket }) => [writableLength, socket?.bytesWritten ?? 0]);
          await delay(100);
          const gone = sockets.every(({ destroyed, socket }) => destroyed && socket?.destroyed !== false);
          const later = sockets.map(({ writableLength, socket }) => [writableLength, socket?.bytesWritten ?? 0]);
          return [status, gone, later.every((now, one) => String(now) === String(handed[one]))];
        });
        const ended = await Promise.all(ends);
        moves.abort();
        await moving;
        expect(ended).toEqual(made.map(() => [200, true, true]));
        const reading = streams.flatMap((own) => own.filter((_, at) => at % 4 < 2));
        await Promise.all(reading.map(({ reader }) => reader.until(() => reader.over !== null)));
        expect(new Set(reading.map(({ reader }) => reader.messages.at(-1)?.error?.details?.reason))).toEqual(
          new Set(['key_revoked']),
        );
      }
      expect(bystander.reader.over).toBeNull();
      bystander.reader.close();
    },
    rounds(60_000, 1_800_000),
  );

  /** The main key, and one of each of some bots. */
  async function keysOf(person: TestUser): Promise<MadeKey[]> {
    const main = (await post(stand.app, '/account/api-keys', { scopes: ['read'] }, person.token)).body as {
      key: string;
      prefix: string;
    };
    const made: MadeKey[] = [{ key: main.key, path: `/account/api-keys/${main.prefix}` }];
    for (let at = 0; at < BOTS_OF_OWNER; at += 1) {
      const { id, key } = await aBot(stand.app, person, { scopes: ['read'] });
      made.push({ key, path: `${BOTS}/${id}` });
    }
    return made;
  }

  it('ends who takes too little of what cannot be put together by slow_consumer, behind all that was told before', async () => {
    const key = await anApiKey(stand.app, owner, ['read']);
    const path = `/kalshi/trades/stream?market_id=${TICKER}`;
    const [slow, quick] = [await read(stand.app, path, key), await read(stand.app, path, key)];
    const market = stand.sandbox.kalshi.exchange.liveMarket(TICKER);
    const last = market?.lastTrade;
    if (market === undefined || last === undefined) throw new Error('nobody has traded');
    slow.response.socket?.cork();
    const ids: string[] = [];
    while (!slow.response.writableEnded) {
      for (let step = 0; step < 100; step += 1) {
        const id = randomUUID();
        ids.push(id);
        stand.sandbox.kalshi.exchange.tape.note({ kind: 'trade', market, trade: { ...last, id, isBlock: true } });
      }
      await turn();
      await quick.reader.until(
        () => quick.reader.messages.filter(({ type }) => type === 'trade').length === ids.length,
      );
    }
    slow.response.socket?.uncork();
    await slow.reader.until(() => slow.reader.over !== null);
    const told = slow.reader.messages
      .filter(({ type }) => type === 'trade')
      .map(({ data }) => (data as { id: string }).id);
    expect([slow.reader.over, told]).toEqual(['end', ids.slice(0, told.length)]);
    expect(slow.reader.messages.at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'slow_consumer', retryable: true },
    });
    expect(quick.reader.over).toBeNull();
    quick.reader.close();
  });
});
