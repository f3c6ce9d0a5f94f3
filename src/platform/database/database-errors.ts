import { isNativeError } from 'node:util/types';
import { QueryFailedError, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';

/** The way to the server; ENOENT is a socket that is not there. */
const SYSTEM_CODES = new Set([
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/**
 * SQLSTATE, https://www.postgresql.org/docs/18/errcodes-appendix.html: connection, resources and system errors as
 * classes; then lost or ended sessions, timeouts of statement, lock and transaction, transactions that lost to another one
 * and may be tried again, a database that takes no connections, and a server that only reads.
 */
const UNAVAILABLE_CLASSES = new Set(['08', '28', '53', '58']);
const UNAVAILABLE_STATES = new Set([
  '25006',
  '25P03',
  '25P04',
  '3D000',
  '40001',
  '40P01',
  '55000',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '57P05',
]);

/** Errors that pg, pg-pool and TypeORM give no code. */
const UNCODED = [
  /^timeout exceeded when trying to connect$/,
  /^timeout expired$/,
  /^Query read timeout$/,
  /^Connection terminated/,
  /^Client (has encountered a connection error|was closed) and is not queryable$/,
  /^Driver not Connected$/,
  /^Cannot use a pool after calling end on the pool$/,
];

/** What TypeORM throws when the connection of a transaction broke between two statements. */
const BETWEEN_STATEMENTS = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

const UNIQUE_VIOLATION = '23505';

/** Whether the database is away, overloaded or too slow, so that the answer is 503 `service_unavailable`. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (BETWEEN_STATEMENTS.some((lost) => error instanceof lost)) return true;
  const reason = driverError(error);
  if (!isNativeError(reason)) return false;
  const code = textField(reason, 'code');
  if (code === undefined) return UNCODED.some((pattern) => pattern.test(reason.message));
  return isUnavailableState(code) || isSystemFailure(reason, code);
}

/** Whether the row breaks this unique constraint or unique index. */
export function isUniqueViolation(error: unknown, constraintName: string): boolean {
  const reason = driverError(error);
  return textField(reason, 'code') === UNIQUE_VIOLATION && textField(reason, 'constraint') === constraintName;
}

function driverError(error: unknown): unknown {
  return error instanceof QueryFailedError ? error.driverError : error;
}

function isUnavailableState(code: string): boolean {
  return code.length === 5 && (UNAVAILABLE_STATES.has(code) || UNAVAILABLE_CLASSES.has(code.slice(0, 2)));
}

/** A missing file is a fault of its own; only a missing socket is a database that is away. */
function isSystemFailure(error: Error, code: string): boolean {
  return SYSTEM_CODES.has(code) && (code !== 'ENOENT' || textField(error, 'syscall') === 'connect');
}

function textField(error: unknown, name: 'code' | 'constraint' | 'syscall'): string | undefined {
  const value: unknown = isNativeError(error) ? Reflect.get(error, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}
