import type { ExchangeReport, RouteReport } from './drift.service.js';

/** Names of one kind in a line; `--json` has more. */
const MOST_SHOWN = 10;

/** A line for each route, and one for the counts of markets. */
export function linesOf(exchanges: readonly ExchangeReport[]): string[] {
  return exchanges.flatMap(({ id, routes, markets }) => [
    ...routes.map((route) => [id, route.status, route.route, ...detailsOf(route)].join('\t')),
    ...Object.entries(markets).map(([by, counts]) => [id, 'markets', by, ...countsOf(counts)].join('\t')),
  ]);
}

/** What `--json` prints: the reasons are for people. */
export function jsonOf(exchanges: readonly ExchangeReport[]): string {
  const withoutReason = ({ route, status, unknown, missing, values, deprecation }: RouteReport) => ({
    route,
    status,
    unknown,
    missing,
    values,
    deprecation,
  });
  const report = exchanges.map(({ id, routes, markets }) => ({ id, routes: routes.map(withoutReason), markets }));
  return JSON.stringify({ exchanges: report }, null, 2);
}

/** Whether something that we need is not there. */
export function isFailure(exchanges: readonly ExchangeReport[]): boolean {
  return exchanges.some(({ routes }) => routes.some(({ status }) => status === 'broken' || status === 'unreachable'));
}

function detailsOf({ unknown, missing, values, deprecation, reason }: RouteReport): string[] {
  const lists = Object.entries({ unknown, missing, values }).filter(([, names]) => names.length > 0);
  return [
    ...lists.map(([kind, names]) => `${kind} ${shown(names)}`),
    ...(deprecation === null ? [] : [deprecation]),
    ...(reason === null ? [] : [reason]),
  ];
}

function shown(names: readonly string[]): string {
  const rest = names.length - MOST_SHOWN;
  return [...names.slice(0, MOST_SHOWN), ...(rest > 0 ? ['...'] : [])].join(', ');
}

function countsOf(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).map(([value, count]) => `${value}: ${count}`);
}
