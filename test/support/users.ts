import request from 'supertest';
import type { TestApp } from './app.js';
import { PASSWORD, post, type SignedIn, signedIn, signUp } from './calls.js';
import { type MailingApp, tokenIn, waitForMails } from './mail.js';

/** Credentials of Polymarket that can be stored, and that no exchange knows. */
export const WALLET = {
  api_key: '7b1e2d60-6f9a-4dd7-8f3e-21b8f94c77a2',
  secret: 'Zml4ZWQtdGVzdC1zZWNyZXQtZm9yLWwyLXZlY3RvcnMtMDE=',
  passphrase: '0f2d6a4c1b3e58790f2d6a4c1b3e5879',
  wallet_address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
};

let counter = 0;

/** An address that nobody has used yet. */
export function anEmail(): string {
  counter += 1;
  return `person-${process.pid}-${counter}@example.com`;
}

/** A signed-in user as a test sees one. */
export interface TestUser extends SignedIn {
  readonly password: string;
}

/** Signs up in open mode and follows the link of the mail. */
export async function aUser(
  app: Pick<TestApp, 'url'> & MailingApp,
  { email = anEmail(), password = PASSWORD, name = 'Test Person' } = {},
): Promise<TestUser> {
  const answer = await signUp(app, email, { password, name });
  if (answer.status !== 201) throw new Error(`sign-up answered ${answer.status}: ${answer.text}`);
  const [mail] = await waitForMails(app, email, 1);
  const verified = await post(app, '/auth/verify-email', { token: tokenIn(mail, 'verify-email') });
  return { ...signedIn(verified), password };
}

/** The user's API key with these scopes. */
export async function anApiKey(
  app: Pick<TestApp, 'url'>,
  user: Pick<TestUser, 'token'>,
  scopes: string[] = ['trade'],
): Promise<string> {
  const created = await request(app.url)
    .post('/account/api-keys')
    .auth(user.token, { type: 'bearer' })
    .send({ scopes });
  if (created.status !== 201) throw new Error(`creating a key answered ${created.status}: ${created.text}`);
  return (created.body as { key: string }).key;
}
