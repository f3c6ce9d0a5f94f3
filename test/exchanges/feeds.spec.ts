import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Feeds } from '../../src/exchanges/feeds.contract.js';
import type { MarketDto } from '../../src/exchanges/unified.market-data.dto.js';
import { FakeKalshi, KalshiAdapter, sample, VECTORS } from '../support/fake-kalshi.js';
import { FakePolymarket, sampleObject } from '../support/fake-polymarket.js';

const PRIVATE_KEY = VECTORS.test_rsa_key.private_key_pkcs1_pem;
const market = { id: 'M', outcomes: [{ id: 'one' }, { id: 'other' }] } as unknown as MarketDto;

describe('the feed of Kalshi', () => {
  const withKey = { KALSHI_STREAM_ACCESS_KEY: 'operator', KALSHI_STREAM_PRIVATE_KEY: PRIVATE_KEY };

  it("streams.md 1.1 signs the path of its handshake for the exchange's time", async () => {
    const fake = await FakeKalshi.start({ ...withKey, KALSHI_WS_URL: 'ws://127.0.0.1:1/trade-api/ws/v2' });
    fake.serve('GET /exchange/status', { exchange_active: true, trading_active: true });
    try {
      const headers = (await fake.exchange.feeds.stream?.headers()) ?? {};
      const signed = `${headers['KALSHI-ACCESS-TIMESTAMP']}GET/trade-api/ws/v2`;
      const signature = Buffer.from(headers['KALSHI-ACCESS-SIGNATURE'] ?? '', 'base64');
      const key = { key: createPublicKey(VECTORS.test_rsa_key.public_key_spki_pem), padding: 6, saltLength: 32 };
      expect([headers['KALSHI-ACCESS-KEY'], verify('sha256', Buffer.from(signed), key, signature)]).toEqual([
        'operator',
        true,
      ]);
    } finally {
      await fake.close();
    }
  });

  it("feeds.md 3 has no feed without the operator's key, and takes no half of one", async () => {
    const fake = await FakeKalshi.start();
    expect(fake.exchange.feeds.stream).toBeNull();
    await fake.close();
    const { KALSHI_STREAM_ACCESS_KEY } = withKey;
    const half = (): KalshiAdapter => new KalshiAdapter('http://127.0.0.1:1', { KALSHI_STREAM_ACCESS_KEY });
    expect(half).toThrow('must be set together');
  });

  it('kalshi.md 4.3 reads the books of several markets by one call, anew', async () => {
    const fake = await FakeKalshi.start();
    const feeds: Feeds = fake.exchange.feeds;
    try {
      const { orderbook_fp } = sample('orderbook');
      fake.serve('GET /markets/orderbooks', { orderbooks: [{ ticker: 'A', orderbook_fp }] });
      const [book, ...others] = await feeds.readBooks(['A', 'B']);
      await feeds.readBooks(['A', 'B']);
      expect(fake.calls()).toEqual(Array(2).fill('GET /markets/orderbooks?tickers=A&tickers=B'));
      expect([book?.key, book?.bids[0], book?.asks[0], others]).toEqual([
        'A',
        { price: '0.42', size: '13' },
        { price: '0.44', size: '17' },
        [],
      ]);
      expect(feeds.bookOf(market, 1)).toEqual({ key: 'M', marketId: 'M', index: 0, label: 'Yes' });
    } finally {
      await fake.close();
    }
  });
});

describe('the feed of Polymarket', () => {
  it('polymarket.md 5 reads the books of several tokens by one call, with the hash that the feed states too', async () => {
    const fake = await FakePolymarket.start();
    try {
      const book = sampleObject('clob-book');
      fake.on('POST /clob/books', () => ({ body: [book] }));
      const [read] = await fake.exchange.feeds.readBooks([String(book.asset_id), 'none']);
      expect(read).toMatchObject({ key: book.asset_id, facts: { hash: book.hash } });
      expect(read?.bids.length).toBeGreaterThan(0);
      expect(fake.exchange.feeds.bookOf(market, 1)).toEqual({ key: 'other', marketId: 'M', index: 1 });
      expect(fake.exchange.feeds.stream?.url).toMatch(/\/ws\/market$/);
    } finally {
      await fake.close();
    }
  });
});
