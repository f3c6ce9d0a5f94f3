import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { accountApi } from '../session/session.js';
import { type Schemas, take } from './client.js';
import { queries } from './queries.js';

export type Profile = Schemas['ProfileDto'];

const PROFILE = ['profile'];

export function useProfile(): UseQueryResult<Profile> {
  return useQuery({ queryKey: PROFILE, queryFn: () => take(accountApi.GET('/account/profile')) });
}

/** Changes what is named. Throws Failure. */
export async function changeProfile(body: Schemas['ProfileChangesDto']): Promise<void> {
  queries.setQueryData(PROFILE, await take(accountApi.PATCH('/account/profile', { body })));
}

/** Sets another password, which ends all other sessions. Throws Failure. */
export async function changePassword(current: string, next: string): Promise<void> {
  await take(accountApi.POST('/account/password', { body: { current_password: current, new_password: next } }));
  await queries.invalidateQueries({ queryKey: ['sessions'] });
}

/** Removes the account and everything of it. Throws Failure. */
export async function deleteAccount(password: string): Promise<void> {
  await take(accountApi.DELETE('/account', { body: { password } }));
}
