import type { MailContent } from '../../platform/mail/mail.js';

/** `2026-01-31 12:00 UTC` */
function atMinute(date: Date): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const IGNORE = 'If this was not you, ignore this mail: nothing happens without the link.';

const SEVERAL =
  'More than one sign-up waits for this address. Only its owner can follow the link, so none of their passwords will count: you are signed in and then set your own.';

const ACCOUNT = [
  'If it was you, follow the link within 24 hours, in the browser that you signed up with: there everything stays as it is.',
  'Followed anywhere else, the link makes the account yours and empties it, as somebody else may have made it: password, sessions, API key and exchange credentials are removed. You are signed in and then set your own password.',
];

/** For an account whose address is still to be proved; no text of it was chosen at sign-up either (S-12, S-46). */
export function accountVerificationText(url: string, signedUpAt: Date): MailContent {
  return {
    subject: 'Verify your e-mail address',
    paragraphs: [
      `Somebody signed up to Trading Proxy with this address on ${atMinute(signedUpAt)}, and has an account since then.`,
      ...ACCOUNT,
    ],
    link: { label: 'Verify the address', url },
    closing: [IGNORE],
  };
}

/** Holds no text that was chosen at sign-up, since its reader may be somebody else (S-10, S-46). */
export function verificationText(url: string, signedUpAt: Date, isAlone = true): MailContent {
  return {
    subject: 'Verify your e-mail address',
    paragraphs: [
      `Somebody signed up to Trading Proxy with this address on ${atMinute(signedUpAt)}.`,
      'If it was you, follow the link within 24 hours to verify the address.',
      ...(isAlone ? [] : [SEVERAL]),
    ],
    link: { label: 'Verify the address', url },
    closing: [IGNORE],
  };
}

/** For the owner of an address that somebody signs up with again (S-7). */
export function knownAddressText(at: Date): MailContent {
  return {
    subject: 'Somebody signed up with your address',
    paragraphs: [
      `Somebody tried to sign up to Trading Proxy with this address on ${atMinute(at)}. You have an account already, and nothing about it was changed.`,
      'If it was you, sign in as usual, or ask for a password reset if you have lost the password.',
    ],
    closing: ['If this was not you, there is nothing to do.'],
  };
}

export function resetText(url: string): MailContent {
  return {
    subject: 'Set a new password',
    paragraphs: [
      'Somebody asked for a new password for this address at Trading Proxy.',
      'If it was you, follow the link within 30 minutes to set it. It ends every session of the account.',
    ],
    link: { label: 'Set a new password', url },
    closing: [IGNORE],
  };
}
