import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { MailWorker } from '../../src/platform/mail/mail-worker.js';
import type { TestApp } from './app.js';

const WAIT_MS = 25_000;
const POLL_MS = 10;

/** A mail that left the service, as its reader sees it. */
export interface ReadMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The file as it lies in the outbox. */
  readonly raw: string;
}

/** A file of the outbox never changes: each is read once. */
const parsed = new Map<string, Promise<ReadMail>>();

async function parse(file: string): Promise<ReadMail> {
  const raw = await readFile(file, 'utf8');
  const { to, subject = '', text = '', html = '' } = await PostalMime.parse(raw);
  return { to: to?.[0]?.address ?? '', subject, text, html, raw };
}

function readMail(file: string): Promise<ReadMail> {
  const known = parsed.get(file) ?? parse(file);
  parsed.set(file, known);
  return known;
}

/** Every mail to an address that has left so far, oldest first. */
export async function mailsTo(app: Pick<TestApp, 'dataDir'>, email: string): Promise<ReadMail[]> {
  const outbox = join(app.dataDir, 'outbox');
  const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(names.map((name) => readMail(join(outbox, name))));
  return mails.filter((mail) => mail.to === email);
}

/** Where mails are; one in this process can be told to send a mail at once. */
export type MailingApp = Pick<TestApp, 'dataDir'> & Partial<Pick<TestApp, 'get' | 'query'>>;

/** Without the delay that a mail has otherwise (S-6), and that other parts of its topic could come in. */
async function hurry(app: MailingApp, email: string): Promise<void> {
  const due = `UPDATE mail_outbox SET next_attempt_at = now()
    WHERE recipient = $1 AND done_at IS NULL AND attempts = 0 AND next_attempt_at > now()`;
  await app.query?.(due, [email]);
  app.get?.(MailWorker).wake(0);
}

/** Waits until so many mails to an address have left, which those do at once that are in the outbox. */
export async function waitForMails(app: MailingApp, email: string, count: number): Promise<ReadMail[]> {
  await hurry(app, email);
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const mails = await mailsTo(app, email);
    if (mails.length >= count) return mails;
    if (Date.now() > deadline) throw new Error(`${mails.length} of ${count} mails to ${email} left`);
    await delay(POLL_MS);
  }
}

/** Waits for a mail to an address with a text in it. */
export async function waitForMail(app: MailingApp, email: string, text: string): Promise<ReadMail> {
  for (let count = 1; ; count += 1) {
    const found = (await waitForMails(app, email, count)).find((mail) => mail.text.includes(text));
    if (found !== undefined) return found;
  }
}

/** The token in the link of a mail's text part, which stands alone on its line. */
export function tokenIn(mail: ReadMail | undefined, page: 'verify-email' | 'reset-password'): string {
  const [, token] = new RegExp(`^\\S+/dashboard/${page}#token=([\\w-]{43})\\r?$`, 'm').exec(mail?.text ?? '') ?? [];
  if (token === undefined) throw new Error(`no ${page} link in: ${mail?.text ?? 'no mail'}`);
  return token;
}
