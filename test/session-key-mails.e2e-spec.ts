import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exchangeAddresses } from '../sandbox/demo/environment.js';
import { SessionKeyReminders } from '../src/credentials/session-key-reminders.js';
import { newKeyPair } from '../src/exchanges/polymarket/session-keys/private-key.js';
import { startTestApp, type TestApp } from './support/app.js';
import { mailsTo, type ReadMail, waitForMails } from './support/mail.js';
import { startTestStand, type TestStand } from './support/sandbox.js';
import { activeKey, createKey, putCredentials, removeKey } from './support/session-keys.js';
import { aUser, type TestUser } from './support/users.js';

const DAY_MS = 86_400_000;
/** Mails leave within 400 ms, and none may come after. */
const NO_MAIL_MS = 1_500;
const RUNS_AT_ONCE = 8;

const isReminder = ({ subject }: ReadMail): boolean => subject.startsWith('Your session key for polymarket ends in ');

describe('mails before a session key ends (contract.md 5.9)', () => {
  let stand: TestStand;
  /** Shares database and outbox with the first, as a second replica does: either sends any mail. */
  let second: TestApp;

  beforeAll(async () => {
    stand = await startTestStand();
    const addresses = exchangeAddresses(stand.sandbox.addresses);
    second = await startTestApp({ ...addresses, DATA_DIR: stand.app.dataDir }, stand.app.database);
  });

  afterAll(async () => {
    await second.close();
    await stand.close();
  });

  const remindersTo = async ({ email }: TestUser): Promise<string[]> => {
    const mails = await mailsTo(stand.app, email);
    return mails.filter(isReminder).map(({ subject }) => subject);
  };

  /** All reminders that have left once nothing is left to be sent. */
  const settled = async (user: TestUser): Promise<string[]> => {
    const waiting = `SELECT 1 FROM mail_outbox WHERE recipient = $1 AND kind = 'session_key_ending' AND done_at IS NULL`;
    while ((await stand.app.query(waiting, [user.email])).length > 0) await delay(50);
    return remindersTo(user);
  };

  /** What the timer of every instance does, many times at once. */
  const run = async (): Promise<void> => {
    const instances = [stand.app, second].map((app) => app.get(SessionKeyReminders));
    const all = Array.from({ length: RUNS_AT_ONCE }, (_, index) => instances[index % 2]);
    await Promise.all(
      all.map(async (reminders) => {
        while (await reminders?.remind());
      }),
    );
  };

  const aHolder = async (days: number): Promise<TestUser & { address: string; wallet: string }> => {
    const [user, wallet] = [await aUser(stand.app), newKeyPair().address];
    const end = new Date(Date.now() + days * DAY_MS).toISOString();
    const address = await activeKey(stand, user, { wallet, body: { valid_until: end } });
    return { ...user, address, wallet };
  };

  const moveEnd = (user: TestUser, days: number): Promise<unknown> =>
    stand.app.query(`UPDATE session_keys SET valid_until = now() + $2 * interval '1 day' WHERE user_id = $1`, [
      user.id,
      days,
    ]);

  it('one leaves 14 days and one 2 days before, however many instances look, and says what to do', async () => {
    const user = await aHolder(30);
    await run();
    expect(await settled(user)).toEqual([]);
    await moveEnd(user, 13.9);
    await run();
    expect(await settled(user)).toEqual(['Your session key for polymarket ends in 14 days']);
    await moveEnd(user, 5);
    await run();
    expect(await settled(user)).toHaveLength(1);
    await moveEnd(user, 1.9);
    await run();
    await run();
    expect((await settled(user)).sort()).toEqual([
      'Your session key for polymarket ends in 14 days',
      'Your session key for polymarket ends in 2 days',
    ]);
    const mails = (await mailsTo(stand.app, user.email)).filter(isReminder);
    expect(mails).toHaveLength(2);
    for (const { text } of mails) {
      expect(text).toContain(user.address);
      expect(text.replaceAll(/\s+/g, ' ')).toContain('POST /account/credentials/polymarket/session-key/activate');
    }
  });

  it.each([
    [13.5, ['Your session key for polymarket ends in 14 days']],
    [0.5, ['Your session key for polymarket ends in 1 day']],
  ])('a key that is taken into use %d days before its end is told of at once, and once', async (days, subjects) => {
    const user = await aHolder(days);
    expect(await settled(user)).toEqual(subjects);
    await run();
    expect(await settled(user)).toEqual(subjects);
  });

  it('a key that is taken into use later is told of by itself', async () => {
    const user = await aHolder(10);
    await activeKey(stand, user, {
      wallet: user.wallet,
      body: { valid_until: new Date(Date.now() + 12 * DAY_MS).toISOString() },
    });
    // The mail about the first may find that key gone.
    expect(await settled(user)).toContain('Your session key for polymarket ends in 12 days');
  });

  it.each<[string, (user: TestUser & { wallet: string }) => Promise<unknown>]>([
    ['was forgotten', async (user) => removeKey(stand.app, user)],
    [
      'was replaced by one that has no end',
      async (user) =>
        putCredentials(stand.app, user, {
          wallet_address: user.wallet,
          session_key: newKeyPair().privateKey.reveal(),
        }),
    ],
    ['has ended', (user) => moveEnd(user, -1)],
    [
      'is refused',
      (user) => stand.app.query('UPDATE session_keys SET refused_at = now() WHERE user_id = $1', [user.id]),
    ],
    [
      'has an owner whose address is not proved',
      (user) => stand.app.query('UPDATE users SET email_verified_at = NULL WHERE id = $1', [user.id]),
    ],
    [
      'has an owner who is disabled',
      (user) => stand.app.query('UPDATE users SET disabled_at = now() WHERE id = $1', [user.id]),
    ],
  ])('none leaves about a key that %s', async (_, change) => {
    const user = await aHolder(30);
    await moveEnd(user, 10);
    await change(user);
    await run();
    await delay(NO_MAIL_MS);
    expect(await settled(user)).toEqual([]);
  });

  it('none leaves about a key that was forgotten after it was asked for', async () => {
    const user = await aHolder(30);
    await moveEnd(user, 10);
    await stand.app.query(
      `INSERT INTO mail_outbox (id, kind, recipient, data, next_attempt_at)
       SELECT 'mail_00000000000000000000000000', 'session_key_ending', $2, jsonb_build_object('userId', user_id, 'exchange',
         exchange, 'address', address, 'validUntil', to_char(valid_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
         now() + interval '2 seconds' FROM session_keys WHERE user_id = $1`,
      [user.id, user.email],
    );
    await stand.app.query('UPDATE session_keys SET reminded_days = 14 WHERE user_id = $1', [user.id]);
    await removeKey(stand.app, user);
    expect(await settled(user)).toEqual([]);
    const [row] = await stand.app.query(`SELECT outcome FROM mail_outbox WHERE id = 'mail_00000000000000000000000000'`);
    expect(row).toEqual({ outcome: 'not_needed' });
  });

  it('S-55 the owner is told when a key is taken into use and when it is forgotten, not when one is made', async () => {
    const user = await aHolder(30);
    await createKey(stand.app, user, user.wallet);
    await removeKey(stand.app, user);
    const subjects = (await waitForMails(stand.app, user.email, 3)).map(({ subject }) => subject);
    expect(subjects.slice(1).sort()).toEqual(['A session key can trade for you', 'A session key was removed']);
  });
});
