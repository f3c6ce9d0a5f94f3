/* The kinds of property that the unified DTOs are made of, for OpenAPI (unified-schema.md 1). */

export const DECIMAL = { type: String, format: 'decimal', pattern: String.raw`^-?\d+(\.\d+)?$` } as const;
/** A decimal of a request that must be above 0. */
export const ABOVE_ZERO = { ...DECIMAL, pattern: String.raw`^(0\.0*[1-9]\d*|[1-9]\d*(\.\d+)?)$` } as const;
export const MAYBE_DECIMAL = { ...DECIMAL, nullable: true } as const;
export const MAYBE_TEXT = { type: String, nullable: true } as const;
export const TIME = { type: String, format: 'date-time', example: '2026-11-20T15:00:00.164Z' } as const;
export const MAYBE_TIME = { ...TIME, nullable: true } as const;
/** One of some words or numbers, or null: which `nullable` alone does not let into an `enum` (OpenAPI 3.0.3). */
export function maybeOneOf<T extends string | number>(values: readonly T[]) {
  return { enum: [...values, null], nullable: true };
}
export const MAYBE_INDEX = { type: 'integer', ...maybeOneOf([0, 1]) } as const;
export const BOT_ID = { ...MAYBE_TEXT, example: 'bot_01KAMXB3T6Y7W2S4Q8Z0C1V5N9' } as const;
export const EXCHANGE = {
  type: String,
  description: 'The exchange that the data is from.',
  example: 'kalshi',
} as const;
