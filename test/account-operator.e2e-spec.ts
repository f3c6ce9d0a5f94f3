import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WhitelistService } from '../src/auth/signup/whitelist.service.js';
import { startTestApp, type TestApp } from './support/app.js';
import { codeOf, get, logIn, post, refresh, type SignedIn, signedIn, signUp } from './support/calls.js';
import { anEmail } from './support/users.js';
import { usersAdmin } from './support/users-admin.js';

describe('what the operator may do', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ ACCESS_MODE: 'whitelist' });
  });

  afterAll(() => app.close());

  async function anApproved(): Promise<SignedIn & { key: string }> {
    const email = anEmail();
    await app.get(WhitelistService).add(email);
    const person = signedIn(await signUp(app, email));
    const { key } = (await post(app, '/account/api-keys', {}, person.token)).body as { key: string };
    return { ...person, key };
  }

  async function doTo(person: SignedIn, verb: 'disable' | 'enable' | 'remove'): Promise<void> {
    const service = usersAdmin(app);
    const user = await service.find(person.email.toUpperCase());
    expect(user?.id).toBe(person.id);
    if (user !== null) await service[verb](user);
  }

  it('S-13 approves and removes addresses, whatever their case, and refuses what is none', async () => {
    const whitelist = app.get(WhitelistService);
    const email = anEmail();
    expect(codeOf(await signUp(app, email))).toBe('signup_not_allowed');
    expect(await whitelist.add(email.toUpperCase())).toBe(true);
    expect(await whitelist.add(email)).toBe(false);
    expect(await whitelist.list()).toContain(email);
    expect(await whitelist.remove(email)).toBe(true);
    expect(codeOf(await signUp(app, email))).toBe('signup_not_allowed');
    await whitelist.add(email);
    expect((await signUp(app, email)).status).toBe(201);
    expect(() => whitelist.add('a@b.c,d@e.f')).toThrow('e-mail address');
  });

  it('S-17 a disabled account does nothing any more, and works again when it is enabled', async () => {
    const person = await anApproved();
    await doTo(person, 'disable');
    expect((await get(app, '/account/profile', person.token)).status).toBe(401);
    expect((await refresh(app, person.refresh)).status).toBe(401);
    expect((await get(app, '/me', person.key)).status).toBe(401);
    expect(codeOf(await logIn(app, person.email))).toBe('invalid_credentials');
    await doTo(person, 'enable');
    expect((await logIn(app, person.email)).status).toBe(200);
    expect((await get(app, '/me', person.key)).status).toBe(200);
    expect((await get(app, '/account/profile', person.token)).status).toBe(401);
  });

  it('deletes an account with everything in it', async () => {
    const person = await anApproved();
    await doTo(person, 'remove');
    expect((await get(app, '/me', person.key)).status).toBe(401);
    expect((await logIn(app, person.email)).status).toBe(401);
    expect(await usersAdmin(app).find(person.id)).toBeNull();
  });
});
