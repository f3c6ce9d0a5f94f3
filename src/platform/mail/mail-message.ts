import type { SendMailOptions } from 'nodemailer';
import type { RenderedMail } from './mail.js';

const MAX_LINE = 998;

/** Whether a text can travel as it is, so that its links stay whole in the raw mail too. */
function isSevenBit(text: string): boolean {
  return /^[\n -~]*$/.test(text) && text.split('\n').every((line) => line.length <= MAX_LINE);
}

function assertOneLine(value: string): string {
  if (/[\r\n]/.test(value)) throw new Error('A header of a mail may not hold a line break (S-46).');
  return value;
}

/** The mail as nodemailer takes it. */
export function toMessage(mail: RenderedMail, from: string): SendMailOptions {
  const raw = `Content-Type: text/plain; charset=us-ascii\r\nContent-Transfer-Encoding: 7bit\r\n\r\n`;
  return {
    from: assertOneLine(from),
    to: { name: '', address: assertOneLine(mail.to) },
    subject: assertOneLine(mail.subject),
    text: isSevenBit(mail.text) ? { raw: raw + mail.text.replaceAll('\n', '\r\n') } : mail.text,
    html: mail.html,
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
