/** What an order of the model asks for. */
export interface Terms {
  readonly market: string;
  readonly currency: string;
  readonly side: 'buy' | 'sell';
  readonly outcome: 0 | 1;
  readonly price: string;
  readonly size: string;
  readonly timeInForce: 'gtc' | 'ioc';
}

type Row = readonly [market: string, side: 'buy' | 'sell', outcome: 0 | 1, price: string, size: string, tif?: 'ioc'];

/** Most of one market, so that they take back what others hold; two currencies. */
const ROWS: readonly Row[] = [
  ['a', 'buy', 0, '0.4', '10'],
  ['a', 'sell', 0, '0.45', '10'],
  ['a', 'sell', 0, '0.5', '4'],
  ['a', 'buy', 1, '0.55', '10'],
  ['a', 'buy', 0, '0.07', '2.5'],
  ['a', 'buy', 0, '0.61', '5', 'ioc'],
  ['a', 'sell', 0, '0.333', '3.75', 'ioc'],
  ['b', 'buy', 0, '0.333', '3'],
  ['b', 'sell', 1, '0.97', '20'],
  ['c', 'buy', 0, '0.4', '10'],
  ['c', 'buy', 1, '0.3', '5.25'],
  ['c', 'sell', 0, '0.62', '7.000001'],
];

export const TERMS: readonly Terms[] = ROWS.map(([market, side, outcome, price, size, timeInForce]) => {
  const currency = market === 'c' ? 'PUSD' : 'USD';
  return { market, currency, side, outcome, price, size, timeInForce: timeInForce ?? 'gtc' };
});

const PLACES = 18;
const ONE = 10n ** BigInt(PLACES);

/** A decimal, exactly, in units of 10^-18. */
export function units(decimal: string): bigint {
  const [, sign = '', whole = '0', written = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  const part = written.replace(/0+$/, '');
  if (part.length > PLACES) throw new RangeError(`too many places: ${decimal}`);
  const value = BigInt(whole) * ONE + BigInt(part.padEnd(PLACES, '0'));
  return sign === '-' ? -value : value;
}

/** The shortest decimal of units. */
export function decimal(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(PLACES + 1, '0');
  const [whole, part] = [digits.slice(0, -PLACES), digits.slice(-PLACES).replace(/0+$/, '')];
  return `${value < 0n ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`;
}

/** The product of two decimals in units. */
export function times(one: bigint, other: bigint): bigint {
  return (one * other) / ONE;
}

/** Whether it makes the position in outcome 0 longer. */
export function isLong({ side, outcome }: Pick<Terms, 'side' | 'outcome'>): boolean {
  return (side === 'buy') === (outcome === 0);
}

/** What one contract of it can lose. */
export function unitRisk({ side, price }: Pick<Terms, 'side' | 'price'>): bigint {
  return side === 'buy' ? units(price) : ONE - units(price);
}
