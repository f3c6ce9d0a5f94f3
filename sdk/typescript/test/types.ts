import {
  decimal,
  type TradingProxy,
  type BookEvent,
  type CreatedOrder,
  type Decimal,
  type Market,
  type Order,
  type ResponseInfo,
  type StreamEvent,
} from 'trading-proxy-client';

/** What must compile with the strictest settings, and what must not. */
export async function types(client: TradingProxy): Promise<unknown[]> {
  const order: CreatedOrder = await client.kalshi.orders.create({
    market_id: 'M',
    outcome: 0,
    side: 'buy',
    price: '0.05',
    size: 10,
  });
  const price: Decimal = order.price;
  const again: CreatedOrder = await client.polymarket.orders.create(
    { market_id: 'M', outcome: 'yes', side: 'sell', price, size: decimal('1.5'), time_in_force: 'ioc' },
    { idempotencyKey: 'k', timeout: 1000, retries: 0, signal: new AbortController().signal },
  );
  // @ts-expect-error a boolean is no decimal
  void client.kalshi.orders.create({ market_id: 'M', outcome: 0, side: 'buy', price: true, size: 10 });
  // @ts-expect-error the market is missing
  void client.kalshi.orders.create({ outcome: 0, side: 'buy', price: '0.1', size: 10 });
  // @ts-expect-error a text is no decimal of an answer
  const text: Decimal = '0.5';
  const whole: { value: Order; response: ResponseInfo } = await client.withResponse().kalshi.orders.get('o1');
  const markets: Market[] = [];
  for await (const market of client.exchange('kalshi').markets.list({ search: 'x' })) markets.push(market);
  for await (const { data, next_cursor } of client.kalshi.markets.list().pages())
    if (next_cursor === null) markets.push(...data);
  const books: AsyncIterable<BookEvent> = client.kalshi.orderbooks.stream(['M'], { outcome: '1' });
  const all: AsyncIterable<StreamEvent> = client.stream(['kalshi.fills']);
  for await (const event of all) if (event.type === 'fill') return [event.data.price, event.data.status];
  const csv: string = await client.kalshi.fills.csv({ start: '2026-01-01T00:00:00Z' });
  const { results } = await client.kalshi.orders.createBatch([
    { market_id: 'M', outcome: 0, side: 'buy', price: '0.05', size: 10 },
  ]);
  const code: string | undefined = results[0]?.error?.code;
  const beat = await client.bot.heartbeat(30, { on_miss: 'cancel' }, { retries: 0 });
  const bot = await client.account.bots.create({ name: 'b', limits: { max_open_risk: 100 } });
  const [risk]: readonly Decimal[] = Object.values(bot.bot.usage.open_risk);
  return [again, text, whole, books, csv, code, beat.expires_at, bot.key, risk];
}
