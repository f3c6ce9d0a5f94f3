import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { startTestApp, type TestApp } from './support/app.js';
import { type ReadMail, tokenIn, waitForMails } from './support/mail.js';
import { post, signedIn, signUp } from './support/calls.js';
import { anEmail, aUser } from './support/users.js';

const AT = '\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}';
const LAST_LINES = ['', '-- ', 'Trading Proxy', ''];

/** Every line of the text part; `#…` stands for a token, and the times for themselves. */
function linesOf(mail: ReadMail | undefined): string[] {
  return (mail?.text ?? '')
    .replaceAll('\r\n', '\n')
    .replaceAll(/#token=[\w-]{43}/g, '#token=…')
    .replaceAll(new RegExp(`${AT}:\\d{2} UTC`, 'g'), 'SECOND')
    .replaceAll(new RegExp(`${AT} UTC`, 'g'), 'MINUTE')
    .replace(/\n*$/, '\n')
    .split('\n');
}

describe('the text part of a mail', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  it('S-10 of a verification has the link alone on its line, between blank ones', async () => {
    const email = anEmail();
    await signUp(app, email);
    const [mail] = await waitForMails(app, email, 1);
    expect(linesOf(mail)).toEqual([
      'Somebody signed up to Trading Proxy with this address on MINUTE.',
      '',
      'If it was you, follow the link within 24 hours to verify the address.',
      '',
      'Verify the address:',
      '',
      `${app.settings.publicUrl}/dashboard/verify-email#token=…`,
      '',
      'If this was not you, ignore this mail: nothing happens without the link.',
      ...LAST_LINES,
    ]);
  });

  it('of a reset has the link alone on its line, between blank ones', async () => {
    const { email } = await aUser(app);
    await post(app, '/auth/forgot-password', { email });
    const [, mail] = await waitForMails(app, email, 2);
    expect(linesOf(mail)).toEqual([
      'Somebody asked for a new password for this address at Trading Proxy.',
      '',
      'If it was you, follow the link within 30 minutes to set it. It ends every session of the account.',
      '',
      'Set a new password:',
      '',
      `${app.settings.publicUrl}/dashboard/reset-password#token=…`,
      '',
      'If this was not you, ignore this mail: nothing happens without the link.',
      ...LAST_LINES,
    ]);
  });

  it('S-46 holds nothing of what the caller wrote', async () => {
    const person = await aUser(app);
    await request(app.url)
      .post('/account/api-keys')
      .set('Authorization', `Bearer ${person.token}`)
      .set('User-Agent', '<img src=x onerror=alert(1)> "&')
      .send({ name: '<script>alert(2)</script>' })
      .expect(201);
    const [, notice] = await waitForMails(app, person.email, 2);
    expect(notice?.text).toContain('Client: a program');
    expect(`${notice?.html ?? ''}${notice?.text ?? ''}`).not.toMatch(/img|onerror|script|alert/);
  });

  it('of a notice has one fact a line and a blank line before the closing', async () => {
    const email = anEmail();
    await signUp(app, email);
    const [first] = await waitForMails(app, email, 1);
    const { token } = signedIn(await post(app, '/auth/verify-email', { token: tokenIn(first, 'verify-email') }));
    const created = await request(app.url)
      .post('/account/api-keys')
      .set('Authorization', `Bearer ${token}`)
      .set('User-Agent', 'Bot 1.0')
      .send({});
    const [, mail] = await waitForMails(app, email, 2);
    const { prefix } = created.body as { prefix: string };
    expect(linesOf({ ...mail, text: mail?.text.replace(`${prefix}…`, 'PREFIX') ?? '' } as ReadMail)).toEqual([
      'A new API key can now trade or read for you.',
      '',
      'Set a new password:',
      '',
      `${app.settings.publicUrl}/dashboard/forgot-password`,
      '',
      'When: SECOND',
      'Address: 127.0.0.1',
      'Client: a program',
      'API key: PREFIX',
      '',
      'If this was not you, set a new password at once with the link above, and leave "Revoke the API key too" ticked: that ends every session, and the key with them.',
      '',
      'If you cannot, ask the operator of this service to lock your account.',
      ...LAST_LINES,
    ]);
  });
});
