import type { ErrorMemberDto } from '../../platform/errors/error.dto.js';
import { decimal, type Field, flag, foreign, id, list, maybe, object, sentence, time, whole } from './fields.js';

/** A limit's amounts are decimals or counts. */
const AMOUNT: Field = {
  schema: {},
  take: (value) => (typeof value === 'number' ? value : decimal().take(value)),
};

const FIELDS = object({ field: sentence(''), message: sentence('') });
const SHARDS = object({ shard: id(''), available: decimal() });

const DETAILS = object({
  fields: list(FIELDS, ''),
  reason: id(''),
  required_scope: id(''),
  since: time(),
  limit: id(''),
  allowed: AMOUNT,
  used: AMOUNT,
  asked: AMOUNT,
  resets_at: time(),
  exchange: maybe(object({ id: id(''), status: whole(''), untrusted_code: foreign(), untrusted_message: foreign() })),
  untrusted_client_order_id: foreign(),
  order_id: id(''),
  refusal_holds_at: time(),
  shard: maybe(object({ needed: decimal(), available: list(SHARDS, '') })),
  cancelled: list(id(''), ''),
  not_cancelled: list(object({ id: id(''), reason: id('') }, 'id'), ''),
  may_have_been_cancelled: flag(''),
});

const ERROR = object({
  code: id(''),
  message: sentence(''),
  request_id: id(''),
  retryable: flag(''),
  retry_after_seconds: whole(''),
  details: maybe(DETAILS),
});

function isSaid(value: unknown): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0);
}

/** Without what is not there. */
function said(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(said);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (isSaid(part) ? [[name, said(part)]] : [])),
  );
}

/** The body of an error, with an exchange's words and other texts from outside under their names, and the wait of `Retry-After` in s. */
export function toldToAgents(error: ErrorMemberDto, retry_after_seconds?: number): object {
  return { error: said(ERROR.take(Object.assign({ retry_after_seconds }, error))) };
}
