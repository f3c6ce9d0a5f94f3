import { type IncomingHttpHeaders } from 'node:http';
import { type ExchangeName } from './faults.js';

/** One request as it arrived, before anything was done about it (contract.md 7). */
export interface LoggedRequest {
  exchange: ExchangeName;
  method: string;
  /** The request target as received: path, and query where there was one. */
  url: string;
  /** As received, percent-encoded, without the query. */
  path: string;
  /** The raw query string without `?`, empty where there was none. */
  query: string;
  /** As received, but for the values of secret header lines, which are cut. */
  headers: IncomingHttpHeaders;
  /** Names and values in turn, in the order and spelling of the wire; secret values are cut here too. */
  raw_headers: string[];
  body: string;
  /** ISO 8601, by the clock of the host (not by the exchange's, which a test may shift). */
  received_at: string;
}

const KEPT = 5_000;
const SHOWN_CHARACTERS = 8;

/** Header lines that prove who asks: `KALSHI-ACCESS-SIGNATURE`, `POLY_SIGNATURE`, `POLY_PASSPHRASE` and the like. */
const SECRET_NAME = /signature|secret|passphrase/i;

function cut(name: string, value: string): string {
  return SECRET_NAME.test(name) ? value.slice(0, SHOWN_CHARACTERS) : value;
}

function cutHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((one) => cut(name, one)) : value === undefined ? value : cut(name, value),
  ]);
  return Object.fromEntries(entries) as IncomingHttpHeaders;
}

/** Values stand at the odd places, each behind its name. */
function cutRawHeaders(lines: readonly string[]): string[] {
  return lines.map((text, index) => (index % 2 === 0 ? text : cut(lines[index - 1] ?? '', text)));
}

/**
 * The latest requests to the exchanges of the sandbox, oldest first. Signatures, secrets and passphrases in header lines are
 * cut to 8 characters before anything is kept: a client pointed here by mistake signs with real keys (contract.md 7, S-57).
 */
export class RequestLog {
  readonly #requests: LoggedRequest[] = [];

  add(request: LoggedRequest): void {
    const { headers, raw_headers } = request;
    this.#requests.push({ ...request, headers: cutHeaders(headers), raw_headers: cutRawHeaders(raw_headers) });
    if (this.#requests.length > KEPT) this.#requests.splice(0, this.#requests.length - KEPT);
  }

  /** All kept requests, or those of one exchange. */
  list(exchange?: ExchangeName): LoggedRequest[] {
    return this.#requests.filter((request) => exchange === undefined || request.exchange === exchange);
  }

  clear(): void {
    this.#requests.length = 0;
  }
}
