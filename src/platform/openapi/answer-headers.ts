interface Header {
  readonly description: string;
  readonly required?: true;
  readonly schema: object;
  readonly example: unknown;
}

/** The headers of answers that a client reads (contract.md 3, 5). */
export const ANSWER_HEADERS = {
  'X-Request-Id': {
    description: 'Names the request, in errors and in the logs of the service.',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9A-Z]{26}$' },
    example: 'req_01KAMXB3T6Y7W2S4Q8Z0C1V5N9',
  },
  RateLimit: {
    description:
      'Of each limit that the request was counted in, how many requests are left (`r`) and in how many seconds the count begins ' +
      'anew (`t`). Not there where limits are off, or the request was refused before it was counted.',
    schema: { type: 'string' },
    example: '"api";r=1199;t=60',
  },
  'RateLimit-Policy': {
    description: 'Of each limit in `RateLimit`, how many requests (`q`) it lets through in how many seconds (`w`).',
    schema: { type: 'string' },
    example: '"api";q=1200;w=60',
  },
  'Retry-After': {
    description: 'Seconds to wait before the call is repeated; there wherever the error is retryable.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  'Idempotency-Replayed': {
    description: 'There where this is the kept answer of an earlier call with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
} as const satisfies Readonly<Record<string, Header>>;

type HeaderName = keyof typeof ANSWER_HEADERS;

/** These headers, as an answer refers to them. */
export function headers(...names: readonly HeaderName[]): Record<string, { readonly $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
