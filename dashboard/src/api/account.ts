import {
  keepPreviousData,
  queryOptions,
  skipToken,
  useMutation,
  type UseMutationResult,
  useQueries,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { sumOf } from '../../../src/exchanges/decimal.js';
import { api } from '../session/session.js';
import { type ExchangeId, type Schemas, take } from './client.js';
import { Failure } from './failure.js';
import { MONEY, queries, readMoney } from './queries.js';

export type Account = Schemas['PortfolioDto'];
export type Total = Schemas['PortfolioTotalDto'];
export type EquityPoint = Schemas['EquityPointDto'];
export type ExchangeAccount = Schemas['ExchangePortfolioDto'];

/** What the accounts at all exchanges hold, read anew: a reading of before a fill would be shown as that of after it. */
const accountQuery = queryOptions({
  queryKey: [...MONEY, 'account'],
  queryFn: () => take(api.GET('/portfolio', { headers: { 'Cache-Control': 'no-cache' } })),
});

export function useAccount(): UseQueryResult<Account> {
  return useQuery(accountQuery);
}

/** Why something at an exchange is not known; null where all is. */
export function failureOf({ error }: ExchangeAccount): Failure | null {
  if (error === null) return null;
  return new Failure(error.code, error.message, error.request_id, { ...error.details });
}

export const DAY_MS = 86_400_000;

const EQUITY = ['equity'] as const;
/** The service leaves a point in so long at most, in milliseconds. */
const POINT_MS = 900_000;

/** What all was worth from `start` (ISO 8601) on, before `end`, which is now where it is left out. */
function equityQuery(start: string, end?: string) {
  return queryOptions({
    queryKey: [...EQUITY, start, end],
    queryFn: () => take(api.GET('/account/equity', { params: { query: { start, ...(end && { end }) } } })),
    staleTime: POINT_MS,
  });
}

export function useEquity(start: string): UseQueryResult<Schemas['EquityDto']> {
  return useQuery({ ...equityQuery(start), placeholderData: keepPreviousData });
}

/** A day may begin with a point of so many days before it: few enough that the service leaves none out. */
export const DAYS_BEFORE = 7;

/** The points of the days before a day that began at `midnight` (ms), all of them. */
export function useEquityBefore(midnight: number): UseQueryResult<Schemas['EquityDto']> {
  const start = new Date(midnight - DAYS_BEFORE * DAY_MS).toISOString();
  return useQuery(equityQuery(start, new Date(midnight).toISOString()));
}

/** Reads anew what all was worth: of which accounts it was depends on what is stored. */
export function readEquity(): Promise<void> {
  return queries.invalidateQueries({ queryKey: EQUITY });
}

/** Has the service record it each hour, or no more. */
export function useSetHourly(): UseMutationResult<Schemas['HourlyEquityDto'], Error, boolean> {
  return useMutation({
    mutationFn: (hourly) => take(api.PUT('/account/equity', { body: { hourly } })),
    onSuccess: ({ hourly }) => {
      queries.setQueriesData<Schemas['EquityDto']>({ queryKey: EQUITY }, (known) => known && { ...known, hourly });
    },
  });
}

function midnightOf(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

/** When the day before began, as ISO 8601: days are not all of one length. */
export function dayBefore(midnight: number): string {
  const day = new Date(midnight);
  day.setDate(day.getDate() - 1);
  return day.toISOString();
}

/** How often the clock is looked at, in milliseconds: a machine that slept has missed a timer of hours. */
const LOOK_MS = 60_000;

/** When the reader's day began, in milliseconds; as the next one begins, the money is read anew, by a tab that is seen. */
export function useMidnight(): number {
  const [midnight, setMidnight] = useState(() => midnightOf(Date.now()));
  useEffect(() => {
    const look = (): void => {
      const now = midnightOf(Date.now());
      if (now === midnight || document.visibilityState === 'hidden') return;
      setMidnight(now);
      void readMoney();
    };
    const timer = setInterval(look, LOOK_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [midnight]);
  return midnight;
}

/** The fees of exchanges together; of no exchange nobody knows them. */
export function feesOf(fees: readonly (string | null)[]): string | null {
  return fees.length === 0 ? null : sumOf(fees);
}

/** Fills that one call tells, and calls for the fees of one exchange at most: they are read anew after each fill. */
const FILLS = 100;
const FILL_CALLS = 5;

/** All fees of an exchange since a time; null where the exchange does not tell one, or there were more fills than are read. */
async function readFees(exchange: ExchangeId, start: string): Promise<string | null> {
  const fees: (string | null)[] = [];
  let cursor: string | undefined;
  for (let call = 0; call < FILL_CALLS; call += 1) {
    const query = { start, limit: FILLS, ...(cursor !== undefined && { cursor }) };
    const page: Schemas['FillListDto'] = await take(
      api.GET('/{exchange}/fills', { params: { path: { exchange }, query } }),
    );
    fees.push(...page.data.map(({ fee }) => fee));
    // One that is not told leaves their sum unknown.
    if (page.next_cursor === null || fees.includes(null)) return sumOf(fees);
    cursor = page.next_cursor;
  }
  return null;
}

/** The fees at some exchanges since a time; null where one is unknown or could not be read anew, and before it is read. */
export function useFeesSince(exchanges: readonly ExchangeId[], since: string | null): string | null {
  const fees = useQueries({
    queries: exchanges.map((exchange) => ({
      queryKey: [...MONEY, 'fees', exchange, since],
      queryFn: since === null ? skipToken : () => readFees(exchange, since),
    })),
  });
  return feesOf(fees.map(({ data = null, error }) => (error === null ? data : null)));
}
