import { getSystemErrorName } from 'node:util';
import { isNativeError } from 'node:util/types';
import type { Settings } from '../../platform/config/settings.js';
import { isSafeSmtp } from '../../platform/config/smtp-url.js';
import { reasonOf } from './failure.js';
import { fail, type Finding, ok, STEP_LIMIT_MS, warn } from './finding.js';

/** Connects, starts TLS and logs in as for a mail; sends none. Throws what nodemailer throws. */
async function logIn(url: string): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const limits = { connectionTimeout: 3_000, greetingTimeout: 3_000, dnsTimeout: 3_000, socketTimeout: STEP_LIMIT_MS };
  const transport = createTransport({ url, ...limits });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/** The text of a mail server may repeat what it was sent: only the code is told, that of the operating system where there is one. */
function whyNot(error: unknown): string {
  if (!isNativeError(error)) return 'it does not answer';
  const code: unknown = Reflect.get(error, 'code');
  const errno: unknown = Reflect.get(error, 'errno');
  const known = typeof errno === 'number' && errno < 0 ? getSystemErrorName(errno) : code;
  return typeof known === 'string' ? reasonOf(new Error(known)) : 'it does not answer';
}

/** Whether mails can leave: the server is reached and takes the log-in (contract.md 2). */
export async function checkMail({ smtpUrl, mailFrom }: Settings): Promise<Finding> {
  if (smtpUrl === undefined) {
    return ok('SMTP_URL is not set: mails go to files in outbox in DATA_DIR, and to nobody.');
  }
  try {
    await logIn(smtpUrl.reveal());
  } catch (error) {
    return fail(
      `The mail server cannot be used: ${whyNot(error)}.`,
      'Look whether it runs and SMTP_URL is right; until then sign-ups and password resets wait for their mails.',
    );
  }
  if (!isSafeSmtp(smtpUrl)) {
    return warn(
      'The mail server takes the log-in, but without TLS that is checked: whoever is between can read the links in mails.',
      'Use smtps: or ?requireTLS=true in SMTP_URL.',
    );
  }
  if (/@localhost>?$/.test(mailFrom)) {
    return warn(
      'The mail server takes the log-in, but MAIL_FROM is at localhost.',
      'Set MAIL_FROM to an address of yours.',
    );
  }
  return ok('The mail server takes the log-in.');
}
