import { Injectable } from '@nestjs/common';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { atMostPages } from '../../exchanges/page-walk.js';
import type { Trading } from '../../exchanges/trading.contract.js';
import type { PositionDto } from '../../exchanges/unified.trading.dto.js';
import { AppError } from '../../platform/errors/app-error.js';
import { PartErrors } from '../request/part-errors.js';
import type { ExchangePortfolioDto } from './portfolio.dto.js';
import { type AccountReading, type HoldingsValue, valueOf } from './sums.js';

const PAGE = 100;
/** An account with more positions, or more open orders, has no sum of them. */
const MOST_PAGES = 10;
/** Books of one call. */
const BOOKS = 50;

const NOTHING: Omit<ExchangePortfolioDto, 'exchange' | 'error'> = {
  balance: null,
  positions_value: null,
  redeemable_value: null,
  unrealized_pnl: null,
  realized_pnl: null,
  fees: null,
  open_orders: null,
};

/** Reads what one user has at one exchange. Throws nothing that an exchange does: what cannot be read is null, and `error` says why. */
@Injectable()
export class AccountReader {
  readonly #errors = new PartErrors('AccountReader');

  constructor(private readonly credentials: CredentialsService) {}

  /** `countOrders` counts the open orders of whoever asks; null where nobody does. */
  async read(
    userId: string,
    exchange: Exchange,
    countOrders: ((exchange: Exchange) => Promise<number | null>) | null,
  ): Promise<AccountReading> {
    const { id } = exchange;
    try {
      const trading = await this.credentials.trading(userId, exchange);
      const failures: unknown[] = [];
      const part = async <T>(reading: Promise<T> | undefined): Promise<T | null> => {
        try {
          return (await reading) ?? null;
        } catch (error) {
          failures.push(error);
          return null;
        }
      };
      const [balance, value, gains, open_orders] = await Promise.all([
        part(trading.getBalance()),
        part(readValue(exchange, trading)),
        part(trading.readGains()),
        part(countOrders?.(exchange)),
      ]);
      const error = failures.length === 0 ? null : this.#errors.told(failures[0]);
      return { exchange, portfolio: { ...NOTHING, exchange: id, balance, ...value, ...gains, open_orders, error } };
    } catch (error) {
      return { exchange, portfolio: { ...NOTHING, exchange: id, error: this.#errors.told(error) } };
    }
  }
}

/** Counts a list to its end; null where it is too long. */
export async function countOf(
  read: (cursor: string | null) => Promise<{ items: readonly unknown[]; next: string | null }>,
): Promise<number | null> {
  return (await atMostPages(read, MOST_PAGES))?.length ?? null;
}

async function readValue(exchange: Exchange, trading: Trading): Promise<HoldingsValue | null> {
  const positions = await atMostPages((cursor) => trading.listPositions({}, { limit: PAGE, cursor }), MOST_PAGES);
  if (positions === null) return null;
  const bids = await readBids(
    exchange,
    positions.filter(({ market_value: value }) => value === null),
  );
  return valueOf(positions, (position) => bids.get(keyOf(position)) ?? null);
}

/** The best bids of what is held, by books of several markets; those that nobody bids for, or that cannot be read, are left out. */
async function readBids(exchange: Exchange, positions: readonly PositionDto[]): Promise<ReadonlyMap<string, string>> {
  const calls = [0, 1].flatMap((index) => {
    const held = positions.filter(({ outcome }) => outcome.index === index);
    return Array.from({ length: Math.ceil(held.length / BOOKS) }, (_, call) => ({
      outcome: String(index),
      held: held.slice(call * BOOKS, (call + 1) * BOOKS),
    }));
  });
  const bids = await Promise.all(
    calls.map(async ({ outcome, held }) => {
      const query = { market_ids: held.map(({ market_id: id }) => id), outcome, depth: 1 };
      const books = await exchange.marketData.getOrderBooks(query);
      return books.flatMap((book, index): [string, string][] => {
        const position = held[index];
        const best = book instanceof AppError ? undefined : book.value.bids[0];
        return position === undefined || best === undefined ? [] : [[keyOf(position), best.price]];
      });
    }),
  );
  return new Map(bids.flat());
}

function keyOf({ market_id, outcome }: PositionDto): string {
  return `${market_id} ${outcome.id}`;
}
