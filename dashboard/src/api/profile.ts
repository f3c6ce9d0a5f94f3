import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api } from '../session/session.js';
import { type Schemas, take } from './client.js';
import { readSessions } from './activity.js';
import { queries } from './queries.js';

export type Profile = Schemas['ProfileDto'];

const profileQuery = queryOptions({ queryKey: ['profile'], queryFn: () => take(api.GET('/account/profile')) });

export function useProfile(): UseQueryResult<Profile> {
  return useQuery(profileQuery);
}

/** Changes what is named. Throws Failure. */
export async function changeProfile(body: Schemas['ProfileChangesDto']): Promise<void> {
  queries.setQueryData(profileQuery.queryKey, await take(api.PATCH('/account/profile', { body })));
}

/** Has the link to verify the own address mailed again; answers what the service says of it. Throws Failure. */
export async function askForVerification(): Promise<string> {
  const { message } = await take(api.POST('/account/verification'));
  await queries.invalidateQueries(profileQuery);
  return message;
}

/** Sets another password, which ends all other sessions. Throws Failure. */
export async function changePassword(current: string, next: string): Promise<void> {
  await take(api.POST('/account/password', { body: { current_password: current, new_password: next } }));
  await readSessions();
}

/** Removes the account and everything of it. Throws Failure. */
export async function deleteAccount(password: string): Promise<void> {
  await take(api.DELETE('/account', { body: { password } }));
}
