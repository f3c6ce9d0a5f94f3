import { type Decimal, multiply, subtract, sumOf } from '../../exchanges/decimal.js';
import type { Exchange } from '../../exchanges/exchange.js';
import type { BalanceDto, PositionDto } from '../../exchanges/unified.trading.dto.js';
import { sha256 } from '../../platform/crypto/digests.js';
import type { ExchangePortfolioDto, PortfolioTotalDto } from './portfolio.dto.js';

/** An account at an exchange: a digest of it (`holdingsDigest` of its signed calls), null where it is not known. */
export interface AccountName {
  readonly exchange: Pick<Exchange, 'id' | 'money'>;
  readonly account: string | null;
}

/** What was read of an account at an exchange, from when on. */
export interface AccountReading extends AccountName {
  readonly from: Date;
  /** The money of each account that the positions are of; null where it could not be read. */
  readonly balances: readonly BalanceDto[] | null;
  readonly portfolio: ExchangePortfolioDto;
}

/** What the positions of an account are worth. */
export interface HoldingsValue {
  readonly positions_value: Decimal | null;
  readonly redeemable_value: Decimal | null;
  readonly unrealized_pnl: Decimal | null;
}

type Amount = Decimal | null;

/**
 * The value of positions, by one rule: the exchange's own mark, else what `bidOf` says is the best bid, else unknown (contract.md
 * 5.17).
 */
export function valueOf(positions: readonly PositionDto[], bidOf: (position: PositionDto) => Amount): HoldingsValue {
  const marked = positions.map((position) => {
    const bid = position.market_value === null ? bidOf(position) : null;
    const value = position.market_value ?? (bid === null ? null : multiply(bid, position.size));
    const cost = position.cost_basis;
    const gain = position.unrealized_pnl ?? (value === null || cost === null ? null : subtract(value, cost));
    return { value, gain, isRedeemable: position.status === 'redeemable' };
  });
  return {
    positions_value: sumOf(marked.map(({ value }) => value)),
    redeemable_value: sumOf(marked.filter(({ isRedeemable }) => isRedeemable).map(({ value }) => value)),
    unrealized_pnl: sumOf(marked.map(({ gain }) => gain)),
  };
}

/** What is available of a balance beside what orders hold back. */
function cashOf({ money }: Pick<Exchange, 'money'>, balance: BalanceDto): Amount {
  if (!money.hasReservedInAvailable) return balance.available;
  return balance.reserved === null ? null : subtract(balance.available, balance.reserved);
}

/** Of each currency whose accounts are known a digest of them all: of other accounts it is another. */
export function accountsOf(names: readonly AccountName[]): Record<string, string> {
  const currencies = [...new Set(names.map(({ exchange }) => exchange.money.currency))];
  const digests = currencies.flatMap((currency): [string, string][] => {
    const own = names.filter(({ exchange }) => exchange.money.currency === currency);
    if (own.some(({ account }) => account === null)) return [];
    const each = own.map(({ exchange, account }) => [exchange.id, account]).sort();
    return [[currency, sha256(JSON.stringify(each)).toString('base64url')]];
  });
  return Object.fromEntries(digests);
}

/** Those where something is stored. */
export function countedOf(readings: readonly AccountReading[]): AccountReading[] {
  return readings.filter(({ portfolio }) => portfolio.error?.code !== 'credentials_not_configured');
}

/** One total a currency, in the order of the exchanges. Where nothing is stored, nothing is counted. */
export function totalsOf(readings: readonly AccountReading[]): PortfolioTotalDto[] {
  const counted = countedOf(readings);
  const currencies = [...new Set(counted.map(({ exchange }) => exchange.money.currency))];
  return currencies.map((currency) => {
    const own = counted.filter(({ exchange }) => exchange.money.currency === currency);
    const cash = sumOf(
      own.flatMap(({ exchange, balances }) => balances?.map((balance) => cashOf(exchange, balance)) ?? [null]),
    );
    const reserved = sumOf(own.flatMap(({ balances }) => balances?.map((balance) => balance.reserved) ?? [null]));
    const positions_value = sumOf(own.map(({ portfolio }) => portfolio.positions_value));
    const sums = {
      cash,
      reserved,
      positions_value,
      equity: sumOf([cash, reserved, positions_value]),
      unrealized_pnl: sumOf(own.map(({ portfolio }) => portfolio.unrealized_pnl)),
      realized_pnl: sumOf(own.map(({ portfolio }) => portfolio.realized_pnl)),
    };
    return { currency, ...sums, partial: Object.values(sums).includes(null) };
  });
}
