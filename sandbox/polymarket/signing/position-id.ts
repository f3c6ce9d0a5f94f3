/** Ids of V2 markets (polymarket.md 2.2): one number says module, condition and outcome. */

/** What a V2 condition is named by. `baseHash` is 32 hex digits without `0x`. */
export interface Condition {
  /** 1 binary, 2 neg-risk, 3 combos. */
  module: 1 | 2 | 3;
  baseHash: string;
  /** How many conditions share the base hash; 0 where one stands alone. */
  arity: number;
  index: number;
}

const RESERVED_BITS = 64n;
const RESERVED_SHIFT = 40n;
const MODULE_SHIFT = 248n;
const LAST_MODULE = 4n;

/** The `0x` + 64 digits of a condition: the wide form, which everything but Gamma uses. */
export function wideConditionId({ module, baseHash, arity, index }: Condition): string {
  const digits = [hex(module, 2), baseHash, hex(arity, 4), hex(0, 16), hex(0, 4), hex(index, 4), '00'];
  return `0x${digits.join('')}`;
}

/** The `0x` + 62 digits that Gamma sends. */
export function narrowConditionId(wide: string): string {
  return wide.slice(0, -2);
}

/** The token id of an outcome, as a decimal text. */
export function positionId(wide: string, outcome: 0 | 1): string {
  return (BigInt(wide) + BigInt(outcome)).toString();
}

/** True for an id with the shape of a V2 position: a module of 1 to 4 and 64 zero bits at bits 40 to 103. */
export function isPositionId(tokenId: string): boolean {
  const id = BigInt(tokenId);
  const module = id >> MODULE_SHIFT;
  const reserved = (id >> RESERVED_SHIFT) & ((1n << RESERVED_BITS) - 1n);
  return module >= 1n && module <= LAST_MODULE && reserved === 0n;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
