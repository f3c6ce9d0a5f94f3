import { QueryClient, useMutation, useQuery, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query';
import { keyring, type KnownKey } from '../session/keyring.js';
import { accountApi } from '../session/session.js';
import { apiWithKey, type ExchangeId, publicApi, type Schemas, take } from './client.js';
import { Failure } from './failure.js';

const UNSURE = new Set(['unreachable', 'service_unavailable', 'exchange_timeout']);

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

const KEYS = ['api-keys'];

/** The key of the account; null where it has none. */
export function useApiKey(): UseQueryResult<ApiKey | null> {
  return useQuery({
    queryKey: KEYS,
    queryFn: async () => (await take(accountApi.GET('/account/api-keys'))).keys[0] ?? null,
  });
}

export function useCreateKey(): UseMutationResult<
  Schemas['CreatedApiKeyDto'],
  Error,
  Required<Schemas['CreateApiKeyDto']>
> {
  return useMutation({
    mutationFn: (body) => take(accountApi.POST('/account/api-keys', { body })),
    onSuccess: async ({ key }) => {
      keyring.keep(key, true);
      await queries.invalidateQueries({ queryKey: KEYS });
    },
  });
}

/** Revokes a key by its prefix. `onRevoked` is called before anything is read anew. */
export function useRevokeKey(
  onRevoked: (prefix: string) => void,
): UseMutationResult<Schemas['RevokedApiKeyDto'], Error, string> {
  return useMutation({
    mutationFn: (prefix) =>
      take(accountApi.DELETE('/account/api-keys/{key_prefix}', { params: { path: { key_prefix: prefix } } })),
    onSuccess: async ({ prefix }) => {
      onRevoked(prefix);
      keyring.forget();
      await queries.invalidateQueries({ queryKey: KEYS });
    },
  });
}

export function useCredentials(): UseQueryResult<Schemas['CredentialListDto']['exchanges']> {
  return useQuery({
    queryKey: ['credentials'],
    queryFn: async () => (await take(accountApi.GET('/account/credentials'))).exchanges,
  });
}

export function useProviders(): UseQueryResult<Schemas['ProviderDto'][]> {
  return useQuery({
    queryKey: ['providers'],
    queryFn: async () => (await take(publicApi.GET('/auth/providers'))).providers,
    staleTime: Infinity,
  });
}

/** Money at an exchange, read with the key that this tab knows. */
export function useBalance(exchange: ExchangeId, key: KnownKey): UseQueryResult<Schemas['BalanceDto']> {
  return useQuery({
    queryKey: ['balance', exchange, key.prefix],
    queryFn: () => take(apiWithKey(key.key).GET('/{exchange}/balance', { params: { path: { exchange } } })),
  });
}

/** Whether a pasted key is good, and what it may do. Throws Failure. */
export function whoIs(key: string): Promise<Schemas['MeDto']> {
  return take(apiWithKey(key).GET('/me'));
}
