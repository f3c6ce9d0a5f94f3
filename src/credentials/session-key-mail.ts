import type { MailContent } from '../platform/mail/mail.js';
import type { SessionKeyRow } from './session-keys.repository.js';

const DAY_MS = 86_400_000;

/** `2026-01-31 12:00 UTC` */
function atMinute(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** For the owner of a session key that ends soon. */
export function endingKeyText(
  { exchange, address, walletAddress }: Pick<SessionKeyRow, 'exchange' | 'address' | 'walletAddress'>,
  validUntil: Date,
  now: Date,
): MailContent {
  const days = Math.ceil((validUntil.getTime() - now.getTime()) / DAY_MS);
  const path = `/account/credentials/${exchange}/session-key`;
  return {
    subject: `Your session key for ${exchange} ends in ${days} ${days === 1 ? 'day' : 'days'}`,
    paragraphs: [
      `The session key that signs your orders at ${exchange} ends on ${atMinute(validUntil)}. From then on orders that it would have to sign are refused; what you sign yourself, reads and cancels go on.`,
      `To trade on, make a new session key (POST ${path}), authorise it with the wallet of your account by the command in that answer, and take it into use (POST ${path}/activate). The old key signs until then.`,
    ],
    facts: [
      [
        ['Exchange', exchange],
        ['Session key', address],
        ['Account', walletAddress],
        ['Ends', atMinute(validUntil)],
      ],
    ],
    closing: ['If you do not want to go on, there is nothing to do: the key ends by itself.'],
  };
}
