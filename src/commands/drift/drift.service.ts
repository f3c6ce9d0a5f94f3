import { Injectable } from '@nestjs/common';
import type { PublicRoute } from '../../exchanges/drift-sheet.js';
import type { ExchangeClass } from '../../exchanges/exchange.js';
import { EXCHANGES } from '../../exchanges/exchange.registry.js';
import { Settings } from '../../platform/config/settings.js';
import type { UpstreamClient, UpstreamResponse, Withdrawal } from '../../platform/upstream/upstream-client.js';
import { UpstreamClients } from '../../platform/upstream/upstream-clients.js';
import { differencesOf } from './comparison.js';
import { clean } from './findings.js';
import { listAt } from './found-ids.js';
import { type RouteRead, RouteReads } from './route-reads.js';

type RouteStatus = 'ok' | 'changed' | 'broken' | 'unreachable';

/** One route: what its answer has of which we know nothing, what it lacks, and values outside our enumerations. */
export interface RouteReport {
  /** Such as `GET /markets/{ticker}`. */
  readonly route: string;
  readonly status: RouteStatus;
  readonly unknown: readonly string[];
  readonly missing: readonly string[];
  readonly values: readonly string[];
  /** The `Deprecation` and `Sunset` header lines; null without them. */
  readonly deprecation: string | null;
  /** Why there was nothing to compare; null where there was. */
  readonly reason: string | null;
}

/** How many markets of a page have each value of a field, by the name of the field. */
type MarketCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** All routes of one exchange. */
export interface ExchangeReport {
  readonly id: string;
  readonly routes: readonly RouteReport[];
  readonly markets: MarketCounts;
}

/** Values of a field that are counted apart; markets with any other are counted as `other`. */
const MOST_COUNTED = 20;
const LONGEST_COUNTED = 20;

const NOTHING = { unknown: [], missing: [], values: [] };

/** An exchange that answers so refuses the caller, or is not well; its route may be as ever. */
const REFUSALS: ReadonlySet<number> = new Set([403, 408, 425, 429, 451]);

/** Compares what the exchanges answer today with what the adapters read (contract.md 8.1). */
@Injectable()
export class DriftService {
  constructor(
    private readonly settings: Settings,
    private readonly clients: UpstreamClients,
  ) {}

  /** Reads one page of every public route of every exchange. */
  make(): Promise<ExchangeReport[]> {
    return Promise.all(EXCHANGES.map((exchange) => this.#ofExchange(exchange)));
  }

  async #ofExchange({ id, drift: { routes }, settings }: ExchangeClass): Promise<ExchangeReport> {
    const addresses: Readonly<Record<string, unknown>> = this.settings.extension(settings);
    const byBase = new Map<string, UpstreamClient>();
    const clientOf = (base: string): UpstreamClient => {
      const name = `${id} ${base}`;
      const client = byBase.get(base) ?? this.clients.create({ name, baseUrl: String(addresses[base]), group: id });
      byBase.set(base, client);
      return client;
    };
    const reads = new RouteReads(routes, clientOf);
    const results = await Promise.all(routes.map(async (route) => ({ route, read: await reads.read(route) })));
    return {
      id,
      routes: results.map(({ route, read }) => reportOf(route, read)),
      markets: Object.fromEntries(results.flatMap(({ route, read }) => countsOf(route, read))),
    };
  }
}

function reportOf(route: PublicRoute, read: RouteRead): RouteReport {
  const name = `GET ${route.path}`;
  if (!('answer' in read)) {
    const status = read.reached ? 'broken' : 'unreachable';
    return { route: name, status, ...NOTHING, deprecation: null, reason: read.failure };
  }
  const { status, body, withdrawal } = read.answer;
  const deprecation = noticeOf(withdrawal);
  if (status < 200 || status >= 300) {
    const wasRefused = status >= 500 || REFUSALS.has(status);
    const reason = `status ${status}`;
    return { route: name, status: wasRefused ? 'unreachable' : 'broken', ...NOTHING, deprecation, reason };
  }
  const { broken, ...lists } = differencesOf(route, body);
  const isChanged = deprecation !== null || Object.values(lists).some(({ length }) => length > 0);
  return { route: name, status: broken ? 'broken' : isChanged ? 'changed' : 'ok', ...lists, deprecation, reason: null };
}

function noticeOf(withdrawal: Withdrawal | undefined): string | null {
  const { deprecation = null, sunset = null } = withdrawal ?? {};
  const notices = [
    ...(deprecation === null ? [] : [`Deprecation: ${clean(deprecation, 100)}`]),
    ...(sunset === null ? [] : [`Sunset: ${clean(sunset, 100)}`]),
  ];
  return notices.length === 0 ? null : notices.join('; ');
}

function countsOf({ counts }: PublicRoute, read: RouteRead): [by: string, Record<string, number>][] {
  if (counts === undefined || !('answer' in read) || !isGood(read.answer)) return [];
  const found = new Map<string, number>();
  for (const market of listAt(read.answer.body, counts.list)) {
    const value = labelOf((market as Readonly<Record<string, unknown>> | null)?.[counts.by]);
    const label = found.has(value) || found.size < MOST_COUNTED ? value : 'other';
    found.set(label, (found.get(label) ?? 0) + 1);
  }
  return [[counts.by, Object.fromEntries(found)]];
}

function isGood({ status }: UpstreamResponse): boolean {
  return status >= 200 && status < 300;
}

function labelOf(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  return typeof value === 'string' || typeof value === 'number' ? clean(String(value), LONGEST_COUNTED) : 'other';
}
