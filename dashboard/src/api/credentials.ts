import {
  queryOptions,
  skipToken,
  useMutation,
  type UseMutationResult,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import { api } from '../session/session.js';
import { readEquity } from './account.js';
import type { paths } from './schema.js';
import { type ExchangeId, type Schemas, type SessionKeyExchangeId, take } from './client.js';
import { credentialsQuery, queries, readMoney } from './queries.js';

export type CredentialStatus = Schemas['CredentialStatusDto'];
export type SessionKey = Schemas['SessionKeyStatusDto'];
/** What a form stores at an exchange, by the names of its fields. */
export type Credentials = Readonly<Record<string, string | number | undefined>>;

type StoredBody = paths['/account/credentials/{exchange}']['put']['requestBody']['content']['application/json'];

/** What a signed read with all that is stored has shown. */
interface Verification {
  readonly checkedAt: string;
  /** How far the exchange is ahead of the service; null where it was not told. */
  readonly clockSkewMs: number | null;
  /** Addresses of contracts. */
  readonly missingAllowances: readonly string[];
}

function verificationQuery(exchange: ExchangeId) {
  return queryOptions({
    queryKey: ['verification', exchange],
    queryFn: async (): Promise<Verification> => {
      const verified = await take(
        api.POST('/account/credentials/{exchange}/verify', { params: { path: { exchange } } }),
      );
      await readCredentials();
      const {
        checked_at: checkedAt,
        clock_skew_ms: clockSkewMs,
        missing_allowances: missingAllowances = [],
      } = verified;
      return { checkedAt, clockSkewMs, missingAllowances };
    },
    enabled: false,
    retry: false,
    gcTime: Infinity,
  });
}

function commandQuery(address: string) {
  return queryOptions<string>({ queryKey: ['session-key-command', address], queryFn: skipToken, gcTime: Infinity });
}

/** Reads anew what is stored, which asks no exchange. */
export function readCredentials(): Promise<void> {
  return queries.invalidateQueries(credentialsQuery);
}

/** Reads anew all that depends on what is stored. */
async function renew(): Promise<void> {
  await Promise.all([readCredentials(), readMoney(), readEquity()]);
}

/**
 * Stores credentials, after a trial at the exchange where `isTried`. Throws Failure. No mutation of the query library, which
 * would keep the values.
 */
export async function storeCredentials(exchange: ExchangeId, fields: Credentials, isTried: boolean): Promise<void> {
  const params = { path: { exchange }, query: { verify: isTried ? 'true' : 'false' } } as const;
  const { updated_at } = await take(api.PUT('/account/credentials/{exchange}', { params, body: fields as StoredBody }));
  const verified: Verification = { checkedAt: updated_at, clockSkewMs: null, missingAllowances: [] };
  if (isTried) queries.setQueryData(verificationQuery(exchange).queryKey, verified);
  else await queries.resetQueries(verificationQuery(exchange));
  await renew();
}

/** The last verification since the dashboard was opened; `refetch` makes one, which calls the exchange. */
export function useVerification(exchange: ExchangeId): UseQueryResult<Verification> {
  return useQuery(verificationQuery(exchange));
}

/** Removes all that is stored for an exchange, session keys too. `onRemoved` is called before anything is read anew. */
export function useRemoveCredentials(
  exchange: ExchangeId,
  onRemoved: () => void,
): UseMutationResult<unknown, Error, void> {
  return useMutation({
    mutationFn: () => take(api.DELETE('/account/credentials/{exchange}', { params: { path: { exchange } } })),
    onSuccess: async () => {
      onRemoved();
      await queries.resetQueries(verificationQuery(exchange));
      await renew();
    },
  });
}

/** Makes a session key, in the place of one that waits. Throws Failure. */
export async function makeSessionKey(exchange: SessionKeyExchangeId, wallet: string): Promise<void> {
  const params = { path: { exchange } };
  const body = { wallet_address: wallet };
  const made = await take(api.POST('/account/credentials/{exchange}/session-key', { params, body }));
  queries.setQueryData(commandQuery(made.session_key.address).queryKey, made.authorization.command);
  await renew();
}

/** The command that authorises a key that was made in this tab; null for any other, as the service tells it once. */
export function useSessionKeyCommand(address: string): string | null {
  return useQuery(commandQuery(address)).data ?? null;
}

/** Takes the key that waits into use; answers within about 70 s. `validUntil` is null where it is not known. Throws Failure. */
export async function activateSessionKey(exchange: SessionKeyExchangeId, validUntil: string | null): Promise<void> {
  const params = { path: { exchange } };
  const body = validUntil === null ? {} : { valid_until: validUntil };
  await take(api.POST('/account/credentials/{exchange}/session-key/activate', { params, body }));
  await renew();
}

/** Removes the key in use and the one that waits. `onRemoved` is called before anything is read anew. */
export function useRemoveSessionKey(
  exchange: SessionKeyExchangeId,
  onRemoved: () => void,
): UseMutationResult<unknown, Error, void> {
  const params = { path: { exchange } };
  return useMutation({
    mutationFn: () => take(api.DELETE('/account/credentials/{exchange}/session-key', { params })),
    onSuccess: async () => {
      onRemoved();
      await renew();
    },
  });
}
