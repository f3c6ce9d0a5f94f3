import type { ReactNode } from 'react';
import { useTip } from './tip.js';
import { ui } from './ui.js';

/** How many places the decimals have at most: of a market's tick, or of a column, so that its points stand under each other. */
export function placesOf(decimals: readonly (string | null)[]): number {
  return Math.max(0, ...decimals.map((decimal) => decimal?.split('.')[1]?.length ?? 0));
}

/** Whole digits in groups of three: the comma is drawn, and no part of a copy. */
function Whole({ digits }: { readonly digits: string }): ReactNode {
  const head = digits.length % 3 || 3;
  const starts = Array.from({ length: Math.ceil(digits.length / 3) - 1 }, (_, index) => index * 3 + head);
  return (
    <>
      {digits.slice(0, head)}
      {starts.map((start) => (
        <span key={start} className={ui.group}>
          {digits.slice(start, start + 3)}
        </span>
      ))}
    </>
  );
}

interface DigitsProps {
  readonly value: string;
  readonly places: number;
}

/** Zeros are drawn up to its places, and what is behind them takes no room: a copy is as the API states it. */
function Digits({ value, places }: DigitsProps): ReactNode {
  const [whole = '', fraction = ''] = value.split('.');
  const point = places > 0 && fraction === '' ? '.' : '';
  return (
    <>
      {whole.startsWith('-') ? '-' : ''}
      <Whole digits={whole.replace('-', '')} />
      {fraction === '' ? '' : <span className={places === 0 ? ui.rest : undefined}>.</span>}
      {fraction.slice(0, places)}
      <span className={ui.rest}>{fraction.slice(places)}</span>
      <span className={ui.pad} data-pad={point + '0'.repeat(Math.max(0, places - fraction.length))} />
    </>
  );
}

/** Cut after its places: exact where it has the focus, is touched or pointed at. */
function Cut({ value, places }: DigitsProps): ReactNode {
  const [handlers, tip] = useTip(value);
  return (
    <>
      <span className={ui.cut} {...handlers}>
        <Digits value={value} places={places} />
      </span>
      {tip}
    </>
  );
}

interface AmountProps {
  /** A decimal of the API; null where nobody states it. */
  readonly value: string | null;
  /** How many places are shown, as far as they are known; all where left out. */
  readonly places?: number | undefined;
  /** Left out where a head of the table says it. */
  readonly unit?: string | undefined;
}

/** A decimal for people, grouped and with the places of its market; exact in copies. */
export function Amount({ value, places, unit }: AmountProps): ReactNode {
  if (value === null) return <span title="Not stated">–</span>;
  const own = placesOf([value]);
  const shown = places ?? own;
  return (
    <span className={ui.amount}>
      {own > shown ? <Cut value={value} places={shown} /> : <Digits value={value} places={shown} />}
      {unit === undefined ? '' : ` ${unit}`}
    </span>
  );
}

/** Money has so many places at least, and is cut behind so many. */
const [LEAST_PLACES, MOST_PLACES] = [2, 4];

/** An amount of money outside of tables, or that nobody knows it. */
export function Known({ value, unit }: Pick<AmountProps, 'value' | 'unit'>): ReactNode {
  if (value === null) return 'not known';
  return <Amount value={value} places={moneyPlaces([value])} unit={unit} />;
}

/** So many places that amounts of money stand point under point. */
export function moneyPlaces(amounts: readonly (string | null)[]): number {
  return Math.min(MOST_PLACES, Math.max(LEAST_PLACES, placesOf(amounts)));
}
