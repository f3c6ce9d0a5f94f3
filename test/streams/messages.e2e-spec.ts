import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { KalshiTrader } from '../../sandbox/kalshi/trader.js';
import { remove } from '../support/calls.js';
import { DocumentChecks, type JsonSchema } from '../support/document-checks.js';
import { ownDocument } from '../support/own-document.js';
import { aTrader, startTestStand, type TestStand, type Trader } from '../support/sandbox.js';
import { StreamReader, type Told } from '../support/stream-reader.js';

const TICKER = 'KXHIGHNY-TODAY-B55.5';
const HEARTBEAT_MS = 15_000;

interface Answer {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly responses: Readonly<Record<string, Answer>> } }>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const isLive = ({ type, state }: Told): boolean => type === 'status' && state === 'live';
const isOf =
  (wanted: string) =>
  ({ type }: Told): boolean =>
    type === wanted;
const CHANNELS = ['orderbooks', 'markets', 'trades', 'orders', 'fills'];

describe.each(['stream', 'polling'])(
  'contract.md 8 the messages of streams are as the OpenAPI document says, by %s',
  (source) => {
    let stand: TestStand;
    let trader: Trader;
    let kalshi: KalshiTrader;
    let document: Document;
    let checks: DocumentChecks;
    const open: StreamReader[] = [];

    beforeAll(async () => {
      document = await ownDocument<Document>();
      // What the document does not name is a defect too.
      const closed = Object.entries(document.components.schemas).map(([name, schema]) => [
        name,
        'properties' in schema ? { additionalProperties: false, ...schema } : schema,
      ]);
      checks = new DocumentChecks({
        components: { ...document.components, schemas: Object.fromEntries(closed) as Record<string, JsonSchema> },
      });
      stand = await startTestStand(
        source === 'stream' ? {} : { KALSHI_STREAM_ACCESS_KEY: '', KALSHI_STREAM_PRIVATE_KEY: '' },
      );
      trader = await aTrader(stand);
      kalshi = new KalshiTrader(stand.sandbox.kalshi.account);
    });

    afterEach(() => {
      for (const reader of open.splice(0)) reader.close();
    });

    afterAll(() => stand.close());

    const read = (path: string): StreamReader => {
      const reader = new StreamReader(stand.app.url, path, trader.key);
      open.push(reader);
      return reader;
    };

    /** What is wrong with the messages of a stream by the schema of its route. */
    const defectsOf = (route: string, messages: readonly object[]): string[] => {
      const schema = document.paths[route]?.get?.responses['200']?.content?.['text/event-stream']?.schema ?? false;
      if (schema === false) throw new Error(`the document has no stream at ${route}`);
      return messages.flatMap((message) =>
        checks.defects(schema, message).map((each) => `${JSON.stringify(message)} ${each}`),
      );
    };
    /** Without the `id` of server-sent events, which the reader puts beside. */
    const messagesOf = ({ messages }: StreamReader): object[] =>
      messages.map((message) => Object.fromEntries(Object.entries(message).filter(([name]) => name !== 'id')));
    const wanted = source === 'stream' ? CHANNELS : CHANNELS.filter((channel) => channel !== 'trades');
    const pathOf = (channel: string): string =>
      `/kalshi/${channel}/stream${channel === 'orders' || channel === 'fills' ? '' : `?market_id=${TICKER}`}`;

    it('each on its own path, and all in one', async () => {
      await kalshi.order({ price: '0.0200', count: '1.00' });
      const readers = new Map(wanted.map((channel) => [channel, read(pathOf(channel))]));
      const named = (channel: string): string => (channel === 'orders' || channel === 'fills' ? '' : `:${TICKER}`);
      const all = read(`/stream?${wanted.map((each) => `subscribe=kalshi.${each}${named(each)}`).join('&')}`);
      await Promise.all([...readers.values()].map((reader) => reader.message(isLive)));
      await all.until(() => all.messages.filter(isLive).length === wanted.length);
      await kalshi.order({ price: '0.4300', count: '7.00' });
      await kalshi.order({ price: '0.9900', count: '2.00' });
      const kinds = [
        'snapshot',
        'update',
        'quote',
        'order',
        'fill',
        'status',
        ...(source === 'stream' ? ['trade'] : []),
      ];
      await Promise.all(kinds.map((kind) => all.message(isOf(kind))));
      for (const [channel, reader] of readers) {
        expect(reader.messages.length).toBeGreaterThan(0);
        expect(defectsOf(`/{exchange}/${channel}/stream`, messagesOf(reader))).toEqual([]);
      }
      expect(defectsOf('/stream', messagesOf(all))).toEqual([]);
    });

    if (source === 'polling') return;

    it('a trade without an id, and no message of another channel, of another kind or with a number for a decimal', async () => {
      const reader = read(pathOf('trades'));
      await reader.message(isLive);
      await kalshi.order({ price: '0.9900', count: '2.00' });
      await reader.message(isOf('trade'));
      const trade = messagesOf(reader).find((told) => 'type' in told && told.type === 'trade') as Told;
      const data = trade.data as object;
      const route = '/{exchange}/trades/stream';
      expect(defectsOf(route, [{ ...trade, data: { ...data, id: null } }])).toEqual([]);
      const wrong = [
        { ...trade, channel: 'fills' },
        { ...trade, type: 'fill' },
        { ...trade, data: { ...data, price: 0.5 } },
        { ...trade, data: { ...data, price: 'half' } },
        { ...trade, more: 1 },
      ];
      for (const message of wrong) expect(defectsOf(route, [message])).not.toEqual([]);
    });

    it(
      'a heartbeat, and the error that is the last',
      async () => {
        const { key, user } = trader;
        const reader = read(pathOf('orderbooks'));
        await reader.message(isOf('heartbeat'));
        await remove(stand.app, `/account/api-keys/${key.slice(0, 16)}`, user.token);
        await reader.message(isOf('error'));
        expect(defectsOf('/{exchange}/orderbooks/stream', messagesOf(reader))).toEqual([]);
      },
      2 * HEARTBEAT_MS,
    );
  },
);
