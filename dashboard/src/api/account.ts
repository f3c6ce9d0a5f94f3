import {
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

const EQUITY = 'equity';
/** The service leaves a point in so long at most, in milliseconds. */
const POINT_MS = 900_000;

/** What all was worth from `start` (ISO 8601) on. */
function equityQuery(start: string) {
  return queryOptions({
    queryKey: [EQUITY, start],
    queryFn: () => take(api.GET('/account/equity', { params: { query: { start } } })),
    staleTime: POINT_MS,
  });
}

export function useEquity(start: string): UseQueryResult<Schemas['EquityDto']> {
  return useQuery(equityQuery(start));
}

/** Has the service record it each hour, or no more. */
export function useSetHourly(): UseMutationResult<Schemas['HourlyEquityDto'], Error, boolean> {
  return useMutation({
    mutationFn: (hourly) => take(api.PUT('/account/equity', { body: { hourly } })),
    onSuccess: ({ hourly }) => {
      queries.setQueriesData<Schemas['EquityDto']>({ queryKey: [EQUITY] }, (known) => known && { ...known, hourly });
    },
  });
}

export const DAY_MS = 86_400_000;

function midnightOf(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
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

/** Fills that one call tells. */
const FILLS = 100;

/** All fees of an exchange since a time; null where the exchange does not tell one, or there were more fills than one call tells. */
async function readFees(exchange: ExchangeId, start: string): Promise<string | null> {
  const params = { path: { exchange }, query: { start, limit: FILLS } };
  const { data, next_cursor: more } = await take(api.GET('/{exchange}/fills', { params }));
  return more === null ? sumOf(data.map(({ fee }) => fee)) : null;
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
