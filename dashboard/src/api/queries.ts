import {
  QueryClient,
  queryOptions,
  skipToken,
  useMutation,
  type UseMutationResult,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import { api } from '../session/session.js';
import { type ExchangeId, publicApi, type Schemas, take } from './client.js';
import { Failure } from './failure.js';

/** Failures after which it is not known what was done. */
export const UNSURE: ReadonlySet<string> = new Set(['unreachable', 'service_unavailable', 'exchange_timeout']);

/** Reads are tried once more where the answer may have been an accident. */
export const queries = new QueryClient({
  defaultOptions: {
    // The browser's word of being offline says nothing of a service on this machine or network.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 15_000,
      retryDelay: 500,
      retry: (count, error) => count < 1 && error instanceof Failure && UNSURE.has(error.code),
    },
  },
});

export type ApiKey = Schemas['ApiKeyDto'];

/** The key of the account; null where it has none. */
const apiKeyQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: async (): Promise<ApiKey | null> => (await take(api.GET('/account/api-keys'))).keys[0] ?? null,
});

/** The key that was made in this tab: the service tells it once, and it is gone with the tab. */
const newKeyQuery = queryOptions<Schemas['CreatedApiKeyDto'] | null>({
  queryKey: ['new-key'],
  queryFn: skipToken,
  gcTime: Infinity,
});

export function useApiKey(): UseQueryResult<ApiKey | null> {
  return useQuery(apiKeyQuery);
}

/** The whole key where it was made in this tab; null for any other. */
export function useNewKey(): Schemas['CreatedApiKeyDto'] | null {
  return useQuery(newKeyQuery).data ?? null;
}

export function useCreateKey(): UseMutationResult<
  Schemas['CreatedApiKeyDto'],
  Error,
  Required<Schemas['CreateApiKeyDto']>
> {
  return useMutation({
    mutationFn: (body) => take(api.POST('/account/api-keys', { body })),
    onSuccess: async (created) => {
      queries.setQueryData(newKeyQuery.queryKey, created);
      await queries.invalidateQueries(apiKeyQuery);
    },
  });
}

/** After its revocation. */
export async function forgetKey(): Promise<void> {
  queries.setQueryData(newKeyQuery.queryKey, null);
  await queries.invalidateQueries(apiKeyQuery);
}

export const credentialsQuery = queryOptions({
  queryKey: ['credentials'],
  queryFn: async () => (await take(api.GET('/account/credentials'))).exchanges,
});

export function useCredentials(): UseQueryResult<Schemas['CredentialListDto']['exchanges']> {
  return useQuery(credentialsQuery);
}

/** Where orders go; asked for by whoever is signed in. */
export function useExchangeHosts(isSignedIn: boolean): UseQueryResult<Schemas['ExchangeHostDto'][]> {
  return useQuery({
    queryKey: ['exchange-hosts'],
    queryFn: async () => (await take(api.GET('/account/exchange-hosts'))).exchanges,
    staleTime: Infinity,
    enabled: isSignedIn,
  });
}

const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: async () => (await take(publicApi.GET('/auth/providers'))).providers,
  staleTime: Infinity,
});

export function useProviders(): UseQueryResult<Schemas['ProviderDto'][]> {
  return useQuery(providersQuery);
}

/** What all that is read of money begins with. */
export const MONEY = ['money'];

/** Money at an exchange. */
export function balanceQuery(exchange: ExchangeId) {
  return queryOptions({
    queryKey: [...MONEY, 'balance', exchange],
    queryFn: () => take(api.GET('/{exchange}/balance', { params: { path: { exchange } } })),
  });
}

/** Reads anew what is shown of money. */
export function readMoney(): Promise<void> {
  return queries.invalidateQueries({ queryKey: MONEY });
}
