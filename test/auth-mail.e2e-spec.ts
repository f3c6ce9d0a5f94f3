import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { startTestApp, type TestApp } from './support/app.js';
import { post, signUp } from './support/calls.js';
import { sql } from './support/rows.js';
import { anEmail } from './support/users.js';

interface Sink {
  readonly url: string;
  readonly mails: { to: string; text: string }[];
  /** `refuse` answers 451, `reject` 550, `hang` nothing. */
  mode: 'take' | 'refuse' | 'reject' | 'hang';
  close(): Promise<void>;
}

/** A mail server on loopback. */
async function startSink(mode: Sink['mode'] = 'take'): Promise<Sink> {
  const mails: Sink['mails'] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, _session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (sink.mode === 'hang') return;
        if (sink.mode !== 'take') {
          done(Object.assign(new Error('not now'), { responseCode: sink.mode === 'refuse' ? 451 : 550 }));
          return;
        }
        void PostalMime.parse(Buffer.concat(chunks)).then(({ to, text = '' }) => {
          mails.push({ to: to?.[0]?.address ?? '', text });
          done();
        });
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const sink: Sink = {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    mode,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  };
  return sink;
}

async function until(check: () => boolean | Promise<boolean>, withinMs = 40_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error('that did not come about in time');
    await delay(50);
  }
}

describe('mails over SMTP', () => {
  const open: { close(): Promise<void> }[] = [];

  async function start(mode: Sink['mode'] = 'take', overrides: Record<string, string> = {}): Promise<[TestApp, Sink]> {
    const sink = await startSink(mode);
    const app = await startTestApp({ SMTP_URL: sink.url, ...overrides });
    open.push(sink, app);
    return [app, sink];
  }

  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  it('R-19 sends each mail once', async () => {
    const [app, sink] = await start();
    const emails = Array.from({ length: 8 }, anEmail);
    await Promise.all(emails.map((email) => signUp(app, email)));
    await until(() => sink.mails.length >= 8);
    await delay(1_500);
    expect(sink.mails.map(({ to }) => to).sort()).toEqual(emails.sort());
  });

  it.each(['refuse', 'reject', 'hang'] as const)(
    'S-6, R-10, R-19 a mail server that does %s slows nobody, and gets the mail later',
    async (mode) => {
      const [app, sink] = await start(mode);
      const email = anEmail();
      const before = performance.now();
      expect((await signUp(app, email)).status).toBe(201);
      // The mail server has 10 s for an answer.
      expect(performance.now() - before).toBeLessThan(5_000);
      await until(async () => (await sql(app, 'SELECT 1 FROM mail_outbox WHERE attempts > 0')).length === 1);
      sink.mode = 'take';
      await until(() => sink.mails.length === 1, 60_000);
      const token = /#token=([\w-]{43})/.exec(sink.mails[0]?.text ?? '')?.[1];
      expect((await post(app, '/auth/verify-email', { token })).status).toBe(200);
    },
  );

  it('R-19 retries after 1 s, 5 s and 30 s, 2 and 10 minutes, then hourly, and gives up after 24 h with an event', async () => {
    const [app] = await start('reject');
    await signUp(app, anEmail());
    const row = async () =>
      (
        await sql<{ attempts: number; wait: number; outcome: string | null }>(
          app,
          `SELECT attempts, extract(epoch FROM next_attempt_at - clock_timestamp())::float AS wait, outcome FROM mail_outbox`,
        )
      )[0];
    for (const [index, seconds] of [1, 5, 30, 120, 600, 3600, 3600].entries()) {
      const isPostponed = (now: Awaited<ReturnType<typeof row>>): boolean =>
        now?.attempts === index + 1 && now.wait <= seconds && now.wait > seconds - 2;
      await until(async () => isPostponed(await row()));
      await sql(app, 'UPDATE mail_outbox SET next_attempt_at = now()');
    }
    await until(async () => ((await row())?.attempts ?? 0) === 8 && ((await row())?.wait ?? 0) > 3598);
    await sql(app, `UPDATE mail_outbox SET created_at = now() - interval '25 hours', next_attempt_at = now()`);
    await until(async () => (await row())?.outcome === 'given_up');
    const given = () => sql(app, `SELECT 1 FROM security_events WHERE type = 'mail_given_up'`);
    await until(async () => (await given()).length > 0);
    expect(await given()).toHaveLength(1);
  });

  it('R-19 a mail whose sender was killed midway is sent after its lease', async () => {
    const [app, sink] = await start();
    await sql(
      app,
      `INSERT INTO mail_outbox (id, kind, recipient, data, attempts, next_attempt_at)
       VALUES ('mail_x', 'notice', 'x@example.com', $1, 1, now() + interval '1 second')`,
      [
        {
          type: 'password_changed',
          userId: 'usr_x',
          ip: '',
          userAgent: '',
          keyPrefix: null,
          exchange: null,
          details: {},
        },
      ],
    );
    await until(() => sink.mails.length > 0);
    expect(sink.mails.map(({ to }) => to)).toEqual(['x@example.com']);
  });
});
