/* Condition ids in their two widths, and the position ids of V2 markets (polymarket.md 2.2, 2.3). */

/** Which of the exchange's two protocols a market belongs to (polymarket.md 10.2). */
export type Protocol = 'v1' | 'v2';

/** A condition id: 32 bytes of a V1 market, 31 of a V2 market, which are often padded to 32. */
export const CONDITION_ID = /^0x(?:[0-9a-fA-F]{62}|[0-9a-fA-F]{64})$/;
export const WIDE_CONDITION_ID = /^0x[0-9a-fA-F]{64}$/;

/** A uint256 as decimal text without superfluous zeros; `fitsWord` checks that it fits 256 bits. */
export const UINT = /^(?:0|[1-9]\d{0,77})$/;

const NARROW_LENGTH = 64;
const PADDING = '00';
const WORD_BITS = 256n;
const WORD_DIGITS = 64;

/** Module 1 to 4, base hash and arity, 64 zero bits, resolution chain and condition index: 31 bytes. */
const V2_CONDITION = /^0[1-4][0-9a-f]{36}0{16}[0-9a-f]{8}$/;
/** The module of combinations of markets, which are no markets here. */
const COMBO_CONDITION = /^03[0-9a-f]{36}0{16}[0-9a-f]{8}$/;

/** Whether digits stand for a number that an EVM word holds. */
export function fitsWord(digits: string): boolean {
  return BigInt(digits) >> WORD_BITS === 0n;
}

/** Returns a condition id of either width as 64 digits, in small letters; any other text in small letters. */
export function wideId(id: string): string {
  const lower = id.toLowerCase();
  return lower.length === NARROW_LENGTH && CONDITION_ID.test(lower) ? lower + PADDING : lower;
}

/** Returns the widths in which Gamma may know a wide condition id (polymarket.md 15). */
export function widthsOf(wide: string): string[] {
  return wide.endsWith(PADDING) ? [wide, wide.slice(0, -PADDING.length)] : [wide];
}

/** What a position id says: the condition, in its wide form, and the index of the outcome. */
export interface Position {
  readonly conditionId: string;
  readonly outcomeIndex: number;
  /** Whether it looks like a position of a V2 market at all: any number can be split. */
  readonly isV2: boolean;
}

/** Splits an outcome id as a V2 position id; null where it is no number of 256 bits. */
export function positionOf(id: string): Position | null {
  if (!UINT.test(id)) return null;
  const hex = BigInt(id).toString(16).padStart(WORD_DIGITS, '0');
  if (hex.length > WORD_DIGITS) return null;
  const condition = hex.slice(0, -2);
  return {
    conditionId: `0x${condition}${PADDING}`,
    outcomeIndex: Number.parseInt(hex.slice(-2), 16),
    isV2: V2_CONDITION.test(condition),
  };
}

/** Whether a wide condition id looks like that of a V2 market. */
export function isV2Condition(wide: string): boolean {
  return wide.endsWith(PADDING) && V2_CONDITION.test(wide.slice(2, -PADDING.length));
}

/** Whether a wide condition id is that of a combination of markets. */
export function isCombo(wide: string): boolean {
  return wide.endsWith(PADDING) && COMBO_CONDITION.test(wide.slice(2, -PADDING.length));
}

/** Returns the position id of the other outcome of a V2 market, whose index is the last bit. */
export function oppositeOf(positionId: string): string {
  return String(BigInt(positionId) ^ 1n);
}
