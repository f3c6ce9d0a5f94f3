import { Injectable } from '@nestjs/common';
import { CredentialsService } from '../../credentials/credentials.service.js';
import type { Exchange } from '../../exchanges/exchange.js';
import { atMostPages } from '../../exchanges/page-walk.js';
import type { Trading } from '../../exchanges/trading.contract.js';
import type { PositionDto } from '../../exchanges/unified.trading.dto.js';
import { Settings } from '../../platform/config/settings.js';
import { AppError } from '../../platform/errors/app-error.js';
import { withReadLimit } from '../../platform/upstream/call-context.js';
import { PartErrors } from '../../platform/http/part-errors.js';
import { SharedReadings } from '../request/shared-readings.js';
import type { ExchangePortfolioDto } from './portfolio.dto.js';
import { type AccountName, type AccountReading, type HoldingsValue, valueOf } from './sums.js';

const PAGE = 100;
/** An account with more positions, or more open orders, has no sum of them. */
const MOST_PAGES = 10;
/** Books of one call. */
const BOOKS = 50;

/** What is read serves all who ask for it so many ms long. */
const SHARED_FOR_MS = 2_000;

const NOTHING: Omit<ExchangePortfolioDto, 'exchange' | 'error'> = {
  balance: null,
  positions_value: null,
  redeemable_value: null,
  unrealized_pnl: null,
  realized_pnl: null,
  fees: null,
  open_orders: null,
};

/** Counts the open orders of whoever asks; `by` names that within the user. */
export interface OrderCount {
  readonly by: string;
  readonly read: (exchange: Exchange) => Promise<number | null>;
}

type Values = Partial<ExchangePortfolioDto & Pick<AccountReading, 'balances'>>;

/** What was read, from when on; what could not be is left out, and `failures` says why. */
interface Parts {
  readonly from: Date;
  readonly values: Values;
  readonly failures: readonly unknown[];
}

/**
 * Reads what one user has at one exchange. Throws nothing that an exchange does: what cannot be read is null, and `error` says why. A
 * reading is shared, and ends within `UPSTREAM_TIMEOUT` (contract.md 5.17).
 */
@Injectable()
export class AccountReader {
  readonly #errors = new PartErrors('AccountReader');
  readonly #readings = new SharedReadings<Parts>(SHARED_FOR_MS);
  readonly #limitMs: number;

  constructor(
    private readonly credentials: CredentialsService,
    settings: Settings,
  ) {
    this.#limitMs = settings.upstreamTimeoutMs;
  }

  /** The accounts whose credentials are stored now, which is not asked of the exchanges; one whose credentials do not open is not known. */
  async names(userId: string, exchanges: readonly Exchange[]): Promise<AccountName[]> {
    const names = exchanges.map(async (exchange): Promise<AccountName[]> => {
      try {
        return [{ exchange, account: nameOf(await this.credentials.trading(userId, exchange)) }];
      } catch (error) {
        return error instanceof AppError && error.code === 'credentials_not_configured'
          ? []
          : [{ exchange, account: null }];
      }
    });
    return (await Promise.all(names)).flat();
  }

  /** `count` is null where nobody's orders are counted; `isFresh` takes no reading that has ended. */
  async read(
    userId: string,
    exchange: Exchange,
    { count, isFresh }: { readonly count: OrderCount | null; readonly isFresh: boolean },
  ): Promise<AccountReading> {
    const { id } = exchange;
    let account: string | null = null;
    try {
      const trading = await this.credentials.trading(userId, exchange);
      account = nameOf(trading);
      const own = `${userId} ${id} ${trading.accountDigest().toString('base64')}`;
      const share = (name: string, reads: Reads): Promise<Parts> =>
        this.#readings.read(name, () => readAll(reads, this.#limitMs), isFresh);
      const all = await Promise.all([
        share(own, [
          async () => ({ balances: await trading.readBalances() }),
          () => readValue(exchange, trading),
          () => trading.readGains(),
        ]),
        ...(count === null
          ? []
          : [share(`${own} ${count.by}`, [async () => ({ open_orders: await count.read(exchange) })])]),
      ]);
      const [failure] = all.flatMap(({ failures }) => failures);
      const error = failure === undefined ? null : this.#errors.told(failure);
      const read = Object.assign({}, ...all.map((parts) => parts.values)) as Values;
      const { balances = null, ...values } = read;
      const from = new Date(Math.min(...all.map((parts) => parts.from.getTime())));
      const balance = balances?.[0] ?? null;
      return { exchange, account, from, balances, portfolio: { ...NOTHING, ...values, balance, exchange: id, error } };
    } catch (error) {
      return {
        exchange,
        account,
        from: new Date(),
        balances: null,
        portfolio: { ...NOTHING, exchange: id, error: this.#errors.told(error) },
      };
    }
  }
}

function nameOf(trading: Trading): string {
  return trading.holdingsDigest().toString('base64');
}

type Reads = readonly (() => Promise<Values | null>)[];

/** Reads all at once; what is not there after `limitMs` is left out. */
async function readAll(reads: Reads, limitMs: number): Promise<Parts> {
  const from = new Date();
  return withReadLimit(limitMs, async (deadline) => {
    const failures: unknown[] = [];
    const values = reads.map(async (read) => {
      try {
        return await read();
      } catch (error) {
        failures.push(deadline.aborted ? timedOut(error) : error);
        return null;
      }
    });
    return { from, values: Object.assign({}, ...(await Promise.all(values))) as Values, failures };
  });
}

function timedOut(cause: unknown): AppError {
  return new AppError('exchange_timeout', 'The exchange did not tell all of it in time. Try again.', { cause });
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
