import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { api } from '../session/session.js';
import { type Schemas, take } from './client.js';
import { cancelAll, type Exchange } from './portfolio.js';
import { forgetKey } from './queries.js';

interface Revocation {
  readonly prefix: string;
  /** Where all open orders are cancelled afterwards. */
  readonly exchanges: readonly Exchange[];
}

/** Revokes, then cancels: so no program with the key places anew in between. Fails where the key may not be revoked. */
export function useRevokeKey(
  onRevoked: (revocation: Revocation) => void,
): UseMutationResult<Schemas['RevokedApiKeyDto'], Error, Revocation> {
  return useMutation({
    mutationFn: async ({ prefix, exchanges }) => {
      const path = { key_prefix: prefix };
      const revoked = await take(api.DELETE('/account/api-keys/{key_prefix}', { params: { path } }));
      if (exchanges.length > 0) await cancelAll(exchanges);
      return revoked;
    },
    onSuccess: async (_, revocation) => {
      onRevoked(revocation);
      await forgetKey();
    },
  });
}
