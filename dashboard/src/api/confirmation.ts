import { api } from '../session/session.js';
import { take } from './client.js';

/** Confirms by the password who somebody is. Throws Failure. */
export async function confirmByPassword(password: string): Promise<void> {
  await take(api.POST('/account/confirm', { body: { password } }));
}
