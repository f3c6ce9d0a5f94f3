import { queryOptions, useQueries } from '@tanstack/react-query';
import { api } from '../session/session.js';
import { type ExchangeId, take } from './client.js';
import { type Holding, type Sum, sumKnown } from './worth.js';

/** Positions that belong together: what they are worth, won and cost. */
export interface Sums {
  readonly currency: string;
  readonly holdings: readonly Holding[];
  /** Whether there may be others, which are not loaded. */
  readonly isPart: boolean;
  readonly value: Sum;
  readonly result: Sum;
  readonly cost: Sum;
  readonly fees: Sum;
  readonly realised: Sum;
}

function sumsOf(holdings: readonly Holding[], partial: ReadonlySet<string>): Sums {
  const currency = holdings[0]?.position.currency ?? '';
  return {
    currency,
    holdings,
    isPart: partial.has(currency),
    value: sumKnown(holdings.map(({ worth }) => worth.value)),
    result: sumKnown(holdings.map(({ worth }) => worth.result)),
    cost: sumKnown(holdings.map(({ position }) => position.cost_basis)),
    fees: sumKnown(holdings.map(({ position }) => position.fees_paid)),
    realised: sumKnown(holdings.map(({ position }) => position.realized_pnl)),
  };
}

function groupsOf(holdings: readonly Holding[], keyOf: (holding: Holding) => string): Holding[][] {
  const groups = new Map<string, Holding[]>();
  for (const holding of holdings) {
    const key = keyOf(holding);
    groups.set(key, [...(groups.get(key) ?? []), holding]);
  }
  return [...groups.values()];
}

/** All positions, one sum a currency: currencies are never added. `partial` are those of which not all is loaded. */
export function sumsByCurrency(holdings: readonly Holding[], partial: ReadonlySet<string>): Sums[] {
  return groupsOf(holdings, ({ position }) => position.currency).map((group) => sumsOf(group, partial));
}

/** What depends on one event: its open positions at one exchange. */
export interface Exposure extends Sums {
  readonly exchange: ExchangeId;
  /** Null where nobody says of which event the market is. */
  readonly event: string | null;
}

/** Open positions by event, in each currency the greatest value first and what is unknown last. What is decided is no exposure. */
export function exposuresOf(holdings: readonly Holding[], partial: ReadonlySet<string>): Exposure[] {
  const open = holdings.filter(({ position }) => position.status === 'open');
  const groups = groupsOf(open, ({ event, position: { exchange, market_id: market, currency } }) =>
    JSON.stringify([exchange, currency, event ?? ['market', market]]),
  );
  return groups
    .map((group) => ({
      ...sumsOf(group, partial),
      exchange: group[0]?.position.exchange as ExchangeId,
      event: group[0]?.event ?? null,
    }))
    .sort((a, b) => Number(b.value.value ?? -1) - Number(a.value.value ?? -1));
}

/** Remembered so long, in milliseconds: an event keeps its name. */
const NAME_MS = 3_600_000;
/** Of so many events the name is asked for, one call each. */
const MOST_NAMES = 20;

function eventNameQuery(exchange: ExchangeId, id: string) {
  const path = { exchange, event_id: id };
  return queryOptions({
    queryKey: ['event-name', exchange, id],
    queryFn: async () => (await take(api.GET('/{exchange}/events/{event_id}', { params: { path } }))).title,
    staleTime: NAME_MS,
    gcTime: NAME_MS,
  });
}

/** Whether positions are in several markets, of which none has the name of all. */
function areSeveral({ holdings }: Sums): boolean {
  return new Set(holdings.map(({ position }) => position.market_id)).size > 1;
}

/** What the events with several markets are called, in the order of the exposures; undefined for others, and before it is known. */
export function useEventNames(exposures: readonly Exposure[]): (string | undefined)[] {
  const names = useQueries({
    queries: exposures.slice(0, MOST_NAMES).map((exposure) => ({
      ...eventNameQuery(exposure.exchange, exposure.event ?? exposure.holdings[0]?.position.market_id ?? ''),
      enabled: exposure.event !== null && areSeveral(exposure),
    })),
  });
  return exposures.map((_, at) => names[at]?.data);
}
