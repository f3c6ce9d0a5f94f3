import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import request from 'supertest';
import type { TestApp } from './app.js';

const MAIL_WAIT_MS = 25_000;
let counter = 0;

/** A signed-in user as a test sees one. */
export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

/** The token of the newest mail to an address whose text has a link to this page. */
async function mailedToken(app: TestApp, email: string, page: string): Promise<string> {
  const outbox = join(app.dataDir, 'outbox');
  const deadline = Date.now() + MAIL_WAIT_MS;
  while (Date.now() < deadline) {
    const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'));
    for (const name of names) {
      const mail = await PostalMime.parse(await readFile(join(outbox, name)));
      const [, token] = new RegExp(`/dashboard/${page}#token=([\\w-]+)`).exec(mail.text ?? '') ?? [];
      if (mail.to?.some((to) => to.address === email) === true && token !== undefined) return token;
    }
    await delay(25);
  }
  throw new Error(`no mail with a ${page} link came for ${email}`);
}

/** Signs up in open mode, follows the mail's link and is signed in. */
export async function aUser(
  app: TestApp,
  overrides: { email?: string; password?: string; name?: string } = {},
): Promise<TestUser> {
  counter += 1;
  const email = overrides.email ?? `user-${process.pid}-${counter}@example.com`;
  const password = overrides.password ?? 'correct horse battery staple 42';
  const signup = await request(app.url)
    .post('/auth/signup')
    .send({ email, password, name: overrides.name ?? 'Test User' });
  if (signup.status !== 201) throw new Error(`sign-up answered ${signup.status}: ${signup.text}`);
  const token = await mailedToken(app, email, 'verify-email');
  const verified = await request(app.url).post('/auth/verify-email').send({ token });
  if (verified.status !== 200) throw new Error(`verification answered ${verified.status}: ${verified.text}`);
  const body = verified.body as { access_token: string; user: { id: string } };
  return { id: body.user.id, email, password, token: body.access_token };
}

/** The user's API key with these scopes. */
export async function anApiKey(app: TestApp, user: TestUser, scopes: string[] = ['trade']): Promise<string> {
  const created = await request(app.url)
    .post('/account/api-keys')
    .auth(user.token, { type: 'bearer' })
    .send({ scopes });
  if (created.status !== 201) throw new Error(`creating a key answered ${created.status}: ${created.text}`);
  return (created.body as { key: string }).key;
}
