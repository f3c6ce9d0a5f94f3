import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { api } from '../session/session.js';
import { take } from './client.js';
import { Failure } from './failure.js';
import { cancelAll, type Exchange } from './portfolio.js';
import { forgetKey, UNSURE } from './queries.js';

interface Revocation {
  readonly prefix: string;
  /** Where all open orders are cancelled afterwards. */
  readonly exchanges: readonly Exchange[];
}

/** Whether a key that was to be revoked may be so all the same. */
function isUnsure(error: unknown): boolean {
  return !(error instanceof Failure) || UNSURE.has(error.code) || error.code === 'internal_error';
}

/** Revokes; what is gone already was. Returns the failure after which that is not known, null where it is sure. */
async function revoked(prefix: string): Promise<Error | null> {
  try {
    await take(api.DELETE('/account/api-keys/{key_prefix}', { params: { path: { key_prefix: prefix } } }));
    return null;
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null;
    if (!(error instanceof Error) || !isUnsure(error)) throw error;
    return error;
  }
}

/**
 * Revokes, then cancels: so no program with the key places anew in between. Fails where the key may not be revoked, with nothing done, and where it is not
 * known whether it is, once all was cancelled.
 */
export function useRevokeKey(onRevoked: (revocation: Revocation) => void): UseMutationResult<void, Error, Revocation> {
  return useMutation({
    mutationFn: async ({ prefix, exchanges }) => {
      const failure = await revoked(prefix);
      if (exchanges.length > 0) await cancelAll(exchanges);
      if (failure !== null) throw failure;
    },
    onSuccess: async (_, revocation) => {
      onRevoked(revocation);
      await forgetKey();
    },
  });
}
