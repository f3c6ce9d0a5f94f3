import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import request, { type Response } from 'supertest';
import { startTestApp, type TestApp, testEnvironment } from './support/app.js';
import { aBot, outcome } from './support/bots.js';
import { startBrowser } from './support/browser.js';
import {
  codeOf,
  get,
  logIn,
  OTHER_PASSWORD,
  PASSWORD,
  post,
  refresh,
  signedIn,
  type SignedIn,
} from './support/calls.js';
import { expectAccessible } from './support/dashboard.js';
import { mailsTo, type ReadMail, tokenIn, waitForMails } from './support/mail.js';
import { exitOf, OwnProcesses } from './support/own-processes.js';
import { sql } from './support/rows.js';
import { anApiKey, aUser, type TestUser, WALLET } from './support/users.js';

const THIRD_PASSWORD = 'eleven kettles beside a bridge';

/** What a thief has who knew the owner's password. */
interface Thief extends SignedIn {
  readonly key: string;
}

/** The blocks of one language in a section of operations.md. */
async function blocksOf(title: string, language: 'sh' | 'sql'): Promise<string[]> {
  const [, section = ''] = (await readFile('docs/operations.md', 'utf8')).split(`### ${title}\n`);
  const [own = ''] = section.split(/^##/m);
  const blocks = own.matchAll(/^ *```(\w+)\n([^`]*?)^ *```$/gm);
  return [...blocks].filter(([, of]) => of === language).map(([, , block = '']) => block.trim());
}

/** The commands of a runbook: each `sh` block, line by line. */
async function runbook(title: string): Promise<string[][]> {
  return (await blocksOf(title, 'sh')).map((block) => block.split(/\s*\n\s*/));
}

describe('somebody else got into an account', () => {
  let app: TestApp;
  let own: OwnProcesses;
  let steps: string[][];

  beforeAll(async () => {
    app = await startTestApp();
    own = await OwnProcesses.open();
    steps = await runbook('Somebody has my password');
  });

  afterAll(async () => {
    await own.close();
    await app.close();
  });

  /** Runs a command of the runbook as it stands there, for this account. */
  async function follow(command: string | undefined, { email }: Pick<SignedIn, 'email'>): Promise<string> {
    const [, script = '', words = ''] = /^npm run (\w+) -- (.+)$/.exec(command ?? '') ?? [];
    const settings = testEnvironment({ port: own.port, dataDir: own.dataDir, database: app.database });
    const given = words.split(' ').map((word) => (word === 'EMAIL' ? email : word));
    const started = own.run(`scripts/${script}.js`, settings as Record<string, string>, given);
    const [code, output] = [await exitOf(started), started.output()];
    expect([command, code, output]).toEqual([command, 0, expect.any(String)]);
    return output;
  }

  async function aRobbedUser(): Promise<{ owner: TestUser; thief: Thief }> {
    const owner = await aUser(app);
    await request(app.url)
      .put('/account/credentials/polymarket')
      .auth(owner.token, { type: 'bearer' })
      .send(WALLET)
      .expect(200);
    const thief = signedIn(await logIn(app, owner.email).set('User-Agent', 'Thief/1').expect(200));
    return { owner, thief: { ...thief, key: await anApiKey(app, thief, ['admin']) } };
  }

  /** What a thief gets with the session, its cookie, the API key and the password. */
  async function thievesLuck(thief: Thief, password = PASSWORD): Promise<number[]> {
    const answers: Response[] = [
      await get(app, '/account/profile', thief.token),
      await refresh(app, thief.refresh),
      await get(app, '/me', thief.key),
      await logIn(app, thief.email, password),
    ];
    return answers.map(({ status }) => status);
  }

  async function notice(email: string, subject: string): Promise<ReadMail> {
    for (let count = 1; ;) {
      const mails = await waitForMails(app, email, count);
      const found = mails.find((mail) => mail.subject === subject);
      if (found !== undefined) return found;
      count = mails.length + 1;
    }
  }

  async function resetTokenFor(email: string): Promise<string> {
    await post(app, '/auth/forgot-password', { email }).expect(200);
    return tokenIn(await notice(email, 'Set a new password'), 'reset-password');
  }

  async function settled(email: string): Promise<void> {
    const waiting = 'SELECT 1 FROM mail_outbox WHERE recipient = $1 AND done_at IS NULL';
    while ((await sql(app, waiting, [email])).length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  it('S-17 the runbook, word for word: a locked account keeps the thief out and lets its owner in', async () => {
    const { owner, thief } = await aRobbedUser();
    expect(await thievesLuck(thief)).toEqual([200, 200, 200, 200]);
    expect(await follow(steps[0]?.[0], owner)).toContain('Exchange credentials stay stored');
    expect(await thievesLuck(thief)).toEqual([401, 401, 401, 401]);

    const told = await notice(owner.email, 'Your account was locked');
    expect(told.text).toContain(`${app.settings.publicUrl}/dashboard/forgot-password`);
    expect(told.text).toContain(`API key that was revoked: ${thief.key.slice(0, 16)}…`);
    const token = await resetTokenFor(owner.email);
    await post(app, '/auth/reset-password', { token, new_password: OTHER_PASSWORD }).expect(200);
    const again = signedIn(await logIn(app, owner.email, OTHER_PASSWORD).expect(200));
    expect((await get(app, '/me', await anApiKey(app, again))).status).toBe(200);
    const stored = await get(app, '/account/credentials', again.token);
    expect(stored.text).toContain('"configured":true');
    expect(await thievesLuck(thief)).toEqual([401, 401, 401, 401]);

    const seen = await sql<{ type: string }>(
      app,
      `SELECT type FROM security_events WHERE user_id = $1 AND type IN ('account_locked', 'api_key_revoked')`,
      [owner.id],
    );
    expect(seen.map(({ type }) => type).sort()).toEqual(['account_locked', 'api_key_revoked']);
  });

  it('S-17, S-29 the owner of a locked account makes a key again, though the thief used up the day', async () => {
    const { owner } = await aRobbedUser();
    await sql(app, `UPDATE rate_limits SET points = 20 WHERE key = 'api-keys:day:' || $1`, [owner.id]);
    await follow(steps[0]?.[0], owner);
    const reset = { token: await resetTokenFor(owner.email), new_password: OTHER_PASSWORD };
    await post(app, '/auth/reset-password', reset).expect(200);
    const again = signedIn(await logIn(app, owner.email, OTHER_PASSWORD).expect(200));
    expect((await get(app, '/me', await anApiKey(app, again))).status).toBe(200);
  });

  it('S-17 the runbook of a disabled account, word for word', async () => {
    const { owner, thief } = await aRobbedUser();
    const [, disable, [lock, enable] = []] = steps;
    await follow(disable?.[0], owner);
    expect(await thievesLuck(thief)).toEqual([401, 401, 401, 401]);
    await post(app, '/auth/forgot-password', { email: owner.email }).expect(200);
    await settled(owner.email);
    expect((await mailsTo(app, owner.email)).map(({ subject }) => subject)).not.toContain('Set a new password');

    expect(await follow(lock, owner)).toContain('gets no mail for a reset until you enable it');
    await follow(enable, owner);
    expect(await thievesLuck(thief)).toEqual([401, 401, 401, 401]);
    const token = await resetTokenFor(owner.email);
    await post(app, '/auth/reset-password', { token, new_password: OTHER_PASSWORD }).expect(200);
    expect((await logIn(app, owner.email, OTHER_PASSWORD)).status).toBe(200);
    expect(await thievesLuck(thief)).toEqual([401, 401, 401, 401]);
  });

  it('S-17 the runbook ends the sessions of everybody and of one account', async () => {
    const [one, two] = [await aUser(app), await aUser(app)];
    const key = await anApiKey(app, one);
    const [, , , [all, each] = []] = steps;
    // Of many accounts: retention ends those that one account has beyond its bound, at any moment.
    await sql(
      app,
      `INSERT INTO users (id, email, name) SELECT 'usr_of_' || n, 'of-' || n || '@example.com', 'One' FROM generate_series(1, 100) n`,
    );
    await sql(
      app,
      `INSERT INTO sessions (id, user_id, refresh_hash, ip, user_agent, expires_at)
       SELECT 'ses_' || n, 'usr_of_' || 1 + n % 100, sha256(n::text::bytea), '203.0.113.7', '', now() + interval '1 day'
       FROM generate_series(1, 2500) n`,
    );
    expect(await follow(all, one)).toMatch(/^25\d\d sessions ended$/m);
    for (const { token, refresh: cookie } of [one, two]) {
      expect((await get(app, '/account/profile', token)).status).toBe(401);
      expect((await refresh(app, cookie)).status).toBe(401);
    }
    expect(await sql(app, 'SELECT 1 FROM sessions WHERE revoked_at IS NULL')).toEqual([]);
    expect((await get(app, '/me', key)).status).toBe(200);

    const [later, other] = [signedIn(await logIn(app, one.email)), signedIn(await logIn(app, two.email))];
    expect(await follow(each, one)).toContain('1 sessions ended');
    expect((await get(app, '/account/profile', later.token)).status).toBe(401);
    expect((await get(app, '/account/profile', other.token)).status).toBe(200);
    expect((await notice(one.email, 'Your sessions were ended')).text).toContain('go on working');
    const told = (await mailsTo(app, two.email)).map(({ subject }) => subject);
    expect(told).not.toContain('Your sessions were ended');
  });

  it('refuses what is no command, and changes nothing', async () => {
    const { token } = await aUser(app);
    const settings = testEnvironment({ port: own.port, dataDir: own.dataDir, database: app.database });
    for (const words of [
      ['lock', '--all'],
      ['list', '--ended-since', 'soon'],
    ]) {
      const started = own.run('scripts/users.js', settings as Record<string, string>, words);
      expect([words, await exitOf(started)]).toEqual([words, 1]);
    }
    expect((await get(app, '/account/profile', token)).status).toBe(200);
  });

  it('S-24 after a change of the password the notice names the key that stays and what to do', async () => {
    const owner = await aUser(app);
    const key = await anApiKey(app, owner);
    const change = { current_password: PASSWORD, new_password: OTHER_PASSWORD };
    await post(app, '/account/password', change, owner.token).expect(200);
    const told = await notice(owner.email, 'Your password was changed');
    expect(told.text).toContain(`API key that still works: ${key.slice(0, 16)}…`);
    expect(told.text).toContain('revoke it too');
  });

  it('S-24 what a notice advises helps: the reset that it links to ends the key that the thief made', async () => {
    const { owner, thief } = await aRobbedUser();
    const bot = await aBot(app, thief);
    const told = await notice(owner.email, 'An API key was created');
    expect(told.text).toContain(
      `Set a new password:\r\n\r\n${app.settings.publicUrl}/dashboard/forgot-password`.replaceAll('\r\n', '\n'),
    );
    expect(told.text).toContain('leave "Revoke the API key too" ticked');
    const token = await resetTokenFor(owner.email);
    const body = { token, new_password: OTHER_PASSWORD, revoke_api_keys: true };
    await post(app, '/auth/reset-password', body).expect(200);
    expect(await thievesLuck(thief)).toEqual([401, 401, 401, 401]);
    expect(outcome(await get(app, '/me', bot.key))).toEqual([401, 'unauthorized', 'key_revoked']);
    expect(await sql(app, 'SELECT halt_reason FROM bots WHERE id = $1', [bot.id])).toEqual([{ halt_reason: 'owner' }]);
  });

  it('S-24 the page of a reset revokes the key unless its owner unticks that', async () => {
    const browser = await startBrowser();
    const owner = await aUser(app);
    const key = await anApiKey(app, owner);
    const keyStatus = async (): Promise<number> => (await get(app, '/me', key)).status;
    const reset = async (password: string, isUnticked: boolean): Promise<void> => {
      const page = await browser.newPage();
      await post(app, '/auth/forgot-password', { email: owner.email }).expect(200);
      await settled(owner.email);
      const mail = (await mailsTo(app, owner.email)).findLast(({ subject }) => subject === 'Set a new password');
      await page.goto(`${app.url}/dashboard/reset-password#token=${tokenIn(mail, 'reset-password')}`);
      const box = page.getByRole('checkbox', { name: 'Revoke the API key too' });
      expect(await box.isChecked()).toBe(true);
      if (isUnticked) await box.uncheck();
      await expectAccessible(page);
      await page.getByLabel('New password').fill(password);
      await page.getByRole('button', { name: 'Set the password' }).click();
      await page.getByText('Your password is set').waitFor();
      await page.close();
    };
    await reset(OTHER_PASSWORD, true);
    expect(await keyStatus()).toBe(200);
    await reset(THIRD_PASSWORD, false);
    expect(await keyStatus()).toBe(401);
    await browser.close();
  });

  it('R-22 what the runbook removes where the disk is full is what nobody needs, and events are kept again afterwards', async () => {
    const owner = await aUser(app);
    await sql(
      app,
      `INSERT INTO security_events (id, type, user_id, ip, user_agent, created_at)
       SELECT 'flood-' || n, 'signup', 'usr_flood-' || n, '', '', now() - interval '9 days' FROM generate_series(1, 2000) n
       UNION ALL SELECT 'kept-' || type, type, $1, '', '', now() - interval '9 days' FROM unnest(ARRAY['signup', 'login']) type`,
      [owner.id],
    );
    await sql(app, `INSERT INTO rate_limits (key, points, expire) VALUES ('over', 1, 1)`);
    await sql(app, `INSERT INTO unproved_signups (user_id) VALUES ('usr_flood-7'), ($1) ON CONFLICT DO NOTHING`, [
      owner.id,
    ]);
    await sql(
      app,
      `INSERT INTO refresh_rotations (parent_hash, session_id, successor_hash, rotated_at)
       SELECT sha256(age::bytea), 'ses_any', sha256('next'), now() - age::interval FROM unnest(ARRAY['25 hours', '1 hour']) age`,
    );
    const [over = '', events = ''] = await blocksOf('The disk is full', 'sql');
    const client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    await client.query(over);
    await expect(client.query(`DELETE FROM security_events WHERE id LIKE 'flood-%'`)).rejects.toThrow('append-only');
    await client.query(events);
    const left = await sql<{ id: string }>(
      app,
      `SELECT id FROM security_events WHERE id ~ '^(flood|kept)-' ORDER BY id`,
    );
    expect(left.map(({ id }) => id)).toEqual(['kept-login', 'kept-signup']);
    await expect(client.query(`DELETE FROM security_events WHERE id LIKE 'kept-%'`)).rejects.toThrow('append-only');
    await client.end();
    expect(await sql(app, `SELECT 1 FROM rate_limits WHERE key = 'over'`)).toEqual([]);
    expect(await sql(app, `SELECT 1 FROM unproved_signups WHERE user_id = 'usr_flood-7'`)).toEqual([]);
    expect(await sql(app, 'SELECT 1 FROM unproved_signups WHERE user_id = $1', [owner.id])).toHaveLength(1);
    expect(await sql(app, `SELECT 1 FROM refresh_rotations WHERE session_id = 'ses_any'`)).toHaveLength(1);
    expect((await get(app, '/account/profile', owner.token)).status).toBe(200);
  });

  it('S-24 takes no revoke_api_keys but true and false', async () => {
    const owner = await aUser(app);
    const token = await resetTokenFor(owner.email);
    for (const revoke_api_keys of [null, 'true', 1, []]) {
      const answer = await post(app, '/auth/reset-password', { token, new_password: OTHER_PASSWORD, revoke_api_keys });
      expect([answer.status, codeOf(answer)]).toEqual([400, 'bad_request']);
    }
    expect((await logIn(app, owner.email)).status).toBe(200);
  });
});
