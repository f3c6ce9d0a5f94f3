import { z } from 'zod';
import { EXCHANGE_IDS } from '../exchanges/exchange.registry.js';
import { AppError, badField, type FieldError } from '../platform/errors/app-error.js';
import { refuseBadText } from '../platform/http/validation.js';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;
const MOST_FIELDS_NAMED = 20;

export const EXCHANGE = z.enum(EXCHANGE_IDS as [string, ...string[]]).describe('The id of an exchange.');
export const MARKET_ID = z.string().min(1).max(200).describe('The id of a market, as search_markets answers it.');
export const ORDER_ID = z.string().min(1).max(200).describe('The id of an order, as list_orders answers it.');
export const OUTCOME = z.int().min(0).max(1).describe('Which of the two outcomes of the market: 0 or 1.');
export const CURSOR = z.string().min(1).max(2_000).optional().describe('The next_cursor of the answer before.');

export function pageSize(usual: number, most: number): z.ZodDefault<z.ZodInt> {
  return z.int().min(1).max(most).default(usual).describe('At most so many entries.');
}

export function timeAt(description: string): z.ZodOptional<z.ZodString> {
  return z.string().regex(TIME).optional().describe(description);
}

/** The JSON Schema of the arguments of a tool. */
export function schemaOf(input: z.ZodObject): Record<string, unknown> {
  const schema: Record<string, unknown> = { ...z.toJSONSchema(input, { io: 'input' }), additionalProperties: false };
  // Clients of the older revision know no dialect but their own.
  delete schema.$schema;
  return schema;
}

function faultOf({ code, path, message }: z.core.$ZodIssue): FieldError {
  const field = path.map(String).join('.');
  return {
    field: /^[\w.]{1,100}$/.test(field) ? field : 'arguments',
    message: code === 'custom' ? message : fitting(code, message),
  };
}

/** What is expected, without what was sent. */
function fitting(code: string, message: string): string {
  return code === 'invalid_type' ? (message.split(', received', 1)[0] ?? message) : message;
}

/** The arguments of a call. Throws `bad_request` that names what is wrong with them, never their values. */
export function argumentsOf<Input extends z.ZodObject>(input: Input, sent: unknown): z.output<Input> {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw badField('arguments', 'must be an object');
  if (Object.keys(sent).some((name) => !Object.hasOwn(input.shape, name)))
    throw badField('arguments', `must have no other names than ${Object.keys(input.shape).join(', ')}`);
  refuseBadText(sent);
  const parsed = input.safeParse(sent);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.slice(0, MOST_FIELDS_NAMED).map(faultOf);
  const [first] = fields;
  throw new AppError('bad_request', `The arguments are not valid: ${first?.field ?? ''}: ${first?.message ?? ''}.`, {
    details: { fields },
  });
}
