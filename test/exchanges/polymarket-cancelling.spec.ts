import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FakePolymarket } from '../support/fake-polymarket.js';
import type { ArrivedRequest, FakeAnswer } from '../support/fake-server.js';
import { CREDENTIALS_OF_SAFE, openOrder, ORDERS, paged, startWithAccount } from './polymarket-account.fixture.js';

const CANCEL = 'DELETE /clob/orders';

let fake: FakePolymarket;

beforeEach(async () => {
  fake = await startWithAccount();
});

afterEach(() => fake.close());

const cancelAll = () => fake.trading(CREDENTIALS_OF_SAFE).cancelAllOrders();
const anOrder = (number: number, made = 0) => ({ ...openOrder, id: `0x${number}`, created_at: made });
const orders = (count: number) => Array.from({ length: count }, (_, number) => anOrder(number));
const idsOf = ({ body }: ArrivedRequest) => JSON.parse(body) as string[];
const done = (request: ArrivedRequest): FakeAnswer => ({ body: { canceled: idsOf(request), not_canceled: {} } });

/** A book whose list has pages of a size by offset, from which cancels take orders; `grow` is called before each page. */
function serveBook(book: { id: string }[], size: number, grow: (page: number) => void = () => undefined): void {
  let pages = 0;
  fake.on(ORDERS, (request) => {
    grow((pages += 1));
    return paged((number) => book[number] ?? {}, book.length, size)(request);
  });
  fake.on(CANCEL, (request) => {
    const ids = new Set(idsOf(request));
    book.splice(0, book.length, ...book.filter(({ id }) => !ids.has(id)));
    return done(request);
  });
}

it('unified-schema.md 7 an order that is named as cancelled and as not is told as neither', async () => {
  const id = `0x${'c'.repeat(64)}`;
  const answer = { body: { canceled: [id], not_canceled: { [id]: 'matched orders can not be canceled' } } };
  for (const route of [CANCEL, 'DELETE /clob/order']) fake.on(route, () => answer);
  fake.on(ORDERS, () => ({ body: { data: [{ ...openOrder, id }], next_cursor: 'LTE=' } }));
  expect(await cancelAll()).toEqual({ cancelled: [], not_cancelled: [{ id, reason: 'unknown' }] });
  const one = fake.trading(CREDENTIALS_OF_SAFE).cancelOrder(id);
  await expect(one).rejects.toMatchObject({ code: 'exchange_error' });
});

describe('cancelling page by page', () => {
  it('unified-schema.md 7 misses none where the cancels shift the pages behind them', async () => {
    const book = orders(7);
    serveBook(book, 3);
    const { cancelled, not_cancelled, failure } = await cancelAll();
    expect(cancelled.toSorted()).toEqual(orders(7).map(({ id }) => id));
    expect([book, not_cancelled, failure]).toEqual([[], [], undefined]);
    const sent = fake.at(CANCEL).flatMap(idsOf);
    expect(new Set(sent).size).toBe(sent.length);
  });

  it('unified-schema.md 7 leaves alone what was made after the call, but for the slack of clocks', async () => {
    const now = Math.floor(Date.now() / 1_000);
    const book = orders(4);
    serveBook(book, 3, (page) => {
      if (page === 2) book.push(anOrder(8, now + 1), anOrder(9, now + 60));
    });
    expect((await cancelAll()).cancelled.toSorted()).toEqual(['0x0', '0x1', '0x2', '0x3', '0x8']);
    expect(book.map(({ id }) => id)).toEqual(['0x9']);
  });

  it('unified-schema.md 7 says after three walks that a list which goes on showing new orders is not to be relied on', async () => {
    const book = orders(4);
    serveBook(book, 2, (page) => {
      // Each walk is of two pages, of which the cancels shift the second one away.
      if (page === 3 || page === 5) book.push(anOrder(10 + page), anOrder(20 + page));
    });
    const { cancelled, failure } = await cancelAll();
    expect(cancelled).toHaveLength(6);
    expect(failure).toMatchObject({ code: 'exchange_error' });
  });

  it('R-25 a page that fails keeps none of those before it in the book', async () => {
    const read = paged((number) => anOrder(number), 5, 2);
    fake.on(ORDERS, (request) => (request.query.get('next_cursor') === null ? read(request) : { status: 500 }));
    fake.on(CANCEL, done);
    const { cancelled, failure } = await cancelAll();
    expect(cancelled).toEqual(['0x0', '0x1']);
    expect(failure).toMatchObject({ code: 'exchange_error' });
  });

  it('unified-schema.md 7 an order that cannot be named keeps no other in the book, and is told as a failure', async () => {
    fake.on(ORDERS, () => ({ body: { data: [null, { id: 7 }, { id: '0x1' }], next_cursor: 'LTE=' } }));
    fake.on(CANCEL, done);
    const report = await cancelAll();
    expect(report).toMatchObject({ cancelled: ['0x1'], failure: { code: 'exchange_error' } });
  });
});
