import { type IncomingHttpHeaders } from 'node:http';
import { type ExchangeName } from './faults.js';

/** One request as it arrived, before anything was done about it (DESIGN 7). */
export interface LoggedRequest {
  exchange: ExchangeName;
  method: string;
  /** The request target as received: path, and query where there was one. */
  url: string;
  /** As received, percent-encoded, without the query. */
  path: string;
  /** The raw query string without `?`, empty where there was none. */
  query: string;
  headers: IncomingHttpHeaders;
  /** Names and values in turn, in the order and spelling of the wire. */
  raw_headers: string[];
  body: string;
  /** ISO 8601, by the clock of the host (not by the exchange's, which a test may shift). */
  received_at: string;
}

const KEPT = 5_000;

/** The latest requests to the exchanges of the sandbox, oldest first. */
export class RequestLog {
  private readonly requests: LoggedRequest[] = [];

  add(request: LoggedRequest): void {
    this.requests.push(request);
    if (this.requests.length > KEPT) this.requests.splice(0, this.requests.length - KEPT);
  }

  /** All kept requests, or those of one exchange. */
  list(exchange?: ExchangeName): LoggedRequest[] {
    return this.requests.filter((request) => exchange === undefined || request.exchange === exchange);
  }

  clear(): void {
    this.requests.length = 0;
  }
}
