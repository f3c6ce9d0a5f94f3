import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { KalshiTrader } from '../../sandbox/kalshi/trader.js';
import { exchangeAddresses, streamKeys } from '../../sandbox/demo/environment.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { aBot } from '../support/bots.js';
import { codeOf, get, logIn, patch, post, remove, signedIn } from '../support/calls.js';
import { aTrader, startTestStand, type TestStand, type Trader } from '../support/sandbox.js';
import { StreamReader, type Told } from '../support/stream-reader.js';
import { anApiKey, aUser } from '../support/users.js';

const TICKER = 'KXHIGHNY-TODAY-B55.5';
const BOOK = `/kalshi/orderbooks/stream?market_id=${TICKER}`;

const isLive = ({ type, state }: Told): boolean => type === 'status' && state === 'live';
const errorOf = ({ messages }: StreamReader): unknown[] => {
  const { type, error } = messages.at(-1) ?? { type: 'none', error: undefined };
  return [type, error?.code, error?.details?.reason];
};

describe('who may read a stream, and how much of them', () => {
  let stand: TestStand;
  let other: TestApp;
  let kalshi: KalshiTrader;
  const open: StreamReader[] = [];

  beforeAll(async () => {
    stand = await startTestStand({ STREAMS_PER_KEY: '3', STREAMS_PER_USER: '9', STREAMS_MAX: '12' });
    const addresses = { ...exchangeAddresses(stand.sandbox.addresses), ...streamKeys(stand.sandbox.addresses) };
    other = await startTestApp(addresses, stand.app.database);
    kalshi = new KalshiTrader(stand.sandbox.kalshi.account);
  });

  afterEach(async () => {
    for (const reader of open.splice(0)) reader.close();
    await delay(20);
  });

  afterAll(async () => {
    await other.close();
    await stand.close();
  });

  const read = (app: TestApp, key: string, path = BOOK): StreamReader => {
    const reader = new StreamReader(app.url, path, key);
    open.push(reader);
    return reader;
  };
  const reading = async (app: TestApp, key: string, path = BOOK): Promise<StreamReader> => {
    const reader = read(app, key, path);
    await reader.message(isLive);
    return reader;
  };
  /** Moves the book some times. */
  const trade = async (times: number): Promise<void> => {
    for (let at = 1; at <= times; at += 1) await kalshi.order({ price: `0.0${(at % 8) + 1}00`, count: '1.00' });
  };

  it('S-60 ends with the session that opened it, and the log-out waits for that', async () => {
    const user = await aUser(stand.app);
    const again = signedIn(await logIn(stand.app, user.email));
    const [own, kept] = await Promise.all([reading(other, again.token), reading(other, user.token)]);
    await post(stand.app, '/auth/logout', undefined, again.token);
    await own.until(() => own.over !== null);
    expect([errorOf(own), kept.over]).toEqual([['error', 'unauthorized', 'invalid'], null]);
  });

  it('S-60 ends with what the owner takes from a bot: the exchange, its address, the bot', async () => {
    const user = await aUser(stand.app);
    const bots = await Promise.all(['a', 'b', 'c'].map((name) => aBot(stand.app, user, { name, scopes: ['read'] })));
    const readers = await Promise.all(bots.map(({ key }) => reading(other, key)));
    const [one, two, three] = bots.map(({ id }) => `/account/bots/${id}`);
    const answers = [
      await patch(stand.app, one ?? '', user.token, { exchanges: ['polymarket'] }),
      await patch(stand.app, two ?? '', user.token, { allowed_networks: ['192.0.2.0/24'] }),
      await remove(stand.app, three ?? '', user.token),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await Promise.all(readers.map((reader) => reader.until(() => reader.over !== null)));
    expect(readers.map(errorOf)).toEqual([
      ['error', 'forbidden', 'exchange_not_allowed'],
      ['error', 'forbidden', 'address_not_allowed'],
      ['error', 'unauthorized', 'key_revoked'],
    ]);
  });

  it('S-61 keeps a key, a user and strangers to their shares', async () => {
    const user = await aUser(stand.app);
    const key = await anApiKey(stand.app, user, ['read']);
    const readers = await Promise.all([1, 2, 3].map(() => reading(stand.app, key)));
    const fourth = await get(stand.app, BOOK, key);
    expect([fourth.status, fourth.body]).toMatchObject([
      429,
      { error: { code: 'rate_limited', details: { reason: 'streams' } } },
    ]);
    expect((await reading(stand.app, user.token)).status).toBe(200);
    readers[0]?.close();
    await delay(50);
    expect((await reading(stand.app, key)).status).toBe(200);
    const strangers = await Promise.all([1, 2].map(async () => (await aUser(stand.app)).token));
    for (const token of strangers) await reading(stand.app, token);
    const late = await get(stand.app, BOOK, (await aUser(stand.app)).token);
    expect([late.status, late.body]).toMatchObject([503, { error: { code: 'service_unavailable' } }]);
    const owner: Trader = await aTrader(stand);
    expect((await reading(stand.app, owner.key)).status).toBe(200);
  });

  it('GET /stream tells several channels in one answer, and refuses what is named twice or not allowed', async () => {
    const user = await aUser(stand.app);
    const key = await anApiKey(stand.app, user, ['read']);
    const market = await firstMarket(key);
    const reader = read(
      stand.app,
      key,
      `/stream?subscribe=kalshi.orderbooks:${TICKER}&subscribe=polymarket.orderbooks:${market}`,
    );
    await reader.message((message) => isLive(message) && message.market_id === TICKER);
    await reader.message((message) => isLive(message) && message.market_id === market);
    const refused = async (...subscribe: string[]): Promise<unknown[]> => {
      const query = subscribe.map((text) => `subscribe=${encodeURIComponent(text)}`).join('&');
      const answer = await get(stand.app, `/stream?${query}`, key);
      return [answer.status, codeOf(answer)];
    };
    expect(await refused(`kalshi.orderbooks:${TICKER}`, `kalshi.orderbooks:${TICKER}`)).toEqual([400, 'bad_request']);
    expect(await refused('kalshi.orderbooks')).toEqual([400, 'bad_request']);
    expect(await refused('nobody.orderbooks:A')).toEqual([400, 'bad_request']);
    expect(await refused('kalshi.nothing:A')).toEqual([400, 'bad_request']);
    expect(await refused('kalshi.fills')).toEqual([403, 'forbidden']);
    expect((await get(stand.app, '/stream', key)).status).toBe(400);
  });

  async function firstMarket(key: string): Promise<string> {
    const answer = await get(stand.app, '/polymarket/markets?limit=1', key);
    return (answer.body as { data: { id: string }[] }).data[0]?.id ?? '';
  }

  it('tells a reader who comes back the newest book, and another one meanwhile everything', async () => {
    const key = await anApiKey(stand.app, await aUser(stand.app), ['read']);
    const [slow, quick] = await Promise.all([reading(stand.app, key), reading(stand.app, key)]);
    slow.stop();
    await trade(20);
    await quick.message(({ type, data }) => type === 'update' && JSON.stringify(data).includes('0.05'));
    slow.resume();
    await slow.until(() => slow.messages.at(-1)?.sequence === quick.messages.at(-1)?.sequence);
    for (const { messages } of [slow, quick]) {
      const versions = messages.filter(({ type }) => type !== 'status' && type !== 'heartbeat');
      versions.slice(1).forEach((message, at) => {
        expect(message.previous_sequence).toBe(versions[at]?.sequence);
      });
    }
  });

  it('R-4 ends with the instance, and says when to come again', async () => {
    const third = await startTestApp({ ...exchangeAddresses(stand.sandbox.addresses) }, stand.app.database);
    const key = await anApiKey(stand.app, await aUser(stand.app), ['read']);
    const reader = await reading(third, key);
    await third.close();
    await reader.until(() => reader.over !== null);
    expect(errorOf(reader)).toEqual(['error', 'service_unavailable', 'draining']);
    const retry = Number(/retry: (\d+)\ndata: \{"type":"error"/.exec(reader.text)?.[1]);
    expect([retry >= 1_000, retry <= 10_000]).toEqual([true, true]);
  });
});
